"""Files that hold none of the tests that a run asks for: they are not even read."""

import re
from pathlib import Path

__all__ = ["holds_none"]

_WHOLE = re.compile(r"^pytestmark = (\[[^\]]*\]|.*)$", re.MULTILINE)
"""The marks of all tests of a file."""


def holds_none(path: Path, expression: str) -> bool:
    """Return True if the marks of a file say that `-m EXPRESSION` leaves out all of its tests.

    To import all files and what they test takes seconds of each process. Only what the Makefile
    asks for is understood; of other expressions nothing is said.
    """
    text = path.read_text()
    if expression == "serial":
        return "mark.serial" not in text
    whole = _WHOLE.search(text)
    left_out = [mark for mark in ("serial", "slow") if f"not {mark}" in expression.split(" and ")]
    return whole is not None and any(f"mark.{mark}" in whole[0] for mark in left_out)
