"""Finding and ending processes that a bot left behind.

A daemon leaves its session and its parent, so killing a process group does not reach it. A
subreaper becomes the parent of every orphan below it, so its own children, less the ones it
knows, are the orphans. Children in our own session are left alone: a bot begins a session, and
nothing that it starts can come back into ours, so they are somebody else's.
"""

import ctypes
import os
import signal
import sys
import time
from contextlib import suppress
from functools import cache

from pwtourney.sandbox.procfs import read_proc

__all__ = [
    "Orphans",
    "become_subreaper",
    "children",
    "in_our_session",
    "newest_process",
    "parents",
]

_PR_SET_CHILD_SUBREAPER = 36
_ROUNDS = 200
_PATIENCE_NS = 5_000_000_000
_UNKNOWN = -1


def become_subreaper() -> bool:
    """Make orphans below this process its children; False where the system cannot (not Linux)."""
    if not sys.platform.startswith("linux"):
        return False
    libc = ctypes.CDLL(None, use_errno=True)
    return bool(libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0)


class Orphans:
    """Tells the children of this process that were there before from those that turn up later."""

    def __init__(self) -> None:
        self._newest = _newest_or_unknown()
        self._known = frozenset(children())

    @property
    def nothing_began(self) -> bool:
        """Whether no process at all began on the machine since this was made."""
        return self._newest != _UNKNOWN and self._newest == _newest_or_unknown()

    def sweep(self, spared: frozenset[int] = frozenset()) -> int:
        """Kill and reap every child in another session that is neither known nor spared.

        All that is below them is killed, too. Each round stops all of them before it kills any, so
        that none can fork in time. Returns how many were killed; gives up, leaving the rest to a
        later sweep, after a few seconds.
        """
        killed = 0
        deadline = time.monotonic_ns() + _PATIENCE_NS
        for _ in range(_ROUNDS):
            left = [pid for pid in children() if pid not in self._known | spared]
            orphans = [pid for pid in left if not in_our_session(pid)]
            if not orphans or time.monotonic_ns() > deadline:
                break
            parent_of, tree = parents(), set(orphans)
            while more := {pid for pid, parent in parent_of.items() if parent in tree} - tree:
                tree |= more
            # whatever forks faster than we kill would win; what stands still cannot fork
            for number in (signal.SIGSTOP, signal.SIGKILL):
                for pid in sorted(tree):
                    with suppress(ProcessLookupError, PermissionError):
                        os.kill(pid, number)
            for pid in orphans:
                with suppress(ChildProcessError):
                    os.waitpid(pid, 0)
            killed += len(orphans)  # and again: the death of a parent makes new orphans
        return killed


def in_our_session(pid: int) -> bool:
    """Tell whether a process is in our session, in which no bot and nothing of a bot can be."""
    with suppress(ProcessLookupError):
        return os.getsid(pid) == os.getsid(0)
    return False


def _newest_or_unknown() -> int:
    """Return the newest process, if the system tells us of those that we can see."""
    try:
        newest = newest_process()
    except OSError:
        return _UNKNOWN
    # one below our own id is of another namespace of ids, or ids have begun again from the lowest
    return newest if newest >= os.getpid() else _UNKNOWN


def children() -> list[int]:
    """Return the process ids of our children, the dead but not reaped among them."""
    if not sys.platform.startswith("linux"):
        return []
    try:
        # asking the kernel costs nothing compared with reading all of /proc
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return []
    # A child leaves this list only when it is reaped, which nobody but us can do, so none is missed
    # while we read. It is several times as fast as to ask every process for its parent.
    found: list[int] = []
    try:
        for thread in os.listdir("/proc/self/task"):
            found += map(int, read_proc(f"/proc/self/task/{thread}/children").split())
    except OSError:  # a kernel without CONFIG_PROC_CHILDREN, or a thread that has just ended
        me = os.getpid()
        return [pid for pid, parent in parents().items() if parent == me]
    return found


def parents() -> dict[int, int]:
    """Return the parent of every process that we can see."""
    # Not psutil: among 478 processes this takes 11 ms and its list 19 to 24, and what forks in the
    # meantime gains by that; and importing it would add 32 ms to the start of each worker.
    parent_of = {}
    for entry in os.scandir("/proc"):
        if entry.name.isdigit():
            # behind the last bracket: the name before it may hold brackets and blanks of its own
            with suppress(OSError):
                fields = read_proc(f"/proc/{entry.name}/stat").rpartition(b")")[2].split()
                parent_of[int(entry.name)] = int(fields[1])
    return parent_of


def newest_process() -> int:
    """Return the id that was given out last; it may have belonged to a thread.

    The system hands out ids in turn, so whether any process began is known without looking for
    it, in two microseconds. Raises OSError where there is no such thing (not Linux).
    """
    return int(os.pread(_open_loadavg(), 128, 0).rsplit(None, 1)[1])


@cache
def _open_loadavg() -> int:
    return os.open("/proc/loadavg", os.O_RDONLY | os.O_CLOEXEC)
