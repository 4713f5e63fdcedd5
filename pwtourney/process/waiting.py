"""How long the threads of a bot stood ready without a core, waits that still go on included.

The system adds a wait to a thread's account only when the wait is over: a bot that was given no
core at all seems not to have waited. That a wait goes on shows in two looks between which the
thread was given no core and did not give one up by itself. See proc_pid_status(5) for how often it
did, and the kernel's sched-stats for ``schedstat``.
"""

import os
from contextlib import suppress
from typing import NamedTuple

from pwtourney.process.process_tree import ProcessTree

__all__ = ["Waiting"]


class _Look(NamedTuple):
    """What a thread's accounts said: nanoseconds of waits that are over, and two counts."""

    queued: int
    arrivals: int
    sleeps: int


class Waiting:
    """The waits of a bot's threads in one turn, all in nanoseconds."""

    def __init__(self, tree: ProcessTree) -> None:
        self._tree = tree
        self._first = ""
        self._descriptor: int | None = None
        self._before: dict[str, int] = {}
        self._since: dict[str, tuple[_Look, int]] = {}
        self.goes_on = False
        """Whether a thread stood ready at the last look."""

    def begin(self, instant: int) -> None:
        """Begin a turn. Of other threads than the first, waits count from the first look on."""
        self._before.clear()
        self._since.clear()
        if self._descriptor is None:
            self._open()
        if self._descriptor is not None:
            with suppress(OSError, ValueError):
                queued, arrivals = _parse(os.pread(self._descriptor, 64, 0))
                self._before[self._first] = queued
                # it sleeps now, until it is asked: if it gets no core it cannot sleep again
                self._since[self._first] = (_Look(queued, arrivals, -1), instant)

    def until(self, now: int) -> int:
        """Return how long the thread that waited longest in this turn has waited until now."""
        longest, self.goes_on = 0, False
        threads = list(self._tree.threads())
        self._forget_others(threads)
        for thread in threads:
            with suppress(OSError, ValueError, IndexError):
                look, is_ready = _look_at(thread)
                before = self._before.setdefault(thread, look.queued)
                going_on = self._note(thread, look, now) if is_ready else 0
                longest = max(longest, look.queued - before + going_on)
                self.goes_on |= is_ready
        return longest

    def close(self) -> None:
        """Forget the bot; its processes may be gone."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def _forget_others(self, threads: list[str]) -> None:
        """Forget threads that are gone: a bot may start and end any number in a turn."""
        for gone in self._before.keys() - {self._first, *threads}:
            del self._before[gone]
            self._since.pop(gone, None)

    def _note(self, thread: str, look: _Look, now: int) -> int:
        """Return how long a thread that stands ready is known to have done so."""
        last, since = self._since.get(thread, (look, now))
        same_sleeps = last.sleeps in (-1, look.sleeps)
        if last.arrivals != look.arrivals or not same_sleeps:
            last, since = look, now
        self._since[thread] = (last, since)
        return now - since

    def _open(self) -> None:
        """Keep the account of the first thread open: it is read in every turn."""
        for pid in self._tree.members()[:1]:
            self._first = f"/proc/{pid}/task/{pid}"
            with suppress(OSError):
                path = f"{self._first}/schedstat"
                self._descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)


def _parse(schedstat: bytes) -> tuple[int, int]:
    _, queued, arrivals = schedstat.split()
    return int(queued), int(arrivals)


def _look_at(thread: str) -> tuple[_Look, bool]:
    """Return a thread's accounts, and whether it runs or stands ready."""
    with open(f"{thread}/status", "rb") as file:
        fields = dict(line.split(b":", 1) for line in file)
    with open(f"{thread}/schedstat", "rb") as file:
        queued, arrivals = _parse(file.read())
    is_ready = fields[b"State"].split()[0] == b"R"
    return _Look(queued, arrivals, int(fields[b"voluntary_ctxt_switches"])), is_ready
