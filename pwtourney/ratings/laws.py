"""The distributions of two bots' points under chance alone, for many pairings at once."""

from typing import NamedTuple

import numpy as np

from pwtourney.ratings.bradley_terry import Floats
from pwtourney.ratings.game_columns import Ints

__all__ = ["Laws", "find_both", "find_laws"]

_LEAST_CHANCE = 1e-15
"""Smaller chances are rounding errors of the transform."""


class Laws(NamedTuple):
    """Distributions of the points of pairings under chance alone, from 0 points on.

    The entries of pairing k are the `size[k]` entries from `start[k]` on. `cumulated` is the
    cumulative distribution. `at_most` and `at_least` are logarithms of the chances of this many
    points or fewer, or more.
    """

    start: Ints
    size: Ints
    cumulated: Floats
    at_most: Floats
    at_least: Floats

    def draw(self, chance: Floats) -> Floats:
        """Return the points at the quantiles `chance`, from 0 to 1, of tables × pairings."""
        ends = zip(self.start.tolist(), (self.start + self.size).tolist(), strict=True)
        # one pairing at a time, by the array's own method: this is called many thousand times
        rows = np.ascontiguousarray(chance.T)
        drawn = [
            self.cumulated[start:end].searchsorted(row)
            for row, (start, end) in zip(rows, ends, strict=True)
        ]
        return np.stack(drawn, axis=1).astype(np.float64)

    def find_chances(self, points: Floats) -> Floats:
        """Return the two-sided chances of these points or any as unlikely.

        The last axis of `points` is the pairing.
        """
        last = self.size - 1
        points = np.clip(points, 0, last)
        # refitted ratings shift the expected points by fractions, so interpolate between points
        below = points.astype(np.int64)
        part = points - below
        at, above = self.start + below, self.start + np.minimum(below + 1, last)
        at_most, at_least = (
            (side[above] - side[at]) * part + side[at] for side in (self.at_most, self.at_least)
        )
        chances: Floats = np.minimum(2 * np.exp(np.minimum(at_most, at_least)), 1.0)
        return chances


def find_both(chances: Floats, *, alike: bool) -> Floats:
    """Return the chance to win from both seats on a deal with full dependence.

    If `alike`, both games of a bot tend to the same result; otherwise the two seats' games do.
    """
    first, second = chances[..., 0], chances[..., 1]
    both: Floats = np.minimum(first, second) if alike else np.maximum(first + second - 1, 0.0)
    return both


def find_laws(deals: Ints, games: Ints, chances: Floats, dependence: float) -> Laws:
    """Return the distribution of each pairing's points by chance alone, with independent deals.

    Rows of `deals` are a pairing, its games on a deal by the lower bot's seat, and the number of
    such deals. `games` counts all games of each pairing, and `chances` are the lower bot's in
    either seat. `dependence` is that of `_find_dependence`, from −1 to 1.
    """
    both = find_both(chances, alike=dependence > 0)
    size = games + 1
    start = np.cumsum(size) - size
    flat = np.empty((3, int(size.sum())))
    # Points of independent deals add up, so their generating functions are multiplied. Pairings of
    # one length and deals of one kind are processed together: a step takes as long for one as for
    # dozens.
    pairing, first_games, second_games, _ = deals.T
    deals = deals[np.lexsort((second_games, first_games, pairing, size[pairing]))]
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


def _deal_law(
    first_games: int, second_games: int, chances: Floats, both: Floats, dependence: float
) -> Floats:
    """Return the chance of each number of points on a deal, pairings × points.

    The lower bot has the first seat in `first_games` games of the deal, and the second seat in
    `second_games` of them.
    """
    first, second = chances.T
    decided = np.zeros((len(chances), first_games + second_games + 1))
    decided[:, 0] += 1 - first - second + both
    decided[:, first_games] += first - both
    decided[:, second_games] += second - both
    decided[:, first_games + second_games] += both
    tosses = [
        np.fft.rfft(np.stack([1 - chance, chance], axis=1), first_games + second_games + 1) ** games
        for chance, games in ((first, first_games), (second, second_games))
    ]
    apart = np.fft.irfft(tosses[0] * tosses[1], first_games + second_games + 1)
    law: Floats = (1 - abs(dependence)) * apart + abs(dependence) * decided
    return law


def _split(rows: Ints, keys: Ints) -> list[Ints]:
    """Split sorted rows into the parts with one key each."""
    return np.split(rows, np.flatnonzero(np.diff(keys)) + 1) if len(rows) else []
