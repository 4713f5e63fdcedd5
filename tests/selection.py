"""Finds test files without any selected test, so that they are not imported."""

import re
from pathlib import Path

__all__ = ["holds_none"]

_WHOLE = re.compile(r"^pytestmark = (\[[^\]]*\]|.*)$", re.MULTILINE)
"""Matches the marks of all tests of a file."""


def holds_none(path: Path, expression: str) -> bool:
    """Return True if a file's marks show that `-m EXPRESSION` deselects all of its tests.

    Importing all files and the modules they test takes seconds in each process. Only the
    expressions of the Makefile are understood; for others the result is False.
    """
    text = path.read_text()
    if expression == "serial":
        return "mark.serial" not in text
    whole = _WHOLE.search(text)
    left_out = [mark for mark in ("serial", "slow") if f"not {mark}" in expression.split(" and ")]
    return whole is not None and any(f"mark.{mark}" in whole[0] for mark in left_out)
