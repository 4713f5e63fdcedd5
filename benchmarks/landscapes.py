"""Bots whose strength is a known function of their options, and random games between them.

A landscape is the same function for every seed, but the seed determines its optimum and the start
of the search, mostly 100 Elo below. Places are in the unit cube; offsets x are from the optimum, in
half ranges, so that x = 1 is off by half of an option's range. All functions compute many places at
once, along leading axes.
"""

import math
from collections.abc import Callable, Sequence
from itertools import product
from typing import NamedTuple

import numpy as np

from pwtourney.ratings.bradley_terry import NATURAL, Floats, probability
from pwtourney.tuning import Dimension

__all__ = ["LANDSCAPES", "Landscape", "Terrain", "bowl", "draw_pairs"]

START = 100.0
"""The distance in Elo of the defaults below the optimum."""

_DRAWN = 0.04
"""The share of drawn games, at any difference in strength."""

Loss = Callable[[Floats], Floats]
"""Returns the distance in Elo below the optimum of places (… × d) at offsets from it."""


def bowl(*depths: float) -> Loss:
    """Return a quadratic loss; a depth is the loss half of an option's range off the optimum."""
    weights = np.array(depths)
    return lambda x: np.asarray((weights * x**2).sum(axis=-1))


def valley(depth: float, correlation: float) -> Loss:
    """Return a quadratic loss of two options that must be changed together."""
    return lambda x: np.asarray(
        depth * (x[..., 0] ** 2 + x[..., 1] ** 2 - 2 * correlation * x[..., 0] * x[..., 1])
    )


def plateau(height: float, width: float) -> Loss:
    """Return a loss that is a bowl near the optimum, and constant far from it."""
    return lambda x: np.asarray(height * (1 - np.exp(-(x**2).sum(axis=-1) / (2 * width**2))))


def cliff(depth: float, edge: float, fall: float) -> Loss:
    """Return a bowl with an additional loss of `fall` where the first option is above `edge`."""
    return lambda x: np.asarray(depth * (x**2).sum(axis=-1) + fall * (x[..., 0] > edge))


class Landscape(NamedTuple):
    """A kind of bot: its loss, the region of its optimum, and its integer options.

    `optima` are the ends between which each coordinate of the optimum is drawn. `whole` holds
    the number of steps in the range of an option; 0 means that it is not an integer. `noise` is
    the standard deviation, in Elo, of the advantage that a deal gives to the first seat. `start` is
    the distance in Elo of the defaults below the optimum.
    """

    name: str
    loss: Loss
    optima: tuple[tuple[float, float], ...]
    whole: tuple[int, ...] = ()
    noise: float = 100.0
    start: float = START

    @property
    def dimensions(self) -> int:
        """The number of options."""
        return len(self.optima)


class Terrain:
    """A landscape for some seeds: s optima and s starts, both s × d."""

    def __init__(self, landscape: Landscape, seeds: Sequence[int]) -> None:
        self.landscape = landscape
        low, high = np.array(landscape.optima).T
        self.steps = np.array(landscape.whole or [0] * landscape.dimensions)
        drawn = [self._draw(np.random.default_rng([71, seed]), low, high) for seed in seeds]
        self.optimum = np.array([pair[0] for pair in drawn])
        self.start = np.array([pair[1] for pair in drawn])
        self.least = np.array([self._least(optimum) for optimum in self.optimum])

    def loss(self, places: Floats) -> Floats:
        """Return the distance in Elo of places (… × s × d) below the best playable place."""
        return np.asarray(self.landscape.loss(2 * (places - self.optimum)) - self.least)

    def snap(self, places: Floats, draws: Floats | float = 0.5) -> Floats:
        """Return playable places: integers are rounded down after `draws` is added to the step."""
        steps = np.where(self.steps, self.steps, 1)
        rounded = np.clip(np.floor(places * steps + draws) / steps, 0, 1)
        return np.where(self.steps, rounded, places)

    def space(self, seed: int) -> tuple[Dimension, ...]:
        """Return the options of the bot of the seed at this index."""
        return tuple(
            Dimension(f"o{axis}", "int", float(round(coordinate * steps)), 0.0, float(steps))
            if steps
            else Dimension(f"o{axis}", "float", float(coordinate), 0.0, 1.0)
            for axis, (coordinate, steps) in enumerate(
                zip(self.start[seed], self.steps, strict=True)
            )
        )

    def _draw(self, rng: np.random.Generator, low: Floats, high: Floats) -> tuple[Floats, Floats]:
        """Return an optimum and a start at the common distance below it."""
        loss = self.landscape.loss
        while True:
            optimum = rng.uniform(low, high)
            heading = rng.normal(size=len(low))
            reach = np.geomspace(0.01, 3, 2000)[:, None]
            points = np.clip(optimum, 0, 1) + reach * heading / math.hypot(*heading)
            lost = loss(2 * (points - optimum)) - loss(2 * (np.clip(optimum, 0, 1) - optimum))
            off = np.abs(lost - self.landscape.start)
            start = points[np.argmin(off)]
            if off.min() < 5 and (start >= 0).all() and (start <= 1).all():
                return optimum, self.snap(start)

    def _least(self, optimum: Floats) -> float:
        """Return the loss at the best playable place."""
        if not self.steps.any():
            # all landscapes whose optimum may be outside the cube are sums over the options
            return float(self.landscape.loss(2 * (np.clip(optimum, 0, 1) - optimum)))
        grid = np.array(list(product(*(np.arange(n + 1) / n for n in self.steps))))
        return float(self.landscape.loss(2 * (grid - optimum)).min())


def draw_pairs(rng: np.random.Generator, elo: Floats, noise: float, pairs: int) -> Floats:
    """Return the mean result of a game (1, 0, −1) over mirrored pairs, for each difference in Elo.

    The advantage of the first seat on a deal counts for one bot in the first game of the pair
    and for the other in the second, so the two games of a pair are not independent.
    """
    seat = noise * rng.standard_normal((pairs, *elo.shape))
    total = np.zeros(elo.shape)
    for worth in (seat, -seat):
        won = rng.random(worth.shape) < probability(NATURAL * (elo + worth))
        played = rng.random(worth.shape) >= _DRAWN
        total += np.where(played, np.where(won, 1.0, -1.0), 0.0).sum(axis=0)
    return total / (2 * pairs)


def _inside(dimensions: int) -> tuple[tuple[float, float], ...]:
    """Return bounds that keep the optimum well within the range of each option."""
    return ((0.2, 0.8),) * dimensions


LANDSCAPES = (
    Landscape("bowl, 1 option", bowl(160), _inside(1)),
    Landscape("bowl, 2 options", bowl(160, 80), _inside(2)),
    Landscape("bowl, 5 options", bowl(*np.geomspace(160, 40, 5)), _inside(5)),
    Landscape("bowl, 10 options", bowl(*np.geomspace(160, 40, 10)), _inside(10)),
    Landscape("flat direction, 3 options", bowl(160, 80, 0), _inside(3)),
    Landscape("interaction, 2 options", valley(160, 0.8), _inside(2)),
    Landscape("whole numbers, noisy, 3 options", bowl(160, 80, 40), _inside(3), (8, 20, 3), 250.0),
    Landscape("optimum at the border, 3 options", bowl(80, 80, 80), ((1.1, 1.3), *_inside(2))),
    Landscape("plateau, 3 options", plateau(200, 0.5), _inside(3)),
    Landscape("cliff, 2 options", cliff(120, 0.2, 300), _inside(2)),
)
"""Seven landscapes that are quadratic, then three that are not."""
