"""Who a bot is and what it may do, settled before it starts; and the runner kept private.

Guards are programs of the system (util-linux) that put a command under limits, tie it to us, or
make it another user's. Each bot of root gets a user number of its own: nobody's, and no two bots
at work share one.
"""

import ctypes
import os
import shutil
import socket
import subprocess
import sys
from contextlib import suppress
from functools import cache
from itertools import cycle

from pwtourney.errors import ShortageError
from pwtourney.sandbox.launch import Limits, prlimit_options

__all__ = [
    "NOBODY",
    "LeasedUid",
    "is_root",
    "keep_private",
    "limits_guard",
    "parent_guard",
    "user_guard",
]

NOBODY = 65534
"""Who a bot is in a sandbox, and whom root becomes to try whether it can be somebody else."""

_FIRST, _LAST = 60578, 61183
"""A range that systemd keeps free between those that it gives out itself."""

_numbers = cycle(range(_FIRST, _LAST + 1))

_PR_SET_DUMPABLE = 4

_TIED = ("--pdeathsig", "KILL", "--no-new-privs")
_PATIENCE_SECONDS = 10


def limits_guard(limits: Limits) -> tuple[str, ...]:
    """Return the guard that sets the limits of each process; empty where there is none."""
    return _working_guard("prlimit", *prlimit_options(limits), "--")


def parent_guard() -> tuple[str, ...]:
    """Return the guard that ties a command to us; empty where there is none.

    The kernel kills the command when the process that started it dies, however that happens, and
    keeps it from gaining privileges.
    """
    return _working_guard("setpriv", *_TIED, "--")


def user_guard(user: int) -> tuple[str, ...]:
    """Return the same guard for root, which also gives up being root; empty where there is none.

    `user` is a number that nobody else on the system has, for the group too.
    """
    # tried as nobody, and so only once: each bot has another number
    guard = _working_guard("setpriv", *_identity(NOBODY), *_TIED, "--")
    return (guard[0], *_identity(user), *_TIED, "--") if guard else ()


def _identity(user: int) -> tuple[str, ...]:
    who = (f"--reuid={user}", f"--regid={user}", "--clear-groups")
    # without a bounding set no setuid program gives any of root's capabilities back
    return (*who, "--inh-caps=-all", "--bounding-set=-all")


@cache
def _working_guard(name: str, *options: str) -> tuple[str, ...]:
    """Return a command that runs another under a guard; empty if it does not work here.

    It is tried once with a command that does nothing, because other programs of the same name
    (busybox has some) know fewer options.
    """
    program = shutil.which(name) if sys.platform == "linux" else None
    if program is None:
        return ()
    # absolute, because bots start in a folder of their own and PATH may hold relative entries
    guard = (os.path.abspath(program), *options)
    with suppress(OSError, subprocess.TimeoutExpired):
        done = subprocess.run([*guard, "true"], capture_output=True, timeout=_PATIENCE_SECONDS)
        return guard if done.returncode == 0 else ()
    return ()


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


def keep_private() -> bool:
    """Forbid other processes of this user to trace this one or read its memory and environment.

    False where the system cannot (outside Linux). Holds until the process starts another program.
    """
    if not sys.platform.startswith("linux"):
        return False
    return bool(ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0) == 0)
