"""Finding and killing processes that a bot left behind.

A daemon leaves its session and its parent, so killing a process group does not reach it. A
subreaper becomes the parent of every orphan below it, so its children, less those that it knows,
are the orphans. Children in our own session are left alone: a bot begins a new session, nothing
that it starts can come back into ours, so those children belong to someone else.
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
    """Make orphans below this process its children; return False outside Linux."""
    if not sys.platform.startswith("linux"):
        return False
    libc = ctypes.CDLL(None, use_errno=True)
    return bool(libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0)


class Orphans:
    """Distinguishes the children of this process that existed before it from later ones."""

    def __init__(self) -> None:
        self._newest = _newest_or_unknown()
        self._known = frozenset(children())

    @property
    def nothing_began(self) -> bool:
        """True if no process at all has started on the machine since this object was made."""
        return self._newest != _UNKNOWN and self._newest == _newest_or_unknown()

    def sweep(self, spared: frozenset[int] = frozenset()) -> int:
        """Kill and reap every child in another session that is neither known nor spared.

        All processes below them are killed, too. Each round stops all of them before it kills any,
        so that none can fork in time. Returns how many were killed. After 5 s it stops, and leaves
        the rest to a later sweep.
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
            # A process that forks faster than we kill would win; a stopped process cannot fork.
            for number in (signal.SIGSTOP, signal.SIGKILL):
                for pid in sorted(tree):
                    with suppress(ProcessLookupError, PermissionError):
                        os.kill(pid, number)
            for pid in orphans:
                with suppress(ChildProcessError):
                    os.waitpid(pid, 0)
            killed += len(orphans)  # repeat: the death of a parent makes new orphans
        return killed


def in_our_session(pid: int) -> bool:
    """Return True if a process is in our session, where no process of a bot can be."""
    with suppress(ProcessLookupError):
        return os.getsid(pid) == os.getsid(0)
    return False


def _newest_or_unknown() -> int:
    """Return the newest process id, or _UNKNOWN if the system does not give a usable one."""
    try:
        newest = newest_process()
    except OSError:
        return _UNKNOWN
    # An id below our own belongs to another pid namespace, or the ids have wrapped around.
    return newest if newest >= os.getpid() else _UNKNOWN


def children() -> list[int]:
    """Return the process ids of our children, including zombies."""
    if not sys.platform.startswith("linux"):
        return []
    try:
        # One system call costs nothing compared with reading all of /proc.
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return []
    # A child leaves this list only when it is reaped, which only this process can do, so none is
    # missed while we read. It is several times as fast as reading every process's parent.
    pids: list[int] = []
    try:
        for thread in os.listdir("/proc/self/task"):
            pids += map(int, read_proc(f"/proc/self/task/{thread}/children").split())
    except OSError:  # a kernel without CONFIG_PROC_CHILDREN, or a thread that has just ended
        me = os.getpid()
        return [pid for pid, parent in parents().items() if parent == me]
    return pids


def parents() -> dict[int, int]:
    """Return a map from every visible process id to its parent's."""
    # Not psutil: with 478 processes this takes 11 ms and psutil 19 to 24 ms, in which time a fork
    # bomb gains ground. Its import would also add 32 ms to the start of each worker.
    parent_of = {}
    for entry in os.scandir("/proc"):
        if entry.name.isdigit():
            # After the last bracket, because the name before it may hold brackets and blanks of its
            # own.
            with suppress(OSError):
                fields = read_proc(f"/proc/{entry.name}/stat").rpartition(b")")[2].split()
                parent_of[int(entry.name)] = int(fields[1])
    return parent_of


def newest_process() -> int:
    """Return the process id that the kernel assigned last; it may have belonged to a thread.

    The kernel assigns ids in sequence, so a new process is noticed without a search, in two
    microseconds. Raises OSError where there is no /proc/loadavg (not Linux).
    """
    return int(os.pread(_open_loadavg(), 128, 0).rsplit(None, 1)[1])


@cache
def _open_loadavg() -> int:
    return os.open("/proc/loadavg", os.O_RDONLY | os.O_CLOEXEC)
