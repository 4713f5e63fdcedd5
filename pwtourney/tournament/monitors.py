"""What a run watches while it goes on: who failed too often, who cannot be right, who leads.

**Who failed too often** plays no more. The decision about a pair must not depend on which games
happened to end first: it looks at the faults in pairs that stand at least `HORIZON` places before
it in the schedule, and those are waited for where they could matter. So the same pairs are void in
every run of deterministic bots, with any number of workers.

**Who cannot be right**: a bot that cannot be started, or whose time runs out at its first move, in
both games of its first pair, is most likely not a weak bot but one that lacks something. Only games
of this run count, so one that was put right goes on without a word, and only games that say
something about it: no void ones, none in which the other bot failed before this one was asked, and
no time-out by the machine.
"""

import math
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from heapq import heappop, heappush
from typing import NamedTuple

from pwtourney.match import PairResult
from pwtourney.notation.game import Fault, Game, Verdict
from pwtourney.schedule import Pairing, PairPoints, Played, Schedule
from pwtourney.schedule.pairing import results
from pwtourney.standings import Pool, RatingOptions
from pwtourney.standings.rate import standings
from pwtourney.tournament.events import Leader, Standing, SuspectBot

__all__ = ["HORIZON", "FaultLimit", "Leaders", "Suspects", "find_early_fault"]

HORIZON = 64
"""More pairs than these are rarely under way, so that a run hardly ever waits for a decision."""

_GAMES = 2
"""The games of a pair: as many faults can a bot add in one, and as many are its first games."""

_SECONDS = 10.0
_SHARE = 0.02
"""The most of the time that is spent on looking who leads."""

_MOST_PAIRS = 20_000
"""With more than these nothing is said in between: they would fill the memory, and to rate them
would cost more than it says."""

_SHOWN = 3


class FaultLimit:
    """Counts faults by bot and pair; `limit` of them disqualify a bot, None never does.

    Pairs are asked about in the order of the schedule.
    """

    def __init__(self, limit: int | None, known: Iterable[tuple[int, Iterable[str]]] = ()) -> None:
        self._limit = math.inf if limit is None else limit
        self._open: dict[str, set[int]] = defaultdict(set)
        # Faults move from the first of these to the second when they are beyond the horizon: no
        # later pair is nearer to them. A heap, because pairs end in any order.
        self._recent: dict[str, list[int]] = defaultdict(list)
        self._settled: Counter[str] = Counter()
        for pair, bots in known:
            self._count(pair, bots)

    def explain(self, bot: str) -> str:
        """Return what is noted of a pair that is void because a bot is disqualified."""
        return f"{bot} is disqualified after {self._limit} faults"

    def hand_out(self, pairing: Pairing) -> None:
        """Note that a pair is being played."""
        for bot in (pairing.first, pairing.second):
            self._open[bot].add(pairing.number)

    def take_in(self, pairing: Pairing, failed: Iterable[str]) -> None:
        """Note that a pair has ended, and the bot of each fault in it."""
        for bot in (pairing.first, pairing.second):
            self._open[bot].discard(pairing.number)
        self._count(pairing.number, failed)

    def find_disqualified(self, pairing: Pairing) -> str | None:
        """Return the bot for which a pair is void."""
        for bot in (pairing.first, pairing.second):
            if self._count_before(bot, pairing.number) >= self._limit:
                return bot
        return None

    def is_undecided(self, pairing: Pairing) -> bool:
        """Tell whether pairs that are being played could still decide about this one."""
        if self.find_disqualified(pairing):
            return False
        for bot in (pairing.first, pairing.second):
            # at the worst the bot fails in both games of each
            waited_for = [number for number in self._open[bot] if number < pairing.number - HORIZON]
            possible = self._count_before(bot, pairing.number) + _GAMES * len(waited_for)
            if waited_for and possible >= self._limit:
                return True
        return False

    def _count_before(self, bot: str, number: int) -> int:
        """Count faults beyond the horizon of a pair."""
        recent = self._recent[bot]
        while recent and recent[0] < number - HORIZON:
            heappop(recent)
            self._settled[bot] += 1
        return self._settled[bot]

    def _count(self, pair: int, failed: Iterable[str]) -> None:
        for bot in failed:
            heappush(self._recent[bot], pair)


class _FirstGame(NamedTuple):
    """One of a bot's first games, and the fault by which it lost before its first action."""

    pair: int
    game: int
    fault: Fault | None


class Suspects:
    """Takes in pairs as they end, and looks at the first games of each bot."""

    def __init__(self) -> None:
        self._first: defaultdict[str, list[_FirstGame]] = defaultdict(list)

    def take_in(self, result: PairResult) -> Iterator[SuspectBot]:
        """Take in a pair; yield each bot that has now lost its first games before it played."""
        for number, game in enumerate(result.games):
            for seat, bot in enumerate(game.bots):
                first = self._first[bot]
                if len(first) == _GAMES or not _shows_beginning(game, seat):
                    continue
                first.append(_FirstGame(result.pair, number, find_early_fault(game, seat)))
                failed = [(lost, lost.fault) for lost in first if lost.fault is not None]
                if len(failed) == _GAMES:
                    # a failed start explains more than a time-out
                    lost, fault = max(failed, key=lambda pair: pair[1].verdict is Verdict.START)
                    verdict = str(fault.verdict)
                    yield SuspectBot(lost.pair, lost.game, bot, verdict, fault.message)


def find_early_fault(game: Game, seat: int) -> Fault | None:
    """Return the fault by which a bot lost before its first action, by its start or its clock."""
    fault = _find_fault(game, seat)
    if fault is None:
        return None
    unanswered = fault.verdict is Verdict.TIMEOUT and not _has_played(game, seat)
    return fault if unanswered or fault.verdict is Verdict.START else None


def _shows_beginning(game: Game, seat: int) -> bool:
    """Tell whether a game says anything about how a bot begins."""
    if game.verdict.is_void:
        return False
    fault = _find_fault(game, seat)
    if fault is None:
        return _has_played(game, seat)
    return fault.machine is None or not fault.machine.is_to_blame


def _find_fault(game: Game, seat: int) -> Fault | None:
    return next((fault for fault in game.faults if fault.seat == seat), None)


def _has_played(game: Game, seat: int) -> bool:
    return any(ply.seat == seat for ply in game.plies)


class Leaders:
    """Collects what is played, and rates it from time to time."""

    def __init__(
        self, options: RatingOptions, schedule: Schedule, now: Callable[[], float] = time.monotonic
    ) -> None:
        self._options = options
        self._schedule = schedule
        self._now = now
        self._played: list[Played] = []
        self._too_many = False
        self._began = now()
        self._next = self._began + _SECONDS
        self._fresh = 0

    def take_stored(self, pairing: Pairing, points: PairPoints) -> None:
        """Take in a pair that was played in an earlier run."""
        if len(self._played) == _MOST_PAIRS:
            self._too_many = True
            self._played.clear()
        if not self._too_many:
            self._played.append(Played(pairing, points))

    def take_in(self, pairing: Pairing, points: PairPoints) -> Standing | None:
        """Take in a pair; return where the tournament stands, if that is due."""
        self.take_stored(pairing, points)
        self._fresh += 1
        now = self._now()
        if now < self._next or self._too_many:
            return None
        rated = standings(
            *(None, results(self._played), self._options),
            test_fit=False,
            paired_by_results=self._schedule.paired_by_results,
        )
        # who leads in the largest pool, unless there is nobody to compare yet
        compared = rated.pools and len(rated.pools[0].lines) > 1
        standing = self._describe(rated.pools[0], now) if compared else None
        # the more there is to rate the longer it takes, and the rarer it becomes
        self._next = now + max(_SECONDS, (self._now() - now) / _SHARE)
        return standing

    def _describe(self, pool: Pool, now: float) -> Standing:
        leaders = tuple(
            Leader(
                line.bot, None if math.isnan(line.elo) else line.elo, line.plus_minus, line.bound
            )
            for line in pool.lines[:_SHOWN]
        )
        gap = pool.gaps[0]
        more = pool.more_pairs(gap, self._schedule.order_level)
        # pairs of earlier runs took none of this run's time
        elapsed = now - self._began
        speed = self._fresh / elapsed if elapsed > 0 else 0.0
        seconds = more.of_all / speed if more and speed else 0.0
        order = self._schedule.order_level
        return Standing(leaders, gap.above, gap.below, more, seconds, order)
