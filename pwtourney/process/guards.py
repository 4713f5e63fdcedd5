"""Programs of the system (util-linux) that put a command under limits before it starts."""

import os
import shutil
import subprocess
import sys
from contextlib import suppress
from functools import cache

from pwtourney.process.leased_uid import NOBODY
from pwtourney.process.limits import Limits, prlimit_options

__all__ = ["bound", "tied", "tied_as"]

_TIED = ("--pdeathsig", "KILL", "--no-new-privs")
_PATIENCE_SECONDS = 10


def bound(limits: Limits) -> tuple[str, ...]:
    """Return the guard that sets the limits of each process; empty where there is none."""
    return _working("prlimit", *prlimit_options(limits), "--")


def tied() -> tuple[str, ...]:
    """Return the guard that ties a command to us; empty where there is none.

    The kernel kills the command when the process that started it dies, however that happens, and
    keeps it from gaining privileges.
    """
    return _working("setpriv", *_TIED, "--")


def tied_as(user: int) -> tuple[str, ...]:
    """Return the same guard for root, which also gives up being root; empty where there is none.

    `user` is a number that nobody else on the system has, for the group too.
    """
    guard = _working("setpriv", *_identity(NOBODY), *_TIED, "--")
    return (guard[0], *_identity(user), *_TIED, "--") if guard else ()


def _identity(user: int) -> tuple[str, ...]:
    who = (f"--reuid={user}", f"--regid={user}", "--clear-groups")
    return (*who, "--inh-caps=-all", "--bounding-set=-all")


@cache
def _working(name: str, *options: str) -> tuple[str, ...]:
    """Return a command that runs another under a guard; empty if it does not work here.

    It is tried once with a command that does nothing, because other programs of the same name
    (busybox has some) know fewer options.
    """
    program = shutil.which(name) if sys.platform == "linux" else None
    if program is None:
        return ()
    guard = (os.path.abspath(program), *options)
    with suppress(OSError, subprocess.TimeoutExpired):
        done = subprocess.run([*guard, "true"], capture_output=True, timeout=_PATIENCE_SECONDS)
        return guard if done.returncode == 0 else ()
    return ()
