"""What is simply counted for each bot, beside its rating."""

from typing import NamedTuple

import numpy as np

from pwtourney.ratings.games import Columns, Ints

__all__ = ["Tally", "tally"]


class Tally(NamedTuple):
    """Counts of one bot.

    Games and half points are counted by seat: (as first, as second). `draws` are technical ones,
    in which both bots failed; `voids` are not among the games. `pairs` counts the whole pairs by
    what they brought: fewer points than the opponent, as many, more; `deals` how many deals
    it played on.
    """

    games: tuple[int, int] = (0, 0)
    halves: tuple[int, int] = (0, 0)
    wins: int = 0
    losses: int = 0
    draws: int = 0
    voids: int = 0
    pairs: tuple[int, int, int] = (0, 0, 0)
    deals: int = 0

    @property
    def played(self) -> int:
        """Games that count."""
        return sum(self.games)

    def share(self, seat: int | None = None) -> float | None:
        """Return the share of points won, in one seat or in both; None without games."""
        games = self.played if seat is None else self.games[seat]
        halves = sum(self.halves) if seat is None else self.halves[seat]
        return halves / 2 / games if games else None


def tally(columns: Columns) -> list[Tally]:
    """Count every bot's games, in the order of the bots."""
    n = len(columns.bots)
    mirrored = 2 - columns.halves
    by_seat = [(columns.first, columns.halves), (columns.second, mirrored)]
    games = [_count(bot, n) for bot, _ in by_seat]
    halves = [_sum(bot, got, n) for bot, got in by_seat]
    of = [
        sum((_count(bot[got == what], n) for bot, got in by_seat), np.zeros(n, np.int64))
        for what in (0, 1, 2)
    ]
    pairs, deals = _pairs(columns), _deals(columns)
    return [
        Tally(
            games=(int(games[0][k]), int(games[1][k])),
            halves=(int(halves[0][k]), int(halves[1][k])),
            wins=int(of[2][k]),
            losses=int(of[0][k]),
            draws=int(of[1][k]),
            voids=int(columns.voids[k]),
            pairs=(int(pairs[k, 0]), int(pairs[k, 1]), int(pairs[k, 2])),
            deals=int(deals[k]),
        )
        for k in range(n)
    ]


def _pairs(columns: Columns) -> Ints:
    """Return how many whole pairs each bot lost, split and won, n × 3."""
    n = len(columns.bots)
    size = np.bincount(columns.pair, minlength=columns.pairs)
    found = np.zeros((n, 3), np.int64)
    low = np.minimum(columns.first, columns.second)
    high = np.maximum(columns.first, columns.second)
    ahead = np.where(columns.first == low, columns.halves - 1, 1 - columns.halves)
    lead = np.bincount(columns.pair, ahead, columns.pairs)
    one, other = np.zeros((2, columns.pairs), np.int64)
    one[columns.pair], other[columns.pair] = low, high
    whole = size == 2
    outcome = np.sign(lead[whole]).astype(np.int64) + 1
    np.add.at(found, (one[whole], outcome), 1)
    np.add.at(found, (other[whole], 2 - outcome), 1)
    return found


def _deals(columns: Columns) -> Ints:
    """Return on how many deals each bot played."""
    n = len(columns.bots)
    keys = np.concatenate([columns.deal * n + columns.first, columns.deal * n + columns.second])
    keys.sort()  # much faster here than the hashing of np.unique
    return _count(keys[np.diff(keys, prepend=-1) != 0] % n, n)


def _count(bots: Ints, n: int) -> Ints:
    return np.bincount(bots, minlength=n).astype(np.int64)


def _sum(bots: Ints, values: Ints, n: int) -> Ints:
    return np.bincount(bots, values, n).astype(np.int64)
