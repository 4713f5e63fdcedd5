"""What is counted for each bot next to its rating: games, pairs, seats.

A mirrored pair is one deal from both sides, so what its two games have in common is the deal's
doing, and what differs is the seat's.
"""

from typing import NamedTuple

import numpy as np

from pwtourney.ratings.covariance import clustered_mean, group_by_bot
from pwtourney.ratings.games import Columns, Ints

__all__ = ["SeatGain", "Tally", "pair_saving", "seat_gains", "tally"]


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


class SeatGain(NamedTuple):
    """How much larger a bot's share of points is with the first seat, over its whole pairs.

    `mean` is from −1 to 1; `plus_minus` half of its 95 % interval, clustered by deal, None
    with fewer than two deals.
    """

    pairs: int
    mean: float
    plus_minus: float | None


def tally(columns: Columns) -> list[Tally]:
    """Count every bot's games, in the order of the bots."""
    n = len(columns.bots)
    mirrored = 2 - columns.halves  # in half points, so that technical draws stay whole numbers
    by_seat = [(columns.first, columns.halves), (columns.second, mirrored)]
    games = [_count_by_bot(bot, n) for bot, _ in by_seat]
    halves = [np.bincount(bot, got, n).astype(np.int64) for bot, got in by_seat]
    of = [
        sum((_count_by_bot(bot[got == what], n) for bot, got in by_seat), np.zeros(n, np.int64))
        for what in (0, 1, 2)
    ]
    pairs, deals = _count_pair_outcomes(columns), _count_deals(columns)
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


def seat_gains(columns: Columns) -> list[SeatGain | None]:
    """Return the gain of every bot, in their order; None for one without whole pairs.

    A pair is one deal against one opponent from both seats, so nothing but the seat differs. Both
    bots of a pair gain the same: what the one gets more, the other gets less in the other game.
    """
    size = np.bincount(columns.pair, minlength=columns.pairs)
    low, high = np.minimum(columns.first, columns.second), np.maximum(columns.first, columns.second)
    began = np.bincount(columns.pair, columns.first == low, columns.pairs)
    # tables of other programs may name pairs whose two games have the same seats
    whole = (size == 2) & (began == 1)
    gain = np.bincount(columns.pair, columns.halves / 2, columns.pairs)[whole] - 1
    one, other, deal = np.zeros((3, columns.pairs), np.int64)
    one[columns.pair], other[columns.pair], deal[columns.pair] = low, high, columns.deal
    bot = np.concatenate([one[whole], other[whole]])
    gains, deals = np.concatenate([gain] * 2), np.concatenate([deal[whole]] * 2)
    return [
        SeatGain(len(values), *clustered_mean(values, on)) if len(values) else None
        for values, on in group_by_bot(len(columns.bots), bot, gains, deals)
    ]


def pair_saving(columns: Columns) -> float | None:
    """Return the share of the variance that playing each deal twice, seats swapped, takes away.

    The variance of the points in whole pairs, within pairings, over that of two games with the
    same mean that have nothing to do with each other. Below 0 if pairs cost; None if unknown.
    """
    n = len(columns.bots)
    low, high = np.minimum(columns.first, columns.second), np.maximum(columns.first, columns.second)
    share = np.where(columns.first == low, columns.halves, 2 - columns.halves) / 2
    whole = np.bincount(columns.pair, minlength=columns.pairs) == 2
    total = np.bincount(columns.pair, share, columns.pairs)[whole]
    pairing = np.zeros(columns.pairs, np.int64)
    pairing[columns.pair] = low * n + high
    _, place = np.unique(pairing[whole], return_inverse=True)
    size = np.bincount(place)
    mean = np.bincount(place, total) / np.maximum(size, 1)
    seen = float(((total - mean[place]) ** 2).sum())
    # two independent games of share p = μ/2 vary by 2p(1 − p); a degree of freedom goes to the mean
    alone = float(((size - 1) * mean * (1 - mean / 2)).sum())
    return 1 - seen / alone if alone > 0 else None


def _count_pair_outcomes(columns: Columns) -> Ints:
    """Return how many whole pairs each bot lost, split and won, n × 3."""
    n = len(columns.bots)
    size = np.bincount(columns.pair, minlength=columns.pairs)
    found = np.zeros((n, 3), np.int64)
    low = np.minimum(columns.first, columns.second)
    high = np.maximum(columns.first, columns.second)
    ahead = np.where(columns.first == low, columns.halves - 1, 1 - columns.halves)
    lead = np.bincount(columns.pair, ahead, columns.pairs)
    one, other = np.zeros((2, columns.pairs), np.int64)
    # every game of a pair writes the same two bots, so it does not matter which is last
    one[columns.pair], other[columns.pair] = low, high
    whole = size == 2
    # two wins and a win with a draw are one thing here: more points than the opponent
    outcome = np.sign(lead[whole]).astype(np.int64) + 1
    np.add.at(found, (one[whole], outcome), 1)
    np.add.at(found, (other[whole], 2 - outcome), 1)
    return found


def _count_deals(columns: Columns) -> Ints:
    """Return on how many deals each bot played."""
    n = len(columns.bots)
    keys = np.concatenate([columns.deal * n + columns.first, columns.deal * n + columns.second])
    keys.sort()  # much faster here than the hashing of np.unique
    return _count_by_bot(keys[np.diff(keys, prepend=-1) != 0] % n, n)


def _count_by_bot(bots: Ints, n: int) -> Ints:
    return np.bincount(bots, minlength=n).astype(np.int64)
