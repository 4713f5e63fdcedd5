"""Monitors of a run: too many faults, results of probes, suspect bots, and leaders.

**Too many faults** disqualify a bot. The decision about a pair must not depend on which games
happened to end first, so it counts only faults in pairs at least `HORIZON` places earlier in the
schedule. If such pairs are still running and could matter, the pair is played anyway and its result
is held back until they have ended. So the same pairs are void in every run of deterministic bots,
with any number of workers, and no worker is idle.

**The result of a probe** of a tuning is known when its last pair has ended.

**Suspect bots**: a bot that fails before its first action in both of its first two games is most
likely not weak but broken, for example a dependency is missing. Only games of this run count, so a
bot that was fixed continues without a warning. Games that show nothing about the bot are skipped:
void games, games in which the opponent failed before this bot was asked, and timeouts caused by the
machine.

**Leaders** are reported from time to time, less often the longer it takes to rate all pairs.
"""

import math
import time
from bisect import bisect_left, insort
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from heapq import heappop, heappush
from typing import NamedTuple

from pwtourney.match import PairResult
from pwtourney.notation.game import Fault, Game, Verdict
from pwtourney.schedule import Pairing, PairPoints, PlayedPair, Schedule, Scheduler
from pwtourney.schedule.formats.tune import TuneFormat, score_probe
from pwtourney.schedule.pairing import Options, results
from pwtourney.standings import Pool, RatingOptions, Row
from pwtourney.standings.rate import standings
from pwtourney.tournament.events import Leader, ProbeDone, Standing, SuspectBot

__all__ = ["HORIZON", "FaultLimit", "HeldResults", "Leaders", "ProbeWatch", "Suspects"]

HORIZON = 64
"""More pairs than this rarely run at a time, so results are hardly ever held back."""

_GAMES_A_PAIR = 2
"""A bot can have this many faults in a pair."""

_FIRST_GAMES = 2
"""A bot that fails in this many games, its first ones, is suspect."""

_SECONDS = 10.0
_SHARE = 0.002
"""The largest share of the time spent on rating who leads; all slots may wait meanwhile."""

_SECONDS_A_PAIR = 4e-5
"""Approximate cost of rating each pair, until it is measured."""

_MOST_PAIRS = 20_000
"""With more pairs than this no leaders are reported.

The pairs would fill the memory, and rating them would cost more than it tells.
"""

_SHOWN = 3


class FaultLimit:
    """Counts faults by bot and pair; `limit` faults disqualify a bot, None disables this."""

    def __init__(self, limit: int | None, known: Iterable[tuple[int, Iterable[str]]] = ()) -> None:
        self._limit = math.inf if limit is None else limit
        # Sorted pair numbers: in `_open` those whose result is not known yet, in `_faults` one per
        # fault.
        self._open: dict[str, list[int]] = defaultdict(list)
        self._faults: dict[str, list[int]] = defaultdict(list)
        for pair, bots in known:
            self._count(pair, bots)

    def explain(self, bot: str) -> str:
        """Return the note on a pair that is void because a bot is disqualified."""
        return f"{bot} is disqualified after {self._limit} faults"

    def rename(self, renames: Mapping[str, str]) -> None:
        """Count the faults of bots under their new names."""
        for old, new in renames.items():
            for pair in self._faults.pop(old, ()):
                insort(self._faults[new], pair)

    def hand_out(self, pairing: Pairing) -> None:
        """Record that a pair is being played."""
        for bot in (pairing.first, pairing.second):
            insort(self._open[bot], pairing.number)

    def take_in(self, pairing: Pairing, failed: Iterable[str]) -> None:
        """Record that a pair has ended, and the bot of each fault in it."""
        for bot in (pairing.first, pairing.second):
            numbers = self._open[bot]
            index = bisect_left(numbers, pairing.number)
            if numbers[index : index + 1] == [pairing.number]:
                del numbers[index]
        self._count(pairing.number, failed)

    def find_disqualified(self, pairing: Pairing) -> str | None:
        """Return the bot whose disqualification makes the pair void, or None."""
        for bot in (pairing.first, pairing.second):
            if _count_before(self._faults[bot], pairing.number) >= self._limit:
                return bot
        return None

    def is_undecided(self, pairing: Pairing) -> bool:
        """Return True if pairs that are still being played could make this pair void."""
        if self.find_disqualified(pairing):
            return False
        for bot in (pairing.first, pairing.second):
            # at worst the bot fails in both games of each pair
            waited_for = _count_before(self._open[bot], pairing.number)
            possible = _count_before(self._faults[bot], pairing.number) + _GAMES_A_PAIR * waited_for
            if waited_for and possible >= self._limit:
                return True
        return False

    def _count(self, pair: int, failed: Iterable[str]) -> None:
        for bot in failed:
            insort(self._faults[bot], pair)


def _count_before(numbers: Sequence[int], number: int) -> int:
    """Count the pairs beyond the horizon of a pair; `numbers` must be sorted."""
    return bisect_left(numbers, number - HORIZON)


class HeldResults:
    """Holds results of pairs that may turn out to be void, until that is decided.

    Whether a pair is void follows from the pairs before it, and some of those may still be running.
    The pair is played meanwhile, so that no slot waits, and its result is held here.
    """

    def __init__(self, fault_limit: FaultLimit) -> None:
        self._fault_limit = fault_limit
        # Keyed by the two bots, then sorted by number. For two bots the first pair is decided
        # first: what is beyond its horizon is beyond that of the later pairs.
        self._held: dict[frozenset[str], list[tuple[int, Pairing, PairResult]]] = {}
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def hold(self, pairing: Pairing, result: PairResult) -> None:
        """Keep the result of a pair."""
        meeting = frozenset((pairing.first, pairing.second))
        heappush(self._held.setdefault(meeting, []), (pairing.number, pairing, result))
        self._count += 1

    def pop_decided(self) -> tuple[Pairing, PairResult] | None:
        """Remove and return a pair that is decided; None if there is none."""
        for meeting, held in self._held.items():
            _, pairing, result = held[0]
            if not self._fault_limit.is_undecided(pairing):
                heappop(held)
                if not held:
                    del self._held[meeting]
                self._count -= 1
                return pairing, result
        return None


class _FirstGame(NamedTuple):
    """One of a bot's first games, and the fault by which it lost before its first action."""

    pair: int
    game: int
    fault: Fault | None


class Suspects:
    """Takes in pairs as they end, and checks the first games of each bot."""

    def __init__(self) -> None:
        self._first: defaultdict[str, list[_FirstGame]] = defaultdict(list)

    def take_in(self, result: PairResult) -> Iterator[SuspectBot]:
        """Take in a pair; yield each bot that has now lost its first games before an action."""
        for number, game in enumerate(result.games):
            for seat, bot in enumerate(game.bots):
                first = self._first[bot]
                if len(first) == _FIRST_GAMES or not _shows_beginning(game, seat):
                    continue
                first.append(_FirstGame(result.pair, number, game.find_early_fault(seat)))
                failed = [(lost, lost.fault) for lost in first if lost.fault is not None]
                if len(failed) == _FIRST_GAMES:
                    # a failed start explains more than a timeout
                    lost, fault = max(failed, key=lambda pair: pair[1].verdict is Verdict.START)
                    verdict = str(fault.verdict)
                    yield SuspectBot(lost.pair, lost.game, bot, verdict, fault.message)


def _shows_beginning(game: Game, seat: int) -> bool:
    """Return True if a game shows how a bot begins."""
    if game.verdict.is_void:
        return False
    fault = game.find_early_fault(seat)
    if fault is None:
        return any(ply.seat == seat for ply in game.plies)
    return fault.machine is None or not fault.machine.is_to_blame


class ProbeWatch:
    """Collects the pairs of each probe of a tuning; pairs end in any order."""

    def __init__(self, scheduler: Scheduler) -> None:
        assert isinstance(scheduler.format, TuneFormat), "only a tuning has probes"
        self._format = scheduler.format
        self._open: defaultdict[int, list[PlayedPair]] = defaultdict(list)

    def take_stored(self, pairing: Pairing, points: PairPoints) -> None:
        """Take in a pair that was played in an earlier run."""
        self._gather(pairing, points)

    def take_in(self, pairing: Pairing, points: PairPoints) -> ProbeDone | None:
        """Take in a pair; return the result of its probe if it was the last pair of it."""
        played = self._gather(pairing, points)
        if not played:
            return None
        number = pairing.number // self._format.pairs_per_probe
        options: dict[str, Options] = {}
        for pair, _ in played:
            options |= {pair.first: pair.options[0], pair.second: pair.options[1]}
        plus, minus = (dict(options[bot]) for bot in self._format.players)
        outcome = score_probe(number, played, *self._format.players)
        estimate, spread = self._format.read_estimate()
        return ProbeDone(number, plus, minus, outcome.score, outcome.games, estimate, spread)

    def _gather(self, pairing: Pairing, points: PairPoints) -> list[PlayedPair]:
        """Take in a pair; return all pairs of its probe if it was the last one, else []."""
        number = pairing.number // self._format.pairs_per_probe
        played = self._open[number]
        played.append(PlayedPair(pairing, points))
        if len(played) < self._format.pairs_per_probe:
            return []
        # sorted, because sums of floats depend on their order
        return sorted(self._open.pop(number), key=lambda entry: entry.pairing.number)


class Leaders:
    """Collects the played pairs, and rates them from time to time."""

    def __init__(
        self, options: RatingOptions, schedule: Schedule, now: Callable[[], float] = time.monotonic
    ) -> None:
        self._options = options
        self._schedule = schedule
        self._now = now
        self._played: list[PlayedPair] = []
        self._too_many = False
        self._began = self._looked = now()
        self._cost = _SECONDS_A_PAIR
        self._fresh = 0

    def take_stored(self, pairing: Pairing, points: PairPoints) -> None:
        """Take in a pair that was played in an earlier run."""
        if len(self._played) == _MOST_PAIRS:
            self._too_many = True
            self._played.clear()
        if not self._too_many:
            self._played.append(PlayedPair(pairing, points))

    def take_in(self, pairing: Pairing, points: PairPoints) -> Standing | None:
        """Take in a pair; return the current leaders, if a report is due."""
        self.take_stored(pairing, points)
        self._fresh += 1
        now = self._now()
        # rating takes longer the more pairs there are, so it becomes rarer
        pause = max(_SECONDS, len(self._played) * self._cost / _SHARE)
        if now < self._looked + pause or self._too_many:
            return None
        rated = standings(
            None,
            results(self._played),
            self._options,
            test_fit=False,
            paired_by_results=self._schedule.paired_by_results,
        )
        # report the leaders of the largest pool, unless it has no two bots to compare
        compared = rated.pools and len(rated.pools[0].rows) > 1
        standing = self._describe(rated.pools[0], now) if compared else None
        self._looked = now
        self._cost = (self._now() - now) / len(self._played)
        return standing

    def _describe(self, pool: Pool, now: float) -> Standing:
        leaders = tuple(map(_make_leader, pool.rows[:_SHOWN]))
        gap = pool.gaps[0]
        more = pool.more_pairs(gap, self._schedule.order_level)
        # pairs of earlier runs took none of this run's time
        elapsed = now - self._began
        speed = self._fresh / elapsed if elapsed > 0 else 0.0
        seconds = more.of_all / speed if more and speed else 0.0
        order = self._schedule.order_level
        return Standing(leaders, gap.above, gap.below, more, seconds, order)


def _make_leader(row: Row) -> Leader:
    elo = None if math.isnan(row.shown_elo) else row.shown_elo
    return Leader(row.bot, elo, row.plus_minus, row.bound)
