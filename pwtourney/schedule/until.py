"""When enough was played: rules that go with every format."""

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

from pwtourney.schedule.pairing import History, results
from pwtourney.standings import RatingOptions, standings

__all__ = ["Until"]

_LAST = 8
"""A bot whose last pairs, so many, are all void counts as disqualified."""


class Until(NamedTuple):
    """What must be so of the ratings; of several rules all must hold.

    `interval` is the largest half of a 95 % interval, in Elo, and needs at least 30 deals;
    `ranks_separated` the level at which the whole order of the table must hold, with bounds that
    allow for looking as often as one likes. `anchor` (a bot and its rating) and `prior` are those
    of the table, whose intervals are meant. A bot that has no interval is not waited for.
    """

    interval: float | None = None
    ranks_separated: float | None = None
    anchor: Sequence[Any] | None = None
    prior: float = 0.0

    def holds(self, history: History) -> bool:
        """Tell whether enough was played; bots that play no more are not waited for."""
        playing = _playing(history)
        if len(playing) < 2:
            return True
        there = [each for each in history if playing.issuperset(each.pairing[1:3])]
        anchor = None if self.anchor is None else (str(self.anchor[0]), float(self.anchor[1]))
        found = standings(sorted(playing), results(there), RatingOptions(anchor, self.prior))
        if len(found.pools) != 1 or found.pools[0].rough:
            return False
        (pool,) = found.pools
        if self.ranks_separated is not None and not pool.is_separated(self.ranks_separated):
            return False
        if self.interval is None:
            return True
        unknown = [line for line in pool.lines if not line.bound and line.plus_minus is None]
        if any(line.bot != pool.anchor for line in unknown):
            return False
        return all((line.plus_minus or 0.0) <= self.interval for line in pool.lines)


def _playing(history: History) -> set[str]:
    """Return the bots of whose last pairs one at least is not void."""
    seen: Counter[str] = Counter()
    playing: set[str] = set()
    for played in reversed(history):
        for bot in (played.pairing.first, played.pairing.second):
            seen[bot] += 1
            if played.total is not None and seen[bot] <= _LAST:
                playing.add(bot)
    return playing
