"""How ratings came about: what the table was after so many games."""

from array import array
from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from pwtourney.ratings.games import Block, Result, gather_blocks
from pwtourney.standings.rate import tables
from pwtourney.standings.resources import Resources
from pwtourney.standings.table import RatingOptions

__all__ = ["History", "HistoryPoint"]

_VOID = _UNKNOWN = -1
_PLAIN = RatingOptions()


class HistoryPoint(NamedTuple):
    """The ratings after so many games, with half of their 95 % intervals where those are known."""

    games: int
    elos: dict[str, tuple[float, float | None]]


class History:
    """Keeps results in the order of the schedule, in a few bytes a game."""

    def __init__(self) -> None:
        self._names: dict[str, int] = {}
        self._deals: dict[str, int] = {}
        self._seats = (array("i"), array("i"))
        self._halves = array("b")
        self._deal = array("q")
        self._pair = array("q")
        self._moves = array("q")

    def add(self, result: Result) -> None:
        """Take in the next result."""
        for seats, bot in zip(self._seats, (result.first, result.second), strict=True):
            seats.append(self._names.setdefault(bot, len(self._names)))
        self._halves.append(_VOID if result.points is None else round(2 * result.points))
        self._deal.append(self._deals.setdefault(result.deal, len(self._deals)))
        self._pair.append(int(result.pair or 0))
        self._moves.append(_UNKNOWN if result.moves is None else result.moves)

    def points(self, marks: int, options: RatingOptions = _PLAIN) -> list[HistoryPoint]:
        """Return the ratings at so many evenly spaced points, the last after all games.

        Bots that have only a bound at a point have no rating there.
        """
        count = len(self._halves)
        ends = sorted({2 * (count * each // marks // 2) for each in range(1, marks)} | {count})
        return [self._point(end, options) for end in ends if end]

    def _point(self, end: int, options: RatingOptions) -> HistoryPoint:
        names = [*self._names]
        block = Block(
            first=_named(names, self._seats[0], end),
            second=_named(names, self._seats[1], end),
            points=[None if each < 0 else each / 2 for each in self._halves[:end]],
            deal=[str(each) for each in self._deal[:end]],
            margin=[None] * end,
            pair=[str(each) for each in self._pair[:end]],
            moves=[None if each < 0 else each for each in self._moves[:end]],
        )
        found = tables(gather_blocks(names, [block]), defaultdict(Resources), options)
        rated = [line for pool in found.pools if len(pool.lines) > 1 for line in pool.lines]
        return HistoryPoint(
            end, {line.bot: (line.elo, line.plus_minus) for line in rated if not line.bound}
        )


def _named(names: Sequence[str], numbers: "array[int]", end: int) -> list[str]:
    return [names[each] for each in numbers[:end]]
