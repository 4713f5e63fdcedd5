"""SPSA: a stochastic gradient from two perturbations of all options at once.

J. C. Spall, "Multivariate stochastic approximation using a simultaneous perturbation gradient
approximation" (1992), with the gains of "Implementation of the simultaneous perturbation algorithm
for stochastic optimization" (1998), in the terms of Fishtest and OpenBench: iteration k = 0, 1, …
of N perturbs by c_k = c / (k + 1)^γ with a random sign for each option, and moves by r_k · c_k ·
(wins − losses) in the direction of these signs, where r_k = a_k / c_k² and a_k = a / (A + k + 1)^α.
c and a are such that the last iteration has c_N = c_end and r_N = r_end.

A perturbation must stay within the ranges. Where it would not, its centre is moved inwards, as P.
Sadegh projects it in "Constrained optimization via stochastic approximation with a simultaneous
perturbation gradient approximation" (1997).

The estimate is the mean of the second half of the iterates (B. T. Polyak and A. B. Juditsky,
"Acceleration of stochastic approximation by averaging", 1992), because single iterates fluctuate
with the luck of the last games.

Its spread holds 68 % of the likely optima of the model of all games (see `Sequential.doubt`). It is
at least the random movement of the path: a path of tiny steps has little noise, but has learnt as
little.
"""

from collections.abc import Sequence

import numpy as np

from pwtourney.ratings.bradley_terry import Floats
from pwtourney.tuning.probe import Outcome
from pwtourney.tuning.sequence import Sequential
from pwtourney.tuning.space import Dimension, Draws

__all__ = ["Spsa"]

_PERTURBATION = 0.15
"""Default of `c_end`: the last perturbation, as a share of the range."""

_TRAVEL = 1.0
"""Determines the default of `r_end`: the value of r_end · c_end² · games.

This is how far games that are all won would move, in perturbations squared. If strength falls by 50
Elo from the middle to an end of the range, quadratically, steps shrink the distance to the optimum
by e^−4 over the run. A perturbation wider than the default, for half a step of a whole number,
travels as much further.
"""


class Spsa(Sequential):
    """Simultaneous perturbation stochastic approximation; see the module for the formulas."""

    def __init__(
        self,
        space: Sequence[Dimension],
        *,
        probes: int,
        pairs: int,
        seed: int,
        batch: float = 8,
        c_end: float | None = None,
        r_end: float | None = None,
        alpha: float = 0.602,
        gamma: float = 0.101,
        stability: float = 0.1,
    ) -> None:
        super().__init__(space, seed=seed, batch=int(batch))
        share = _PERTURBATION if c_end is None else c_end
        # half a step of a whole number: below that, both perturbations could be the same value
        steps = np.array(
            [0.5 / dimension.width if dimension.kind == "int" else 0.0 for dimension in self.space]
        )
        self._c_end = np.maximum(share, steps)
        games = 2 * pairs * probes
        # a wide perturbation has less noise for the same step; with shorter steps, a whole number
        # from 0 to 1 got less than halfway to a 1 that is 50 Elo better, with any number of games
        travel = _TRAVEL * np.maximum(steps / max(share, _PERTURBATION), 1)
        self._r_end = (
            travel / (games * self._c_end**2) if r_end is None else np.full_like(steps, r_end)
        )
        self._probes, self._alpha, self._gamma = probes, alpha, gamma
        self._stability = stability * probes
        self._signs: dict[int, Floats] = {}
        self._iterates = [self.start]
        self._noise: list[Floats] = []

    def perturbation(self, number: int) -> Floats:
        """Return c_k along each axis."""
        shrunk = self._c_end * (self._probes / (number + 1)) ** self._gamma
        return np.asarray(np.minimum(shrunk, 0.5))  # both perturbations must fit into the range

    def gain(self, number: int) -> Floats:
        """Return a_k along each axis."""
        ratio = (self._stability + self._probes) / (self._stability + number + 1)
        gains: Floats = self._r_end * self._c_end**2 * ratio**self._alpha
        return gains

    def propose(self, number: int) -> tuple[Floats, Floats]:
        """Return the iterate, perturbed in both directions."""
        draws = Draws(self.seed, "signs", number)
        signs = np.array([draws.sign() for _ in self.space], float)
        self._signs[number] = signs
        reach = self.perturbation(number)
        centre = np.clip(self._iterates[-1], reach, 1 - reach)
        return centre + reach * signs, centre - reach * signs

    def learn(self, outcome: Outcome) -> None:
        """Move in the direction of the signs that won."""
        step = self.gain(outcome.number) / self.perturbation(outcome.number)
        move = step * outcome.score * outcome.games * self._signs.pop(outcome.number)
        self._iterates.append(np.clip(self._iterates[-1] + move, 0, 1))
        self._noise.append(step**2 * outcome.games)

    def best(self) -> Floats:
        """Return the mean of the second half of the iterates."""
        return np.asarray(np.mean(self._iterates[self.outcome_count // 2 :], axis=0))

    def deviation(self) -> Floats:
        """Return the distance that holds 68 % of likely optima, or `path_error`.

        Along each axis the larger of both is taken.
        """
        return np.asarray(np.maximum(self.doubt(self.best()), self.path_error()))

    def path_error(self) -> Floats:
        """Return the standard error of the mean of the iterates, assuming no slope led them back.

        The slope near an optimum leads them back, so it is an upper bound. The result of a game has
        a variance of at most 1.
        """
        if not self._noise:
            return np.zeros(len(self.space))
        count = self.outcome_count
        first = count // 2
        shown = count - first + 1
        later = count - np.maximum(np.arange(1, count + 1), first) + 1
        variance = ((later / shown) ** 2) @ np.array(self._noise)
        return np.asarray(np.sqrt(variance))
