"""What came of options that were tuned: values that can be set, how sure they are, and the path."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import NamedTuple

from pwtourney.schedule.pairing import FormatTable, Options
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
"""Rounds a whole number to the nearest, where a method would draw."""


class PathPoint(NamedTuple):
    """Where a method was after so many `probes`: values and spreads in the order of the options.

    `elo` is what the method, at the end, expects these values to be above the start.
    """

    probes: int
    values: tuple[float, ...]
    spreads: tuple[float, ...]
    elo: float


class TunedOption(NamedTuple):
    """One option: where it started and may go, what it is now, and its spread.

    `value` can be set, and is `estimate` rounded. `sensitivity` is how many Elo are lost a tenth of
    the range off the estimate.
    """

    name: str
    kind: str
    start: float
    low: float
    high: float
    value: int | float
    estimate: float
    spread: float
    sensitivity: float


class Tuned(NamedTuple):
    """What came of a tuning so far: `probes` of `planned`, and what the method makes of them.

    `bot` is what is tuned, `against` whom it played, nobody if it played itself. `elo` is how much
    better than the start it is expected to be.
    """

    bot: str
    against: tuple[str, ...]
    method: str
    probes: int
    planned: int
    games: int
    options: tuple[TunedOption, ...]
    elo: float
    path: tuple[PathPoint, ...]

    @property
    def values(self) -> Options:
        """The values that can be set."""
        return tuple((option.name, _write_value(option.value)) for option in self.options)


def describe_tuned(tuned: Tuned) -> FormatTable:
    """Return a line for each option that was tuned."""
    rows = tuple(
        (
            option.name,
            f"{option.start:g}",
            _write_value(option.value),
            f"{option.spread:.3g}",
            f"{option.low:g} to {option.high:g}",
            f"{option.sensitivity:.1f}",
        )
        for option in tuned.options
    )
    ending = "" if tuned.probes == tuned.planned else f" of {tuned.planned}"
    warning = "only games on other deals tell for sure"
    return FormatTable(
        title=f"{tuned.bot} after {tuned.probes}{ending} probes",
        headings=("Option", "Start", "Tuned", "Spread", "Range", "Sensitivity"),
        rows=rows,
        notes=(
            f"Expected by {tuned.method}: {tuned.elo:+.0f} Elo above the start; {warning}",
            "Sensitivity: Elo that are lost a tenth of the range off the tuned value",
        ),
    )


def round_values(space: Sequence[Dimension], values: Mapping[str, float]) -> Values:
    """Return values that can be set, the nearest to these."""
    return {each.name: each.settle(each.to_unit(values[each.name]), _MIDDLE) for each in space}


def write_values(values: Values) -> Options:
    """Return values as a bot receives them."""
    return tuple(sorted((name, _write_value(value)) for name, value in values.items()))


def _write_value(value: float) -> str:
    # never 1e-05, which is no number to a bot
    return str(value) if isinstance(value, int) else format(Decimal(repr(value)), "f")


def shorten_value(value: str) -> str:
    """Return a number with as many digits as a line of progress has room for."""
    return f"{float(value):.4g}"
