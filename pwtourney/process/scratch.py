"""Scratch folders: made for one bot, and removed whatever the bot left in them."""

import shutil
import subprocess
import tempfile
from contextlib import suppress
from pathlib import Path

__all__ = ["PREFIX", "make_scratch", "remove_scratch"]

PREFIX = "pwtourney-"
"""What the names of all our scratch folders begin with."""

_SECONDS = 60


def make_scratch(root: str | None = None) -> str:
    """Make an empty folder under `root`, or where the system keeps temporary files."""
    return tempfile.mkdtemp(prefix=PREFIX, dir=root)


def remove_scratch(folder: str) -> None:
    """Remove a scratch folder, however deep it is and whatever its permissions are.

    Never raises: what cannot be removed is left to the system's own cleaning.
    """
    with suppress(RecursionError):
        shutil.rmtree(folder, ignore_errors=True)
    if not Path(folder).exists():
        return
    for command in (["chmod", "-R", "u+rwx"], ["rm", "-rf"]):  # these do not recurse in Python
        with suppress(OSError, subprocess.TimeoutExpired):
            subprocess.run(
                [*command, "--", folder], timeout=_SECONDS, check=False, capture_output=True
            )
