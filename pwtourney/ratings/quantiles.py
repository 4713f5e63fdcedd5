"""Quantiles of any number of values in little memory."""

import math
from collections import Counter
from dataclasses import dataclass, field

__all__ = ["Quantiles"]

_RATIO = 1.02
_LOG = math.log(_RATIO)


@dataclass
class Quantiles:
    """Counts positive whole numbers in classes that are 2 % wide; answers are right to 1 %."""

    classes: Counter[int] = field(default_factory=Counter)
    count: int = 0

    def add(self, value: int) -> None:
        """Count one value; below 1 is 1."""
        self.classes[int(math.log(max(1, value)) / _LOG)] += 1
        self.count += 1

    def at(self, share: float) -> float | None:
        """Return the value below which this share lies; None without values.

        >>> quantiles = Quantiles()
        >>> for value in range(1, 1001): quantiles.add(value)
        >>> round(quantiles.at(0.5), -1), round(quantiles.at(0.99), -1)
        (500.0, 990.0)
        """
        wanted = share * self.count
        for number, count in sorted(self.classes.items()):
            wanted -= count
            if wanted <= 0:
                return math.exp((number + 0.5) * _LOG)
        return None
