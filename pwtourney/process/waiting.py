"""The waits of a bot's threads that were ready to run without a core, also unfinished ones.

The kernel adds a wait to a thread's account only when the wait is over: a bot that got no core at
all seems not to have waited. An unfinished wait shows in two looks between which the thread got no
core and did not give one up by itself. See proc_pid_status(5) for how often it did, and the
kernel's sched-stats for ``schedstat``.
"""

import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from types import MappingProxyType
from typing import NamedTuple

from pwtourney.process.priority import is_less_urgent
from pwtourney.process.process_tree import ProcessTree
from pwtourney.sandbox.procfs import read_proc

__all__ = ["Waiting", "Waits"]

_AT_ONCE_NS = 250_000
"""The maximum age of an account that serves for another turn.

Reading it takes a tenth of the time of a quick ply.
"""


class Waits(NamedTuple):
    """The nanoseconds that each thread has waited in a turn, by its folder in /proc.

    `goes_on` is True if a thread is ready to run now.
    """

    by_thread: Mapping[str, int] = MappingProxyType({})
    goes_on: bool = False

    @property
    def longest_wait(self) -> int:
        """The wait of the thread that waited longest, in nanoseconds."""
        return max(self.by_thread.values(), default=0)

    def list_longer_than(self, patience: int) -> Iterator[str]:
        """Yield the threads that waited longer than `patience` and did not choose to.

        A thread chooses to wait if it is less urgent than this process: by its niceness, its
        policy, or the niceness of its session (autogroup); see sched(7).
        """
        for thread, waited in self.by_thread.items():
            if waited > patience and not _gives_way(thread):
                yield thread


class _Look(NamedTuple):
    """A thread's accounts at one time: nanoseconds of finished waits, and two counters."""

    queued: int
    arrivals: int
    sleeps: int | None = None


class _Watched(NamedTuple):
    """A thread of a bot in one turn.

    `before` is what it had waited before the turn. `ready` is its first look with the same counters
    while it was ready to run, and `since` the time of that look.
    """

    before: int
    ready: _Look | None = None
    since: int = 0


class Waiting:
    """The waits of a bot's threads in one turn."""

    def __init__(self, tree: ProcessTree) -> None:
        self._tree = tree
        self._first = ""
        self._descriptor: int | None = None
        self._began = self._read_at = 0
        self._at_start = b""
        self._watched: dict[str, _Watched] = {}

    def begin(self, instant: int, is_short: bool) -> None:
        """Begin a turn. For threads other than the first, waits count from the first look on.

        The account of the first thread may be that of a turn that began just before, unless the
        turn `is_short`. What the thread has waited since then is negligible.
        """
        if self._watched:
            self._watched.clear()
        self._began = instant
        if self._at_start and instant - self._read_at < _AT_ONCE_NS and not is_short:
            return
        self._read_at = instant
        if self._descriptor is None:  # stays open, because it is read in every turn
            for pid in self._tree.copies()[:1]:
                self._first = f"/proc/{pid}/task/{pid}"
                with suppress(OSError):
                    path = f"{self._first}/schedstat"
                    self._descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        self._at_start = b""
        if self._descriptor is not None:
            try:  # noqa: SIM105 - in every turn, so without another object
                # Read in every turn, but parsed in few of them.
                self._at_start = os.pread(self._descriptor, 64, 0)
            except OSError:
                pass

    def until(self, now: int) -> Waits:
        """Return how long each thread has waited in this turn until now, in nanoseconds."""
        if self._at_start and not self._watched:
            with suppress(ValueError):
                look = _Look(*_parse(self._at_start))
                # It slept until the request; without a core it cannot sleep again.
                ready = look if self._read_at == self._began else None
                self._watched[self._first] = _Watched(look.queued, ready, self._began)
        waits: dict[str, int] = {}
        goes_on = False
        threads = list(self._tree.threads())
        for gone in self._watched.keys() - {self._first, *threads}:
            del self._watched[gone]  # a bot may start and end any number in a turn
        for thread in threads:
            with suppress(OSError, ValueError):
                look, is_ready = _look_at(thread)
                waits[thread] = self._note(thread, look, now, is_ready=is_ready)
                goes_on |= is_ready
        return Waits(waits, goes_on)

    def longest_queued(self) -> int:
        """Return the longest total wait of any thread, without unfinished waits, in nanoseconds.

        It takes a third of the time of `until`, and is enough for the report of a timeout.
        """
        longest = 0
        for thread in self._tree.threads():
            with suppress(OSError, ValueError):
                longest = max(longest, _read_account(thread)[0])
        return longest

    def count_ready(self) -> int:
        """Return how many threads run or are ready to run now."""
        count = 0
        for thread in self._tree.threads():
            with suppress(OSError, ValueError):
                count += _look_at(thread)[1]
        return count

    def close(self) -> None:
        """Close the open file; the bot's processes may be gone."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def _note(self, thread: str, look: _Look, now: int, *, is_ready: bool) -> int:
        """Return how long a thread has waited in this turn, including an unfinished wait."""
        watched = self._watched.setdefault(thread, _Watched(look.queued))
        going_on = 0
        if is_ready:
            last = watched.ready
            # it got a core in between, or gave one up
            if (
                last is None
                or last.arrivals != look.arrivals
                or last.sleeps not in (None, look.sleeps)
            ):
                watched = self._watched[thread] = _Watched(watched.before, look, now)
            going_on = now - watched.since
        return look.queued - watched.before + going_on


def _parse(schedstat: bytes) -> tuple[int, int]:
    _, queued, arrivals = schedstat.split()
    return int(queued), int(arrivals)


def _look_at(thread: str) -> tuple[_Look, bool]:
    """Return a thread's accounts, and whether it runs or is ready to run.

    `thread` is its folder in /proc. Raises OSError if it is gone, ValueError for other text.
    """
    state, sleeps = b"", 0
    for line in read_proc(f"{thread}/status").splitlines():
        if line.startswith(b"State:"):
            state = line.split()[1]
        elif line.startswith(b"voluntary_ctxt_switches:"):
            sleeps = int(line.split()[1])
    return _Look(*_read_account(thread), sleeps), state == b"R"


def _read_account(thread: str) -> tuple[int, int]:
    return _parse(read_proc(f"{thread}/schedstat"))


def _gives_way(thread: str) -> bool:
    """Return True if a thread is less urgent than this process."""
    process = os.path.dirname(os.path.dirname(thread))
    with suppress(OSError, ValueError):
        if int(read_proc(f"{process}/autogroup").split()[-1]) > 0:
            return True
    # Fields of stat, counted from the one after the name: niceness and policy.
    with suppress(OSError):
        fields = read_proc(f"{thread}/stat").rpartition(b")")[2].split()
        return is_less_urgent(int(fields[16]), int(fields[38]))
    return False
