"""Who is above whom, and how sure that is, from ratings and their whole covariance.

Differences are judged with the covariances between ratings, because two bots that have met the
same opponents err together: the interval of a difference is not what their two intervals suggest.
"""

from collections.abc import Sequence
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pwtourney.ratings.bradley_terry import Floats

__all__ = ["RankInterval", "likelihoods", "rank_intervals", "squared_differences"]

_DRAWS = 10_000
_SEED = 2014
_NOISE = 1e-9
"""Variances below this, in Elo², are what is left of rounding."""
_NORMAL = NormalDist()


class RankInterval(NamedTuple):
    """The best and the worst rank that a bot holds in 95 % of the draws, both from 1."""

    best: int
    worst: int


def likelihoods(ratings: Floats, covariance: Floats) -> Floats:
    """Return P(row is stronger than column), n × n; ½ on the diagonal and where nothing is known.

    LOS = Φ((r_i − r_j) / √(V_ii + V_jj − 2 V_ij)). In Elo and Elo².
    """
    difference = ratings[:, None] - ratings[None, :]
    variance = squared_differences(covariance)
    spread = np.sqrt(np.where(variance > _NOISE, variance, 0.0))
    with np.errstate(divide="ignore", invalid="ignore"):
        score = np.where(spread > 0, difference / spread, 0.0)
    table = [[_NORMAL.cdf(each) for each in row] for row in np.nan_to_num(score).tolist()]
    return np.array(table, np.float64)


def rank_intervals(ratings: Floats, covariance: Floats) -> Sequence[RankInterval]:
    """Return each bot's 95 % interval of ranks, from draws of N(ratings, covariance).

    The draws have a fixed seed, so the same games always give the same intervals. Where the
    covariance is not known every rank is possible.
    """
    n = len(ratings)
    if not np.isfinite(covariance).all():
        return [RankInterval(1, n)] * n
    values, vectors = np.linalg.eigh(covariance)
    scale = vectors * np.sqrt(np.maximum(values, 0.0))
    normal = np.random.default_rng(_SEED).standard_normal((_DRAWS, n))
    draws = ratings + normal @ scale.T
    ranks = 1 + np.argsort(np.argsort(-draws, axis=1, kind="stable"), axis=1, kind="stable")
    best, worst = np.quantile(ranks, (0.025, 0.975), axis=0, method="nearest")
    drawn = [RankInterval(int(a), int(b)) for a, b in zip(best, worst, strict=True)]
    return _with_ties(drawn, squared_differences(covariance) <= _NOISE)


def _with_ties(drawn: list[RankInterval], unknown: NDArray[np.bool_]) -> list[RankInterval]:
    """Let bots whose difference is known to be nothing, or not known at all, share their ranks."""
    return [
        RankInterval(
            min(drawn[k].best for k in np.flatnonzero(row)),
            max(drawn[k].worst for k in np.flatnonzero(row)),
        )
        for row in unknown
    ]


def squared_differences(form: Floats) -> Floats:
    """Return xᵀ·form·x for x = i − j, n × n: of a covariance, the variances of all differences."""
    diagonal = np.diag(form)
    found: Floats = diagonal[:, None] + diagonal[None, :] - 2 * form
    return found
