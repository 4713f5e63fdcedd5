"""The order of the bots: how sure it is, and which and how many pairs would settle it.

Differences are tested with the covariances between ratings, because the ratings of two bots that
have met the same opponents have correlated errors: the interval of a difference does not follow
from their two intervals.

A stopping rule looks again and again, and would in the end see what it waits for in any noise. So
it uses bounds that hold at all looks together: the one-sided asymptotic confidence sequence of
Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas ("Time-uniform central limit theory and asymptotic
confidence sequences", Annals of Statistics 52, 2024, appendix B), which is Robbins' normal mixture
with an estimated variance. They are about 1.5 times as wide as those for a single look.

The Nash mixture is a diagnostic for cycles, not a ranking. Two players each choose a bot, and each
gains by how likely its bot is to win. The maximin mixture of that game is found by linear
programming. It puts all weight on one bot if strength is a single number, and on several that beat
each other in a cycle if it is not (Balduzzi and others, "Re-evaluating evaluation", 2018).
"""

import math
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pwtourney.errors import UsageError
from pwtourney.ratings.bradley_terry import (
    Floats,
    count_results,
    fit,
    inverse_information,
    probability,
    seat_term_exists,
)
from pwtourney.ratings.game_columns import Result
from pwtourney.ratings.meetings import HeadToHead
from pwtourney.ratings.uncertainty import (
    LEVEL,
    chance_below,
    clustered_covariance,
    interval_factor,
)

__all__ = [
    "FEWEST_DEALS",
    "Gap",
    "MorePairs",
    "NashShare",
    "RankInterval",
    "any_time_factor",
    "believable_difference",
    "choose_pairs",
    "gaps",
    "joint_width",
    "likelihoods",
    "nash_mixture",
    "pairs_to_separate",
    "rank_intervals",
]

FEWEST_DEALS = 30
"""Nothing is decided on fewer deals: the bounds hold for large numbers."""

_TIGHT_AT = 500
"""The bounds are tightest at this many deals, and little wider at a tenth or ten times of it."""

_MOST_PAIRS = 10**7

_CLOSE = 1 / 3
"""The smallest difference assumed, in standard errors; after 100 pairs of two bots it is 8 Elo."""

_SMALLER = 0.6
"""The share of runs that show a smaller difference than the observed one, if the assumed one holds.

It defines the assumed difference. With ½, at most half of all promised pair counts could be kept;
those that need luck to reach a bound are not.
"""

_DRAWS = 4_000
_BEYOND = 20
"""At least this many draws lie beyond the bound that they estimate."""

_SEED = 2014
_MIXTURES = 200
_PART = 1e-3
"""Smaller weights are rounding errors of the linear program."""

_NOISE = 1e-9
"""Smaller variances, in Elo², are rounding errors."""

_PRIOR = 1.0
"""Virtual games per bot, so that ratings exist after the first few pairs."""

_LITTLE = 0.05
"""A clustered variance below this share of that of independent games is not meaningful yet."""

_DIGITS = 9
"""Gains are compared to this many digits, so that every machine chooses the same pairs."""


class RankInterval(NamedTuple):
    """The best and the worst rank that a bot may have at some level, both from 1."""

    best: int
    worst: int


class Gap(NamedTuple):
    """Two neighbours in the table: their difference and its standard error, in Elo.

    `error` is None if one of the two has no rating, or its error is unknown.
    """

    above: str
    below: str
    difference: float
    error: float | None


class MorePairs(NamedTuple):
    """The pairs that would separate two neighbours: of these two alone, or of all bots as so far.

    `elo` is the difference that they are assumed to have. `close` is True if the observed
    difference may well be chance: then `elo` is a small difference that may not exist.
    """

    of_two: int
    of_all: int
    elo: float
    close: bool = False


class NashShare(NamedTuple):
    """One bot: its weight in the mixture, and the share of draws in which it has any weight."""

    bot: str
    weight: float
    frequency: float


def likelihoods(ratings: Floats, covariance: Floats, deals: Sequence[int]) -> Floats:
    """Return P(row is stronger than column), n × n; ½ on the diagonal and where it is unknown.

    LOS = Φ((r_i − r_j) / √(V_ii + V_jj − 2 V_ij)), in Elo and Elo². Student's t replaces Φ where
    one of the two has played on fewer than 30 `deals`.
    """
    difference = ratings[:, None] - ratings[None, :]
    variance = _squared_differences(covariance)
    spread = np.sqrt(np.where(variance > _NOISE, variance, 0.0))
    # numpy divides everywhere, and `where` selects afterwards
    with np.errstate(divide="ignore", invalid="ignore"):
        score = np.where(spread > 0, difference / spread, 0.0)
    table = [
        [chance_below(z, min(deals[i], deals[j])) for j, z in enumerate(row)]
        for i, row in enumerate(np.nan_to_num(score).tolist())
    ]
    return np.array(table, np.float64)


def rank_intervals(
    ratings: Floats,
    covariance: Floats,
    deals: Sequence[int],
    all_deals: int,
    level: float = LEVEL,
    fixed: NDArray[np.bool_] | None = None,
) -> Sequence[RankInterval]:
    """Return each bot's interval of ranks, which excludes the bots that are surely above or below.

    Two bots are separate if their difference is beyond a bound that all differences of the bot stay
    within together, in a share `level` of draws of the errors (Mogstad, Romano, Shaikh and Wilhelm,
    "Inference for ranks", Review of Economic Studies 91, 2024). The bound is wider for a bot on
    fewer `deals` than all. The draws have a fixed seed, so the same games always give the same
    intervals. Every rank is possible if the covariance is unknown. The order of `fixed` ratings is
    given.
    """
    n = len(ratings)
    usual = interval_factor(all_deals, level)
    wider = np.array([interval_factor(number, level) / usual for number in deals])
    if not (np.isfinite(covariance).all() and np.isfinite(wider).all()):
        return [RankInterval(1, n)] * n
    draws = _draw_errors(covariance, all_deals, level)
    variance = _squared_differences(covariance)
    # bots whose difference is exactly 0 or unknown are not separate
    known = variance > _NOISE
    error = np.sqrt(np.where(known, variance, 1.0))
    intervals = []
    for bot in range(n):
        spread = draws - draws[bot]
        np.abs(spread, out=spread)
        spread *= (known[bot] / error[bot])[:, None]
        factor = np.quantile(spread.max(axis=0), level)
        reach = factor * np.maximum(wider[bot], wider) * error[bot]
        ahead = ratings - ratings[bot]
        lead = np.where(known[bot], ahead, 0.0)
        if fixed is not None and fixed[bot]:
            lead[fixed & (ahead != 0)] = np.copysign(np.inf, ahead)[fixed & (ahead != 0)]
        above, below = (int(np.count_nonzero(by > reach)) for by in (lead, -lead))
        intervals.append(RankInterval(1 + above, n - below))
    return intervals


def joint_width(covariance: Floats, deals: int, level: float = LEVEL) -> float | None:
    """Return how many times as wide intervals must be for those of all bots to hold together.

    Then that of any bot holds, even if it is chosen for its result, such as the first of the table:
    in a share `level` of draws of the errors no rating is off by more. The error of an anchor is 0.
    Returns None if the errors are unknown.
    """
    variances = np.diag(covariance)
    known = variances > _NOISE
    if not (np.isfinite(covariance).all() and known.any() and deals > 1):
        return None
    errors = _draw_errors(covariance, deals, level)[known]
    draws = np.abs(errors) / np.sqrt(variances[known])[:, None]
    return float(np.quantile(draws.max(axis=0), level)) / interval_factor(deals, level)


def _draw_errors(covariance: Floats, deals: int, level: float) -> Floats:
    """Draw errors of the ratings, bots × draws, with a fixed seed.

    The covariance is estimated from a number of deals, so they have a multivariate t distribution.
    It has G − 1 degrees of freedom if G deals are many, and fewer if they are not many more than
    the n bots: a covariance from few deals is too small in some directions. (G − 1)/(1 + n/G) was
    found by simulation: from 6 to 30 deals that 6 to 20 bots share, intervals hold together in 96 %
    or more, and with G − 1 in 88 to 97 %.
    """
    n = len(covariance)
    # relative to a mean or an anchor the covariance is singular, and has no Cholesky factor
    values, vectors = np.linalg.eigh(covariance)
    scale = vectors * np.sqrt(np.maximum(values, 0.0))
    count = max(_DRAWS, math.ceil(_BEYOND / (1 - level)))
    stream = np.random.default_rng(_SEED)
    draws: Floats = scale @ stream.standard_normal((count, n)).T
    freedom = (deals - 1) / (1 + n / deals)
    draws *= np.sqrt(freedom / stream.chisquare(freedom, count))
    return draws


def gaps(
    bots: Sequence[str],
    ratings: Sequence[float | None],
    covariance: Sequence[Sequence[float]],
) -> tuple[Gap, ...]:
    """Return the gap below each bot except the last; ratings are None for bots with a bound."""
    gaps_below = []
    for above, below in pairwise(range(len(bots))):
        upper, lower = ratings[above], ratings[below]
        if upper is None or lower is None:
            gaps_below.append(Gap(bots[above], bots[below], math.nan, None))
            continue
        variance = covariance[above][above] + covariance[below][below]
        variance -= 2 * covariance[above][below]
        error = math.sqrt(variance) if variance > _NOISE else None
        gaps_below.append(Gap(bots[above], bots[below], upper - lower, error))
    return tuple(gaps_below)


def any_time_factor(deals: int, level: float) -> float:
    """Return how many standard errors are a bound that holds at every number of deals.

    The bound is one-sided: with probability `level` the estimate stays within it of the truth at
    every number of deals from `FEWEST_DEALS` on.
    """
    alpha = 1 - level
    # ρ² t* at which the width is smallest, as approximated in the same appendix
    lost = -2 * math.log(min(0.49, 2 * alpha))
    rho2 = (lost + math.log(lost + 1)) / _TIGHT_AT
    grown = deals * rho2 + 1
    return math.sqrt(2 * grown / (deals * rho2) * math.log1p(math.sqrt(grown) / (2 * alpha)))


def pairs_to_separate(
    gap: Gap, pairs: int, deals: int, level: float, information: float
) -> MorePairs | None:
    """Return how many more pairs it takes until `any_time_factor` separates two bots at a level.

    `pairs` pairs of all bots have been played, and these two on `deals` deals. The distribution of
    pairs over pairings is assumed to stay the same. `information` is what a pair of these two adds
    to the inverse of the squared error, in Elo⁻². Returns None if it cannot be estimated.
    """
    if gap.error is None or gap.difference < 0:
        return None
    seen, inverse = gap.difference / gap.error, gap.error**-2
    believed = believable_difference(seen)

    def is_enough(growth: float, seen_deals: float) -> bool:
        # errors shrink with the root of the information
        factor = any_time_factor(round(seen_deals), level)
        return seen_deals >= FEWEST_DEALS and believed * math.sqrt(growth) > factor

    of_all = _find_fewest(lambda more: is_enough(1 + more / pairs, deals * (1 + more / pairs)))
    of_two = _find_fewest(lambda more: is_enough(1 + more * information / inverse, deals + more))
    if of_all is None:
        return None
    of_two = of_all if of_two is None else min(of_two, of_all)
    return MorePairs(of_two, of_all, believed * gap.error, close=believed <= _CLOSE)


def believable_difference(seen: float) -> float:
    """Return the difference assumed for an observed one, both in standard errors of it.

    A leader may be ahead by luck, so a difference is on average smaller than it looks. A true δ is
    observed as at most `seen`, with either bot ahead, with a chance of Φ(seen − δ) − Φ(−seen − δ).
    Returns the δ for which that chance is `_SMALLER`, and at least `_CLOSE`.
    """
    normal = NormalDist()
    low, high = _CLOSE, max(_CLOSE, seen)
    for _ in range(40):
        middle = (low + high) / 2
        below = normal.cdf(seen - middle) - normal.cdf(-seen - middle)
        low, high = (middle, high) if below > _SMALLER else (low, middle)
    return low


def _find_fewest(is_enough: Callable[[int], bool]) -> int | None:
    """Return the smallest number that is enough; None if ten million are not."""
    fewest = bisect_left(range(_MOST_PAIRS + 1), x=True, key=is_enough)
    return fewest if fewest <= _MOST_PAIRS else None


def choose_pairs(
    bots: Sequence[str], played: Iterable[Result], pairs: int
) -> list[tuple[str, str]]:
    """Return the pairs to play next that are most informative about the best bot, best first.

    Each is chosen as if those before it had been played. A pair between i and j with information w
    reduces the variance of a contrast c by (c·V·x)² w / (1 + w x·V·x), with x = i − j and V the
    covariance. That is the rank-one update of an inverse (Sherman and Morrison, 1950).
    """
    counts = count_results(bots, played)
    fitted = fit(counts, seat_term=seat_term_exists(counts), prior=_PRIOR)
    n = len(bots)
    clustered = clustered_covariance(counts, fitted)
    independent = inverse_information(fitted)
    known = np.isfinite(clustered).all() and np.trace(clustered) > _LITTLE * np.trace(independent)
    covariance = (clustered if known else independent)[:n, :n]
    # (best − k) for every other bot k, weighted by how likely k may still be the best
    best = int(np.argmax(np.round(fitted.theta, _DIGITS)))
    others = [k for k in range(n) if k != best]
    contrasts = np.zeros((n - 1, n))
    contrasts[:, best] = 1
    contrasts[np.arange(n - 1), others] = -1
    variance = np.einsum("ci,ij,cj->c", contrasts, covariance, contrasts)
    behind = fitted.theta[best] - fitted.theta[others]
    z_squared = behind**2 / np.maximum(variance, np.finfo(float).tiny)
    weights = np.exp(-np.minimum(z_squared, 1000.0) / 2)
    chance = probability(fitted.theta[:, None] - fitted.theta[None, :])
    # a pair is two games with p(1 − p) each; the seat raises one p and lowers the other
    information = 2 * chance * chance.T
    chosen = []
    for _ in range(pairs):
        i, j = _choose_pair(covariance, contrasts, weights, information)
        towards = covariance[:, i] - covariance[:, j]
        spread = 1 + information[i, j] * (towards[i] - towards[j])
        # as if it had been played, or every pair of the wave would be the same
        covariance = covariance - np.outer(towards, towards) * information[i, j] / spread
        chosen.append((bots[i], bots[j]))
    return chosen


def _choose_pair(
    covariance: Floats, contrasts: Floats, weights: Floats, information: Floats
) -> tuple[int, int]:
    """Return the pair that would reduce the weighted variances most."""
    towards = contrasts @ covariance
    gained = _squared_differences(towards.T @ (weights[:, None] * towards))
    gains = gained * information / (1 + information * _squared_differences(covariance))
    gains = np.triu(gains, 1)
    # rounded relative to the largest: the last bits differ between processors and libraries
    comparable = np.round(gains / max(float(gains.max()), np.finfo(float).tiny), _DIGITS)
    i, j = np.unravel_index(int(np.argmax(np.triu(comparable + 1, 1))), gains.shape)
    return int(i), int(j)


def _squared_differences(form: Floats) -> Floats:
    """Return xᵀ·form·x for x = i − j, n × n; for a covariance, the variances of all differences."""
    diagonal = np.diag(form)
    differences: Floats = diagonal[:, None] + diagonal[None, :] - 2 * form
    return differences


def nash_mixture(bots: Sequence[str], met: Sequence[HeadToHead]) -> list[NashShare]:
    """Return every bot's share, in the order given; pairings that never met count as even.

    The frequency of a bot is how often it is in the mixture when the shares are drawn again, each
    from a normal distribution with its clustered error. It shows how much of the mixture is chance.

    Raises `UsageError` if scipy is not installed.
    """
    number = {bot: k for k, bot in enumerate(bots)}
    shares = np.full((len(bots), len(bots)), 0.5)
    errors = np.zeros_like(shares)
    for meeting in met:
        i, j = number[meeting.first], number[meeting.second]
        share = meeting.points / meeting.games
        shares[i, j], shares[j, i] = share, 1 - share
        errors[i, j] = errors[j, i] = meeting.error
    # of several solutions the solver picks one by the order of the bots; averaging both orders
    # gives equal bots equal weights
    game = shares - shares.T
    weights = np.maximum((_maximin(game) + _maximin(game[::-1, ::-1])[::-1]) / 2, 0.0)
    stream = np.random.default_rng(_SEED)
    often = np.zeros(len(bots))
    for _ in range(_MIXTURES):
        # the two shares of a pairing are one number: what one bot gains the other loses
        noise = np.triu(stream.standard_normal(shares.shape) * errors, 1)
        drawn = np.clip(shares + noise - noise.T, 0.0, 1.0)
        often += _maximin(drawn - drawn.T) > _PART
    frequencies = often / _MIXTURES
    rows = zip(bots, weights.tolist(), frequencies.tolist(), strict=True)
    return [NashShare(*row) for row in rows]


def _maximin(game: Floats) -> Floats:
    """Solve a symmetric zero-sum game: max v with pᵀ·game ≥ v, p ≥ 0, Σp = 1."""
    # imported here, because scipy is an optional extra, and slow to import
    try:
        from scipy.optimize import linprog
    except ImportError as error:
        raise UsageError(
            "the Nash mixture needs scipy; install pwtourney with the extra [analysis]"
        ) from error

    n = len(game)
    # the unknowns are p and v; linprog minimises, hence −v
    solution = linprog(
        c=[*([0.0] * n), -1.0],
        A_ub=np.hstack([-game.T, np.ones((n, 1))]),
        b_ub=np.zeros(n),
        A_eq=[[*([1.0] * n), 0.0]],
        b_eq=[1.0],
        bounds=[*([(0, None)] * n), (None, None)],
        method="highs",
    )
    mixture: Floats = np.asarray(solution.x[:n], np.float64)
    return mixture
