"""Games counted by deal and ordered pairing: all that the likelihood needs.

Counts are whole numbers in a fixed order, so the order in which the games came changes nothing in
what is computed from them, to the last bit.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from pwtourney.ratings.games import Columns, Ints, Result, gather

__all__ = ["Counts", "Ints", "count", "count_results"]


class Counts(NamedTuple):
    """One row for each deal and ordered pairing that has games, sorted by deal.

    `bots` are ids, `deals` the number of deals; `deal`, `first` and `second` are indices,
    `games` counts, `halves` the half points of the first seat.
    """

    bots: tuple[str, ...]
    deals: int
    deal: Ints
    first: Ints
    second: Ints
    games: Ints
    halves: Ints

    def matrices(self) -> tuple[Ints, Ints]:
        """Return games and half points of the first by (first, second), each n × n."""
        n = len(self.bots)
        place = self.first * n + self.second
        games = np.bincount(place, self.games, n * n).astype(np.int64)
        halves = np.bincount(place, self.halves, n * n).astype(np.int64)
        return games.reshape(n, n), halves.reshape(n, n)

    def only(self, members: Sequence[int]) -> "Counts":
        """Return the games among some of the bots, which are numbered anew in the given order."""
        place = np.full(len(self.bots), -1, np.int64)
        place[list(members)] = np.arange(len(members))
        first, second = place[self.first], place[self.second]
        kept = (first >= 0) & (second >= 0)
        deals, deal = np.unique(self.deal[kept], return_inverse=True)
        return Counts(
            bots=tuple(self.bots[each] for each in members),
            deals=len(deals),
            deal=deal.astype(np.int64),
            first=first[kept],
            second=second[kept],
            games=self.games[kept],
            halves=self.halves[kept],
        )


def count(columns: Columns) -> Counts:
    """Count games."""
    n = len(columns.bots)
    key = (columns.deal * n + columns.first) * n + columns.second
    keys, place = np.unique(key, return_inverse=True)
    return Counts(
        bots=columns.bots,
        deals=columns.deals,
        deal=keys // (n * n),
        first=keys // n % n,
        second=keys % n,
        games=np.bincount(place, minlength=len(keys)).astype(np.int64),
        halves=np.bincount(place, columns.halves, len(keys)).astype(np.int64),
    )


def count_results(bots: Sequence[str], results: Iterable[Result]) -> Counts:
    """Count results between the given bots; void games do not count."""
    return count(gather(bots, results))
