"""Does one number a bot explain who beats whom, or do some pairings go another way.

For each two bots that have met, the points of one are compared with what the ratings expect. The
spread of points within a pairing is taken from the games themselves, because the two games of a
pair go together. The sum of squares is judged as χ²; pairings are judged with Holm's correction
("A simple sequentially rejective multiple test procedure", 1979) for how many there are.
"""

from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from pwtourney.ratings.bradley_terry import Counts, Fit, Floats, inverse_information, probability
from pwtourney.ratings.games import Ints
from pwtourney.ratings.significance import chi_square_tail, holm

__all__ = ["Deviation", "Fitness", "fitness"]

_LEVEL = 0.05
_NOISE = 1e-9
_LEAST_FREE = 1e-6


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


def fitness(counts: Counts, fitted: Fit) -> Fitness | None:
    """Test the ratings of one component; None where there is nothing to test."""
    n = len(counts.bots)
    low, high = np.minimum(counts.first, counts.second), np.maximum(counts.first, counts.second)
    difference = fitted.theta[counts.first] - fitted.theta[counts.second] + fitted.gamma
    chance = probability(difference)
    sign = np.where(counts.first == low, 1.0, -1.0)
    surplus = sign * (counts.halves / 2 - counts.games * chance)
    variance = counts.games * chance * (1 - chance)
    pairings, pairing = np.unique(low * n + high, return_inverse=True)
    freedom = len(pairings) - (n - 1)
    total, total_variance = np.bincount(pairing, surplus), np.bincount(pairing, variance)
    spread = _spread(counts, pairing, surplus, variance)
    if freedom < 1 or spread is None or not (total_variance > 0).all():
        return None
    chi_square = float((total**2 / (spread * total_variance)).sum())
    free = total_variance - _explained(counts, fitted, pairing, variance / counts.games * sign)
    z = total / np.sqrt(spread * np.maximum(free, _LEAST_FREE * total_variance))
    p = holm([2 * NormalDist().cdf(-abs(float(each))) for each in z])
    won = np.bincount(
        pairing, np.where(sign > 0, counts.halves / 2, counts.games - counts.halves / 2)
    )
    found = [
        Deviation(
            first=counts.bots[int(pairings[k] // n)],
            second=counts.bots[int(pairings[k] % n)],
            points=float(won[k]),
            expected=float(won[k] - total[k]),
            z=float(z[k]),
            p=p[k],
        )
        for k in np.argsort(-np.abs(z), kind="stable")
        if p[k] < _LEVEL
    ]
    return Fitness(chi_square, freedom, chi_square_tail(chi_square, freedom), spread, tuple(found))


def _explained(counts: Counts, fitted: Fit, pairing: Ints, weight: Floats) -> Floats:
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


def _spread(counts: Counts, pairing: object, surplus: Floats, variance: Floats) -> float | None:
    """Return the variance of deals within pairings over that of independent games."""
    key = np.asarray(pairing, np.int64) * counts.deals + counts.deal
    clusters, place = np.unique(key, return_inverse=True)
    of_pairing = clusters // counts.deals
    points = np.bincount(place, surplus)
    expected = np.bincount(place, variance)
    size = np.bincount(of_pairing)
    mean = np.bincount(of_pairing, points) / np.maximum(size, 1)
    free = 1 - 1 / np.maximum(size[of_pairing], 1)
    seen = float(((points - mean[of_pairing]) ** 2).sum())
    fair = float((expected * free).sum())
    return seen / fair if fair > 0 and seen > _NOISE * fair else None
