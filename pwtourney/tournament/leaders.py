"""Who leads so far, and what it would take to be sure: told now and then while a run goes on."""

import math
import time
from collections.abc import Callable

from pwtourney.ratings.order import pairs_to_separate
from pwtourney.schedule import Pairing, PairPoints, Played
from pwtourney.schedule.pairing import results
from pwtourney.standings import RatingOptions, standings
from pwtourney.tournament.events import Leader, Standing

__all__ = ["Leaders"]

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
