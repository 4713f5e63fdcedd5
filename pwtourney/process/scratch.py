"""Scratch folders: made for one bot, and removed whatever the bot left in them."""

import os
import shutil
import subprocess
import tempfile
from contextlib import suppress

__all__ = ["PREFIX", "make_scratch", "remove_scratch"]

PREFIX = "pwtourney-"
"""What the names of all our scratch folders begin with."""

_SECONDS = 60


def make_scratch(root: str | None = None) -> str:
    """Make an empty folder under `root`, or where the system keeps temporary files."""
    if root is not None:
        os.makedirs(root, mode=0o700, exist_ok=True)  # a bot may have removed it
    return tempfile.mkdtemp(prefix=PREFIX, dir=root)


def remove_scratch(folder: str) -> None:
    """Remove a scratch folder, however deep it is and whatever its permissions are.

    Never raises: what cannot be removed is left to the system's own cleaning.
    """
    if os.path.islink(folder):  # a bot put it there: what it leads to is none of ours
        with suppress(OSError):
            os.unlink(folder)
        return
    with suppress(RecursionError):
        shutil.rmtree(folder, ignore_errors=True)
    if not os.path.lexists(folder):
        return
    for command in (["chmod", "-R", "u+rwx"], ["rm", "-rf"]):  # these do not recurse in Python
        with suppress(OSError, subprocess.TimeoutExpired):
            subprocess.run(
                [*command, "--", folder], timeout=_SECONDS, check=False, capture_output=True
            )
