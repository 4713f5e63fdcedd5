"""All processes of one bot, followed as they come and go, without asking the bot.

The system hands out process ids in turn, so only ids between the latest that we saw and the latest
now need a look. A process belongs to the bot if its parent does. An orphan (the worker is a
subreaper, so orphans become its children) cannot be assigned to one bot or the other; it is
ended where it is seen.
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
"""How many ids are looked at again: a process has its id a moment before it can be seen."""

_MOST_THREADS = 256
_CALM_NS = 1_000_000
_STOPPING_ROUNDS = 20
_LONGEST_END_MS = 1000
"""So long is waited for the end of a process that was killed; a large one takes some time."""
_starters: set[int] = set()
"""Processes that we started ourselves: none of them is somebody's orphan."""


class ProcessTree:
    """The processes below `root`; those of the first `wrappers` generations are not the bot's.

    No more than `most` of them are followed: a bot with more has too many anyway. With a
    `launcher` the first process behind the wrappers is ours, too, and starts the bot. Raises
    OSError if not even the root can be followed.
    """

    def __init__(
        self, root: int, wrappers: int = 0, most: int = 1024, *, launcher: bool = False
    ) -> None:
        self._root = root
        self._wrappers = wrappers
        self._first = wrappers + launcher
        """The generation of the bot's first process."""
        self.template = 0
        """The process that copies itself, which is the bot's but plays no game; 0 for none."""
        self._most = most + self._first + 1
        self._generation: dict[int, int] = {}
        # pidfds: a signal to an id could reach another process that got the id meanwhile
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
        """Those of the newest ids whose process was seen, the bot's or not: once is enough."""
        self._tells = newest_process() >= root
        self._take_in(root, 0)
        _starters.add(root)

    def forget(self) -> None:
        """Stop following; the ids may be given to others from now on."""
        _starters.discard(self._root)
        for pid in list(self._generation):
            self._lose(pid)

    def members(self) -> list[int]:
        """Return the processes of the bot itself that were alive when last looked for."""
        return [pid for pid, depth in self._generation.items() if depth >= self._first]

    def copies(self) -> list[int]:
        """Return the processes of the bot that play, as far as they were looked for."""
        return [pid for pid in self.members() if pid != self.template]

    def look(self) -> None:
        """Take notice of processes that are new, and of those that are gone; end new orphans."""
        self._looked = time.monotonic_ns()
        if self._killed:
            self._reap_killed()
        newest = newest_process()
        if newest == self._newest and self._tells:
            return
        # ids begin again from below when they run out, and may be those of another namespace: then
        # everything is read
        before, self._newest = self._newest, newest
        gone = [pid for pid in self._generation if not _is_alive(pid)]
        for pid in gone:
            self._lose(pid)
        if self._tells and 0 < newest - before <= _MAX_LOOK:
            parent_of = {
                pid: parent
                for pid in range(max(2, before - _OVERLAP), newest + 1)
                if pid not in self._seen and pid not in self._generation
                if _is_alive(pid)  # threads are not
                for parent in _read_fields(pid, 1, 2)
            }
            # where all that began are still there, nobody has waited for one of them
            if gone or sum(pid > before for pid in parent_of) < newest - before:
                self._settled = False
            # A process of somebody else is none of the bot's, whatever becomes of its parent.
            last = newest - _OVERLAP
            self._seen = {pid for pid in (*self._seen, *parent_of) if pid >= last}
            me = os.getpid()
            ours = [pid for pid, parent in parent_of.items() if parent == me and pid > self._root]
            for pid in ours:
                # orphans, if they are no bots; in our session they are somebody else's, as
                # `Orphans` says
                if not (pid in _starters or in_our_session(pid)):
                    # Not waited for: it ends when it is given a core, and until then a bot would
                    # keep the referee from its work.
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
        """Reap the orphans that have ended since they were killed."""
        left = []
        for pid in self._killed:
            with suppress(ChildProcessError):
                if os.waitpid(pid, os.WNOHANG) == (0, 0):
                    left.append(pid)
        self._killed = left

    def cpu_ns(self, now: int) -> int:
        """Return the processor time that all have used so far, those that are gone included.

        `now` is an instant of the monotonic clock. Exact for processes that live; of those that
        came and went unseen only what the system adds to their parent, in its ticks (10 ms).
        """
        if now - self._looked >= _CALM_NS:
            self.look()
            # one that plays alone has nobody to wait for, unless somebody came and went
            if self._playing > 1 or not self._settled:
                self._settle()
        total = self._ended + self._lost
        for pid, clock in self._clocks:
            try:
                self._spent[pid] = spent = time.clock_gettime_ns(clock)
            except OSError:  # it is gone; what it was last seen to have used stays
                spent = self._spent[pid]
            total += spent
        return total

    def begin_at_zero(self) -> None:
        """Count processor time from now on; that of processes that are gone belongs to the past."""
        self._settle()
        self._ended -= self.cpu_ns(time.monotonic_ns())

    def _settle(self) -> None:
        """Add the time of those that are gone, once: as last seen, or as told by a parent.

        What the system adds to a parent for children that it waited for (cutime, cstime) may be of
        children that we have seen or of others; in each interval the larger of the two sums is
        right.
        """
        ticks = sum(sum(_read_fields(pid, 13, 15)) for pid in self._generation)
        children = ticks * 1_000_000_000 // os.sysconf("SC_CLK_TCK")
        grown = max(0, children - self._children)
        self._children = max(self._children, children)
        self._ended += max(grown, self._lost)
        self._lost = 0
        self._settled = True

    def memory(self) -> int:
        """Return the bytes in memory now, pages that several share counted for each."""
        self.look()
        return sum(map(resident_memory, self.copies())) + self._socket_memory()

    def exact_memory(self) -> int:
        """Return the bytes in memory now, shared pages divided; this takes long."""
        return sum(map(divided_memory, self.copies())) + self._socket_memory()

    def peak(self) -> int:
        """Return the sum of the most that each living process ever had in memory, in bytes."""
        self.look()
        return sum(map(most_memory, self.copies()))

    def is_single(self) -> bool:
        """Tell whether the bot is one process, now and as long as none begins on the machine."""
        self.look()
        return self._tells and len(self._generation) == self._first + 1 + bool(self.template)

    def count(self) -> int:
        """Return how many processes there are now, at most one more than are followed."""
        self.look()
        return len(self.copies())

    def stop(self) -> None:
        """Stop all of them; a process that was forked meanwhile is found and stopped too."""
        stopped: set[int] = set()
        # rounds are bounded: a bot may fork faster than it is looked at, and is ended at last
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

    def end_copies(self) -> bool:
        """Kill what plays, and tell whether nothing of it is left but what waits to be reaped."""
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
        """Return the processor time of the template alone; 0 without one, or if it is gone."""
        with suppress(OSError):
            return time.clock_gettime_ns(_cpu_clock(self.template)) if self.template else 0
        return 0

    def reap_all(self) -> None:
        """Kill what is left, wrappers too, and reap what has come to us by that."""
        self._signal([*self._generation], signal.SIGKILL)
        for pid in [*self._generation]:
            if self._has_ended(pid, _LONGEST_END_MS) and pid != self._root:
                with suppress(ChildProcessError):
                    os.waitpid(pid, os.WNOHANG)

    def kill(self) -> None:
        """Stop all of them, then kill them, wrappers too."""
        self.stop()
        self._signal(list(self._generation), signal.SIGKILL)

    def threads(self) -> Iterator[str]:
        """Yield the folders of threads in /proc, if there are many only some."""
        # a bot with thousands of threads must not make us read as long as its turn lasts
        left = _MOST_THREADS
        for pid in self.copies():
            with suppress(OSError):
                names = os.listdir(f"/proc/{pid}/task")[:left]
                left -= len(names)
                yield from (f"/proc/{pid}/task/{name}" for name in names)

    def _socket_memory(self) -> int:
        """Return what the bot's sockets may hold, where it has a network of its own."""
        # asked of the innermost process that is not the bot's: one of the bot's may be a zombie,
        # which has no network any more
        first = (pid for pid, depth in self._generation.items() if depth == self._wrappers - 1)
        inside = next(first, None)
        return 0 if inside is None else socket_memory(inside)

    def _has_ended(self, pid: int, patience_ms: int = 0) -> bool:
        watch = select.poll()
        watch.register(self._handles[pid], select.POLLIN)
        return bool(watch.poll(patience_ms))

    def _take_in(self, pid: int, generation: int) -> None:
        """Note a process, with a handle that stays its own even when the id is given to others."""
        try:
            self._handles[pid] = os.pidfd_open(pid)
        except OSError as error:  # ESRCH: gone before we came; only the root must be there
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
        """Keep the clock of each process of the bot's own at hand: they are read every turn."""
        self._clocks = [(pid, _cpu_clock(pid)) for pid in self.members()]
        self._playing = len(self.copies())

    def _signal(self, pids: list[int], number: int) -> None:
        for pid in pids:
            with suppress(ProcessLookupError, PermissionError):
                signal.pidfd_send_signal(self._handles[pid], number)


def _cpu_clock(pid: int) -> int:
    """Return the id of the clock of a process's processor time, as ``clock_getcpuclockid`` does."""
    return (~pid << 3) | 2  # linux/posix-timers.h: CPUCLOCK_SCHED, of a whole process


def _is_alive(pid: int) -> bool:
    """Tell whether there is a process with this id; one that was not waited for counts."""
    try:
        time.clock_gettime_ns(_cpu_clock(pid))
    except OSError:
        return False
    return True


def _read_fields(pid: int, first: int, last: int) -> Iterator[int]:
    """Yield fields of a process's ``stat``, counted from the one behind its name."""
    with suppress(OSError):
        yield from map(int, read_proc(f"/proc/{pid}/stat").rpartition(b")")[2].split()[first:last])
