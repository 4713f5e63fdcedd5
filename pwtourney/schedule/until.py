"""When enough was played: rules that go with every format."""

from collections import Counter
from typing import NamedTuple

from pwtourney.ratings import standings
from pwtourney.schedule.pairing import History
from pwtourney.schedule.results import results

__all__ = ["Until"]

_LAST = 8
"""A bot whose last pairs, so many, are all void is taken for benched."""


class Until(NamedTuple):
    """What must be so of the ratings; of several rules all must hold.

    `interval` is the largest half of a 95 % interval, in Elo, and wants at least 30 circles;
    `ranks_separated` the level at which the whole order of the table must hold, with bounds that
    allow for looking as often as one likes.
    """

    interval: float | None = None
    ranks_separated: float | None = None

    def holds(self, history: History) -> bool:
        """Tell whether enough was played; bots that play no more are not waited for."""
        playing = _playing(history)
        if len(playing) < 2:
            return True
        there = [each for each in history if playing.issuperset(each.pairing[1:3])]
        found = standings(sorted(playing), results(there))
        if len(found.pools) != 1 or found.pools[0].rough:
            return False
        (pool,) = found.pools
        if self.ranks_separated is not None and not pool.separated(self.ranks_separated):
            return False
        widths = [line.plus_minus for line in pool.lines]
        limit = self.interval
        return limit is None or all(each is not None and each <= limit for each in widths)


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
