"""Results as integer counts: the order in which games were played is gone, to the last bit."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pwtourney.ratings.result import Result

__all__ = ["Counts", "Ints", "count_results"]

Ints = NDArray[np.int64]


class Counts(NamedTuple):
    """Games by circle and ordered pairing, one entry each, in an order fixed by their content.

    For entry k the bot with index ``first[k]`` had seat 0 against ``second[k]`` in ``games[k]``
    games on the circle with index ``circle[k]``, and won ``halves[k]`` half points in them.
    """

    bots: tuple[str, ...]
    circles: int
    circle: Ints
    first: Ints
    second: Ints
    games: Ints
    halves: Ints

    def matrices(self) -> tuple[Ints, Ints]:
        """Return games and half points of the first by (first, second), each n × n."""
        size = (len(self.bots), len(self.bots))
        games, halves = np.zeros(size, np.int64), np.zeros(size, np.int64)
        np.add.at(games, (self.first, self.second), self.games)
        np.add.at(halves, (self.first, self.second), self.halves)
        return games, halves

    def only(self, members: Sequence[int]) -> "Counts":
        """Return the games among some of the bots, which are numbered anew in the given order."""
        place = np.full(len(self.bots), -1, np.int64)
        place[list(members)] = np.arange(len(members))
        first, second = place[self.first], place[self.second]
        kept = (first >= 0) & (second >= 0)
        circles, circle = np.unique(self.circle[kept], return_inverse=True)
        return Counts(
            bots=tuple(self.bots[each] for each in members),
            circles=len(circles),
            circle=circle.astype(np.int64),
            first=first[kept],
            second=second[kept],
            games=self.games[kept],
            halves=self.halves[kept],
        )


def count_results(bots: Sequence[str], results: Iterable[Result]) -> Counts:
    """Count results between the given bots; void games do not count."""
    games: Counter[tuple[str, int, int]] = Counter()
    halves: Counter[tuple[str, int, int]] = Counter()
    index = {bot: number for number, bot in enumerate(bots)}
    for result in results:
        if result.points is not None:
            key = (result.circle, index[result.first], index[result.second])
            games[key] += 1
            halves[key] += int(2 * result.points)
    keys = sorted(games)
    circles = {name: number for number, name in enumerate(sorted({key[0] for key in keys}))}
    return Counts(
        bots=tuple(bots),
        circles=len(circles),
        circle=np.array([circles[key[0]] for key in keys], np.int64),
        first=np.array([key[1] for key in keys], np.int64),
        second=np.array([key[2] for key in keys], np.int64),
        games=np.array([games[key] for key in keys], np.int64),
        halves=np.array([halves[key] for key in keys], np.int64),
    )
