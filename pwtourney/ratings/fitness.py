"""Does one number a bot explain who beats whom, or do some pairings go another way, or in circles.

For each two bots that have met, the points of one are compared with what the ratings expect. The
spread of points within a pairing is taken from the games themselves, because the two games of a
pair go together. The sum of squares is judged as χ²; pairings are judged with Holm's correction
("A simple sequentially rejective multiple test procedure", 1979) for how many there are.

The Nash mixture is a diagnostic for cycles, not a ranking. Two players each choose a bot; the one
whose bot is likelier to win gains by so much. The maximin mixture of that game, found by linear
programming, puts all its weight on one bot where strength is one number, and on several that beat
each other in a cycle where it is not (Balduzzi and others, "Re-evaluating evaluation", 2018).
"""

from collections.abc import Sequence
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from pwtourney.errors import UsageError
from pwtourney.ratings.bradley_terry import Counts, Fit, Floats, inverse_information, probability
from pwtourney.ratings.games import Ints
from pwtourney.ratings.tally import HeadToHead
from pwtourney.ratings.uncertainty import chi_square_tail, holm

__all__ = ["Deviation", "Fitness", "NashShare", "fitness", "nash_mixture"]

_LEVEL = 0.05
_NOISE = 1e-9
_LEAST_FREE = 1e-6
"""A pairing that the ratings follow entirely leaves nothing free, and its z would be 0/0."""

_DRAWS = 200
_SEED = 2018
_PART = 1e-3
"""A weight below this is what is left of rounding in the linear program."""


class Deviation(NamedTuple):
    """A pairing that the ratings do not explain: `first` got `points`, where `expected` was fair.

    `z` is the difference in standard errors of what the fit leaves free, `p` its two-sided chance,
    corrected.
    """

    first: str
    second: str
    points: float
    expected: float
    z: float
    p: float


class Fitness(NamedTuple):
    """The test of all pairings: χ², its degrees of freedom, its p, and what breaks the model.

    `spread` is the variance of a pairing's points over that of independent games: above 1 the two
    games of a pair go the same way, below 1 they go opposite ways, as they do where a deal favours
    a seat.
    """

    chi_square: float
    freedom: int
    p: float
    spread: float
    deviations: tuple[Deviation, ...]


class NashShare(NamedTuple):
    """One bot: its weight in the mixture, and the share of the draws in which it has any."""

    bot: str
    weight: float
    frequency: float


def fitness(counts: Counts, fitted: Fit) -> Fitness | None:
    """Test the ratings of one component; None where there is nothing to test."""
    n = len(counts.bots)
    low, high = np.minimum(counts.first, counts.second), np.maximum(counts.first, counts.second)
    difference = fitted.theta[counts.first] - fitted.theta[counts.second] + fitted.gamma
    chance = probability(difference)
    # all points of a pairing are those of the bot with the lower number, whoever had which seat
    sign = np.where(counts.first == low, 1.0, -1.0)
    surplus = sign * (counts.halves / 2 - counts.games * chance)
    variance = counts.games * chance * (1 - chance)
    pairings, pairing = np.unique(low * n + high, return_inverse=True)
    # γ takes none: over the two games of a pair it adds next to nothing to a bot's points
    freedom = len(pairings) - (n - 1)
    total, total_variance = np.bincount(pairing, surplus), np.bincount(pairing, variance)
    spread = _relative_spread(counts, pairing, surplus, variance)
    if freedom < 1 or spread is None or not (total_variance > 0).all():
        return None
    chi_square = float((total**2 / (spread * total_variance)).sum())
    free = total_variance - _explained_variance(
        counts, fitted, pairing, variance / counts.games * sign
    )
    z = total / np.sqrt(spread * np.maximum(free, _LEAST_FREE * total_variance))
    p = holm([2 * NormalDist().cdf(-abs(score)) for score in z.tolist()])
    won = np.bincount(
        pairing, np.where(sign > 0, counts.halves / 2, counts.games - counts.halves / 2)
    )
    deviations = [
        Deviation(
            first=counts.bots[int(pairings[k] // n)],
            second=counts.bots[int(pairings[k] % n)],
            points=float(won[k]),
            expected=float(won[k] - total[k]),
            z=float(z[k]),
            p=p[k],
        )
        for k in np.argsort(-np.abs(z), kind="stable")
        if p[k] < _LEVEL  # after Holm's correction, so that a large table does not name some anyway
    ]
    tail = chi_square_tail(chi_square, freedom)
    return Fitness(chi_square, freedom, tail, spread, tuple(deviations))


def _explained_variance(counts: Counts, fitted: Fit, pairing: Ints, weight: Floats) -> Floats:
    """Return the part of each pairing's variance that the ratings take up by being fitted to it.

    With g the derivative of a pairing's expected points by the parameters it is gᵀ H⁻¹ g.
    """
    n, many = len(counts.bots), int(pairing.max()) + 1
    slope = np.zeros((many, n + 1))
    steep = weight * counts.games
    np.add.at(slope, (pairing, counts.first), steep)
    np.add.at(slope, (pairing, counts.second), -steep)
    if fitted.seat_term:
        slope[:, n] = np.bincount(pairing, steep, many)
    explained: Floats = ((slope @ inverse_information(fitted)) * slope).sum(axis=1)
    return explained


def _relative_spread(
    counts: Counts, pairing: Ints, surplus: Floats, variance: Floats
) -> float | None:
    """Return the variance of deals within pairings over that of independent games."""
    key = pairing * counts.deals + counts.deal
    clusters, cluster = np.unique(key, return_inverse=True)
    of_pairing = clusters // counts.deals
    points = np.bincount(cluster, surplus)
    expected = np.bincount(cluster, variance)
    size = np.bincount(of_pairing)
    mean = np.bincount(of_pairing, points) / np.maximum(size, 1)
    # Bessel's correction by cluster: each pairing's mean is taken from its own deals
    free = 1 - 1 / np.maximum(size[of_pairing], 1)
    seen = float(((points - mean[of_pairing]) ** 2).sum())
    fair = float((expected * free).sum())
    return seen / fair if fair > 0 and seen > _NOISE * fair else None


def nash_mixture(bots: Sequence[str], met: Sequence[HeadToHead]) -> list[NashShare]:
    """Return every bot's share, in the order given; pairings that never met are taken for even.

    How often a bot is in the mixture when the shares are drawn again, each from a normal
    distribution with its clustered error, says how much of it is chance.

    Raises `UsageError` where scipy is not installed.
    """
    number = {bot: k for k, bot in enumerate(bots)}
    shares = np.full((len(bots), len(bots)), 0.5)
    errors = np.zeros_like(shares)
    for meeting in met:
        i, j = number[meeting.first], number[meeting.second]
        share = meeting.points / meeting.games
        shares[i, j], shares[j, i] = share, 1 - share
        errors[i, j] = errors[j, i] = meeting.error
    # of several solutions the solver takes one by the order of the bots: the middle of both ends
    # lets equal bots share alike
    game = shares - shares.T
    weights = np.maximum((_maximin(game) + _maximin(game[::-1, ::-1])[::-1]) / 2, 0.0)
    stream = np.random.default_rng(_SEED)
    often = np.zeros(len(bots))
    for _ in range(_DRAWS):
        # the two shares of a pairing are one number: what one bot gains the other loses
        noise = np.triu(stream.standard_normal(shares.shape) * errors, 1)
        drawn = np.clip(shares + noise - noise.T, 0.0, 1.0)
        often += _maximin(drawn - drawn.T) > _PART
    frequencies = often / _DRAWS
    rows = zip(bots, weights.tolist(), frequencies.tolist(), strict=True)
    return [NashShare(*row) for row in rows]


def _maximin(game: Floats) -> Floats:
    """Solve a symmetric zero-sum game: max v with pᵀ·game ≥ v, p ≥ 0, Σp = 1."""
    # imported here, because scipy is an extra, and slow to import
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
