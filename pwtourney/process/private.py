"""Keeping what the runner has in memory from bots that run as the same user."""

import ctypes
import sys

__all__ = ["keep_private"]

_PR_SET_DUMPABLE = 4


def keep_private() -> bool:
    """Forbid other processes of this user to trace this one or read its memory and environment.

    False where the system cannot (outside Linux). Holds until the process starts another program.
    """
    if not sys.platform.startswith("linux"):
        return False
    return bool(ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0) == 0)
