"""How likely chance alone brings two bots each number of points, for many pairings at once."""

from typing import NamedTuple

import numpy as np

from pwtourney.ratings.bradley_terry import Floats
from pwtourney.ratings.game_columns import Ints

__all__ = ["Laws", "find_both", "find_laws"]

_LEAST_CHANCE = 1e-15
"""Less is what the transform leaves of rounding."""


class Laws(NamedTuple):
    """How likely chance alone brings pairings each number of points, from 0 on.

    Those of pairing k stand in `size[k]` places from `start[k]` on. `at_most` and `at_least` are
    logarithms of the chances of so many points and fewer, or more.
    """

    start: Ints
    size: Ints
    cumulated: Floats
    at_most: Floats
    at_least: Floats

    def draw(self, chance: Floats) -> Floats:
        """Return the points that chances from 0 to 1 stand for, of tables × pairings."""
        ends = zip(self.start.tolist(), (self.start + self.size).tolist(), strict=True)
        # a pairing at a time, by the array's own method: this is called many thousand times
        rows = np.ascontiguousarray(chance.T)
        drawn = [
            self.cumulated[start:end].searchsorted(row)
            for row, (start, end) in zip(rows, ends, strict=True)
        ]
        return np.stack(drawn, axis=1).astype(np.float64)

    def find_chances(self, points: Floats) -> Floats:
        """Return the chances of so many points or any as unlikely, on both sides.

        The last axis of `points` are the pairings.
        """
        last = self.size - 1
        points = np.clip(points, 0, last)
        # ratings that are fitted again move what is expected by parts of a point, hence between
        below = points.astype(np.int64)
        part = points - below
        at, above = self.start + below, self.start + np.minimum(below + 1, last)
        at_most, at_least = (
            (side[above] - side[at]) * part + side[at] for side in (self.at_most, self.at_least)
        )
        chances: Floats = np.minimum(2 * np.exp(np.minimum(at_most, at_least)), 1.0)
        return chances


def find_both(chances: Floats, *, alike: bool) -> Floats:
    """Return the chance to win from both seats on a deal that decides as much as it can.

    It lets both games of a bot go the same way (`alike`), or the two seats' games opposite ways.
    """
    first, second = chances[..., 0], chances[..., 1]
    both: Floats = np.minimum(first, second) if alike else np.maximum(first + second - 1, 0.0)
    return both


def find_laws(deals: Ints, games: Ints, chances: Floats, dependence: float) -> Laws:
    """Return for each pairing what chance alone brings, its deals being independent.

    Rows of `deals` are a pairing, its games on a deal by the lower bot's seat, and the number of
    such deals. `games` are all games of each pairing, `chances` the lower bot's in either seat.
    """
    both = find_both(chances, alike=dependence > 0)
    size = games + 1
    start = np.cumsum(size) - size
    flat = np.empty((3, int(size.sum())))
    # Points of independent deals add up, so their generating functions are multiplied. Those of one
    # length and one kind of deal go together: each step takes as long for one as for some dozens.
    pairing, one, two, _ = deals.T
    deals = deals[np.lexsort((two, one, pairing, size[pairing]))]
    for rows in _split(deals, size[deals[:, 0]]):
        length = int(size[rows[0, 0]])
        members, row = np.unique(rows[:, 0], return_inverse=True)
        whole = np.ones((len(members), length // 2 + 1), np.complex128)
        order = np.lexsort((row, rows[:, 2], rows[:, 1]))
        kind = rows[:, 1] * length + rows[:, 2]
        for some in _split(order, kind[order]):
            ours = rows[some[0]]
            where = rows[some, 0]
            alone = _deal_law(int(ours[1]), int(ours[2]), chances[where], both[where], dependence)
            whole[row[some]] *= np.fft.rfft(alone, length) ** rows[some, 3:]
        likely = np.maximum(np.fft.irfft(whole, length), 0.0)
        likely /= likely.sum(axis=1, keepdims=True)
        up = np.cumsum(likely, axis=1)
        down = np.cumsum(likely[:, ::-1], axis=1)[:, ::-1]
        places = start[members, None] + np.arange(length)
        flat[0, places] = up / up[:, -1:]
        flat[1, places], flat[2, places] = (
            np.log(np.maximum(side, _LEAST_CHANCE)) for side in (up, down)
        )
    return Laws(start, size, *flat)


def _deal_law(one: int, two: int, chances: Floats, both: Floats, dependence: float) -> Floats:
    """Return how likely each number of points of a deal is, pairings × points.

    Of `one` and `two` games, by the lower bot's seat.
    """
    first, second = chances.T
    decided = np.zeros((len(chances), one + two + 1))
    decided[:, 0] += 1 - first - second + both
    decided[:, one] += first - both
    decided[:, two] += second - both
    decided[:, one + two] += both
    tosses = [
        np.fft.rfft(np.stack([1 - chance, chance], axis=1), one + two + 1) ** games
        for chance, games in ((first, one), (second, two))
    ]
    apart = np.fft.irfft(tosses[0] * tosses[1], one + two + 1)
    law: Floats = (1 - abs(dependence)) * apart + abs(dependence) * decided
    return law


def _split(rows: Ints, keys: Ints) -> list[Ints]:
    """Return the parts of sorted rows that have one key each."""
    return np.split(rows, np.flatnonzero(np.diff(keys)) + 1) if len(rows) else []
