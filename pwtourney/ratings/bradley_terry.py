"""Bradley–Terry by maximum likelihood, with one advantage for the first seat.

P(the first seat wins) = σ(θ_first − θ_second + γ), with θ = rating · ln 10 / 400 (R. A. Bradley and
M. E. Terry, "Rank analysis of incomplete block designs", 1952; γ after R. R. Davidson and
R. J. Beaver, "On extending the Bradley–Terry model to incorporate within-pair order effects",
1977). Everything in this module is in natural units: divide by `NATURAL` for Elo.

All that the likelihood needs of the games are counts by deal and ordered pairing. They are whole
numbers in a fixed order, so the order in which the games came changes nothing in what is computed
from them, to the last bit.
"""

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pwtourney.ratings.games import Columns, Ints, Result, gather

__all__ = [
    "NATURAL",
    "Counts",
    "Fit",
    "Floats",
    "count",
    "count_results",
    "fit",
    "inverse_information",
    "probability",
]

NATURAL = math.log(10) / 400
"""Natural units in one Elo point."""

Floats = NDArray[np.float64]

_MAX_ROUNDS = 100
_MAX_STEP = 2.0
"""Newton's method overshoots where most games are won by one side; 2 is about 350 Elo."""

_TOLERANCE = 1e-11


class Counts(NamedTuple):
    """One row for each deal and ordered pairing that has games, sorted by deal.

    `bots` are ids, `deals` the number of deals; `deal`, `first` and `second` are indices,
    `games` counts, `halves` the half points of the first seat.
    """

    bots: tuple[str, ...]
    deals: int
    deal: Ints
    first: Ints
    second: Ints
    games: Ints
    halves: Ints

    def matrices(self) -> tuple[Ints, Ints]:
        """Return games and half points of the first by (first, second), each n × n."""
        n = len(self.bots)
        place = self.first * n + self.second
        games = np.bincount(place, self.games, n * n).astype(np.int64)
        halves = np.bincount(place, self.halves, n * n).astype(np.int64)
        return games.reshape(n, n), halves.reshape(n, n)

    def select(self, members: Sequence[int]) -> "Counts":
        """Return the games among some of the bots, which are numbered in the given order."""
        place = np.full(len(self.bots), -1, np.int64)
        place[list(members)] = np.arange(len(members))
        first, second = place[self.first], place[self.second]
        kept = (first >= 0) & (second >= 0)
        # deals on which none of these bots played must not count as clusters
        deals, deal = np.unique(self.deal[kept], return_inverse=True)
        return Counts(
            bots=tuple(self.bots[each] for each in members),
            deals=len(deals),
            deal=deal.astype(np.int64),
            first=first[kept],
            second=second[kept],
            games=self.games[kept],
            halves=self.halves[kept],
        )


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


def count(columns: Columns) -> Counts:
    """Count games."""
    n = len(columns.bots)
    key = (columns.deal * n + columns.first) * n + columns.second
    keys, place = np.unique(key, return_inverse=True)
    return Counts(
        bots=columns.bots,
        deals=columns.deals,
        deal=keys // (n * n),
        first=keys // n % n,
        second=keys % n,
        games=np.bincount(place, minlength=len(keys)).astype(np.int64),
        halves=np.bincount(place, columns.halves, len(keys)).astype(np.int64),
    )


def count_results(bots: Sequence[str], results: Iterable[Result]) -> Counts:
    """Count results between the given bots; void games do not count."""
    return count(gather(bots, results))


def probability(difference: Floats) -> Floats:
    """Return σ(difference), the first seat's chance, without overflow."""
    # 1/(1 + exp(−x)) overflows for bots that are far apart, tanh does not
    chance: Floats = 0.5 * (1 + np.tanh(difference / 2))
    return chance


def fit(counts: Counts, *, seat_term: bool = True, prior: float = 0.0) -> Fit:
    """Maximise the likelihood by Newton's method with a cap on the step.

    `prior` adds that many virtual games of each bot against one rated 0, half of them won; without
    it the ratings must exist (see `existence`).
    """
    games, halves = counts.matrices()
    n = len(counts.bots)
    values = np.zeros(n + 1)
    for _ in range(_MAX_ROUNDS):
        gradient, information = _derivatives(games, halves, values, seat_term, prior)
        # log-likelihoods of this kind are concave, so Newton's steps need no line search but a cap
        step = np.linalg.solve(_fill_flat_directions(information, seat_term, prior), gradient)
        largest = float(np.abs(step).max())
        values += step * min(1.0, _MAX_STEP / largest) if largest else 0.0
        if prior == 0:  # a prior ties the ratings to 0 by itself; the mean need not be 0 then
            values[:n] -= values[:n].mean()
        if largest < _TOLERANCE:
            break
    # the last step has moved the ratings since the information was computed
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
    # row i, column j: games with i in the first seat; each counts for i and against j
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


def _fill_flat_directions(information: Floats, seat_term: bool, prior: float) -> Floats:
    """Fill the flat directions: all ratings moved together, and a seat term that is not fitted."""
    n = len(information) - 1
    regular = information.copy()
    if prior == 0:  # 1·1ᵀ fills just the direction of equal shifts, which centring takes out again
        regular[:n, :n] += 1.0
    if not seat_term:
        regular[n, n] = 1.0
    return regular


def inverse_information(fitted: Fit) -> Floats:
    """Return the inverse of the information, with flat directions filled."""
    regular = _fill_flat_directions(fitted.information, fitted.seat_term, fitted.prior)
    return np.asarray(np.linalg.inv(regular), np.float64)
