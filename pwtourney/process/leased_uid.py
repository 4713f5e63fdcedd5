"""User numbers for the bots of root: nobody's, and no two bots at work share one."""

import os
import socket
from itertools import cycle

from pwtourney.errors import ShortageError

__all__ = ["NOBODY", "LeasedUid", "is_root"]

NOBODY = 65534
"""Who a bot is in a sandbox, and whom root becomes to try whether it can be somebody else."""

_FIRST, _LAST = 60578, 61183
"""A range that systemd keeps free between those that it gives out itself."""

_numbers = cycle(range(_FIRST, _LAST + 1))


class LeasedUid:
    """A number that no other bot on this machine has until it is given back.

    What holds it is a socket with an abstract name, which is gone with the process that made it.
    """

    def __init__(self) -> None:
        for _ in range(_FIRST, _LAST + 1):
            self.number = next(_numbers)
            self._held = socket.socket(socket.AF_UNIX)
            try:
                self._held.bind(f"\0pwtourney-user-{self.number}")
            except OSError:
                self._held.close()
                continue
            return
        raise ShortageError("all user numbers for bots are taken by other runs")

    def release(self) -> None:
        """Let others have the number; to be called when nothing of the bot is running any more."""
        self._held.close()


def is_root() -> bool:
    """Tell whether bots must be made other users before they start."""
    return os.name == "posix" and os.geteuid() == 0
