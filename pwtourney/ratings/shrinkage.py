"""Who is stronger, if the strengths of a table's bots are as close as they look.

The likelihood of superiority takes all differences as equally likely beforehand. Of bots that are
nearly equal, some look apart by luck, and their likelihoods say too much. Here the strengths come
from a normal distribution, whose standard deviation is estimated from the table itself: a normal
hierarchical model (A. Gelman and others, "Bayesian Data Analysis", 2013, chapter 5), with all
standard deviations equally likely beforehand.
"""

import math
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from pwtourney.ratings.bradley_terry import Floats

__all__ = ["Shrinkage", "shrink"]

_FEWEST = 5
"""With fewer bots, the table does not show how far bots are apart."""

_FEWEST_DEALS = 30
_DEALS_PER_BOT = 3
"""With fewer deals, or fewer for each bot, the covariance is too small in some directions."""

_FAR = 5.0
"""A bot so many standard deviations from the mean of all others is not one of them.

Of eight bots from a normal distribution, one is as far in 2 of 100 tables.
"""

_STEPS = 400
_WIDEST = 8.0
"""The largest standard deviation considered, in those of the ratings as they are."""

_NOISE = 1e-9
"""Variances below this share of the largest, and smaller differences, are rounding errors."""


class Shrinkage(NamedTuple):
    """The strengths as the table's own spread makes them.

    `spread` is the standard deviation of the strengths in Elo: larger and smaller ones are equally
    plausible. `los` is for each bot but the last the probability that it is stronger than the next;
    None if one of the two is far from all others.
    """

    spread: float
    los: tuple[float | None, ...]


def shrink(ratings: Floats, covariance: Floats, deals: int) -> Shrinkage | None:
    """Return who is stronger by the spread of a table; None with too few bots or deals.

    `ratings`, in Elo, are in the order of the table, the best first, and `covariance` is theirs, in
    Elo². Bots far from all others are left out: one weak bot does not show how far the others are
    apart.
    """
    first, end = _find_field(ratings)
    n = end - first
    if n < _FEWEST or deals < max(_FEWEST_DEALS, _DEALS_PER_BOT * n):
        return None
    if not np.isfinite(covariance).all():
        return None
    shrunk = _shrink_field(ratings[first:end], covariance[first:end, first:end])
    if shrunk is None:
        return None
    before, after = (None,) * first, (None,) * (len(ratings) - end)
    return shrunk._replace(los=(*before, *shrunk.los, *after))


def _find_field(ratings: Floats) -> tuple[int, int]:
    """Return the range of bots of which none is far from all others, in the order of the table."""
    first, end = 0, len(ratings)
    while end - first > _FEWEST:
        top, bottom = (
            abs(ratings[k] - ratings[rest].mean()) / max(float(ratings[rest].std(ddof=1)), _NOISE)
            for k, rest in ((first, slice(first + 1, end)), (end - 1, slice(first, end - 1)))
        )
        if max(top, bottom) <= _FAR:
            break
        first, end = (first + 1, end) if top > bottom else (first, end - 1)
    return first, end


def _shrink_field(ratings: Floats, covariance: Floats) -> Shrinkage | None:
    """Return who is stronger by the spread of these bots; None if their errors are unknown."""
    n = len(ratings)
    axes = _find_contrasts(n)
    values, turn = np.linalg.eigh(axes.T @ covariance @ axes)
    # exact, as between two anchors, or not known at all
    noise, axes = np.where(values > _NOISE * values[-1], values, 0.0), axes @ turn
    if not noise.any():
        return None
    seen = axes.T @ ratings
    widest = _WIDEST * math.sqrt(float(seen @ seen + noise.sum()) / len(seen))
    spreads = (np.arange(_STEPS) + 0.5) / _STEPS * widest
    prior = spreads[:, None] ** 2
    total = prior + noise
    # the density of what is seen, along each axis, which are independent
    fit = -0.5 * (np.log(total) + seen**2 / total).sum(axis=1)
    weights = np.exp(fit - fit.max())
    weights /= weights.sum()
    towards = axes[:-1] - axes[1:]
    differences = (prior / total * seen) @ towards.T
    differences[np.abs(differences) < _NOISE] = 0.0
    errors = np.sqrt((prior * noise / total) @ (towards.T**2))
    with np.errstate(divide="ignore", invalid="ignore"):
        scores = np.nan_to_num(differences / errors)
    chances = np.vectorize(NormalDist().cdf)(scores)
    median = float(spreads[np.searchsorted(np.cumsum(weights), 0.5)])
    return Shrinkage(median, tuple((weights @ chances).tolist()))


def _find_contrasts(number: int) -> Floats:
    """Return an orthonormal basis of the differences of this many ratings, in columns.

    Their mean, the direction that is left out, informs about none of them.
    """
    ones = np.full((number, 1), number**-0.5)
    basis, _ = np.linalg.qr(np.hstack([ones, np.eye(number)[:, 1:]]))
    contrasts: Floats = basis[:, 1:]
    return contrasts
