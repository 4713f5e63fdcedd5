"""The result of tuning options: values to set, their uncertainty, and the path of the estimate."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from pwtourney.schedule.pairing import FormatTable, Options, write_option
from pwtourney.tuning import Dimension, Values

__all__ = [
    "PathPoint",
    "Tuned",
    "TunedOption",
    "describe_tuned",
    "round_values",
    "shorten_value",
    "write_values",
]

_MIDDLE = 0.5
"""A rounding threshold that rounds whole numbers to the nearest; methods use a random one."""


class PathPoint(NamedTuple):
    """The estimate after `probes` probes: values and spreads, in the order of the options."""

    probes: int
    values: tuple[float, ...]
    spreads: tuple[float, ...]


class TunedOption(NamedTuple):
    """One tuned option: its start, its range, its tuned value and its spread.

    `value` can be set; it is `estimate` rounded. `sensitivity` is how many Elo are lost a tenth of
    the range away from the estimate (a whole number: 1 at least); None if the games do not tell.
    """

    name: str
    kind: str
    start: float
    low: float
    high: float
    value: int | float
    estimate: float
    spread: float
    sensitivity: float | None


class Tuned(NamedTuple):
    """The result of a tuning so far, after `probes` of `planned` probes.

    `bot` is the tuned bot. `against` are its opponents; empty if it played itself. What the values
    gain is not among it: the best of many estimates is too good, and only other games tell.
    """

    bot: str
    against: tuple[str, ...]
    method: str
    probes: int
    planned: int
    games: int
    options: tuple[TunedOption, ...]
    path: tuple[PathPoint, ...]

    @property
    def values(self) -> Options:
        """The tuned values, as options that can be set."""
        return tuple((option.name, write_option(option.value)) for option in self.options)


def describe_tuned(tuned: Tuned) -> FormatTable:
    """Return a table with a row for each tuned option."""
    rows = tuple(
        (
            option.name,
            f"{option.start:g}",
            write_option(option.value),
            f"{option.spread:.3g}",
            f"{option.low:g} to {option.high:g}",
            "not known" if option.sensitivity is None else f"{option.sensitivity:.1f}",
        )
        for option in tuned.options
    )
    ending = "" if tuned.probes == tuned.planned else f" of {tuned.planned}"
    return FormatTable(
        title=f"{tuned.bot} after {tuned.probes}{ending} probes",
        headings=("Option", "Start", "Tuned", "Spread", "Range", "Sensitivity"),
        rows=rows,
        notes=(
            "Only games on other deals tell whether these values are better",
            "Spread: the best value is this close at 68 %; a third of the range or more: not known",
            "Sensitivity: Elo lost a tenth of the range off the tuned value (integers: at least 1)",
        ),
        words=("Option",),
        leaving=("Range", "Sensitivity", "Spread", "Start"),
    )


def round_values(space: Sequence[Dimension], values: Mapping[str, float]) -> Values:
    """Return the values that can be set and are closest to these."""
    return {
        dimension.name: dimension.settle(dimension.to_unit(values[dimension.name]), _MIDDLE)
        for dimension in space
    }


def write_values(values: Values) -> Options:
    """Return values as the strings that a bot receives."""
    return tuple(sorted((name, write_option(value)) for name, value in values.items()))


def shorten_value(value: str) -> str:
    """Return a number with 4 significant digits, which fit into a progress line."""
    return f"{float(value):.4g}"
