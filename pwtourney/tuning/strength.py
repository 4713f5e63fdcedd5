"""A model of strength over the options: a quadratic function, by all outcomes so far.

The chance that `plus` wins is σ(q(plus) − q(minus)) with q quadratic in the options, which are
scaled to −1 … 1: the model of Bradley and Terry with features in place of bots. Its coefficients
have a normal prior; the posterior is approximated by a normal one around its mode (Laplace), found
by Newton's method. A draw counts half a win. Games of a probe are not independent and some are
drawn, so each counts for 1/φ of a game, φ the dispersion that the outcomes show (R. W. M.
Wedderburn, "Quasi-likelihood functions", 1974).
"""

import numpy as np

from pwtourney.ratings.bradley_terry import NATURAL, Floats, probability

__all__ = ["StrengthModel", "features", "maximise"]

_LINEAR, _SQUARE, _PRODUCT = 150.0, 100.0, 50.0
"""Standard deviations of the prior, in Elo: what an option, its square, or a product of two options
changes from the middle of the range to its end."""

_ASSUMED = 20.0
"""As many outcomes without over- or underdispersion are assumed to have been seen."""

_ROWS = 64
"""Sums over outcomes are formed from so many at a time: products of matrices as small as these take
one thread, and so have the same result on a machine with more cores."""

_MAX_ROUNDS = 50
_TOLERANCE = 1e-9
_SWEEPS = 200
_SETTLED = 1e-5


def features(places: Floats) -> Floats:
    """Return, for n places in the unit cube (n × d), all terms of the quadratic but the constant.

    These are d linear terms, then d squares, then the products of each two, of options scaled to
    −1 … 1.
    """
    scaled = 2 * places - 1
    one, two = np.triu_indices(places.shape[1], 1)
    return np.hstack([scaled, scaled**2, scaled[:, one] * scaled[:, two]])


def maximise(coefficients: Floats, starts: Floats) -> Floats:
    """Return where in the unit cube each of s quadratics (s × p) is highest, s × d.

    Found by going to the best value of one option after the other, from each of the starts (k × d).
    """
    count, dimensions = len(coefficients), starts.shape[1]
    linear = coefficients[:, None, :dimensions]
    bend = np.zeros((count, 1, dimensions, dimensions))
    one, two = np.triu_indices(dimensions, 1)
    bend[:, 0, one, two] = bend[:, 0, two, one] = coefficients[:, 2 * dimensions :]
    square = coefficients[:, None, dimensions : 2 * dimensions]
    places = np.repeat(2 * starts[None] - 1, count, axis=0)
    for _ in range(_SWEEPS):
        before = places.copy()
        for axis in range(dimensions):
            slope = linear[..., axis] + (bend[:, :, axis] * places).sum(axis=2)
            curve = square[..., axis]
            with np.errstate(divide="ignore", invalid="ignore"):
                top = np.clip(-slope / (2 * curve), -1, 1)
            places[..., axis] = np.where(curve < 0, top, np.where(slope < 0, -1.0, 1.0))
        if np.abs(places - before).max() < _SETTLED:
            break
    height = (
        (linear * places).sum(axis=2)
        + (square * places**2).sum(axis=2)
        + (places[:, :, None, :] @ bend @ places[:, :, :, None])[..., 0, 0] / 2
    )
    return np.asarray((places[np.arange(count), height.argmax(axis=1)] + 1) / 2)


class StrengthModel:
    """The posterior of strength in `dimensions` options, in Elo."""

    def __init__(self, dimensions: int) -> None:
        products = dimensions * (dimensions - 1) // 2
        scales = [_LINEAR] * dimensions + [_SQUARE] * dimensions + [_PRODUCT] * products
        self._precision = 1 / (NATURAL * np.array(scales)) ** 2
        self._rows: list[Floats] = []
        self._scores: list[float] = []
        self._games: list[float] = []
        self._theta: Floats = np.zeros(len(scales))
        self._covariance = np.diag(1 / self._precision)
        self._dispersion = 1.0
        self._fitted = 0

    def add(self, plus: Floats, minus: Floats, score: float, games: int) -> None:
        """Take note of an outcome between two places in the unit cube."""
        one, two = features(np.array([plus, minus]))
        self._rows.append(one - two)
        self._scores.append((1 + score) / 2)
        self._games.append(games)

    @property
    def mean(self) -> Floats:
        """The coefficients of the terms (see `features`), in Elo."""
        self._fit()
        return self._theta / NATURAL

    @property
    def covariance(self) -> Floats:
        """The covariance of the coefficients, in Elo²."""
        self._fit()
        return self._covariance / NATURAL**2

    @property
    def dispersion(self) -> float:
        """The variance of outcomes over that of as many independent games without draws."""
        self._fit()
        return self._dispersion

    def difference(self, one: Floats, two: Floats) -> float:
        """Return by how many Elo one place is expected to be above another."""
        rows = features(np.array([one, two]))
        return float((rows[0] - rows[1]) @ self.mean)

    def _fit(self) -> None:
        """Find the mode of the posterior, and its curvature there."""
        if self._fitted == len(self._rows):
            return
        rows, scores, games = np.array(self._rows), np.array(self._scores), np.array(self._games)
        theta = self._theta
        for _ in range(_MAX_ROUNDS):
            chance = probability(rows @ theta)
            weights = games / self._dispersion
            gradient = rows.T @ (weights * (scores - chance)) - self._precision * theta
            curved = weights * chance * (1 - chance)
            information = np.diag(self._precision)
            for k in range(0, len(rows), _ROWS):
                part = rows[k : k + _ROWS]
                information += (part.T * curved[k : k + _ROWS]) @ part
            step: Floats = np.asarray(np.linalg.solve(information, gradient), np.float64)
            theta = theta + step
            if np.abs(step).max() < _TOLERANCE:
                break
        self._theta = theta
        self._covariance = np.linalg.inv(information)
        self._fitted = len(rows)
