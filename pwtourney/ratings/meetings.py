"""Who got how much against whom: the head-to-head matrix, with its significance."""

import math
from itertools import pairwise
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from pwtourney.ratings.columns import Columns, Ints
from pwtourney.ratings.covariance import ROUGH_BELOW, numbered, t_cdf
from pwtourney.ratings.fit import Floats
from pwtourney.ratings.holm import holm

__all__ = ["HeadToHead", "meetings", "saved_by_pairs"]


_LEAST_SPREAD = 0.25


class HeadToHead(NamedTuple):
    """All games of two bots that count, from the side of the first.

    `error` is the standard error of its share of the points, clustered on the circle; at least
    that of half a game. `p` is the chance that bots of equal strength would differ as much,
    two-sided, clustered on the circle, and corrected (Holm) for how many pairings there are; None
    with a single circle.
    """

    first: str
    second: str
    games: int
    points: float
    circles: int
    error: float
    p: float | None


def meetings(columns: Columns) -> tuple[HeadToHead, ...]:
    """Return every two bots that have met, in the order of the bots."""
    n = len(columns.bots)
    low, high = np.minimum(columns.first, columns.second), np.maximum(columns.first, columns.second)
    share = np.where(columns.first == low, columns.halves, 2 - columns.halves) / 2
    order = np.lexsort((columns.circle, low * n + high))
    pairing = (low * n + high)[order]
    share, circle = share[order], columns.circle[order]
    pairings, starts = np.unique(pairing, return_index=True)
    edges = [*starts.tolist(), len(pairing)]
    parts = [slice(a, b) for a, b in pairwise(edges)]
    raw = [_chance(share[part], circle[part]) for part in parts]
    known = [p for p in raw if p is not None]
    corrected = iter(holm(known))
    return tuple(
        HeadToHead(
            first=columns.bots[int(key) // n],
            second=columns.bots[int(key) % n],
            games=part.stop - part.start,
            points=float(share[part].sum()),
            circles=numbered(circle[part])[1],
            error=_error(share[part], circle[part]),
            p=None if p is None else next(corrected),
        )
        for key, part, p in zip(pairings, parts, raw, strict=True)
    )


def saved_by_pairs(columns: Columns) -> float | None:
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
    alone = float(((size - 1) * mean * (1 - mean / 2)).sum())
    return 1 - seen / alone if alone > 0 else None


def _error(share: Floats, circle: Ints) -> float:
    games = len(share)
    cluster, count = numbered(circle)
    surplus = np.bincount(cluster, share - share.mean())
    spread = float((surplus**2).sum()) * count / max(1, count - 1)
    return math.sqrt(max(spread, _LEAST_SPREAD)) / games


def _chance(share: Floats, circle: Ints) -> float | None:
    """Return the two-sided p of the mean share being ½."""
    cluster, count = numbered(circle)
    surplus = np.bincount(cluster, share - 0.5)
    if count < 2:
        return None
    total = float(surplus.sum())
    spread = float(((surplus - surplus.mean()) ** 2).sum()) * count / (count - 1)
    if spread <= 1e-12:  # every circle gave the same: as likely as so many equal coins
        return 1.0 if total == 0 else 2.0 * 0.5**count
    z = abs(total) / math.sqrt(spread)
    if count < ROUGH_BELOW:
        return 2 * (1 - t_cdf(z, count - 1))
    return 2 * NormalDist().cdf(-z)
