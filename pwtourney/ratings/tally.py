"""What is counted for each bot, and for each two that met: games, pairs, seats, head to head.

A mirrored pair is one deal from both sides, so what its two games have in common is the deal's
doing, and what differs is the seat's.
"""

import math
from itertools import pairwise
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from pwtourney.ratings.bradley_terry import Floats
from pwtourney.ratings.games import NO_MARGIN, Columns, Ints
from pwtourney.ratings.uncertainty import (
    ROUGH_BELOW,
    clustered_mean,
    group_by_bot,
    holm,
    number_deals,
    t_cdf,
)

__all__ = ["HeadToHead", "SeatGain", "Tally", "meetings", "pair_saving", "seat_gains", "tally"]

_LEAST_SPREAD = 0.25
"""The squared surplus of half a game: games that all went one way are not certainty."""

_NO_SPREAD = 1e-12
_MOST_COINS = 60
"""With more deals than this the t test alone is right: the sum is then close to normal."""


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
    def game_count(self) -> int:
        """How many games count."""
        return sum(self.games)

    def share(self, seat: int | None = None) -> float | None:
        """Return the share of points won, in one seat or in both; None without games."""
        games = self.game_count if seat is None else self.games[seat]
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


class HeadToHead(NamedTuple):
    """All games of two bots that count, from the side of the first.

    `error` is the standard error of its share of the points, clustered by deal; at least
    that of half a game. `p` is the chance that bots of equal strength would differ as much,
    two-sided, clustered by deal, and corrected (Holm) for how many pairings there are; None
    with a single deal. `margin` is the mean margin of games played to their end, None without
    any, and `margin_plus_minus` half of its 95 % interval.
    """

    first: str
    second: str
    games: int
    points: float
    deals: int
    error: float
    p: float | None
    margin: float | None = None
    margin_plus_minus: float | None = None


def tally(columns: Columns) -> list[Tally]:
    """Count every bot's games, in the order of the bots."""
    n = len(columns.bots)
    mirrored = 2 - columns.halves  # in half points, so that technical draws stay whole numbers
    by_seat = [(columns.first, columns.halves), (columns.second, mirrored)]
    games = [_count_by_bot(bot, n) for bot, _ in by_seat]
    halves = [np.bincount(bot, points, n).astype(np.int64) for bot, points in by_seat]
    lost, drawn, won = (
        np.sum([_count_by_bot(bot[points == half], n) for bot, points in by_seat], axis=0)
        for half in (0, 1, 2)
    )
    pairs = _count_pair_outcomes(columns)
    keys = np.concatenate([columns.deal * n + columns.first, columns.deal * n + columns.second])
    keys.sort()  # much faster here than the hashing of np.unique
    deals = _count_by_bot(keys[np.diff(keys, prepend=-1) != 0] % n, n)
    return [
        Tally(
            games=(int(games[0][k]), int(games[1][k])),
            halves=(int(halves[0][k]), int(halves[1][k])),
            wins=int(won[k]),
            losses=int(lost[k]),
            draws=int(drawn[k]),
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
    lower, higher, deal = np.zeros((3, columns.pairs), np.int64)
    lower[columns.pair], higher[columns.pair], deal[columns.pair] = low, high, columns.deal
    bot = np.concatenate([lower[whole], higher[whole]])
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
    _, group = np.unique(pairing[whole], return_inverse=True)
    size = np.bincount(group)
    mean = np.bincount(group, total) / np.maximum(size, 1)
    seen = float(((total - mean[group]) ** 2).sum())
    # two independent games of share p = μ/2 vary by 2p(1 − p); a degree of freedom goes to the mean
    alone = float(((size - 1) * mean * (1 - mean / 2)).sum())
    return 1 - seen / alone if alone > 0 else None


def meetings(columns: Columns) -> tuple[HeadToHead, ...]:
    """Return every two bots that have met, in the order of the bots."""
    n = len(columns.bots)
    low, high = np.minimum(columns.first, columns.second), np.maximum(columns.first, columns.second)
    share = np.where(columns.first == low, columns.halves, 2 - columns.halves) / 2
    order = np.lexsort((columns.deal, low * n + high))
    pairing = (low * n + high)[order]
    share, deal = share[order], columns.deal[order]
    margin = np.where(columns.first == low, columns.margin, -columns.margin)[order]
    ended = (columns.margin != NO_MARGIN)[order]
    pairings, starts = np.unique(pairing, return_index=True)
    edges = [*starts.tolist(), len(pairing)]
    met = []
    for key, (start, stop) in zip(pairings.tolist(), pairwise(edges), strict=True):
        part = slice(start, stop)
        points, deals = share[part], deal[part]
        whole = ended[part]
        mean, spread = None, None
        if whole.any():
            mean, spread = clustered_mean(margin[part][whole], deals[whole])
        count, error, p = _judge_pairing(points, deals)
        met.append(
            HeadToHead(
                first=columns.bots[key // n],
                second=columns.bots[key % n],
                games=stop - start,
                points=float(points.sum()),
                deals=count,
                error=error,
                p=p,
                margin=mean,
                margin_plus_minus=spread,
            )
        )
    # a pairing on one deal is not tested, so it is not among those that Holm counts
    corrected = iter(holm([line.p for line in met if line.p is not None]))
    return tuple(line if line.p is None else line._replace(p=next(corrected)) for line in met)


def _count_pair_outcomes(columns: Columns) -> Ints:
    """Return how many whole pairs each bot lost, split and won, n × 3."""
    n = len(columns.bots)
    size = np.bincount(columns.pair, minlength=columns.pairs)
    counts = np.zeros((n, 3), np.int64)
    low = np.minimum(columns.first, columns.second)
    high = np.maximum(columns.first, columns.second)
    ahead = np.where(columns.first == low, columns.halves - 1, 1 - columns.halves)
    lead = np.bincount(columns.pair, ahead, columns.pairs)
    lower, higher = np.zeros((2, columns.pairs), np.int64)
    # every game of a pair writes the same two bots, so it does not matter which is last
    lower[columns.pair], higher[columns.pair] = low, high
    whole = size == 2
    # two wins and a win with a draw are one thing here: more points than the opponent
    outcome = np.sign(lead[whole]).astype(np.int64) + 1
    np.add.at(counts, (lower[whole], outcome), 1)
    np.add.at(counts, (higher[whole], 2 - outcome), 1)
    return counts


def _count_by_bot(bots: Ints, n: int) -> Ints:
    return np.bincount(bots, minlength=n).astype(np.int64)


def _judge_pairing(share: Floats, deal: Ints) -> tuple[int, float, float | None]:
    """Return the number of deals, the standard error of the mean share, and the p of its being ½.

    The p is two-sided, and None with a single deal.
    """
    cluster, count = number_deals(deal)
    around_mean = np.bincount(cluster, share - share.mean())
    spread = float((around_mean**2).sum()) * count / max(1, count - 1)
    error = math.sqrt(max(spread, _LEAST_SPREAD)) / len(share)
    if count < 2:
        return count, error, None
    surplus = np.bincount(cluster, share - 0.5)
    total = float(surplus.sum())
    spread = float(((surplus - surplus.mean()) ** 2).sum()) * count / (count - 1)
    if spread <= _NO_SPREAD:  # every deal gave the same: as likely as so many equal coins
        # Student's t would divide by nothing
        return count, error, 1.0 if total == 0 else 2.0 * 0.5**count
    z = abs(total) / math.sqrt(spread)
    few = count < ROUGH_BELOW
    p = 2 * (1 - t_cdf(z, count - 1)) if few else 2 * NormalDist().cdf(-z)
    # The t test is too sure of skewed deals, so a sign test has a word, too: deals on one side
    # against deals on the other, as coins. It is exact however few and skewed they are.
    ahead, behind = int((surplus > 0).sum()), int((surplus < 0).sum())
    coins = ahead + behind
    if coins <= _MOST_COINS:
        tail = sum(math.comb(coins, k) for k in range(max(ahead, behind), coins + 1))
        p = max(p, min(1.0, 2 * tail / float(2**coins)))
    return count, error, p
