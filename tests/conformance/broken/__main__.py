"""Runs one of these bots: ``python -S -I tests/conformance/broken/__main__.py NAME``."""

import os
import sys

if __name__ == "__main__":
    # -I excludes this folder from imports, and in a sandbox the folders above it are empty
    # except for this one
    sys.path.insert(0, os.path.abspath(f"{os.path.dirname(__file__)}/../../.."))
    from tests.conformance.broken import WAYS

    WAYS[sys.argv[1]]().run()
