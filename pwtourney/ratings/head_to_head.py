"""Who got how much against whom: the head-to-head matrix, with its significance."""

import math
from itertools import pairwise
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pwtourney.ratings.bradley_terry import Floats
from pwtourney.ratings.covariance import clustered_mean, number_deals
from pwtourney.ratings.games import NO_MARGIN, Columns, Ints
from pwtourney.ratings.significance import ROUGH_BELOW, holm, t_cdf

__all__ = ["HeadToHead", "meetings"]


_LEAST_SPREAD = 0.25
"""The squared surplus of half a game: games that all went one way are not certainty."""

_MOST_COINS = 60
"""With more deals than this the t test alone is right: the sum is then close to normal."""


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
    parts = [slice(a, b) for a, b in pairwise(edges)]
    raw = [_p_value(share[part], deal[part]) for part in parts]
    # a pairing on one deal is not tested, so it is not among those that Holm counts
    known = [p for p in raw if p is not None]
    corrected = iter(holm(known))
    return tuple(
        HeadToHead(
            first=columns.bots[int(key) // n],
            second=columns.bots[int(key) % n],
            games=part.stop - part.start,
            points=float(share[part].sum()),
            deals=number_deals(deal[part])[1],
            error=_standard_error(share[part], deal[part]),
            p=None if p is None else next(corrected),
            **_mean_margin(margin[part][ended[part]], deal[part][ended[part]]),
        )
        for key, part, p in zip(pairings, parts, raw, strict=True)
    )


def _mean_margin(margin: Ints, deal: Ints) -> dict[str, float | None]:
    """Return the fields of a meeting that are known only where games were played to their end."""
    if not len(margin):
        return {}
    mean, spread = clustered_mean(margin, deal)
    return {"margin": mean, "margin_plus_minus": spread}


def _standard_error(share: Floats, deal: Ints) -> float:
    games = len(share)
    cluster, count = number_deals(deal)
    surplus = np.bincount(cluster, share - share.mean())
    spread = float((surplus**2).sum()) * count / max(1, count - 1)
    return math.sqrt(max(spread, _LEAST_SPREAD)) / games


def _p_value(share: Floats, deal: Ints) -> float | None:
    """Return the two-sided p of the mean share being ½."""
    cluster, count = number_deals(deal)
    surplus = np.bincount(cluster, share - 0.5)
    if count < 2:
        return None
    total = float(surplus.sum())
    spread = float(((surplus - surplus.mean()) ** 2).sum()) * count / (count - 1)
    if spread <= 1e-12:  # every deal gave the same: as likely as so many equal coins
        # Student's t would divide by nothing
        return 1.0 if total == 0 else 2.0 * 0.5**count
    z = abs(total) / math.sqrt(spread)
    few = count < ROUGH_BELOW
    by_size = 2 * (1 - t_cdf(z, count - 1)) if few else 2 * NormalDist().cdf(-z)
    # the t test is too sure of skewed deals, so coins have a word, too
    return max(by_size, _sign_test(surplus))


def _sign_test(surplus: NDArray[Any]) -> float:
    """Return the two-sided p of as many deals on one side, by coins; holds for few and skewed."""
    ahead, behind = int((surplus > 0).sum()), int((surplus < 0).sum())
    count = ahead + behind
    if count > _MOST_COINS:
        return 0.0
    tail = sum(math.comb(count, k) for k in range(max(ahead, behind), count + 1))
    return float(min(1.0, 2 * tail / 2**count))
