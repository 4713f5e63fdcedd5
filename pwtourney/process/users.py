"""User numbers for the bots of root: nobody's, and no two bots at work share one."""

import os

__all__ = ["bot_user"]

_FIRST, _LAST = 61184, 65519
"""The range that systemd, too, lends to services which have no user of their own."""

_lent = 0


def bot_user() -> int:
    """Return a number for the next bot, by process and count; the range is gone through in turn."""
    global _lent
    _lent += 1
    return _FIRST + (os.getpid() * 64 + _lent) % (_LAST - _FIRST + 1)
