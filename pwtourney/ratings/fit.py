"""Bradley–Terry by maximum likelihood, with one advantage for the first seat.

P(the first seat wins) = σ(θ_first − θ_second + γ), with θ = rating · ln 10 / 400. Everything in
this module is in natural units: divide by `NATURAL` for Elo.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pwtourney.ratings.counts import Counts, Ints

__all__ = ["NATURAL", "Fit", "Floats", "fit", "inverse_information", "probability"]

NATURAL = math.log(10) / 400
"""Natural units in one Elo point."""

Floats = NDArray[np.float64]

_MAX_ROUNDS = 100
_MAX_STEP = 2.0
_TOLERANCE = 1e-11


class Fit(NamedTuple):
    """Ratings θ with mean 0, the first-seat term γ (0 if not fitted), and the information.

    `information` is minus the second derivative of the log-likelihood over (θ, γ), (n + 1)
    square, before anything is added for directions in which it is flat; the row of γ is zero if
    it was not fitted.
    """

    theta: Floats
    gamma: float
    information: Floats
    seat_term: bool
    prior: float


def probability(difference: Floats) -> Floats:
    """Return σ(difference), the first seat's chance, without overflow."""
    chance: Floats = 0.5 * (1 + np.tanh(difference / 2))
    return chance


def fit(counts: Counts, *, seat_term: bool = True, prior: float = 0.0) -> Fit:
    """Maximise the likelihood by Newton's method with a cap on the step.

    `prior` adds that many virtual games of each bot against one rated 0, half of them won; without
    it the ratings must exist (see `groups`).
    """
    games, halves = counts.matrices()
    n = len(counts.bots)
    values = np.zeros(n + 1)
    for _ in range(_MAX_ROUNDS):
        gradient, information = _derivatives(games, halves, values, seat_term, prior)
        step = np.linalg.solve(_regular(information, seat_term, prior), gradient)
        largest = float(np.abs(step).max())
        values += step * min(1.0, _MAX_STEP / largest) if largest else 0.0
        if prior == 0:
            values[:n] -= values[:n].mean()
        if largest < _TOLERANCE:
            break
    _, information = _derivatives(games, halves, values, seat_term, prior)
    return Fit(values[:n] - values[:n].mean(), float(values[n]), information, seat_term, prior)


def _derivatives(
    games: Ints, halves: Ints, values: Floats, seat_term: bool, prior: float
) -> tuple[Floats, Floats]:
    """Return gradient and information of the log-likelihood at (θ, γ)."""
    theta, gamma = values[:-1], values[-1]
    n = len(theta)
    chance = probability(theta[:, None] - theta[None, :] + gamma)
    surplus = halves / 2 - games * chance
    weight = games * chance * (1 - chance)
    gradient = np.zeros(n + 1)
    information = np.zeros((n + 1, n + 1))
    gradient[:n] = surplus.sum(axis=1) - surplus.sum(axis=0)
    both: Floats = weight + weight.T
    information[:n, :n] = np.diag(both.sum(axis=1)) - both
    if seat_term:
        gradient[n] = surplus.sum()
        information[n, n] = weight.sum()
        information[:n, n] = information[n, :n] = weight.sum(axis=1) - weight.sum(axis=0)
    if prior:
        level = probability(theta)
        gradient[:n] += prior * (0.5 - level)
        information[np.arange(n), np.arange(n)] += prior * level * (1 - level)
    return gradient, information


def _regular(information: Floats, seat_term: bool, prior: float) -> Floats:
    """Fill the flat directions: all ratings moved together, and a seat term that is not fitted."""
    n = len(information) - 1
    regular = information.copy()
    if prior == 0:
        regular[:n, :n] += 1.0
    if not seat_term:
        regular[n, n] = 1.0
    return regular


def inverse_information(fitted: Fit) -> Floats:
    """Return the inverse of the information, with flat directions filled."""
    regular = _regular(fitted.information, fitted.seat_term, fitted.prior)
    return np.asarray(np.linalg.inv(regular), np.float64)
