"""The `focus` format: half of the pairs are a round robin, half help to find the best bot.

Its table `sweep` compares values of one bot's options: the bot plays once for each value.
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import chain, product
from typing import Annotated, Any, Self

from pydantic import BaseModel, BeforeValidator, Field, model_validator

from pwtourney.ratings.order import choose_pairs
from pwtourney.schedule.format_spec import (
    Check,
    Entry,
    FileDraft,
    FormatKeys,
    FormatSettings,
    FormatSpec,
    Problem,
    describe_missing_bot,
    register,
)
from pwtourney.schedule.formats.round_robin import rounds
from pwtourney.schedule.pairing import Format, History, Meeting, Options, results, write_option
from pwtourney.strict import Number, Strict

__all__ = ["Focus", "FocusKeys", "StepsConfig", "SweepConfig", "describe_sweep"]

_UNTIL = {"best": "95%", "within": 20}
"""The stopping rule of a sweep that does not set one."""

_PLAIN = re.compile(r"[A-Za-z0-9._=,+-]{1,48}", re.ASCII)
"""Pattern of a valid bot name, which is also the name of the folder for its logs."""

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
        if not all(isinstance(item, int | float | str) for item in value):
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
            name: list(entry.values() if isinstance(entry, StepsConfig) else entry)
            for name, entry in self.options.items()
        }

    def combinations(self) -> list[Options]:
        """Return the options of every bot of the sweep; the last option changes fastest."""
        names, values = zip(*self.values().items(), strict=True)
        written = [[write_option(value) for value in choices] for choices in values]
        return [tuple(zip(names, combination, strict=True)) for combination in product(*written)]


class FocusKeys(FormatKeys):
    """The keys of a tournament file that may sweep over options."""

    sweep: SweepConfig | None = Field(
        None, description="Which values of a bot's options are compared; makes it format: focus."
    )


def describe_sweep(config: BaseModel) -> Mapping[str, Any]:
    """Return what a store keeps about a sweep; empty if there is none."""
    sweep = FocusKeys.of(config).sweep
    if not sweep:
        return {}
    grid = [dict(options) for options in sweep.combinations()]
    values = {name: list(dict.fromkeys(options[name] for options in grid)) for name in grid[0]}
    return {"bot": sweep.bot, "options": values}


@dataclass(frozen=True)
class Focus(Format):
    """A round robin's number of pairs, of which half are chosen to find the best bot.

    There are as many pairs as in a round robin with `pairs` pairs between every two bots. Every
    second wave is a round robin. The waves between them hold the pairs that say most about who is
    best: they reduce the variance of the difference between each bot and the leader most, with the
    weight exp(−z²/2) if it is z standard errors behind. So bots that may still be the best, and
    their opponents, play more than those that cannot be.
    """

    bots: tuple[str, ...]
    pairs: int

    # A wave is chosen while the wave before it is played, so workers never wait for a slow last
    # game. The results of one wave hardly change which pairs are most useful next.
    lag = 2

    def wave(self, index: int, history: History) -> Sequence[Meeting]:
        """Return a round robin or, for odd indices, as many pairs chosen by the results so far."""
        if index >= self.pairs:
            return ()
        everybody = list(chain.from_iterable(rounds(self.bots)))
        # Only every second wave is a round robin, so its seats swap with a period of four waves.
        round_robin = [pair if index % 4 < 2 else pair[::-1] for pair in everybody]
        if index % 2 == 0 or not history:
            return round_robin
        chosen = choose_pairs(self.bots, results(history), len(everybody))
        # `choose_pairs` does not order the bots of a pair, so the seats alternate along the list.
        return [pair if k % 2 == 0 else pair[::-1] for k, pair in enumerate(chosen)]

    def max_pairs(self) -> int:
        """Return the number of pairs."""
        return self.pairs * len(self.bots) * (len(self.bots) - 1) // 2


def _make(settings: FormatSettings, bots: tuple[str, ...]) -> Focus:
    return Focus(bots, settings.pairs)


def _imply(given: Mapping[str, object]) -> dict[str, object]:
    # `pairs` alone means a fixed number of pairs
    return {} if "pairs" in given else {"until": _UNTIL}


def _enter(keys: FocusKeys) -> list[Entry] | None:
    if keys.sweep is None:
        return None
    bot, combinations = keys.sweep.bot, keys.sweep.combinations()
    names = [",".join(f"{name}={value}" for name, value in options) for options in combinations]
    if not all(map(_PLAIN.fullmatch, names)):
        names = [f"{bot}-{number}" for number in range(1, len(names) + 1)]
    return [Entry(bot, name, options) for name, options in zip(names, combinations, strict=True)]


def _find_named_bots(draft: FileDraft) -> Iterator[Problem]:
    for key in ("anchor", "gates") if FocusKeys.of(draft.config).sweep else ():
        if key in draft.file_keys:
            yield (key,), "the bots of a sweep are named by their values; leave it out"


def _find_missing_bot(draft: FileDraft) -> Iterator[Problem]:
    sweep = FocusKeys.of(draft.config).sweep
    if sweep and sweep.bot not in draft.all_names:
        yield ("sweep", "bot"), describe_missing_bot(sweep.bot, draft.all_names)


register(
    FormatSpec(
        name="focus",
        make=_make,
        keys=FocusKeys,
        checks=(
            Check(_find_named_bots, frozenset({"sweep"}), any_format=True),
            Check(
                _find_missing_bot, frozenset({"sweep", "bots"}), needs_names=True, any_format=True
            ),
        ),
        rank=5,
        implied_by="sweep",
        imply=_imply,
        enter=_enter,
        chosen_by_results=True,
        depends="who plays most depends on results",
    )
)
