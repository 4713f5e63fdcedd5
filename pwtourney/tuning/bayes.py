"""A Bayesian search: plays the probe that is most informative about the best values.

Optima are drawn from the posterior of strength (see `strength`), as in Thompson sampling (W. R.
Thompson, "On the likelihood that one unknown probability exceeds another in view of the evidence of
two samples", 1933). How far each is above the best values so far is a difference δ of strength with
a posterior variance. A probe with features z reduces that variance by w (zᵀCδ)² / (1 + w zᵀCz),
with C the posterior covariance of the coefficients and w = games · P(1 − P), P the chance that
`plus` wins. Of many probes around the best values, the one that reduces the sum of these variances
most is played. This is an optimal design for locating the best values rather than for the shape of
the whole function. It chooses wide perturbations, whose games are most informative, as long as the
model explains the results far from the best values, and narrow ones otherwise.
"""

from collections.abc import Sequence

import numpy as np

from pwtourney.ratings.bradley_terry import Floats, probability
from pwtourney.tuning.probe import Outcome
from pwtourney.tuning.sequence import Sequential
from pwtourney.tuning.space import Dimension, Draws

__all__ = ["Bayes"]

_CANDIDATES = 32
"""The number of candidate probes to compare before one is played."""

_UNEVEN = 0.6
"""The smallest perturbation of an option in a candidate, as a share of the largest."""

_REFRESH = 1 / 15
"""The posterior is recomputed when the number of outcomes grew by this share.

It changes little with each outcome, and takes longer the more there are.
"""


class Bayes(Sequential):
    """A search by the posterior of strength; see the module. It needs no planned end."""

    def __init__(
        self,
        space: Sequence[Dimension],
        *,
        pairs: int,
        seed: int,
        batch: float = 8,
        reach_low: float = 0.15,
        reach_high: float = 0.4,
    ) -> None:
        super().__init__(space, seed=seed, batch=int(batch))
        self._games = 2 * pairs
        self._reach = (reach_low, reach_high)
        self._steps = np.array(
            [1 / dimension.width if dimension.kind == "int" else 0 for dimension in space]
        )
        self._refreshed = -1

    def propose(self, number: int) -> tuple[Floats, Floats]:
        """Return the most informative of several pairs of places around the best one so far."""
        self._refresh()
        draws = Draws(self.seed, "candidates", number)
        count, dimensions = _CANDIDATES, len(self.space)
        drawn = np.array([next(draws) for _ in range(count * (1 + 2 * dimensions))])
        scales, shares, signs = np.split(drawn, [count, count * (1 + dimensions)])
        low, high = self._reach
        widest = low * (high / low) ** scales[:, None]
        reach = widest * (_UNEVEN + (1 - _UNEVEN) * shares.reshape(count, dimensions))
        # a whole step at least, so that at the end of a range the other side is another value
        reach = np.maximum(reach, self._steps)
        reach *= np.where(signs.reshape(count, dimensions) < 0.5, -1, 1)
        plus, minus = np.clip(self._best + reach, 0, 1), np.clip(self._best - reach, 0, 1)
        strength = self.strength
        rows = strength.features(plus) - strength.features(minus)
        chance = probability(rows @ self._mean)
        weight = self._games * chance * (1 - chance)
        known = ((self._doubts @ rows.T) ** 2).sum(axis=0)
        variance = ((rows @ self._covariance) * rows).sum(axis=1)
        choice = int((weight * known / (1 + weight * variance)).argmax())
        return plus[choice], minus[choice]

    def learn(self, outcome: Outcome) -> None:
        """Do nothing: the model of strength already has the outcome."""

    def best(self) -> Floats:
        """Return the place where strength is expected to be highest."""
        return np.asarray(self.strength.maximise(self.strength.mean[None], self.starts)[0])

    def deviation(self) -> Floats:
        """Return the distance from the estimate that holds 68 % of likely optima."""
        return self.doubt(self.best())

    def _refresh(self) -> None:
        """Recompute what `propose` needs of the posterior, if there are enough new outcomes."""
        count = self.outcome_count
        if self._refreshed >= 0 and count - self._refreshed < max(1, count * _REFRESH):
            return
        self._refreshed = count
        self._mean, self._covariance = self.strength.mean, self.strength.covariance
        self._best = self.best()
        rows = self.strength.features(np.vstack([self._best, self.draw_optima(self._best)]))
        self._doubts = (rows[1:] - rows[0]) @ self._covariance
