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

_FEWEST = 3
"""With fewer bots, the table does not show how far bots are apart."""

_STEPS = 400
_WIDEST = 8.0
"""The largest standard deviation considered, in those of the ratings as they are."""

_NOISE = 1e-9
"""Variances below this share of the largest, and smaller differences, are rounding errors."""


class Shrinkage(NamedTuple):
    """The strengths as the table's own spread makes them.

    `spread` is the standard deviation of the strengths in Elo: larger and smaller ones are equally
    plausible. `los` is for each bot but the last the probability that it is stronger than the next.
    """

    spread: float
    los: tuple[float, ...]


def shrink(ratings: Floats, covariance: Floats) -> Shrinkage | None:
    """Return who is stronger by the spread of a table; None if it has too few bots or no errors.

    `ratings`, in Elo, are in the order of the table, and `covariance` is theirs, in Elo².
    """
    n = len(ratings)
    if n < _FEWEST or not np.isfinite(covariance).all():
        return None
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
