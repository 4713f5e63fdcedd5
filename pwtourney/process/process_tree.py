"""All processes of one bot, followed as they come and go, without the bot's cooperation.

The kernel assigns process ids in sequence, so only ids between the latest one that we saw and the
latest one now need a look. A process belongs to the bot if its parent does. An orphan (the worker
is a subreaper, so orphans become its children) cannot be assigned to one of the two bots; it is
killed when it is seen.
"""

import errno
import os
import select
import signal
import time
from collections.abc import Iterator
from contextlib import suppress

from pwtourney.process.memory import divided_memory, most_memory, resident_memory, socket_memory
from pwtourney.sandbox.orphans import in_our_session, newest_process, parents
from pwtourney.sandbox.procfs import read_proc

__all__ = ["ProcessTree"]

_MAX_LOOK = 512
_OVERLAP = 8
"""The number of ids to look at again: a process has its id a moment before it is visible."""

_MOST_THREADS = 256
_CALM_NS = 1_000_000
_STOPPING_ROUNDS = 20
_LONGEST_END_MS = 1000
"""The time to wait for the end of a killed process; a large one takes some time."""
_starters: set[int] = set()
"""Processes that we started ourselves, and that are therefore not orphans."""


class ProcessTree:
    """The processes below `root`; those of the first `wrappers` generations are not the bot's.

    At most `most` of them are followed: a bot with more has too many anyway. With a `launcher` the
    first process after the wrappers is ours, too, and starts the bot. Raises OSError if not even
    the root can be followed.
    """

    def __init__(
        self, root: int, wrappers: int = 0, most: int = 1024, *, launcher: bool = False
    ) -> None:
        self._root = root
        self._wrappers = wrappers
        self._first = wrappers + launcher
        """The generation of the bot's first process."""
        self.template = 0
        """The process that forks copies; it is the bot's but plays no game; 0 for none."""
        self._most = most + self._first + 1
        self._generation: dict[int, int] = {}
        # pidfds, because a signal to an id could reach another process that got the id meanwhile.
        self._handles: dict[int, int] = {}
        self._spent: dict[int, int] = {}
        self._clocks: list[tuple[int, int]] = []
        self._playing = 0
        self._ended = 0
        self._children = 0
        self._lost = 0
        self._settled = False
        self._looked = 0
        self._newest = root
        self._killed: list[int] = []
        """Orphans that were killed and have not been reaped."""
        self._seen: set[int] = set()
        """The newest ids whose process was looked at, the bot's or not; one look is enough."""
        self._tells = newest_process() >= root
        self._take_in(root, 0)
        _starters.add(root)

    def forget(self) -> None:
        """Stop following; the ids may be reused from now on."""
        _starters.discard(self._root)
        for pid in list(self._generation):
            self._lose(pid)

    def members(self) -> list[int]:
        """Return the bot's own processes that were alive at the last look."""
        return [pid for pid, depth in self._generation.items() if depth >= self._first]

    def copies(self) -> list[int]:
        """Return the bot's playing processes (all but the template) as of the last look."""
        return [pid for pid in self.members() if pid != self.template]

    def look(self) -> None:
        """Add new processes and remove those that are gone; kill new orphans."""
        self._looked = time.monotonic_ns()
        if self._killed:
            self._reap_killed()
        newest = newest_process()
        if newest == self._newest and self._tells:
            return
        # Ids wrap around when they run out, and may be those of another namespace. Then all of
        # /proc is read.
        before, self._newest = self._newest, newest
        gone = [pid for pid in self._generation if not _is_alive(pid)]
        for pid in gone:
            self._lose(pid)
        if self._tells and 0 < newest - before <= _MAX_LOOK:
            parent_of = {
                pid: parent
                for pid in range(max(2, before - _OVERLAP), newest + 1)
                if pid not in self._seen and pid not in self._generation
                if _is_alive(pid)  # excludes threads
                for parent in _read_fields(pid, 1, 2)
            }
            # If all new processes still exist, none of them has been waited for.
            if gone or sum(pid > before for pid in parent_of) < newest - before:
                self._settled = False
            # A process that is not the bot's never becomes the bot's, even when its parent dies.
            last = newest - _OVERLAP
            self._seen = {pid for pid in (*self._seen, *parent_of) if pid >= last}
            me = os.getpid()
            ours = [pid for pid, parent in parent_of.items() if parent == me and pid > self._root]
            for pid in ours:
                # These are orphans unless they are bots. Those in our session belong to someone
                # else, as in `Orphans`.
                if not (pid in _starters or in_our_session(pid)):
                    # Not waited for: it ends when it gets a core, and until then a bot would block
                    # the referee.
                    with suppress(OSError):
                        os.kill(pid, signal.SIGKILL)
                        self._killed.append(pid)
        else:
            self._settled = False
            parent_of = parents()
        known = self._generation
        while len(known) <= self._most and (
            more := [pid for pid in parent_of if parent_of[pid] in known and pid not in known]
        ):
            for pid in more:
                self._take_in(pid, known[parent_of.pop(pid)] + 1)

    def _reap_killed(self) -> None:
        """Reap the killed orphans that have ended."""
        left = []
        for pid in self._killed:
            with suppress(ChildProcessError):
                if os.waitpid(pid, os.WNOHANG) == (0, 0):
                    left.append(pid)
        self._killed = left

    def cpu_ns(self, now: int) -> int:
        """Return the CPU time that all processes have used so far, including ended ones.

        `now` is a time of the monotonic clock; the result is in nanoseconds. It is exact for living
        processes. Of processes that came and went unseen it has only what the kernel adds to their
        parent, in its ticks (10 ms).
        """
        if now - self._looked >= _CALM_NS:
            self.look()
            # A single process has no children to wait for, unless one came and went.
            if self._playing > 1 or not self._settled:
                self._settle()
        total = self._ended + self._lost
        for pid, clock in self._clocks:
            try:
                self._spent[pid] = spent = time.clock_gettime_ns(clock)
            except OSError:  # the process is gone; the last value counts
                spent = self._spent[pid]
            total += spent
        return total

    def begin_at_zero(self) -> None:
        """Count CPU time from now on, without what was used before."""
        self._settle()
        self._ended -= self.cpu_ns(time.monotonic_ns())

    def _settle(self) -> None:
        """Add the time of ended processes once: as last seen, or as reported by a parent.

        What the kernel adds to a parent for children that it waited for (cutime, cstime) may be
        from children that we have seen or from others. In each interval the larger of the two sums
        is right.
        """
        ticks = sum(sum(_read_fields(pid, 13, 15)) for pid in self._generation)
        children = ticks * 1_000_000_000 // os.sysconf("SC_CLK_TCK")
        grown = max(0, children - self._children)
        self._children = max(self._children, children)
        self._ended += max(grown, self._lost)
        self._lost = 0
        self._settled = True

    def memory(self) -> int:
        """Return the bytes in memory now; shared pages count once for each process."""
        self.look()
        return sum(map(resident_memory, self.copies())) + self._socket_memory()

    def exact_memory(self) -> int:
        """Return the bytes in memory now, with shared pages divided; this takes long."""
        return sum(map(divided_memory, self.copies())) + self._socket_memory()

    def peak(self) -> int:
        """Return the sum of the peak memory of all living processes, in bytes."""
        self.look()
        return sum(map(most_memory, self.copies()))

    def is_single(self) -> bool:
        """Return True if the bot is one process; it stays true until one starts on the machine."""
        self.look()
        return self._tells and len(self._generation) == self._first + 1 + bool(self.template)

    def count(self) -> int:
        """Return how many of the bot's processes play now; at most one more than the limit."""
        self.look()
        return len(self.copies())

    def stop(self) -> None:
        """Stop all processes, including those that are forked meanwhile."""
        stopped: set[int] = set()
        # The rounds are bounded, because a bot may fork faster than we look; it is killed in the
        # end.
        for _ in range(_STOPPING_ROUNDS):
            self.look()
            running = [pid for pid in self.members() if pid not in stopped]
            if not running:
                return
            self._signal(running, signal.SIGSTOP)
            stopped.update(running)

    def resume(self) -> None:
        """Let all processes continue."""
        self._signal(self.members(), signal.SIGCONT)

    def end_copies(self) -> bool:
        """Kill the playing processes; return True if only zombies are left."""
        for _ in range(_STOPPING_ROUNDS):
            self.look()
            running = [pid for pid in self.copies() if not self._has_ended(pid)]
            if not running:
                return True
            self._signal(running, signal.SIGKILL)
            for pid in running:
                self._has_ended(pid, _LONGEST_END_MS)
        return False

    def template_ns(self) -> int:
        """Return the CPU time of the template alone; 0 without one, or if it is gone."""
        with suppress(OSError):
            return time.clock_gettime_ns(_cpu_clock(self.template)) if self.template else 0
        return 0

    def reap_all(self) -> None:
        """Kill what is left, including wrappers, and reap what became our child by that."""
        self._signal([*self._generation], signal.SIGKILL)
        for pid in [*self._generation]:
            if self._has_ended(pid, _LONGEST_END_MS) and pid != self._root:
                with suppress(ChildProcessError):
                    os.waitpid(pid, os.WNOHANG)

    def kill(self) -> None:
        """Stop all processes, then kill them, including wrappers."""
        self.stop()
        self._signal(list(self._generation), signal.SIGKILL)

    def threads(self) -> Iterator[str]:
        """Yield the /proc folders of the playing processes' threads, at most 256."""
        # A bot with thousands of threads must not make us read for as long as its turn lasts.
        left = _MOST_THREADS
        for pid in self.copies():
            with suppress(OSError):
                names = os.listdir(f"/proc/{pid}/task")[:left]
                left -= len(names)
                yield from (f"/proc/{pid}/task/{name}" for name in names)

    def _socket_memory(self) -> int:
        """Return the memory that the bot's sockets may hold, if it has a network namespace."""
        # Read from the innermost process of the sandbox, because a process of the bot may be a
        # zombie, which has no network any more.
        first = (pid for pid, depth in self._generation.items() if depth == self._wrappers - 1)
        inside = next(first, None)
        return 0 if inside is None else socket_memory(inside)

    def _has_ended(self, pid: int, patience_ms: int = 0) -> bool:
        watch = select.poll()
        watch.register(self._handles[pid], select.POLLIN)
        return bool(watch.poll(patience_ms))

    def _take_in(self, pid: int, generation: int) -> None:
        """Follow a process, with a pidfd that stays valid even when its id is reused."""
        try:
            self._handles[pid] = os.pidfd_open(pid)
        except OSError as error:  # ESRCH: it is gone already; only the root must exist
            if generation == 0 or error.errno != errno.ESRCH:
                raise
            return
        self._generation[pid] = generation
        self._spent[pid] = 0
        self._note_clocks()

    def _lose(self, pid: int) -> None:
        self._lost += self._spent.pop(pid, 0)
        del self._generation[pid]
        os.close(self._handles.pop(pid))
        self._note_clocks()

    def _note_clocks(self) -> None:
        """Note the CPU clocks of the bot's processes, and how many of these are copies."""
        self._clocks = [(pid, _cpu_clock(pid)) for pid in self.members()]
        self._playing = len(self.copies())

    def _signal(self, pids: list[int], number: int) -> None:
        for pid in pids:
            with suppress(ProcessLookupError, PermissionError):
                signal.pidfd_send_signal(self._handles[pid], number)


def _cpu_clock(pid: int) -> int:
    """Return the id of a process's CPU clock, as ``clock_getcpuclockid`` does."""
    return (~pid << 3) | 2  # linux/posix-timers.h: CPUCLOCK_SCHED, of a whole process


def _is_alive(pid: int) -> bool:
    """Return True if there is a process with this id; zombies count."""
    try:
        time.clock_gettime_ns(_cpu_clock(pid))
    except OSError:
        return False
    return True


def _read_fields(pid: int, first: int, last: int) -> Iterator[int]:
    """Yield fields of a process's ``stat`` as numbers, counted from the field after its name."""
    with suppress(OSError):
        yield from map(int, read_proc(f"/proc/{pid}/stat").rpartition(b")")[2].split()[first:last])
