"""The options to tune: their ranges, and the conversion between values and the unit cube.

Methods work in the unit cube, where 0 is the lowest value of an option and 1 the highest. All
random numbers come from `Draws`, so they are the same with every version of Python and numpy.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from statistics import NormalDist
from typing import Literal

from pwtourney.errors import UsageError

__all__ = ["MOST_OPTIONS", "Dimension", "Draws", "Values", "check_space"]

Values = Mapping[str, int | float]
"""A value for each option, by its name and within its range; whole numbers are of type int."""

MOST_OPTIONS = 20
"""The most options that can be tuned at once.

The model of strength has 10 coefficients for each option and one for each two. It takes their
square in memory and their cube in time: a second with 20 options and 500 outcomes.
"""

_STEPS = 5
"""Decimal digits within the range of an option: finer steps make no measurable difference."""


_NARROWEST = 1e-12
"""The shortest range: a step in it has 17 decimals, the most that can be sent to a bot."""


@dataclass(frozen=True, slots=True)
class Dimension:
    """An option and the range in which its best value is searched, both ends included.

    Raises `UsageError` if the range is empty, not finite, or too wide or narrow for 64-bit floats,
    if the default is outside of it, or if an end or the default of a whole number is not whole.
    """

    name: str
    kind: Literal["int", "float"]
    default: float
    low: float
    high: float

    def __post_init__(self) -> None:
        values = (self.low, self.default, self.high)
        if not all(map(math.isfinite, values)) or not self.low < self.high:
            raise UsageError(
                f"option {self.name}: it cannot be tuned from {self.low:g} to {self.high:g}; "
                "give a range whose lower end is below its upper end"
            )
        if not _NARROWEST <= self.width < math.inf:
            raise UsageError(
                f"option {self.name}: the range from {self.low:g} to {self.high:g} is too "
                f"{'narrow' if self.width < 1 else 'wide'} to be tuned"
            )
        if not self.low <= self.default <= self.high:
            raise UsageError(
                f"option {self.name}: its default {self.default:g} is not within the range from "
                f"{self.low:g} to {self.high:g}"
            )
        if self.kind == "int" and any(value != round(value) for value in values):
            raise UsageError(
                f"option {self.name}: it is a whole number, but its range or default is not: "
                f"{self.low:g}, {self.default:g}, {self.high:g}"
            )

    @property
    def width(self) -> float:
        """The length of the range, in units of the option."""
        return self.high - self.low

    def to_unit(self, value: float) -> float:
        """Return the coordinate of a value in the range, from 0 to 1."""
        return (value - self.low) / self.width

    def from_unit(self, coordinate: float) -> float:
        """Return the value, not rounded, of a coordinate; outside 0 to 1, the end of the range."""
        return min(max(self.low + coordinate * self.width, self.low), self.high)

    def settle(self, coordinate: float, draw: float) -> int | float:
        """Return a value that can be played, for a coordinate from 0 to 1.

        A whole number is rounded up with a chance equal to its fraction, so that its mean is the
        requested value: `draw` is a random number from 0 (included) to 1. Other numbers are rounded
        to a hundred-thousandth of the range or finer.
        """
        value = self.from_unit(coordinate)
        if self.kind == "int":
            return min(math.floor(value + draw), round(self.high))
        digits = _STEPS - math.floor(math.log10(self.width))
        return min(max(round(value, digits), self.low), self.high)


class Draws(Iterator[float]):
    """Uniform random numbers from 0 (included) to 1, the same for the same seed and labels."""

    def __init__(self, seed: int, *labels: int | str) -> None:
        self._name = "/".join(["pwtourney", "tune", str(seed), *map(str, labels)])
        self._number = 0

    def __next__(self) -> float:
        digest = sha256(f"{self._name}/{self._number}".encode()).digest()
        self._number += 1
        # as many bits as a double has, so that the result stays below 1
        return (int.from_bytes(digest[:8], "big") >> 11) / 2**53

    def normal(self) -> float:
        """Return a number drawn from the standard normal distribution."""
        # half a step up: the quantile of 0 is not finite
        return NormalDist().inv_cdf(next(self) + 2**-54)

    def sign(self) -> int:
        """Return −1 or 1 at random."""
        return 1 if next(self) < 0.5 else -1


def check_space(space: Sequence[Dimension]) -> None:
    """Raise `UsageError` if there are no options to tune, too many, or one is named twice."""
    names = [dimension.name for dimension in space]
    if not names:
        raise UsageError("there is no option to tune: name at least one")
    if len(names) > MOST_OPTIONS:
        raise UsageError(
            f"{len(names):,} options are too many; at most {MOST_OPTIONS} are tuned at once"
        )
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise UsageError(f"named twice among the options to tune: {', '.join(twice)}")
