"""What single formats are told: the tables `sprt`, `solo`, `until`, `tune` and `sweep`."""

import math
import re
from collections.abc import Sequence
from decimal import Decimal
from typing import Annotated, Literal, Self

from pydantic import (
    BeforeValidator,
    Field,
    PlainSerializer,
    WithJsonSchema,
    model_validator,
)

from pwtourney.config.bot_table import Level, Number, Strict, write_option
from pwtourney.errors import EditionError
from pwtourney.ratings.pairs import Sprt
from pwtourney.rules.automa import LEVELS, Automa, find_level
from pwtourney.tuning.method import DEFAULT_METHOD, MOST_GAMES, MOST_PAIRS
from pwtourney.tuning.space import MOST_OPTIONS

__all__ = ["SoloConfig", "SprtConfig", "SweepConfig", "TuneConfig", "UntilConfig"]

_USUAL_PROBES = 1_000
_MOST_PROBES = 10**6
_MOST_VALUES = 400
"""More values in a sweep make a table that nobody reads."""

_DIGITS = 9
"""Decimals of values at equal distances; those of tiny steps have more."""

_SHARE = re.compile(r"[0-9]{1,2}(\.[0-9]{1,3})?%", re.ASCII)


def _read_share(value: object) -> float:
    """Return a part of one; raises ValueError for anything but a percentage."""
    text = value if isinstance(value, str) and _SHARE.fullmatch(value) else "0%"
    share = round(float(text.removesuffix("%")) / 100, 5)
    if not 0 < share < 1:
        raise ValueError("expected a share such as 5%, below 100%")
    return share


Share = Annotated[
    float,
    BeforeValidator(_read_share),
    PlainSerializer(lambda share: f"{100 * share:g}%"),
    WithJsonSchema({"type": "string", "pattern": f"^{_SHARE.pattern}$"}),
]


class SprtConfig(Strict):
    """The two hypotheses, and how often the test may err."""

    elo0: Number = Field(0.0, description="Elo difference under H0.")
    elo1: Number = Field(20.0, description="Elo difference under H1.")
    alpha: Number = Field(
        0.05, description="Type I error rate: accepting the new version although it is not better."
    )
    beta: Number = Field(
        0.05, description="Type II error rate: rejecting the new version although it is better."
    )
    bounds: Literal["normalised", "logistic"] = Field(
        "normalised", description="The unit of elo0 and elo1."
    )

    @model_validator(mode="after")
    def _check_test(self) -> Self:
        problem = self.test().problem()
        if problem:
            raise ValueError(problem)
        return self

    def test(self) -> Sprt:
        """Return the test."""
        normalised = self.bounds == "normalised"
        return Sprt(self.elo0, self.elo1, self.alpha, self.beta, normalised)


def _find_level(value: object) -> object:
    """Let a level be its number; raises ValueError if there is none."""
    if not isinstance(value, str | int) or isinstance(value, bool):
        return value
    try:
        return find_level(str(value)).name
    except EditionError as error:
        # A ValueError joins all other problems; anything else would pass through pydantic.
        raise ValueError(str(error)) from error


class SoloConfig(Strict):
    """How the Automa plays."""

    level: Annotated[
        str,
        BeforeValidator(_find_level),
        WithJsonSchema({"enum": [*LEVELS, 1, 2, 3, 4, 5]}),
    ] = Field("intern", description="From 1 or intern to 5 or legend.")
    deck: Literal["normal", "tactical"] = Field("normal", description="Which cards it has.")

    def automa(self) -> Automa:
        """Return the Automa."""
        return Automa(self.level, self.deck == "tactical")


class UntilConfig(Strict):
    """What must be so of the ratings; of several rules all must hold."""

    interval: Annotated[Number, Field(gt=0)] | None = Field(
        None, description="All 95 % intervals are at most ± this many Elo."
    )
    ranks_separated: Level | None = Field(
        None, description="The order of the whole table is certain at this level."
    )

    best: Level | None = Field(
        None, description="The first of the table is certain to be the best at this level."
    )
    within: Annotated[Number, Field(ge=0)] = Field(
        0.0, description="With best: the first may be this many Elo behind the best."
    )
    spread: Share | None = Field(
        None, description="With tune: every option is known to this share of its range."
    )

    @model_validator(mode="after")
    def _some_rule(self) -> Self:
        rules = (self.interval, self.ranks_separated, self.best, self.spread)
        if all(rule is None for rule in rules):
            raise ValueError("give interval, ranks_separated, or both; or best; with tune spread")
        if self.best is None and self.within:
            raise ValueError("within goes with best")
        return self


def _write_ranges(value: object) -> object:
    """Let options be a list of names, which are tuned within the ranges that the bot declares.

    Raises ValueError for anything else, if one is listed twice, or if there are too many.
    """
    if isinstance(value, list | dict) and len(value) > MOST_OPTIONS:
        raise ValueError(
            f"{len(value):,} options are too many; at most {MOST_OPTIONS} are tuned at once"
        )
    if not isinstance(value, dict):
        if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
            raise ValueError("expected a list of names, or {NAME: [LOWEST, HIGHEST]}")
        if len(set(value)) < len(value):
            raise ValueError("an option is listed twice")
        return dict.fromkeys(value)
    return value


_RANGES_SCHEMA = {
    "anyOf": [
        {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": MOST_OPTIONS},
        {
            "type": "object",
            "maxProperties": MOST_OPTIONS,
            "additionalProperties": {
                "anyOf": [
                    {"type": "null"},
                    {"type": "array", "items": {"type": "number"}, "minItems": 2, "maxItems": 2},
                ]
            },
        },
    ]
}


class TuneConfig(Strict):
    """Which options of a bot are tuned, within which ranges, and how."""

    bot: str = Field(description="The id of the bot whose options are tuned.")
    options: Annotated[
        dict[str, Annotated[tuple[Number, Number], Field(strict=False)] | None],
        BeforeValidator(_write_ranges),
        Field(min_length=1),
        WithJsonSchema(_RANGES_SCHEMA),
    ] = Field(description="The options: a list, or {NAME: [LOWEST, HIGHEST]} for narrower ranges.")
    against: list[str] = Field(
        default_factory=list,
        description="The ids of the bots that both sets of values play; without any, each other.",
    )
    method: str = Field(DEFAULT_METHOD, description="How the best values are searched.")
    settings: dict[str, Number] = Field(default_factory=dict, description="Settings of the method.")
    probes: int | None = Field(
        None,
        ge=1,
        le=_MOST_PROBES,
        description=f"How often two sets of values meet. [{_USUAL_PROBES}]",
    )
    games: int | None = Field(
        None, ge=2, le=MOST_GAMES, description="The number of games, instead of probes."
    )
    pairs: int = Field(
        1, ge=1, le=MOST_PAIRS, description="Mirrored pairs of a probe, against each opponent."
    )
    confirm: SprtConfig = Field(
        default_factory=SprtConfig,
        description="The test that compares the tuned values with those at the start.",
    )

    @model_validator(mode="after")
    def _one_length(self) -> Self:
        if self.probes is not None and self.games is not None:
            raise ValueError("give probes or games, not both")
        return self

    @property
    def probe_count(self) -> int:
        """How many probes there are; games that make no whole probe are left out."""
        if self.games is None:
            return self.probes or _USUAL_PROBES
        return max(1, self.games // (2 * self.pairs * max(1, 2 * len(self.against))))


class StepsConfig(Strict):
    """Values at equal distances, both ends included."""

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
        """Return the values; whole numbers if all of them are such."""
        width = self.high - self.low
        # as people write them, without the last digits of a division, however small the steps
        digits = max(_DIGITS, _DIGITS - 1 - math.floor(math.log10(width / (self.steps - 1))))
        values = [round(self.low + width * k / (self.steps - 1), digits) for k in range(self.steps)]
        is_whole = all(value == int(value) for value in values)
        return [int(value) for value in values] if is_whole else values


SweepValue = int | float | bool | str


def _read_values(value: object) -> object:
    """Check a list of values, or make steps of a table; raises ValueError.

    To let pydantic try both would say twice what is wrong, and in its own words.
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
    """Tell whether a bot would be set to the same twice: 1 and 1.0, or true and the text "true"."""
    written = [write_option(value) for value in values]
    numbers = [
        Decimal(text)
        for text, value in zip(written, values, strict=True)
        if not isinstance(value, bool | str)
    ]
    return len({*written}) < len(written) or len({*numbers}) < len(numbers)


class SweepConfig(Strict):
    """Which values of one or two options are compared with each other."""

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
