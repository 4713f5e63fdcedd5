"""A model of strength over the options, fitted to all outcomes.

The chance that `plus` wins is σ(f(plus) − f(minus)), the model of Bradley and Terry with a function
of the options in place of a rating for each bot. With options scaled to −1 … 1, f is the sum of

- a quadratic function of all options, and
- for each option a smooth deviation from it, a Gaussian process with a squared exponential
  covariance, in the basis of A. Solin and S. Särkkä, "Hilbert space methods for reduced-rank
  Gaussian process regression" (2020), which allows plateaus, cliffs and lopsided peaks.

Both are linear in their coefficients, which have a normal prior. The posterior is approximated by a
normal one around its mode (Laplace), found by Newton's method. A draw counts as half a win. Against
opponents that are halfway between both, `plus` wins with a chance of σ((f(plus) − f(minus)) / 2),
and `minus` loses with the same.
"""

from typing import NamedTuple

import numpy as np

from pwtourney.ratings.bradley_terry import NATURAL, Floats, probability
from pwtourney.ratings.game_columns import Ints

__all__ = ["StrengthModel"]

_LINEAR, _SQUARE, _PRODUCT = 150.0, 60.0, 50.0
"""Standard deviations of the prior, in Elo.

They are the change that an option, its square, or a product of two options causes from the middle
of the range to its end.
"""

_BEND = -80.0
"""Mean of the prior of a square, in Elo.

It is negative because the best value is more likely within a range than at both of its ends; it
also keeps steps small until games show otherwise.
"""

_DEVIATIONS = (3.0, 20.0, 60.0)
"""Standard deviations, in Elo, of the smooth deviation of each option; one is selected by the data.

A small one needs fewer games, a large one is right where strength is not quadratic.
"""

_LENGTH = 0.4
"""The length scale of deviations, for options scaled to −1 … 1."""

_WAVES = 8
_REACH = 1.3
"""The waves are 0 at ± this, outside of the range, so that they are free at its ends."""

_IDLE = 0.25
"""The chance that an option has no effect, before any outcome: one of four that authors choose."""

_STEPS = 40
"""An option is searched in this many steps; between them, along a parabola."""

_ROWS = 64
"""Sums over outcomes are formed from this many rows at a time.

Products of matrices as small as these take one thread, so the result does not depend on the number
of cores.
"""

_MAX_ROUNDS = 50
_MAX_SWEEPS = 60
_MAX_STEP = 2.0
_TOLERANCE = 1e-9


class StrengthModel:
    """The posterior of strength given the outcomes: a normal distribution of f's p coefficients.

    Places are in the unit cube, one per row where there are several. Differences are in Elo, and
    coefficients in natural units.
    """

    def __init__(self, dimensions: int) -> None:
        self._dimensions = dimensions
        self._first, self._second = np.triu_indices(dimensions, 1)
        self._frequencies = np.pi * np.arange(1, _WAVES + 1) / (2 * _REACH)
        self._grid = np.linspace(-1, 1, _STEPS + 1)
        self._curves = self._axis_features(self._grid)
        density = np.sqrt(2 * np.pi) * _LENGTH * np.exp(-((self._frequencies * _LENGTH) ** 2) / 2)
        products = np.full(len(self._first), _PRODUCT**2)
        bend = np.tile(np.eye(1, _WAVES + 2, 1)[0], dimensions)
        mean = NATURAL * _BEND * np.concatenate([bend, np.zeros(len(products))])
        self._priors = []
        for deviation in _DEVIATIONS:
            axis = np.concatenate([[_LINEAR**2, _SQUARE**2], deviation**2 * density])
            variance = np.concatenate([np.tile(axis, dimensions), products])
            self._priors.append(_Prior(mean, 1 / (NATURAL**2 * variance)))
        self._rows: list[Floats] = []
        self._scores: list[float] = []
        self._games: list[float] = []
        self._mean = mean
        self._covariance: Floats = np.diag(1 / self._priors[1].precision)
        self._prior = self._priors[1]
        self._fitted = 0

    def add(
        self, plus: Floats, minus: Floats, score: float, games: float, *, halfway: bool = False
    ) -> None:
        """Add an outcome, see `Outcome`."""
        plus_row, minus_row = self.features(np.array([plus, minus]))
        self._rows.append((plus_row - minus_row) / 2 if halfway else plus_row - minus_row)
        self._scores.append((1 + score) / 2)
        self._games.append(games)

    @property
    def mean(self) -> Floats:
        """The mean of the coefficients, p."""
        self._fit()
        return self._mean

    @property
    def covariance(self) -> Floats:
        """The covariance of the coefficients, p × p."""
        self._fit()
        return self._covariance

    def features(self, places: Floats) -> Floats:
        """Return the features at places (n × d), which the coefficients multiply: n × p.

        These are, for each option, its value, its square and the waves of its deviation, then the
        product of each two options.
        """
        scaled = 2 * places - 1
        axes = self._axis_features(scaled).reshape(len(places), -1)
        return np.hstack([axes, scaled[:, self._first] * scaled[:, self._second]])

    def difference(self, first: Floats, second: Floats) -> float:
        """Return by how many Elo one place is expected to be above another."""
        rows = self.features(np.array([first, second]))
        return float((rows[0] - rows[1]) @ self.mean) / NATURAL

    def estimate_rows(self, rows: Floats) -> tuple[Floats, Floats]:
        """Return the products of rows (n × p) with the coefficients, and their errors, in Elo.

        The coefficients are fitted without the assumption of a bend, so that what the outcomes do
        not show is 0 within its error, which is infinite without an outcome.
        """
        if not self._rows:
            return np.zeros(len(rows)), np.full(len(rows), np.inf)
        self._fit()
        level = self._prior._replace(mean=np.zeros_like(self._mean))
        fit = _find_mode(*self._outcomes(), level)
        variance = ((rows @ fit.covariance) * rows).sum(axis=1)
        return rows @ fit.mean / NATURAL, np.sqrt(variance) / NATURAL

    def idle_chances(self) -> Floats:
        """Return the chance of each option to have no effect on strength, d.

        By the density ratio of Savage and Dickey, as in J. M. Dickey, "The weighted likelihood
        ratio, linear hypotheses on normal location parameters" (1971): outcomes speak for an option
        without effect by the density of the posterior where all of its coefficients are 0, divided
        by that of the prior.
        """
        self._fit()
        size, prior = 2 + _WAVES, self._prior
        shares = []
        for start in range(0, self._dimensions * size, size):
            own = slice(start, start + size)
            before = _log_density_at_zero(prior.mean[own], np.diag(1 / prior.precision[own]))
            after = _log_density_at_zero(self._mean[own], self._covariance[own, own])
            shares.append(after - before)
        return probability(np.array(shares) + np.log(_IDLE / (1 - _IDLE)))

    def maximise(self, coefficients: Floats, starts: Floats) -> Floats:
        """Return where each of s functions (s × p) is highest, s × d.

        From each of the starts (k × d), it sets one option after the other to its best value until
        none changes, then takes the highest of the k places.
        """
        count, split = len(coefficients), self._dimensions * (_WAVES + 2)
        axes = coefficients[:, :split].reshape(count, self._dimensions, -1)
        # the contribution of each option at each step of its range: s × d × steps
        curves = axes @ self._curves.T
        bend = np.zeros((count, self._dimensions, self._dimensions))
        products = coefficients[:, split:]
        bend[:, self._first, self._second] = bend[:, self._second, self._first] = products
        index = np.repeat(np.rint(starts[None] * _STEPS).astype(np.int64), count, axis=0)
        for _ in range(_MAX_SWEEPS):
            before = index.copy()
            for axis in range(self._dimensions):
                slope = (bend[:, None, axis] * self._grid[index]).sum(axis=2)
                heights = curves[:, None, axis] + slope[..., None] * self._grid
                index[..., axis] = heights.argmax(axis=2)
            if (index == before).all():
                break
        places = self._grid[index]
        own = np.take_along_axis(curves, index.transpose(0, 2, 1), axis=2).sum(axis=1)
        heights = own + ((places @ bend) * places).sum(axis=2) / 2
        best = index[np.arange(count), heights.argmax(axis=1)]
        return self._refine(curves, bend, best)

    def _axis_features(self, scaled: Floats) -> Floats:
        """Return the value, its square and sine waves of each option.

        The values are from −1 to 1; the shape is that of `scaled`, and 2 + waves at its end.
        """
        value = scaled[..., None]
        waves = np.sin(self._frequencies * (value + _REACH)) / np.sqrt(_REACH)
        return np.concatenate([value, value**2, waves], axis=-1)

    def _refine(self, curves: Floats, bend: Floats, index: Ints) -> Floats:
        """Return the tops of parabolas through each place (s × d, in steps) and its neighbours."""
        slopes = (bend @ self._grid[index][..., None])[..., 0]
        inner = np.clip(index, 1, _STEPS - 1)
        before, here, after = (
            np.take_along_axis(curves, (inner + way)[..., None], axis=2)[..., 0]
            + slopes * self._grid[inner + way]
            for way in (-1, 0, 1)
        )
        bent = np.minimum(before - 2 * here + after, -_TOLERANCE)
        shift = np.clip((before - after) / (2 * bent), -0.5, 0.5)
        return np.asarray(np.where(index == inner, index + shift, index) / _STEPS)

    def _fit(self) -> None:
        """Fit the posterior with the deviation that explains the outcomes best."""
        if self._fitted == len(self._rows):
            return
        outcomes = self._outcomes()
        fits = [(_find_mode(*outcomes, prior), prior) for prior in self._priors]
        best, self._prior = max(fits, key=lambda fit: fit[0].evidence)
        self._mean, self._covariance = best.mean, best.covariance
        self._fitted = len(self._rows)

    def _outcomes(self) -> tuple[Floats, Floats, Floats]:
        """Return the features (n × p), the scores from 0 to 1, and the games of all outcomes."""
        return np.array(self._rows), np.array(self._scores), np.array(self._games)


class _Prior(NamedTuple):
    """Mean and precision of each coefficient."""

    mean: Floats
    precision: Floats


class _Posterior(NamedTuple):
    """A normal approximation, and the logarithm of the evidence of its prior."""

    mean: Floats
    covariance: Floats
    evidence: float


def _log_density_at_zero(mean: Floats, covariance: Floats) -> float:
    """Return the logarithm of a normal density at 0, without its constant factor."""
    off = mean @ np.linalg.solve(covariance, mean)
    return -float(off + np.linalg.slogdet(covariance)[1]) / 2


def _find_mode(rows: Floats, scores: Floats, games: Floats, prior: _Prior) -> _Posterior:
    """Return the normal distribution around the mode of the posterior, by Newton's method."""
    # not from the last mode: the result must not depend on when it was computed
    mean = prior.mean
    for _ in range(_MAX_ROUNDS):
        chance = probability(rows @ mean)
        weights = games * chance * (1 - chance)
        information = np.diag(prior.precision)
        gradient = -prior.precision * (mean - prior.mean)
        for first in range(0, len(rows), _ROWS):
            part = slice(first, first + _ROWS)
            information += (rows[part].T * weights[part]) @ rows[part]
            gradient += rows[part].T @ (games[part] * (scores[part] - chance[part]))
        step = np.asarray(np.linalg.solve(information, gradient), np.float64)
        # Newton's method overshoots where one side wins most games
        largest = float(np.abs(rows @ step).max())
        mean = np.asarray(mean + step * min(1.0, _MAX_STEP / max(largest, _TOLERANCE)))
        if largest < _TOLERANCE:
            break
    difference = rows @ mean
    likelihood = games @ (scores * difference - np.logaddexp(0, difference))
    off = prior.precision @ (mean - prior.mean) ** 2
    volume = np.linalg.slogdet(information)[1] - np.log(prior.precision).sum()
    evidence = float(likelihood - (off + volume) / 2)
    return _Posterior(mean, np.asarray(np.linalg.inv(information)), evidence)
