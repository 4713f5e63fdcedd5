"""The common part of all methods: the order of probes and outcomes, and a model of strength."""

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np

from pwtourney.ratings.bradley_terry import Floats
from pwtourney.tuning.probe import Outcome, Probe
from pwtourney.tuning.space import Dimension, Draws, Values
from pwtourney.tuning.strength import StrengthModel

__all__ = ["Sequential"]

_OPTIMA = 32
"""The number of optima that are drawn from the posterior to choose a probe."""

_MORE_OPTIMA = 96
"""The number of optima that are drawn for a spread, among them those that choose a probe."""

_WITHIN = 0.683
"""The chance that the best value is within the spread, as within a standard error."""

_CLEAR = 2.0
"""A loss of this many standard errors is more than chance: 1 of 40 is as large without any."""


class Sequential(ABC):
    """A method whose probe number n follows from the outcomes up to number n − `batch`.

    A probe is computed before a later outcome is learnt, whether or not it was asked for by then.
    Subclasses propose and learn in the unit cube.
    """

    def __init__(self, space: Sequence[Dimension], *, seed: int, batch: int) -> None:
        self.space = tuple(space)
        self.seed = seed
        self._batch = batch
        self._waiting: deque[Probe] = deque()  # proposed, outcome not known yet
        self._proposed = 0
        self._asked_count = 0
        self._outcome_count = 0
        self.strength = StrengthModel(len(self.space))
        self.start = np.array([dimension.to_unit(dimension.default) for dimension in self.space])
        """The defaults in the unit cube."""
        self.starts = np.array([self.start, np.full(len(self.space), 0.5)])
        """The places where a search for the highest strength begins."""

    @property
    def batch(self) -> int:
        """The most probes that may be requested before the outcome of the first is known."""
        return self._batch

    def ask(self) -> Probe:
        """Return the next probe."""
        if self._asked_count >= self._outcome_count + self._batch:
            raise RuntimeError(f"{self._batch} probes are waiting for their outcomes")
        self._propose_all()
        probe = self._waiting[self._asked_count - self._outcome_count]
        self._asked_count += 1
        return probe

    def tell(self, outcome: Outcome) -> None:
        """Learn from the next outcome."""
        if outcome.number != self._outcome_count:
            raise ValueError(
                f"the next outcome is number {self._outcome_count}, not {outcome.number}"
            )
        if not -1 <= outcome.score <= 1 or outcome.games < 1:
            raise ValueError(f"an outcome that cannot be: {outcome}")
        self._propose_all()
        probe = self._waiting.popleft()
        plus, minus = self.places(probe.plus), self.places(probe.minus)
        self.strength.add(plus, minus, outcome.score, outcome.games, halfway=outcome.halfway)
        self.learn(outcome)
        self._outcome_count += 1
        self._asked_count = max(self._asked_count, self._outcome_count)

    def estimate(self) -> Mapping[str, float]:
        """Return the best values so far, not rounded."""
        return {
            dimension.name: dimension.from_unit(float(coordinate))
            for dimension, coordinate in zip(self.space, self.best(), strict=True)
        }

    def spread(self) -> Mapping[str, float]:
        """Return how far the best value is from the estimate at most, with a chance of 68 %."""
        return {
            dimension.name: float(deviation) * dimension.width
            for dimension, deviation in zip(self.space, self.deviation(), strict=True)
        }

    def sensitivities(self) -> Mapping[str, float | None]:
        """Return by option how many Elo a move by a tenth of its range from the best value costs.

        A whole number moves by at least 1, from the nearest one. The cost is the mean of both
        directions that stay within the range. The best of values that make no difference seems
        better than its neighbours, too, by up to the error: so a cost is known only if it is larger
        than chance makes it.
        """
        best = self.best()
        steps = [self._step_off(best.copy(), axis) for axis in range(len(self.space))]
        losses, errors = self.strength.estimate_rows(np.array(steps))
        return {
            dimension.name: float(loss) if loss > _CLEAR * error else None
            for dimension, loss, error in zip(self.space, losses, errors, strict=True)
        }

    def _step_off(self, place: Floats, axis: int) -> Floats:
        """Return the features of a place minus those of its neighbours along an axis.

        Along the axis of a whole number the place is moved to the nearest one.
        """
        dimension, move = self.space[axis], 0.1
        if dimension.kind == "int":
            place[axis] = dimension.to_unit(dimension.settle(float(place[axis]), 0.5))
            move = max(move, 1 / dimension.width)
        neighbours = [place.copy(), place.copy()]
        neighbours[0][axis] -= move
        neighbours[1][axis] += move
        inside = [point for point in neighbours if 0 <= point[axis] <= 1]
        top, *others = self.strength.features(np.array([place, *inside]))
        return np.asarray(top - np.mean(others, axis=0))

    def places(self, values: Mapping[str, float]) -> Floats:
        """Return the place of values in the unit cube."""
        return np.array([dimension.to_unit(values[dimension.name]) for dimension in self.space])

    def draw_optima(self, best: Floats, count: int = _OPTIMA) -> Floats:
        """Return the optima of functions drawn from the posterior of strength: count × d.

        The search for each starts from `best`, too.
        """
        strength = self.strength
        root = np.linalg.cholesky(strength.covariance)
        drawn = strength.mean + self._normal_draws[:count] @ root.T
        return strength.maximise(drawn, np.vstack([best, self.starts]))

    def doubt(self, best: Floats) -> Floats:
        """Return the distance from `best` that holds 68 % of likely optima, along each axis.

        An option that may have no effect is as likely to be best at any other value. Their root
        mean square would be that of the few optima far off, in functions that are nearly flat.
        """
        away = np.abs(self.draw_optima(best, _MORE_OPTIMA) - best)
        anywhere = np.abs(np.linspace(0, 1, _MORE_OPTIMA)[:, None] - best)
        idle = self.strength.idle_chances()
        weights = np.repeat([1 - idle, idle], _MORE_OPTIMA, axis=0) / _MORE_OPTIMA
        distances = np.vstack([away, anywhere])
        order = distances.argsort(axis=0)
        shares = np.take_along_axis(weights, order, axis=0).cumsum(axis=0)
        index = (shares < _WITHIN).sum(axis=0)
        ordered = np.take_along_axis(distances, order, axis=0)
        return np.asarray(np.take_along_axis(ordered, index[None], axis=0)[0])

    @property
    def outcome_count(self) -> int:
        """The number of outcomes that are known."""
        return self._outcome_count

    @abstractmethod
    def propose(self, number: int) -> tuple[Floats, Floats]:
        """Return the two places in the unit cube that meet in a probe."""

    @abstractmethod
    def learn(self, outcome: Outcome) -> None:
        """Learn from an outcome that the model of strength already has."""

    @abstractmethod
    def best(self) -> Floats:
        """Return the estimate in the unit cube."""

    @abstractmethod
    def deviation(self) -> Floats:
        """Return the spread of `best`, along each axis of the unit cube."""

    @cached_property
    def _normal_draws(self) -> Floats:
        """Standard normal draws: always the same, so that only the posterior changes an optimum."""
        draws = Draws(self.seed, "optima")
        shape = (_MORE_OPTIMA, len(self.strength.mean))
        return np.array([draws.normal() for _ in range(shape[0] * shape[1])]).reshape(shape)

    def _propose_all(self) -> None:
        """Compute every probe that the known outcomes determine."""
        while self._proposed < self._outcome_count + self._batch:
            number = self._proposed
            plus, minus = self.propose(number)
            # rounded with one draw, two places that are a whole step apart stay different
            rounding = Draws(self.seed, "round", number)
            draws = [next(rounding) for _ in self.space]
            probe = Probe(number, self._settle(plus, draws), self._settle(minus, draws))
            self._waiting.append(probe)
            self._proposed += 1

    def _settle(self, point: Floats, draws: Sequence[float]) -> Values:
        """Return the values at a point, rounded so that they can be played."""
        return {
            dimension.name: dimension.settle(float(where), draw)
            for dimension, where, draw in zip(self.space, point, draws, strict=True)
        }
