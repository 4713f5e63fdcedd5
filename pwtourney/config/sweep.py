"""The table `sweep`, which compares values of a bot's options."""

import math
from collections.abc import Sequence
from decimal import Decimal
from typing import Annotated, Self

from pydantic import BeforeValidator, Field, model_validator

from pwtourney.config.bot_table import write_option
from pwtourney.strict import Number, Strict

__all__ = ["SweepConfig"]

_MOST_VALUES = 400
"""The maximum number of values or combinations in a sweep; nobody reads a larger table."""

_DIGITS = 9
"""The decimal places of values at equal distances; very small steps have more."""


class StepsConfig(Strict):
    """Values at equal distances, including both ends."""

    low: Number = Field(description="The first value.")
    high: Number = Field(description="The last value.")
    steps: int = Field(ge=2, le=_MOST_VALUES, description="How many values there are.")

    @model_validator(mode="after")
    def _check_order(self) -> Self:
        if not self.low < self.high:
            raise ValueError("low must be less than high")
        if not math.isfinite(self.high - self.low):
            raise ValueError("low and high are too far apart for steps between them")
        if len({*self.values()}) < self.steps:
            raise ValueError("low and high are too close for so many steps")
        return self

    def values(self) -> list[int | float]:
        """Return the values; they are int if all of them are whole numbers."""
        width = self.high - self.low
        # as people write them, without the rounding errors of a division, however small the steps
        digits = max(_DIGITS, _DIGITS - 1 - math.floor(math.log10(width / (self.steps - 1))))
        values = [round(self.low + width * k / (self.steps - 1), digits) for k in range(self.steps)]
        is_whole = all(value == int(value) for value in values)
        return [int(value) for value in values] if is_whole else values


SweepValue = int | float | bool | str


def _read_values(value: object) -> object:
    """Check a list of values, or read a table of steps; raises ValueError.

    A union of both types would make pydantic report every error twice, in its own words.
    """
    if isinstance(value, dict):
        return StepsConfig.model_validate(value)
    if not isinstance(value, list | StepsConfig):
        raise ValueError("expected a list of values, or {low, high, steps}")
    if isinstance(value, list):
        if not all(isinstance(each, int | float | str) for each in value):
            raise ValueError("expected values that are numbers, words, true or false")
        if len(value) < 2:
            raise ValueError("expected at least two values")
        if _has_twins(value):
            raise ValueError("a value is listed twice")
    return value


def _has_twins(values: Sequence[SweepValue]) -> bool:
    """Return True if a bot would get a value twice: 1 and 1.0, or true and the text "true"."""
    written = [write_option(value) for value in values]
    numbers = [
        Decimal(text)
        for text, value in zip(written, values, strict=True)
        if not isinstance(value, bool | str)
    ]
    return len({*written}) < len(written) or len({*numbers}) < len(numbers)


class SweepConfig(Strict):
    """The values of one or two options that are compared with each other."""

    bot: str = Field(description="The id of the bot whose options are set.")
    options: dict[
        str,
        Annotated[
            StepsConfig | Annotated[list[SweepValue], Field(min_length=2)],
            BeforeValidator(_read_values),
        ],
    ] = Field(
        min_length=1,
        max_length=2,
        description="The values of one or two options: a list, or {low, high, steps}.",
    )

    @model_validator(mode="after")
    def _check_size(self) -> Self:
        count = 1
        for values in self.values().values():
            count *= len(values)
        if count > _MOST_VALUES:
            raise ValueError(f"{count} values are too many; at most {_MOST_VALUES} are compared")
        return self

    def values(self) -> dict[str, list[SweepValue]]:
        """Return the values of each option."""
        return {
            name: [*(each.values() if isinstance(each, StepsConfig) else each)]
            for name, each in self.options.items()
        }
