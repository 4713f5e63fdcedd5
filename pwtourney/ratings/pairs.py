"""Two bots by the points of their mirrored pairs.

A pair is one observation: its two games share a deal and are not independent. The first bot's
points in a pair are 0, ½, 1, 1½ or 2, so all that two bots have shown is five counts (the
pentanomial of the chess tools).
"""

import math
from collections.abc import Sequence
from statistics import NormalDist
from typing import NamedTuple

__all__ = ["NELO", "SHARES", "PairCounts", "PairStatistics", "pair_statistics", "score_of_elo"]

SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)
"""The share of a pair's points in each class."""

NELO = 800 / math.log(10) / math.sqrt(2)
"""Normalised Elo in one standard deviation of a pair's share (Van den Bergh, "Normalized Elo")."""

PairCounts = tuple[int, int, int, int, int]
"""How many pairs gave the first bot 0, ½, 1, 1½ and 2 points."""

_LEVEL = 0.975
_ONE_SIDED = 0.95


class PairStatistics(NamedTuple):
    """What the pairs of two bots say of the first of them.

    `score` is the mean share of the points, `elo` the difference that it stands for, with
    `elo_low` and `elo_high` the ends of its 95 % interval; where all points went to one side, one
    end is infinite, and the other the exact one-sided bound: the share of whole pairs won at which
    so many in a row would have had a chance of 5 %.
    `nelo` the normalised difference ± `nelo_plus_minus`; `los` the likelihood that the first is
    the stronger. What is unknown, because all pairs gave the same, is None.
    """

    pairs: int
    score: float
    elo: float
    elo_low: float
    elo_high: float
    nelo: float | None
    nelo_plus_minus: float | None
    los: float | None


def pair_statistics(counts: Sequence[int]) -> PairStatistics:
    """Work out the statistics of at least one pair; raises ValueError without any."""
    pairs = sum(counts)
    if pairs == 0:
        raise ValueError("no pairs")
    mean = sum(n * share for n, share in zip(counts, SHARES, strict=True)) / pairs
    variance = sum(n * (share - mean) ** 2 for n, share in zip(counts, SHARES, strict=True)) / pairs
    error = math.sqrt(variance / pairs)
    reach = NormalDist().inv_cdf(_LEVEL) * error
    known = variance > 0  # else the normal interval would be a point, and claim certainty
    return PairStatistics(
        pairs=pairs,
        score=mean,
        elo=_elo(mean),
        # an infinite interval would say nothing of seven pairs won of seven
        elo_low=_elo(max(0.0, mean - reach)) if known else _perfect_bound(pairs, won=mean == 1),
        elo_high=_elo(min(1.0, mean + reach)) if known else -_perfect_bound(pairs, won=mean == 0),
        nelo=(mean - 0.5) / math.sqrt(variance) * NELO if known else None,
        nelo_plus_minus=_nelo_error(counts, mean, variance) if known else None,
        los=NormalDist().cdf((mean - 0.5) / error) if known else None,
    )


def score_of_elo(elo: float) -> float:
    """Return the share of points that a difference in Elo stands for."""
    return 1 / (1 + 10 ** (-elo / 400))


def _elo(share: float) -> float:
    if share <= 0:  # the logarithm would raise
        return -math.inf
    return math.inf if share >= 1 else 400 * math.log10(share / (1 - share))


def _perfect_bound(pairs: int, *, won: bool) -> float:
    """Return the lower end for pairs that all gave the same points."""
    return _elo((1 - _ONE_SIDED) ** (1 / pairs)) if won else -math.inf


def _nelo_error(counts: Sequence[int], mean: float, variance: float) -> float:
    """Return half the 95 % interval of normalised Elo, by the delta method.

    With t = (μ − ½)/σ and the standardised moments of a pair's share, n·Var(t̂) =
    1 − t·skewness + t²(kurtosis − 1)/4.
    """
    pairs, sigma = sum(counts), math.sqrt(variance)
    t = (mean - 0.5) / sigma
    skewness, kurtosis = (
        sum(n * ((share - mean) / sigma) ** k for n, share in zip(counts, SHARES, strict=True))
        / pairs
        for k in (3, 4)
    )
    # for normal shares this is 1 + t²/2; skewed ones move mean and deviation together
    spread = 1 - t * skewness + t * t * (kurtosis - 1) / 4
    return NormalDist().inv_cdf(_LEVEL) * math.sqrt(max(0.0, spread) / pairs) * NELO
