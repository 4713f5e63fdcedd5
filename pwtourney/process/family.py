"""All processes of one bot, followed as they come and go, without asking the bot.

The system hands out process ids in turn, and tells the latest one in ``/proc/loadavg`` for two
microseconds; so only ids between the latest that we saw and the latest now need a look. A process
belongs to the bot if its parent does, or if it is an orphan that turned up while we looked (the
worker is a subreaper: orphans become its children).
"""

import os
import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from functools import cache

from pwtourney.process.strays import parents

__all__ = ["Family"]

_MAX_LOOK = 512
_CALM_NS = 1_000_000
_STOPPING_ROUNDS = 20
_starters: set[int] = set()
"""Processes that we started ourselves: none of them is somebody's orphan."""


class Family:
    """The processes below `root`; those of the first `wrappers` generations are not the bot's."""

    def __init__(self, root: int, wrappers: int = 0) -> None:
        self._wrappers = wrappers
        self._generation: dict[int, int] = {}
        self._handles: dict[int, int] = {}
        self._spent: dict[int, int] = {}
        self._gone = 0
        self._root = root
        self._newest = root
        self._looked = 0
        self._seen_children_ns = 0
        _starters.add(root)
        self._take_in(root, 0)

    def forget(self) -> None:
        """Stop following; the ids may be given to others from now on."""
        _starters.discard(self._root)
        for pid in list(self._generation):
            self._lose(pid)

    def members(self) -> list[int]:
        """Return the processes of the bot itself that were alive when last looked for."""
        return [pid for pid, depth in self._generation.items() if depth >= self._wrappers]

    def look(self) -> None:
        """Take notice of processes that are new."""
        self._looked = time.monotonic_ns()
        newest = _newest_pid()
        if newest == self._newest:
            return
        ahead = newest - self._newest
        found = _parents_of(self._newest + 1, newest) if 0 < ahead <= _MAX_LOOK else parents()
        self._newest = newest
        while more := [pid for pid, parent in found.items() if self._is_ours(pid, parent)]:
            for pid in more:
                self._take_in(pid, self._generation.get(found.pop(pid), self._wrappers) + 1)

    def cpu_ns(self) -> int:
        """Return the processor time that all have used so far, those that are gone included.

        Exact for processes that live; of those that came and went unseen only what the system
        adds to their parent, in its ticks (10 ms).
        """
        calm = time.monotonic_ns() - self._looked < _CALM_NS
        if not calm:
            self.look()
            self._seen_children_ns = max(self._seen_children_ns, self._children_ns())
        for pid in self.members():
            try:
                self._spent[pid] = time.clock_gettime_ns(_cpu_clock(pid))
            except OSError:
                self._gone += self._spent.pop(pid, 0)
                self._lose(pid)
        return sum(self._spent.values()) + max(self._gone, self._seen_children_ns)

    def memory(self, enough: int = 0) -> int:
        """Return the bytes in memory now.

        Pages that several share are counted for each while the sum stays below `enough`, because
        to divide them takes long; above it they are divided.
        """
        self.look()
        total = sum(_resident(pid) for pid in self.members())
        return total if total < enough else sum(_proportional(pid) for pid in self.members())

    def peak(self) -> int:
        """Return the sum of the most that each living process ever had in memory, in bytes."""
        self.look()
        return sum(_most_resident(pid) for pid in self.members())

    def count(self) -> int:
        """Return how many processes there are now."""
        self.look()
        return sum(os.path.exists(f"/proc/{pid}") for pid in self.members())

    def stop(self) -> None:
        """Stop all of them; a process that was forked meanwhile is found and stopped too."""
        stopped: set[int] = set()
        for _ in range(_STOPPING_ROUNDS):
            self.look()
            running = [pid for pid in self.members() if pid not in stopped]
            if not running:
                return
            self._signal(running, signal.SIGSTOP)
            stopped.update(running)

    def resume(self) -> None:
        """Let them go on."""
        self._signal(self.members(), signal.SIGCONT)

    def kill(self) -> None:
        """Stop all of them, then kill them, wrappers too."""
        self.stop()
        self._signal(list(self._generation), signal.SIGKILL)

    def queued_ns(self) -> int:
        """Return how long the thread that waited longest has stood ready without a core."""
        return max((_queued(pid) for pid in self.members()), default=0)

    def _is_ours(self, pid: int, parent: int) -> bool:
        if pid in self._generation or pid in _starters:
            return False
        return parent in self._generation or parent == os.getpid()

    def _take_in(self, pid: int, generation: int) -> None:
        """Note a process, with a handle that stays its own even when the id is given to others."""
        with suppress(OSError):
            self._handles[pid] = os.pidfd_open(pid)
            self._generation[pid] = generation

    def _lose(self, pid: int) -> None:
        del self._generation[pid]
        os.close(self._handles.pop(pid))

    def _signal(self, pids: list[int], number: int) -> None:
        for pid in pids:
            with suppress(ProcessLookupError, PermissionError):
                signal.pidfd_send_signal(self._handles[pid], number)

    def _children_ns(self) -> int:
        """Sum what the system has added to the living for children that they waited for."""
        ticks = sum(sum(_fields(pid, 13, 15)) for pid in self._generation)
        return ticks * 1_000_000_000 // os.sysconf("SC_CLK_TCK")


def _cpu_clock(pid: int) -> int:
    """Return the id of the clock of a process's processor time, as ``clock_getcpuclockid`` does."""
    return (~pid << 3) | 2


@cache
def _loadavg() -> int:
    return os.open("/proc/loadavg", os.O_RDONLY | os.O_CLOEXEC)


def _newest_pid() -> int:
    """Return the id that was given out last; it may have belonged to a thread."""
    return int(os.pread(_loadavg(), 128, 0).rsplit(None, 1)[1])


def _parents_of(first: int, last: int) -> dict[int, int]:
    """Return the parents of the processes in a range of ids; threads are none."""
    found = {}
    for pid in range(first, last + 1):
        with suppress(OSError):
            time.clock_gettime_ns(_cpu_clock(pid))  # fails at once for threads and for nobody
            for parent in _fields(pid, 1, 2):
                found[pid] = parent
    return found


def _fields(pid: int, first: int, last: int) -> Iterator[int]:
    """Yield fields of a process's ``stat``, counted from the one behind its name."""
    with suppress(OSError), open(f"/proc/{pid}/stat", "rb") as file:
        yield from map(int, file.read().rpartition(b")")[2].split()[first:last])


def _resident(pid: int) -> int:
    with suppress(OSError), open(f"/proc/{pid}/statm", "rb") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    return 0


def _proportional(pid: int) -> int:
    """Return the bytes of a process in memory, shared pages divided among those who share."""
    with suppress(OSError), open(f"/proc/{pid}/smaps_rollup", "rb") as file:
        for line in file:
            if line.startswith(b"Pss:"):
                return int(line.split()[1]) * 1024
    return _resident(pid)  # it forbids others to look: then everything counts


def _most_resident(pid: int) -> int:
    with suppress(OSError), open(f"/proc/{pid}/status", "rb") as file:
        for line in file:
            if line.startswith(b"VmHWM"):
                return int(line.split()[1]) * 1024
    return 0


def _queued(pid: int) -> int:
    """Return the longest wait of a process's threads for a core, in nanoseconds."""
    longest = 0
    with suppress(OSError):
        for thread in os.listdir(f"/proc/{pid}/task"):
            with suppress(OSError), open(f"/proc/{pid}/task/{thread}/schedstat", "rb") as file:
                longest = max(longest, int(file.read().split()[1]))
    return longest
