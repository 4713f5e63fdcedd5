"""What a bot uses, turn by turn; whether that is more than it may, and whose fault a time-out was.

The clock of a game is wall time; next to it the processor time of every turn is written down, and
what the bot uses in its opponent's time. A bot is looked at shortly after its turn began (so that
a time-out can be distinguished from a busy machine) and then twenty times a second.

A bot that stood ready and was given no core, or whose core was lent to another machine, was held
up by the machine. What its own processes used in that time is no such delay (a bot could make its
threads wait for each other), and neither is what its opponent used, which is counted separately:
that is given back to the bot's clock, and an opponent that takes more than its fair share loses.
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
"""A turn that follows this soon on the bot's last one continues it: in between there was
no time to speak of, and a look at its clock less is a tenth of what such a ply costs."""

_CROWD = 8
"""With more processes than this a bot can delay the referee that shares its core."""

_THEFT = 2
"""How many times the time of a turn an opponent may take of the core before it loses. With one
thread it cannot reach that, as a core is shared out evenly: nobody can frame one that ponders."""

_CROWDED = 2
"""With so many threads a bot gets no more than twice the share of its opponent, if that has only
one: more than that is no theft then, but an opponent that left the core to it on purpose."""

_ESCAPE_NS = 20 * _MS
_ESCAPE_SHARE = 10
_MOST_ESCAPE_NS = 500 * _MS
"""What a bot that is stopped may use of its opponent's turn: it may have begun a long system call,
which goes on to its end. That is a tenth of the time of the turn, within these bounds."""

_PATIENCE_NS = 500 * _MS
"""So long a bot that stands ready is waited for beyond its time, until its wait is known."""

_MIB = 1 << 20

_NS_A_TICK = 10_000_000

_NO_GAP = Gap()


class Reading(NamedTuple):
    """The counters of the machine and of a bot at one instant, in nanoseconds."""

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
        # on average of the cores that we may use: a virtual machine loses some cores more than
        # others, and those that bots use matter
        cores = sorted(os.sched_getaffinity(0))
        lines = (line.split() for line in _read_text("/proc/stat").splitlines())
        by_name = {fields[0]: int(fields[8]) for fields in lines if len(fields) > 8}
        stolen = sum(by_name.get(f"cpu{core}", 0) for core in cores) * _NS_A_TICK // len(cores)
        return cls(instant, queued, stolen, pressure, *used)

    def until(self, later: "Reading") -> Hindrance:
        """Return what happened between two readings."""
        spans = [(b - a) // 1000 for a, b in zip(self[:-1], later[:-1], strict=True)]
        # by its size: the system begins again at low ids when the highest is reached
        return Hindrance(*spans)._replace(born=abs(later.pid_counter - self.pid_counter))


@lru_cache(maxsize=1)
def _open_throttled_time() -> ThrottledTime | None:
    """Open the counters of the control groups that this process is in."""
    return ThrottledTime.open()


class Meter:
    """The accounts of one bot; `opponent` is the meter of the bot on the other side."""

    def __init__(self, tree: BotProcesses, limits: Limits, isolation: Isolation) -> None:
        self._tree = tree
        # at hand, as both are asked in every turn
        self._cpu_ns, self._begin_waits = tree.cpu_clock(), tree.waits_watch()
        self._suspends = isolation.pondering == "suspend"
        self._is_counted = isolation.pondering != "allow"
        self._limits = limits
        self._fault: BotFault | None = None
        self._used = 0  # at the end of the last turn
        self._stopped_at = 0  # what was used when it had been stopped
        self._rests_since = 0
        self._at_start = 0
        self._cpu_budget: int | None = None
        self._reading: Reading | None = None
        self._budget: int | None = None
        self._taken = self._unexplained = 0
        self._closed = self._in_turn = self._is_crowd = self._stands_ready = False
        self._next_exact = self._suspicious = 0
        # What a bot does first is mostly over before it would be worth a look.
        now = self._began = time.monotonic_ns()
        self.next_look = now + _FIRST_LOOK_NS
        self.next_account = 0
        self.pondering_ns = 0
        self.given_back_ns = 0
        self.gap = _NO_GAP
        """When the referee itself did not run in this turn; it is in `given_back_ns`, too."""
        self.opponent: Meter | None = None
        self.hindrance: Hindrance | None = None
        self._throttled = _open_throttled_time()
        self._throttled_before = self._throttled_at_beat = self._held_back = 0
        self.stands_still = False
        """Whether games are paused, and the bots with them."""
        self.heartbeat = Heartbeat()
        self._beat(now)
        self._pids = tree.pid_counter()  # when this turn began, or shortly before

    def begin(self, instant: int, budget: int | None, cpu: int | None = None) -> None:
        """Start a turn, which may take so many nanoseconds of wall and of processor time.

        What was used since the last turn was used in the opponent's time.
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
        self._taken = self._unexplained = self.given_back_ns = 0
        if instant > self.heartbeat.due:
            self._beat(instant)
            self._pids = self._tree.pid_counter()
        if self.gap is not _NO_GAP:
            self.gap = _NO_GAP
        self._reading = None
        self.next_look = self.next_account = instant + _FIRST_LOOK_NS
        # of a short budget 5 ms may be all: the machine has to be watched from early on
        if is_short and budget is not None:
            self.next_look = instant + budget // _FIRST_SHARE

    def settle(self, now: int) -> None:
        """Count what the bot used since its last turn as used in its opponent's time."""
        if self._in_turn:
            return
        used = self._cpu_ns(now)
        if self._is_counted:
            self.pondering_ns += max(0, used - self._used)
        self._used = used

    def finish(self) -> int:
        """End a turn and return the processor time it took, in nanoseconds.

        Raises `BotFault` if that is more than it may take.
        """
        self.rest()
        used = self._used - self._at_start
        if self._cpu_budget is not None:
            self._check_cpu(self._used)
            self._cpu_budget = None
        return used if used >= 0 else 0  # noqa: FURB136 - in a turn, so without a call

    def wake(self) -> None:
        """Let the bot go on outside of a turn."""
        self._tree.resume()

    def new_game(self) -> None:
        """Start counting from zero, and let the bot go on if it stood still between two games."""
        self.wake()
        self.pondering_ns = 0
        self._began = time.monotonic_ns()
        self._beat(self._began)
        self._pids = self._tree.pid_counter()

    @contextmanager
    def standstill(self) -> Iterator[None]:
        """Stop both bots, and give the time back to this one; one that was stopped stays so."""
        began = time.monotonic_ns()
        self.find_gap(began)  # it ends here
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
        """End a turn, or what is none, such as getting ready: until now it was the bot's time."""
        self._in_turn = False
        self.given_back_ns = self._unexplained = 0
        self._rests_since = now = time.monotonic_ns()
        self._used = self._cpu_ns(now)
        if self._suspends:  # after the clock was read: stopping takes time that is not the bot's
            self._tree.suspend()
            self._stopped_at = self._cpu_ns(time.monotonic_ns())

    def look(self, now: int) -> None:
        """Look at both bots; raises `BotFault` if this one uses more than it may.

        What it takes to look at the opponent is given back to this bot: nobody's clock pays for
        what the other one does.
        """
        # only now: a turn that ends before the first look needs no account of the machine
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
        # a bot that makes looks take long must not make them the only thing that happens
        over = time.monotonic_ns()
        self.next_look = max(now + _LOOKS_NS, over + (over - now))

    def give_back(self, now: int) -> None:
        """Give back what the opponent has taken of the core in this turn, as far as it is proven.

        That is what it used while this bot stood ready without a core and did not run; not if the
        opponent may think in this bot's time. Raises `TheftFault` if it is too much.
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
        taken = max(self._taken, min(used, waits.longest, idle))
        self._unexplained = used - taken
        if self._budget is not None and taken > _THEFT * self._budget:
            # not if this bot has used up its own time
            if now - self._began <= self._budget + self.given_back_ns + taken - self._taken:
                other._judge_theft(taken, self._budget, waits)
            taken = _THEFT * self._budget
        self.given_back_ns += taken - self._taken
        self._taken = taken

    def find_gap_if_due(self, now: int) -> None:
        """Do what `find_gap` does if no look has done so lately."""
        if now > self.heartbeat.due:
            self.find_gap(now)

    def find_gap(self, now: int) -> None:
        """Give back the time since the last beat in which the referee itself did not run.

        Before that, the bot gets back the time in which the quota of a control group held it back.
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
            gap = gap._replace(starved_ns=0)  # it may be the bots' own children that took the core
        self._beat(now, used)
        if gap.total_ns:
            self.gap += gap
            # the bot pays for what it computed meanwhile: it was not stopped
            most = self._find_idle(now)
            if most > self.given_back_ns:
                self.given_back_ns = min(self.given_back_ns + gap.total_ns, most)

    def _give_back_throttled(self, now: int, throttled: int) -> int:
        """Let the bot's clock stand still while nothing in its control group was let run.

        That is at most the time in which it used no core: the counter adds up those of all cores.
        Return how many nanoseconds of that are new.
        """
        held_back = min(throttled, self._find_idle(now) - self._taken)
        more = max(0, held_back - self._held_back)
        self.given_back_ns += more
        self._held_back += more
        return more

    def _find_idle(self, now: int) -> int:
        """Return how much of this turn the bot did not compute; below 0 if it did on many cores."""
        return now - self._began - (self._cpu_ns(now) - self._at_start)

    def _beat(self, now: int, used: int | None = None) -> None:
        """Begin a new account of the referee's time; both bots have `used` so much, if known."""
        self.heartbeat.beat(now, self.count_use(now) if used is None else used)
        self._throttled_at_beat = self._throttled.read_ns() if self._throttled else 0

    def count_use(self, now: int) -> int:
        """Return the processor time that both bots have used so far, in nanoseconds."""
        other = self.opponent
        theirs = 0 if other is None or other._closed else other._cpu_ns(now)
        return self._cpu_ns(now) + theirs

    def _hold(self, used: int, budget: int | None) -> None:
        """Stop a bot again that has gone on; raises `TheftFault` if that was more than by chance.

        A process that is stopped goes on if somebody wakes it, such as a timer of its own.
        """
        if used < _MS:
            return
        self._tree.suspend()
        given = _MOST_ESCAPE_NS if budget is None else budget // _ESCAPE_SHARE
        if used > min(_MOST_ESCAPE_NS, max(_ESCAPE_NS, given)):
            spent = used // _MS
            raise TheftFault(f"used {spent} ms in a turn of its opponent, in which it had to stop")

    def _judge_theft(self, taken: int, budget: int, waits: Waits) -> None:
        """Raise `TheftFault` for what was taken of an opponent that had a time of `budget`.

        With an even share that one has used up its time before twice as much is taken: it can frame
        nobody by thinking for ever, or by sleeping first. Nor by a thread that leaves the core to
        others: only what another one has waited proves a theft, and only of a crowd.
        """
        is_crowd = self._tree.count_ready() > _CROWDED
        if is_crowd and any(waits.list_longer_than(_THEFT * budget)):
            spent, given = taken // _MS, budget // _MS
            raise TheftFault(f"took {spent} ms of the core in a turn of its opponent of {given} ms")

    def is_undecided(self, late: int) -> bool:
        """Tell whether more may have to be given back to a bot that is so many nanoseconds late.

        It stands ready while its opponent uses the core: how long it has waited shows when it runs.
        """
        return self._stands_ready and self._unexplained >= _MS and late < _PATIENCE_NS

    def timed_out(self, now: int) -> None:
        """Work out what the machine did to the bot in the turn that has just timed out."""
        if self._reading is not None:
            self.hindrance = self._reading.until(self._read(now))

    def fault(self) -> BotFault | None:
        """Return what a bot that is gone was ended for, None if it ended by itself."""
        # the kernel kills without a word to us: the bot is only seen to be gone
        if self._tree.memory_exceeded():
            self._fault = _too_much_memory(self._limits)
        return self._fault

    def is_single(self) -> bool:
        """Tell whether the bot is one process, as long as none begins on the machine."""
        return self._tree.is_single()

    def peak(self) -> int:
        """Return the most memory that was ever seen in use, in bytes."""
        return self._tree.peak()

    def close(self) -> None:
        """End everything that belongs to the bot."""
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
        """Come before the bot's processes if they are many, and no longer than they are."""
        if is_crowd != self._is_crowd:
            self._is_crowd = is_crowd
            (priority.rise if is_crowd else priority.lower)()

    def _check_use(self, now: int) -> None:
        """Kill a bot that uses more than it may; the next request to it says so."""
        if self._fault:
            return
        processes = self._tree.processes()
        self._note_crowd(is_crowd=processes > _CROWD)
        if processes > self._limits.processes:
            self._fault = BotFault("memory", f"started over {self._limits.processes} processes")
        elif not self._tree.bounds_memory:
            # the rough sum counts shared pages for everyone who shares them: it has to grow at
            # least by what was lacking when the exact one was last taken, or a second has to go by
            rough, limit = self._tree.memory(), self._limits.memory
            if rough > limit and (rough >= self._suspicious or now >= self._next_exact):
                exact = self._tree.exact_memory()
                # they walk all page tables: a bot near its limit must not cost its opponent time
                self._next_exact, self._suspicious = now + _EXACT_NS, rough + limit - exact
                if exact > limit:
                    self._fault = _too_much_memory(self._limits)
        if self._fault:
            self._tree.kill()


def _too_much_memory(limits: Limits) -> BotFault:
    return BotFault("memory", f"used over {limits.memory // _MIB} MiB of memory")


def _read_text(path: str) -> str:
    with suppress(OSError), open(path) as file:
        return file.read(65536)  # /proc/stat ends in long lists of interrupts, which nobody needs
    return ""
