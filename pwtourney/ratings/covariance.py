"""How sure the ratings are: the sandwich covariance, clustered by deal.

Games on one deal are not independent: it favours a seat or a style. The covariance is
H⁻¹ B H⁻¹ with H the information and B = G/(G − 1) Σ s sᵀ over the G deals, s a deal's part
of the score (White, "Maximum likelihood estimation of misspecified models", 1982; Liang and
Zeger, "Longitudinal data analysis using generalized linear models", 1986).
"""

import math
from itertools import pairwise
from statistics import NormalDist

import numpy as np

from pwtourney.ratings.bradley_terry import Counts, Fit, Floats, inverse_information, probability
from pwtourney.ratings.games import Ints

__all__ = [
    "ROUGH_BELOW",
    "clustered_covariance",
    "clustered_meat",
    "interval_factor",
    "numbered",
    "t_cdf",
    "t_quantile",
]

ROUGH_BELOW = 30
"""With fewer deals than this, intervals use Student's t and are called rough."""

_CHUNK = 4096
_NOISE = 1e-14
"""Less than this is what is left of rounding: deals that all gave the same."""


def clustered_covariance(counts: Counts, fitted: Fit) -> Floats:
    """Return the covariance of (θ, γ), θ taken relative to its mean; (n + 1) square.

    With a single deal the spread between deals is unknown, and every entry is NaN.
    """
    n = len(counts.bots)
    if counts.deals < 2:
        return np.full((n + 1, n + 1), np.nan)
    difference = fitted.theta[counts.first] - fitted.theta[counts.second] + fitted.gamma
    surplus = counts.halves / 2 - counts.games * probability(difference)
    meat = clustered_meat(counts.deal, counts.first, counts.second, surplus, n, fitted.seat_term)
    assert meat is not None, "there are two deals"
    centre = np.eye(n + 1)
    centre[:n, :n] -= 1 / n
    bread = centre @ inverse_information(fitted)
    covariance: Floats = bread @ meat @ bread.T
    covariance[np.abs(covariance) < _NOISE] = 0.0
    return covariance


def clustered_meat(
    deal: Ints, first: Ints, second: Ints, surplus: Floats, bots: int, seat_term: bool
) -> Floats | None:
    """Return B = G/(G − 1) Σ s sᵀ over the deals, for rows that are sorted by deal.

    A row adds its surplus to the score of its first bot, takes it from that of its second, and
    adds it to that of the seat. None with fewer than two deals.
    """
    clusters = int(deal[-1]) + 1 if len(deal) else 0
    meat = np.zeros((bots + 1, bots + 1))
    edges = np.searchsorted(deal, np.arange(0, clusters + _CHUNK, _CHUNK))
    count = 0
    for start, stop in pairwise(edges.tolist()):
        part = slice(start, stop)
        row, found = numbered(deal[part])
        count += found
        size = found * (bots + 1)
        places = row * (bots + 1)
        flat = np.bincount(places + first[part], surplus[part], size)
        flat -= np.bincount(places + second[part], surplus[part], size)
        if seat_term:
            flat += np.bincount(places + bots, surplus[part], size)
        scores = flat.reshape(found, bots + 1)
        meat += scores.T @ scores
    return meat * (count / (count - 1)) if count > 1 else None


def numbered(deal: Ints) -> tuple[Ints, int]:
    """Return the deals of sorted rows numbered from 0, and how many there are."""
    if not len(deal):
        return deal, 0
    row = np.concatenate([[0], np.cumsum(deal[1:] != deal[:-1])]).astype(np.int64)
    return row, int(row[-1]) + 1


def interval_factor(deals: int) -> float:
    """Return how many standard errors make a two-sided 95 % interval."""
    if deals < 2:
        return math.nan
    if deals < ROUGH_BELOW:
        return t_quantile(0.975, deals - 1)
    return NormalDist().inv_cdf(0.975)


def t_quantile(level: float, freedom: int) -> float:
    """Return the quantile of Student's t for a level above ½, by bisection of the exact CDF."""
    low, high = 0.0, 1.0
    while t_cdf(high, freedom) < level:
        high *= 2
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if t_cdf(middle, freedom) < level else (low, middle)
    return (low + high) / 2


def t_cdf(t: float, freedom: int) -> float:
    """Return P(T ≤ t) for t ≥ 0 by the finite series of Abramowitz and Stegun, 26.7.3–4."""
    angle = math.atan(t / math.sqrt(freedom))
    cosine, sine = math.cos(angle), math.sin(angle)
    odd = freedom % 2
    term = cosine if odd else 1.0
    total = 0.0
    for k in range(1 + odd, freedom, 2):
        total += term
        term *= cosine * cosine * k / (k + 1)
    inside = 2 / math.pi * (angle + sine * total) if odd else sine * total
    return 0.5 + inside / 2
