"""One of these bots as a program: ``python -S -I tests/conformance/broken/__main__.py NAME``."""

import os
import sys

if __name__ == "__main__":
    # with -I nothing of this folder can be imported, and in a sandbox nothing of those above it is
    # there but their names
    sys.path.insert(0, os.path.abspath(f"{os.path.dirname(__file__)}/../../.."))
    from tests.conformance.broken import WAYS

    WAYS[sys.argv[1]]().run()
