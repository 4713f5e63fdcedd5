"""Runs one of these bots: ``python -S -I tests/conformance/broken/__main__.py NAME``."""

import os
import sys

if __name__ == "__main__":
    # -I excludes this folder from imports; in a sandbox the folders above hold nothing but the
    # path to it
    sys.path.insert(0, os.path.abspath(f"{os.path.dirname(__file__)}/../../.."))
    from tests.conformance.broken import WAYS

    WAYS[sys.argv[1]]().run()
