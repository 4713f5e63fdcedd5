"""What a run watches while it goes on: who failed too often, who cannot be right, who leads."""

import math
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from heapq import heappop, heappush
from typing import NamedTuple

from pwtourney.match import Fault, Game, PairResult, Verdict
from pwtourney.ratings.order import pairs_to_separate
from pwtourney.schedule import Pairing, PairPoints, Played
from pwtourney.schedule.pairing import results
from pwtourney.standings import RatingOptions, standings
from pwtourney.tournament.events import Leader, Standing, SuspectBot

__all__ = [
    "FaultLimit",
    "HORIZON",
    "Leaders",
    "Suspects",
    "early_fault",
]

HORIZON = 64
_GAMES = 2


class FaultLimit:
    """Counts faults by bot and pair; `limit` of them disqualify a bot, None never does."""

    def __init__(self, limit: int | None, known: Iterable[tuple[int, Iterable[str]]] = ()) -> None:
        self._limit = math.inf if limit is None else limit
        self._open: dict[str, set[int]] = defaultdict(set)
        self._recent: dict[str, list[int]] = defaultdict(list)
        self._settled: Counter[str] = Counter()
        for pair, bots in known:
            self._count(pair, bots)

    def reason(self, bot: str) -> str:
        """Return what is noted of a pair that is void because a bot is disqualified."""
        return f"{bot} is disqualified after {self._limit} faults"

    def hand_out(self, pairing: Pairing) -> None:
        """Note that a pair is being played."""
        for bot in (pairing.first, pairing.second):
            self._open[bot].add(pairing.number)

    def done(self, pairing: Pairing, failed: Iterable[str]) -> None:
        """Note that a pair has ended, and the bot of each fault in it."""
        for bot in (pairing.first, pairing.second):
            self._open[bot].discard(pairing.number)
        self._count(pairing.number, failed)

    def disqualified(self, pairing: Pairing) -> str | None:
        """Return the bot for which a pair is void."""
        for bot in (pairing.first, pairing.second):
            if self._before(bot, pairing.number) >= self._limit:
                return bot
        return None

    def undecided(self, pairing: Pairing) -> bool:
        """Tell whether pairs that are being played could still decide about this one."""
        if self.disqualified(pairing):
            return False
        for bot in (pairing.first, pairing.second):
            waited_for = [each for each in self._open[bot] if each < pairing.number - HORIZON]
            possible = self._before(bot, pairing.number) + _GAMES * len(waited_for)
            if waited_for and possible >= self._limit:
                return True
        return False

    def _before(self, bot: str, number: int) -> int:
        """Count faults beyond the horizon of a pair; pairs are asked about in their order."""
        recent = self._recent[bot]
        while recent and recent[0] < number - HORIZON:
            heappop(recent)
            self._settled[bot] += 1
        return self._settled[bot]

    def _count(self, pair: int, failed: Iterable[str]) -> None:
        for bot in failed:
            heappush(self._recent[bot], pair)


_SECONDS = 10.0
_SHARE = 0.02
"""The most of the time that is spent on looking."""

_MOST_PAIRS = 20_000
"""With more than these nobody is told in between: they would fill the memory, and to rate them
would cost more than it says."""

_SHOWN = 3


class Leaders:
    """Collects what is played, and rates it from time to time."""

    def __init__(self, options: RatingOptions, now: Callable[[], float] = time.monotonic) -> None:
        self._options = options
        self._now = now
        self._played: list[Played] = []
        self._too_many = False
        self._began = now()
        self._next = self._began + _SECONDS
        self._fresh = 0

    def stored(self, pairing: Pairing, points: PairPoints) -> None:
        """Take in a pair that was played in an earlier run."""
        self._add(Played(pairing, points))

    def done(self, pairing: Pairing, points: PairPoints) -> Standing | None:
        """Take in a pair; return where the tournament stands, if that is due."""
        self._add(Played(pairing, points))
        self._fresh += 1
        began = self._now()
        if began < self._next or self._too_many:
            return None
        found = self._standing(began)
        self._next = began + max(_SECONDS, (self._now() - began) / _SHARE)
        return found

    def _add(self, played: Played) -> None:
        if len(self._played) == _MOST_PAIRS:
            self._too_many = True
            self._played.clear()
        if not self._too_many:
            self._played.append(played)

    def _standing(self, now: float) -> Standing | None:
        """Rate what is there."""
        found = standings(None, results(self._played), self._options)
        if not found.pools or len(found.pools[0].lines) < 2:
            return None
        pool = found.pools[0]
        leaders = tuple(
            Leader(
                line.bot, None if math.isnan(line.elo) else line.elo, line.plus_minus, line.bound
            )
            for line in pool.lines[:_SHOWN]
        )
        gap = pool.gaps[0]
        more = 0 if pool.tells(gap) else pairs_to_separate(gap, pool.pairs) or None
        elapsed = now - self._began
        speed = self._fresh / elapsed if elapsed > 0 else 0.0
        return Standing(
            leaders, gap.above, gap.below, more, more / speed if more and speed else 0.0
        )


_GAMES = 2
"""How many games of a bot are looked at: those of its first pair, if both count."""


class _First(NamedTuple):
    """One of a bot's first games, and the fault by which it lost before its first action."""

    pair: int
    game: int
    fault: Fault | None


class Suspects:
    """Takes in pairs as they end, and looks at the first games of each bot."""

    def __init__(self) -> None:
        self._first: defaultdict[str, list[_First]] = defaultdict(list)

    def done(self, result: PairResult) -> Iterator[SuspectBot]:
        """Take in a pair; yield each bot that has now lost its first games before it played."""
        for number, game in enumerate(result.games):
            for seat, bot in enumerate(game.bots):
                first = self._first[bot]
                if len(first) < _GAMES and _tells(game, seat):
                    first.append(_First(result.pair, number, early_fault(game, seat)))
                    if len(first) == _GAMES:
                        yield from _suspect(bot, first)


def early_fault(game: Game, seat: int) -> Fault | None:
    """Return the fault by which a bot lost before its first action, by its start or its clock."""
    fault = _fault(game, seat)
    if fault is None:
        return None
    unanswered = fault.verdict is Verdict.TIMEOUT and not _has_played(game, seat)
    return fault if unanswered or fault.verdict is Verdict.START else None


def _tells(game: Game, seat: int) -> bool:
    """Tell whether a game says anything about how a bot begins."""
    if game.verdict.is_void:
        return False
    fault = _fault(game, seat)
    if fault is None:
        return _has_played(game, seat)
    return fault.machine is None or not fault.machine.is_to_blame


def _fault(game: Game, seat: int) -> Fault | None:
    return next((fault for fault in game.faults if fault.seat == seat), None)


def _has_played(game: Game, seat: int) -> bool:
    return any(ply.seat == seat for ply in game.plies)


def _suspect(bot: str, first: list[_First]) -> Iterator[SuspectBot]:
    """Yield the bot if it failed in all of its first games; a failed start explains the most."""
    failed = [(each, each.fault) for each in first if each.fault is not None]
    if len(failed) == len(first):
        game, fault = max(failed, key=lambda each: each[1].verdict is Verdict.START)
        yield SuspectBot(game.pair, game.game, bot, str(fault.verdict), fault.message)
