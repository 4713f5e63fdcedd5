"""Uncertainty of ratings and means: errors clustered by deal, and the distributions to judge them.

Games on one deal are not independent: it favours a seat or a style. The covariance is H⁻¹ B H⁻¹
with H the information and B = G/(G − 1) Σ s sᵀ over the G deals, where s is a deal's part of the
score (White, "Maximum likelihood estimation of misspecified models", 1982; Liang and Zeger,
"Longitudinal data analysis using generalized linear models", 1986).

Student's t is implemented here because the runner does not depend on scipy, and the finite sums are
short for whole degrees of freedom (M. Abramowitz and I. Stegun, "Handbook of mathematical
functions", 1964, chapter 26).
"""

import math
import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pwtourney.ratings.bradley_terry import (
    NATURAL,
    Counts,
    Fit,
    Floats,
    fit,
    inverse_information,
    probability,
    seat_term_exists,
)
from pwtourney.ratings.dense import have_one_value, number_values, sort_by_few
from pwtourney.ratings.game_columns import Columns, Ints

__all__ = [
    "LEVEL",
    "MOST_LEVEL",
    "ROUGH_BELOW",
    "GroupRatings",
    "PairSaving",
    "Values",
    "centring_matrix",
    "chance_below",
    "clustered_covariance",
    "clustered_mean",
    "clustered_meat",
    "find_meat",
    "group_by_bot",
    "holm",
    "interval_factor",
    "number_deals",
    "pair_saving",
    "parse_level",
    "rate_group",
    "t_cdf",
    "t_quantile",
    "two_sided",
]

LEVEL = 0.95
"""The level of intervals and bounds, unless the user asks for another."""

MOST_LEVEL = 0.999
"""The highest level for ranks, which are found by draws: too few lie beyond a higher one."""

ROUGH_BELOW = 30
"""With fewer deals than this, intervals use Student's t and are called rough."""

Values = NDArray[Any]

_CHUNK = 4096
"""Deals whose scores are in memory at once: all those of a large tournament would fill it."""

_NOISE = 1e-14
"""Smaller values are rounding errors: deals that all gave the same result."""


_NORMAL = NormalDist()

_LEVEL = re.compile(r"([0-9]{2}(?:\.[0-9]{1,3})?)%", re.ASCII)


class GroupRatings(NamedTuple):
    """Ratings `elo` of a group, in Elo, and their covariance, in Elo².

    `theta` holds them in natural units with mean 0, and `gamma` the first-seat term. `seat_elo` is
    the advantage of the first seat and `seat_error` its standard error; both are None if it cannot
    be estimated. `fitted` is None for a single bot. `design_effect` is the mean of clustered over
    independent variances of the ratings. `held` are the indices of anchors, to which the ratings
    are relative.
    """

    elo: Floats
    covariance: Floats
    theta: Floats
    gamma: float
    seat_elo: float | None
    seat_error: float | None
    fitted: Fit | None
    design_effect: float | None
    held: tuple[int, ...]


class PairSaving(NamedTuple):
    """The saving of mirrored pairs, as a share of the variance of two independent games.

    `share` is below 0 if pairs vary more, which happens where deals favour a bot rather than a
    seat. `plus_minus` is half of its interval, clustered by deal, and None if too few pairs are
    informative. `informative` is the effective number of informative pairs: if two bots are far
    apart, nearly all pairs end alike, and only the others contribute.
    """

    share: float
    plus_minus: float | None
    informative: float = 0.0


def rate_group(counts: Counts, anchor: tuple[int, float] | None, prior: float) -> GroupRatings:
    """Rate the bots of some counts; their ratings must exist, or the prior must make them exist.

    `anchor` is the index of a bot with a fixed rating, and that rating in Elo.
    """
    n = len(counts.bots)
    held, rating = anchor or (None, 0.0)
    if n == 1:
        # no game informs about it; only an anchor has a rating, by definition without an error
        zero = np.zeros(1)
        known = np.zeros((1, 1)) if held is not None else np.full((1, 1), np.nan)
        indices = () if held is None else (held,)
        return GroupRatings(zero + rating, known, zero, 0.0, None, None, None, None, indices)
    fitted = fit(counts, seat_term=seat_term_exists(counts), prior=prior)
    free = clustered_covariance(counts, fitted)
    elo = fitted.theta / NATURAL
    centre = centring_matrix(n)
    independent = np.diag(centre @ inverse_information(fitted) @ centre.T)[:n]
    clustered = np.diag(free)[:n]
    comparable = np.isfinite(clustered).all() and (independent > 0).all()
    shift = np.eye(n + 1)
    if held is not None:
        # the anchor's rating is fixed by definition, so its own error goes into those of all others
        shift[:n, held] -= 1.0
    return GroupRatings(
        elo=elo if held is None else elo - elo[held] + rating,
        covariance=(shift @ free @ shift.T)[:n, :n] / NATURAL**2,
        theta=fitted.theta,
        gamma=fitted.gamma,
        seat_elo=fitted.gamma / NATURAL if fitted.seat_term else None,
        seat_error=float(np.sqrt(free[n, n])) / NATURAL if fitted.seat_term else None,
        fitted=fitted,
        design_effect=float((clustered / independent).mean()) if comparable else None,
        held=() if held is None else (held,),
    )


def clustered_covariance(counts: Counts, fitted: Fit) -> Floats:
    """Return the covariance of (θ, γ), with θ relative to its mean; (n + 1) square.

    With a single deal the spread between deals is unknown, and every entry is NaN.
    """
    n = len(counts.bots)
    if counts.deals < 2:
        return np.full((n + 1, n + 1), np.nan)
    meat = find_meat(counts, fitted.theta, fitted.gamma, seat_term=fitted.seat_term)
    assert meat is not None, "there are two deals"
    bread = centring_matrix(n) @ inverse_information(fitted)
    covariance: Floats = bread @ meat @ bread.T
    # or rounding errors would look like an error of the rating
    covariance[np.abs(covariance) < _NOISE] = 0.0
    return covariance


def find_meat(counts: Counts, theta: Floats, gamma: float, *, seat_term: bool) -> Floats | None:
    """Return the `clustered_meat` of the score at these ratings."""
    difference = theta[counts.first] - theta[counts.second] + gamma
    surplus = counts.halves / 2 - counts.games * probability(difference)
    n = len(counts.bots)
    return clustered_meat(counts.deal, counts.first, counts.second, surplus, n, seat_term)


def centring_matrix(n: int) -> Floats:
    """Return the matrix that subtracts the mean of n ratings from each, and keeps the seat term."""
    centre = np.eye(n + 1)
    centre[:n, :n] -= 1 / n
    return centre


def clustered_meat(
    deal: Ints, first: Ints, second: Ints, surplus: Floats, bots: int, seat_term: bool
) -> Floats | None:
    """Return B = G/(G − 1) Σ s sᵀ over the deals, for rows that are sorted by deal.

    A row adds its surplus to the score of its first bot, subtracts it from that of its second, and
    adds it to that of the seat. Returns None with fewer than two deals.
    """
    if have_one_value(deal, np.minimum(first, second) * bots + np.maximum(first, second)):
        return _meat_of_single_pairings(deal, first, second, surplus, bots, seat_term)
    clusters = int(deal[-1]) + 1 if len(deal) else 0
    meat = np.zeros((bots + 1, bots + 1))
    edges = np.searchsorted(deal, np.arange(0, clusters + _CHUNK, _CHUNK))
    count = 0
    for start, stop in pairwise(edges.tolist()):
        part = slice(start, stop)
        row, deals = number_deals(deal[part])
        count += deals
        # `bincount` over row and column as one number: `np.add.at` on the matrix is much slower
        size = deals * (bots + 1)
        start_of_row = row * (bots + 1)
        flat = np.bincount(start_of_row + first[part], surplus[part], size)
        flat -= np.bincount(start_of_row + second[part], surplus[part], size)
        if seat_term:
            flat += np.bincount(start_of_row + bots, surplus[part], size)
        scores = flat.reshape(deals, bots + 1)
        meat += scores.T @ scores
    # G/(G − 1): the scores sum to 0 at the maximum, so they vary too little, as residuals do
    return meat * (count / (count - 1)) if count > 1 else None


def _meat_of_single_pairings(
    deal: Ints, first: Ints, second: Ints, surplus: Floats, bots: int, seat_term: bool
) -> Floats | None:
    """Return the result of `clustered_meat` for deals on which only two bots have met each.

    Only the scores of these two bots and of the seat are not 0, and those of the two bots are
    opposite.
    """
    row, count = number_deals(deal)
    if count < 2:
        return None
    leads = np.flatnonzero(np.diff(deal, prepend=-1))
    low, high = np.minimum(first, second), np.maximum(first, second)
    pairing, size = (low * bots + high)[leads], bots * bots
    score = np.bincount(row, np.where(first == low, surplus, -surplus), count)
    meat = np.zeros((bots + 1, bots + 1))
    between = np.bincount(pairing, score**2, size).reshape(bots, bots)
    between += between.T
    meat[:bots, :bots] = np.diag(between.sum(axis=1)) - between
    if seat_term:
        seat = np.bincount(row, surplus, count)
        of_pairing = np.bincount(pairing, score * seat, size).reshape(bots, bots)
        meat[:bots, bots] = meat[bots, :bots] = of_pairing.sum(axis=1) - of_pairing.sum(axis=0)
        meat[bots, bots] = (seat**2).sum()
    return meat * (count / (count - 1))


def number_deals(deal: Ints) -> tuple[Ints, int]:
    """Return the deals of sorted rows numbered from 0, and how many there are."""
    if not len(deal):
        return deal, 0
    # rows are sorted, so this takes one pass where np.unique would sort again
    row = np.concatenate([[0], np.cumsum(deal[1:] != deal[:-1])]).astype(np.int64)
    return row, int(row[-1]) + 1


def group_by_bot(bots: int, bot: Ints, values: Values, deal: Ints) -> Iterator[tuple[Values, Ints]]:
    """Yield the values of each bot, in the order of the bots, with the deal of each value."""
    order = np.argsort(deal, kind="stable")  # one pass if there are few runs
    order = order[sort_by_few(bot[order])]
    values, deal = values[order], deal[order]
    edges = np.concatenate([[0], np.cumsum(np.bincount(bot, minlength=bots))])
    for start, stop in pairwise(edges.tolist()):
        yield values[start:stop], deal[start:stop]


def clustered_mean(values: Values, deal: Ints, level: float = LEVEL) -> tuple[float, float | None]:
    """Return the mean of some values and half of its interval, None with fewer than 2 deals.

    The values must be sorted by deal. The variance of the mean of N values on G deals is G/(G − 1)
    Σ S² / N², with S the sum of a deal's residuals.
    """
    mean = float(values.mean())
    cluster, count = number_deals(deal)
    sums = np.bincount(cluster, values - mean)
    if count < 2:
        return mean, None
    error = float(np.sqrt((sums**2).sum() * count / (count - 1))) / len(values)
    return mean, interval_factor(count, level) * error


def pair_saving(columns: Columns, level: float = LEVEL) -> PairSaving | None:
    """Return how much less whole pairs vary than two independent games.

    The variance of the points of a pair, within pairings, is that of its two games, Σ (w − w̄)² for
    each seat, plus twice their covariance, which alone is caused by mirroring. Returns None if
    there are no whole pairs or nothing varies.
    """
    n = len(columns.bots)
    low, high = np.minimum(columns.first, columns.second), np.maximum(columns.first, columns.second)
    whole = columns.find_whole_pairs()
    if not whole.any():
        return None
    share = np.where(columns.first == low, columns.halves, 2 - columns.halves) / 2
    both = np.bincount(columns.pair, share, columns.pairs)[whole]
    first = np.bincount(columns.pair, share * (columns.first == low), columns.pairs)[whole]
    pairing, deal = np.zeros((2, columns.pairs), np.int64)
    pairing[columns.pair], deal[columns.pair] = low * n + high, columns.deal
    _, group = number_values(pairing[whole])
    many = np.bincount(group)
    ahead, behind = (won - (np.bincount(group, won) / many)[group] for won in (first, both - first))
    alone, seen = ahead**2 + behind**2, (ahead + behind) ** 2
    if not alone.sum() > _NOISE:
        return None  # all deals of every two bots gave the same result
    ratio = float(seen.sum() / alone.sum())
    cluster, count = number_deals(np.sort(deal[whole]))
    order = np.argsort(deal[whole], kind="stable")
    # Error of a ratio: what each deal adds to the numerator beyond its part of the denominator. The
    # means of a pairing come from its own pairs, which reduces this (Bessel's correction).
    beyond = (seen - ratio * alone) * (many / np.maximum(many - 1, 1))[group]
    left = np.bincount(cluster, beyond[order])
    # the number of equal summands of a sum that varies as much (L. Kish, 1965)
    parts = np.abs(ahead * behind)
    informative = float(parts.sum() ** 2 / max(_NOISE, float((parts**2).sum())))
    if count < 2 or informative < ROUGH_BELOW:
        return PairSaving(1 - ratio, None, informative)
    error = math.sqrt(float((left**2).sum()) * count / (count - 1)) / float(alone.sum())
    return PairSaving(1 - ratio, interval_factor(count, level) * error, informative)


@lru_cache(maxsize=4096)  # a table of many bots calls it for every two of them
def interval_factor(deals: int, level: float = LEVEL) -> float:
    """Return how many standard errors are half of a two-sided interval at a level."""
    if deals < 2:
        return math.nan
    if deals < ROUGH_BELOW:
        return t_quantile(two_sided(level), deals - 1)
    return _NORMAL.inv_cdf(two_sided(level))


def parse_level(value: object) -> float:
    """Return a level as a share; raises ValueError for anything except 50% to 99.999%.

    >>> parse_level("95%"), parse_level("99.9%")
    (0.95, 0.999)
    """
    percent = _LEVEL.fullmatch(value) if isinstance(value, str) else None
    if percent is None or float(percent[1]) < 50:
        raise ValueError("expected a level such as 95%, from 50% to 99.999%")
    # Rounded, since 99.9 / 100 is a little more than 0.999.
    return round(float(percent[1]) / 100, 5)


def two_sided(level: float) -> float:
    """Return the level of each one-sided end of a two-sided interval at a level."""
    return (1 + level) / 2


def chance_below(score: float, deals: int) -> float:
    """Return P(score or less) if there is no difference; `score` is in standard errors.

    Student's t is used below 30 deals. It is ½ with a single deal, which has no error estimate.
    """
    if deals < 2:
        return 0.5
    if deals >= ROUGH_BELOW:
        return _NORMAL.cdf(score)
    chance = t_cdf(abs(score), deals - 1)
    return chance if score >= 0 else 1 - chance


def t_quantile(level: float, freedom: int) -> float:
    """Return the quantile of Student's t for a level above ½, by bisection of the exact CDF."""
    low, high = 0.0, 1.0
    # with one degree of freedom the quantile is unusually large: t(1) is 12.7 at 97.5 %
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
    odd = freedom % 2  # the series begins with cos for odd degrees of freedom, with 1 for even ones
    term = cosine if odd else 1.0
    total = 0.0
    for k in range(1 + odd, freedom, 2):
        total += term
        term *= cosine * cosine * k / (k + 1)
    inside = 2 / math.pi * (angle + sine * total) if odd else sine * total
    return 0.5 + inside / 2


def holm(chances: list[float]) -> list[float]:
    """Return p-values corrected for multiple testing.

    S. Holm, "A simple sequentially rejective multiple test procedure", 1979.
    """
    order = sorted(range(len(chances)), key=lambda k: chances[k])
    corrected = [0.0] * len(chances)
    largest = 0.0
    for rank, k in enumerate(order):
        # a corrected p-value must not be below that of a stricter test
        largest = max(largest, min(1.0, (len(chances) - rank) * chances[k]))
        corrected[k] = largest
    return corrected
