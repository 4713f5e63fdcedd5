"""The meter of a bot: what it uses in each turn, its limits, and whose fault a timeout was.

The clock of a game is wall time. In addition, the CPU time of every turn is recorded, and what the
bot uses in its opponent's time. A bot is checked shortly after its turn began (so that a timeout
can be distinguished from a busy machine), and then twenty times a second.

A bot that was ready to run and got no core, or whose core was lent to another virtual machine, was
delayed by the machine. What its own processes used in that time is not such a delay, because a bot
could make its threads wait for each other. What its opponent used is counted separately: it is
given back to the bot's clock, and an opponent that takes more than its fair share loses.
"""

import os
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from typing import NamedTuple

from pwtourney.errors import BotFault, TheftFault
from pwtourney.notation.game import MOST_BORN, Hindrance
from pwtourney.process import priority
from pwtourney.process.bot_processes import BotProcesses
from pwtourney.process.heartbeat import Gap, Heartbeat
from pwtourney.process.waiting import Waits
from pwtourney.sandbox.isolation import Isolation
from pwtourney.sandbox.launch import Limits
from pwtourney.sandbox.quota import ThrottledTime

__all__ = ["Meter", "Reading"]

_MS = 1_000_000
_FIRST_LOOK_NS = 5 * _MS
_FIRST_SHARE = 20
_SHORT_NS = _FIRST_LOOK_NS * _FIRST_SHARE
_LOOKS_NS = 50 * _MS
_EXACT_NS = 1000 * _MS
_AT_ONCE_NS = _MS // 4
"""A turn that follows this soon after the bot's last one continues it.

The time in between is negligible, and one reading of the bot's clock less saves a tenth of the cost
of such a ply.
"""

_CROWD = 8
"""With more processes than this a bot can delay the referee that shares its core."""

_THEFT = 2
"""An opponent loses if it takes more than this many times a turn's time of the core.

With one thread it cannot do that, because the scheduler shares a core evenly. So a bot cannot frame
an opponent that ponders.
"""

_CROWDED = 2
"""More ready threads than this are a crowd, which theft requires.

With two threads, a bot gets at most twice the share of an opponent that has one thread. Taking more
is not theft then: its opponent left the core to it on purpose.
"""

_ESCAPE_NS = 20 * _MS
_ESCAPE_SHARE = 10
_MOST_ESCAPE_NS = 500 * _MS
"""The CPU time that a stopped bot may use in its opponent's turn.

It may have begun a long system call, which runs to its end. The limit is a tenth of the turn's
time, within these bounds.
"""

_PATIENCE_NS = 500 * _MS
"""A bot that is ready to run is awaited this long beyond its time, until its wait is known."""

_MUCH = 2
"""A bot computes much of the time if it is idle for less than this part of it: a half."""

_MIB = 1 << 20

_NS_A_TICK = 10_000_000

_NO_GAP = Gap()


class Reading(NamedTuple):
    """The counters of the machine and of a bot at one time, in nanoseconds."""

    instant: int
    queued: int
    stolen: int
    pressure: int
    cpu: int
    opponent: int
    runner: int
    pid_counter: int

    @classmethod
    def take(cls, instant: int, tree: BotProcesses, opponent: BotProcesses | None) -> "Reading":
        """Read all counters; those that the system does not have are zero."""
        theirs = opponent.cpu_ns(instant) if opponent else 0
        used = (tree.cpu_ns(instant), theirs, time.process_time_ns(), tree.pid_counter())
        some = re.search(r"^some .*total=(\d+)", _read_text("/proc/pressure/cpu"), re.MULTILINE)
        pressure = int(some[1]) * 1000 if some else 0
        queued = tree.longest_queued()
        # The average over the cores that we may use: a virtual machine loses some cores more than
        # others, and only the bots' cores matter.
        cores = sorted(os.sched_getaffinity(0))
        lines = (line.split() for line in _read_text("/proc/stat").splitlines())
        by_name = {fields[0]: int(fields[8]) for fields in lines if len(fields) > 8}
        stolen = sum(by_name.get(f"cpu{core}", 0) for core in cores) * _NS_A_TICK // len(cores)
        return cls(instant, queued, stolen, pressure, *used)

    def until(self, later: "Reading") -> Hindrance:
        """Return what was counted between this reading and a later one.

        Times are in microseconds; `born` is the number of processes that were started.
        """
        spans = [(b - a) // 1000 for a, b in zip(self[:-1], later[:-1], strict=True)]
        # The absolute value, because the kernel's ids wrap around to low ones.
        return Hindrance(*spans)._replace(born=abs(later.pid_counter - self.pid_counter))


@lru_cache(maxsize=1)
def _open_throttled_time() -> ThrottledTime | None:
    """Open the counters of the control groups that this process is in."""
    return ThrottledTime.open()


class Meter:
    """The accounts of one bot; `opponent` is the meter of the bot on the other side."""

    def __init__(self, tree: BotProcesses, limits: Limits, isolation: Isolation) -> None:
        self._tree = tree
        # Bound once, because both are called in every turn.
        self._cpu_ns, self._begin_waits = tree.cpu_clock(), tree.waits_watch()
        self._suspends = isolation.pondering == "suspend"
        self._is_counted = isolation.pondering != "allow"
        self._limits = limits
        self._fault: BotFault | None = None
        self._used = 0  # at the end of the last turn
        self._stopped_at = 0  # the CPU time used when it was stopped
        self._rests_since = 0
        self._at_start = 0
        self._cpu_budget: int | None = None
        self._reading: Reading | None = None
        self._budget: int | None = None
        self._loss = self._unexplained = 0
        self._closed = self._in_turn = self._is_crowd = self._stands_ready = False
        self._next_exact = self._suspicious = 0
        # A bot's first task is mostly over before a look would be worth it.
        now = self._began = time.monotonic_ns()
        self.next_look = now + _FIRST_LOOK_NS
        self.next_account = 0
        self.pondering_ns = 0
        self.given_back_ns = 0
        self.gap = _NO_GAP
        """The gap in which the referee itself did not run in this turn; part of `given_back_ns`."""
        self.opponent: Meter | None = None
        self.hindrance: Hindrance | None = None
        self._throttled = _open_throttled_time()
        self._throttled_before = self._throttled_at_beat = self._held_back = 0
        self.stands_still = False
        """True while games are paused, and the bots with them."""
        self.heartbeat = Heartbeat()
        self._beat(now)
        self._pids = tree.pid_counter()  # at the start of this turn, or shortly before

    def begin(self, instant: int, budget: int | None, cpu: int | None = None) -> None:
        """Start a turn with a budget of wall time and one of CPU time, in nanoseconds.

        CPU time used since the last turn counts as used in the opponent's time.
        """
        if self._suspends:
            self._tree.resume()
        if self._fault:
            raise self._fault
        if instant - self._rests_since > _AT_ONCE_NS:
            self.settle(instant)
        self._in_turn = True
        self._at_start = self._used
        self._cpu_budget = cpu
        self._began, self._budget = instant, budget
        other = self.opponent
        is_short = budget is not None and budget < _SHORT_NS
        if other is not None and other._is_counted:
            self._begin_waits(instant, is_short)
        if self._throttled:
            self._throttled_before, self._held_back = self._throttled.read_ns(), 0
        self._loss = self._unexplained = self.given_back_ns = 0
        if instant > self.heartbeat.due:
            self._beat(instant)
            self._pids = self._tree.pid_counter()
        if self.gap is not _NO_GAP:
            self.gap = _NO_GAP
        self._reading = None
        self.next_look = self.next_account = instant + _FIRST_LOOK_NS
        # 5 ms may be all of a short budget, so the machine is watched from an earlier time on.
        if is_short and budget is not None:
            self.next_look = instant + budget // _FIRST_SHARE

    def settle(self, now: int) -> None:
        """Count the CPU time since the bot's last turn as used in its opponent's time."""
        if self._in_turn:
            return
        used = self._cpu_ns(now)
        if self._is_counted:
            self.pondering_ns += max(0, used - self._used)
        self._used = used

    def finish(self) -> int:
        """End a turn and return the CPU time it took, in nanoseconds.

        Raises `BotFault` if that is more than the budget.
        """
        self.rest()
        used = self._used - self._at_start
        if self._cpu_budget is not None:
            self._check_cpu(self._used)
            self._cpu_budget = None
        return used if used >= 0 else 0  # noqa: FURB136 - in a turn, so without a call

    def wake(self) -> None:
        """Resume the bot outside of a turn."""
        self._tree.resume()

    def new_game(self) -> None:
        """Reset all counters for a new game, and resume the bot if it was suspended."""
        self.wake()
        self.pondering_ns = 0
        self._began = time.monotonic_ns()
        self._beat(self._began)
        self._pids = self._tree.pid_counter()

    @contextmanager
    def standstill(self) -> Iterator[None]:
        """Suspend both bots and give the time back to this one.

        Bots that were suspended before stay suspended afterwards.
        """
        began = time.monotonic_ns()
        self.find_gap(began)  # a gap must not reach into the pause
        other = self.opponent
        trees = [self._tree]
        if other is not None and not other._closed:
            trees.append(other._tree)
        running = [tree for tree in trees if not tree.suspended]
        self.stands_still = True
        for tree in running:
            tree.suspend()
        try:
            yield
        finally:
            for tree in running:
                tree.resume()
            now = time.monotonic_ns()
            self.stands_still = False
            self.given_back_ns += now - began
            self._beat(now)

    def rest(self) -> None:
        """End a turn, or another span of the bot's own time, such as its preparation for a game."""
        self._in_turn = False
        self.given_back_ns = self._unexplained = 0
        self._rests_since = now = time.monotonic_ns()
        self._used = self._cpu_ns(now)
        # after reading the clock, because stopping takes time that is not the bot's
        if self._suspends:
            self._tree.suspend()
            self._stopped_at = self._cpu_ns(time.monotonic_ns())

    def look(self, now: int) -> None:
        """Check both bots; raise `BotFault` if this one exceeds a limit.

        The time that it takes to check the opponent is given back to this bot, because a bot's
        clock must not pay for its opponent's processes.
        """
        # Not earlier, because a turn that ends before the first look needs no account of the
        # machine.
        if self._reading is None:
            self._reading = self._read(now)
        other = self.opponent
        if other is not None and not other._closed:
            started = time.monotonic_ns()
            other._check_use(started)
            self.given_back_ns += time.monotonic_ns() - started
        self._check_use(now)
        if self._fault:
            raise self._fault
        self._check_cpu(self._cpu_ns(now))
        self.give_back(now)
        self.find_gap(now)
        # A bot that makes looks slow must not fill all the time with looks.
        over = time.monotonic_ns()
        self.next_look = max(now + _LOOKS_NS, over + (over - now))

    def give_back(self, now: int) -> None:
        """Give back the core time that the opponent has provably taken in this turn.

        That is what the opponent used while this bot was ready to run without a core and did not
        run. Nothing is given back if the opponent may think in this bot's time. Raises `TheftFault`
        if the opponent took too much.
        """
        other = self.opponent
        if not self._in_turn or other is None or other._closed or not other._is_counted:
            return
        total = other._cpu_ns(now)
        used = total - other._used
        if used < _MS:
            return
        if other._suspends:
            started = time.monotonic_ns()
            other._hold(total - other._stopped_at, self._budget)
            self.given_back_ns += time.monotonic_ns() - started
        idle = self._find_idle(now)
        waits = self._tree.waits(now)
        self._stands_ready = waits.goes_on
        loss = max(self._loss, min(used, waits.longest_wait, idle))
        self._unexplained = used - loss
        if self._budget is not None and loss > _THEFT * self._budget:
            # Not if this bot has used up its own time.
            if now - self._began <= self._budget + self.given_back_ns + loss - self._loss:
                other._judge_theft(loss, self._budget, waits)
            loss = _THEFT * self._budget
        self.given_back_ns += loss - self._loss
        self._loss = loss

    def find_gap_if_due(self, now: int) -> None:
        """Call `find_gap` if the last beat is too old."""
        if now > self.heartbeat.due:
            self.find_gap(now)

    def find_gap(self, now: int) -> None:
        """Give back the time since the last beat in which the referee itself did not run.

        Before that, the bot gets back the time in which a control group's quota throttled it.
        """
        throttled = self._throttled.read_ns() if self._throttled else 0
        held_back = 0
        if throttled and self._in_turn:
            held_back = self._give_back_throttled(now, throttled - self._throttled_before)
        used = self.count_use(now)
        gap = self.heartbeat.find_gap(self._began, now, used)
        if throttled:
            gap = gap.without_quota(throttled - self._throttled_at_beat, held_back)
        if gap.starved_ns and abs(self._tree.pid_counter() - self._pids) > MOST_BORN:
            gap = gap._replace(starved_ns=0)  # the bots' own children may have taken the core
        self._beat(now, used)
        if gap.total_ns:
            self.gap += gap
            # The bot pays for what it computed meanwhile, because it was not stopped.
            most = self._find_idle(now)
            if most > self.given_back_ns:
                self.given_back_ns = min(self.given_back_ns + gap.total_ns, most)

    def _give_back_throttled(self, now: int, throttled: int) -> int:
        """Give back the time in which the quota of the control group stopped everything in it.

        That is at most the time in which the bot used no core, because the counter adds up all
        cores. Returns how many nanoseconds of that are new.
        """
        held_back = min(throttled, self._find_idle(now) - self._loss)
        more = max(0, held_back - self._held_back)
        self.given_back_ns += more
        self._held_back += more
        return more

    def computes(self, now: int) -> bool:
        """Return True if the bot computed for much of this turn, or if that is not known."""
        return not self._in_turn or self._find_idle(now) * _MUCH < now - self._began

    def _find_idle(self, now: int) -> int:
        """Return the part of this turn in which the bot did not compute, in nanoseconds.

        It is negative if the bot computed on several cores.
        """
        return now - self._began - (self._cpu_ns(now) - self._at_start)

    def _beat(self, now: int, used: int | None = None) -> None:
        """Begin a new account of the referee's time; `used` is both bots' CPU time, if known."""
        self.heartbeat.beat(now, self.count_use(now) if used is None else used)
        self._throttled_at_beat = self._throttled.read_ns() if self._throttled else 0

    def count_use(self, now: int) -> int:
        """Return the CPU time that both bots have used so far, in nanoseconds."""
        other = self.opponent
        theirs = 0 if other is None or other._closed else other._cpu_ns(now)
        return self._cpu_ns(now) + theirs

    def _hold(self, used: int, budget: int | None) -> None:
        """Stop a bot again that has continued; raise `TheftFault` if it ran for too long.

        A stopped process continues if it gets SIGCONT, for example from a timer of its own.
        """
        if used < _MS:
            return
        self._tree.suspend()
        given = _MOST_ESCAPE_NS if budget is None else budget // _ESCAPE_SHARE
        if used > min(_MOST_ESCAPE_NS, max(_ESCAPE_NS, given)):
            spent = used // _MS
            raise TheftFault(f"used {spent} ms in a turn of its opponent, in which it had to stop")

    def _judge_theft(self, loss: int, budget: int, waits: Waits) -> None:
        """Raise `TheftFault` if `loss` was stolen from an opponent with a turn of `budget`.

        Both are in nanoseconds. With an even share, the opponent has used up its own time before
        the bot takes twice as much. So the opponent cannot frame the bot by thinking forever, or by
        sleeping first. A thread that leaves the core to others proves nothing either: only the wait
        of a thread that did not choose to wait proves a theft, and only by a crowd.
        """
        is_crowd = self._tree.count_ready() > _CROWDED
        if is_crowd and any(waits.list_longer_than(_THEFT * budget)):
            spent, given = loss // _MS, budget // _MS
            raise TheftFault(f"took {spent} ms of the core in a turn of its opponent of {given} ms")

    def is_undecided(self, late: int) -> bool:
        """Return True if a bot that is `late` nanoseconds late may still get more time back.

        It is ready to run while its opponent uses the core; how long it has waited shows once it
        runs.
        """
        return self._stands_ready and self._unexplained >= _MS and late < _PATIENCE_NS

    def timed_out(self, now: int) -> None:
        """Work out how the machine delayed the bot in the turn that has just timed out."""
        if self._reading is not None:
            self.hindrance = self._reading.until(self._read(now))

    def fault(self) -> BotFault | None:
        """Return the fault for which a bot was killed; None if it ended by itself."""
        # The kernel's OOM killer does not notify us: the bot is just gone.
        if self._tree.memory_exceeded():
            self._fault = _too_much_memory(self._limits)
        return self._fault

    def is_single(self) -> bool:
        """Return True if the bot is one process; it stays true until one starts on the machine."""
        return self._tree.is_single()

    def peak(self) -> int:
        """Return the peak memory that was measured, in bytes."""
        return self._tree.peak()

    def close(self) -> None:
        """End the accounts, and release what belongs to the bot."""
        self._closed = True
        self._note_crowd(is_crowd=False)
        self._tree.close()

    def _read(self, now: int) -> Reading:
        other = self.opponent
        return Reading.take(
            now, self._tree, None if other is None or other._closed else other._tree
        )

    def _check_cpu(self, used: int) -> None:
        spent, budget = used - self._at_start, self._cpu_budget
        if budget is not None and spent > budget:
            raise BotFault("timeout", f"used {spent // _MS} ms of the processor")

    def _note_crowd(self, *, is_crowd: bool) -> None:
        """Raise the referee's priority while the bot has many processes, then lower it again."""
        if is_crowd != self._is_crowd:
            self._is_crowd = is_crowd
            (priority.rise if is_crowd else priority.lower)()

    def _check_use(self, now: int) -> None:
        """Kill a bot that has too many processes or too much memory.

        The next request to it raises the fault. The referee's priority rises while the bot has many
        processes.
        """
        if self._fault:
            return
        processes = self._tree.processes()
        self._note_crowd(is_crowd=processes > _CROWD)
        if processes > self._limits.processes:
            self._fault = BotFault("memory", f"started over {self._limits.processes} processes")
        elif not self._tree.bounds_memory:
            # The rough sum counts shared pages once for each process. An exact sum is taken again
            # only after the rough sum has grown by what was missing to the limit last time, or
            # after a second.
            rough, limit = self._tree.memory(), self._limits.memory
            if rough > limit and (rough >= self._suspicious or now >= self._next_exact):
                exact = self._tree.exact_memory()
                # Exact sums walk all page tables: a bot near its limit must not cost its opponent
                # time.
                self._next_exact, self._suspicious = now + _EXACT_NS, rough + limit - exact
                if exact > limit:
                    self._fault = _too_much_memory(self._limits)
        if self._fault:
            self._tree.kill()


def _too_much_memory(limits: Limits) -> BotFault:
    return BotFault("memory", f"used over {limits.memory // _MIB} MiB of memory")


def _read_text(path: str) -> str:
    with suppress(OSError), open(path) as file:
        return file.read(65536)  # /proc/stat ends in long lists of interrupts, which are not needed
    return ""
