"""How sure the ratings are: the sandwich covariance, clustered by deal.

Games on one deal are not independent: it favours a seat or a style. The covariance is
H⁻¹ B H⁻¹ with H the information and B = G/(G − 1) Σ s sᵀ over the G deals, s a deal's part
of the score (White, "Maximum likelihood estimation of misspecified models", 1982; Liang and
Zeger, "Longitudinal data analysis using generalized linear models", 1986).
"""

from itertools import pairwise

import numpy as np

from pwtourney.ratings.bradley_terry import Counts, Fit, Floats, inverse_information, probability
from pwtourney.ratings.games import Ints

__all__ = [
    "clustered_covariance",
    "clustered_meat",
    "numbered",
]

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
