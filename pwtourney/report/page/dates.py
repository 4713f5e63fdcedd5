"""Dates in a report: parsed from the store, and the ticks of an axis of time."""

from collections.abc import Iterator
from contextlib import suppress
from datetime import MAXYEAR, MINYEAR, UTC, datetime
from typing import NamedTuple

__all__ = ["list_date_ticks", "parse_date"]

_MOST_TICKS = 6
_MINUTE, _DAY = 60, 86_400
_MONDAY = 4 * _DAY
"""The first Monday after 1970-01-01, which was a Thursday, in seconds."""


class _Step(NamedTuple):
    """The distance of ticks, in seconds or else in months, and their format."""

    seconds: int
    months: int
    form: str


_STEPS = (
    *(_Step(n * _MINUTE, 0, "%m-%d %H:%M") for n in (1, 5, 15, 30, 60, 180, 360, 720)),
    *(_Step(n * _DAY, 0, "%Y-%m-%d") for n in (1, 2, 7, 14)),
    *(_Step(0, n, "%Y-%m") for n in (1, 2, 3, 6)),
    *(_Step(0, 12 * n, "%Y") for n in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000)),
)


def parse_date(text: str | None) -> float | None:
    """Return a date and time of the store in seconds since 1970; None for anything else."""
    with suppress(ValueError):
        date = datetime.fromisoformat(text or "")
        return (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp()
    return None


def list_date_ticks(low: float, high: float) -> list[tuple[float, str]]:
    """Return at most six round dates between two, in seconds since 1970, with their texts in UTC.

    The ticks are minutes, hours, days, Mondays, first days of months or of years: the smallest step
    that fits.
    """
    ticks: list[float] = []
    for step in _STEPS:
        # skip steps that are clearly too small
        if (high - low) / (step.seconds or step.months * 28 * _DAY) > 2 * _MOST_TICKS:
            continue
        ticks = [second for second in _walk(step, low) if second <= high]
        if len(ticks) <= _MOST_TICKS:
            break
    return [(second, datetime.fromtimestamp(second, UTC).strftime(step.form)) for second in ticks]


def _walk(step: _Step, low: float) -> Iterator[float]:
    """Yield round dates from `low` on, at most one more than an axis has room for."""
    if step.seconds:
        origin = _MONDAY if step.seconds % (7 * _DAY) == 0 else 0
        first = -(-(low - origin) // step.seconds)
        yield from (origin + (first + k) * step.seconds for k in range(_MOST_TICKS + 1))
        return
    start = datetime.fromtimestamp(low, UTC)
    # a multiple of the step, at the first month of it or before
    month = (12 * start.year + start.month - 1) // step.months * step.months
    count = 0
    while count <= _MOST_TICKS and month < 12 * (MAXYEAR + 1):
        year, month_index = divmod(month, 12)
        month += step.months
        second = datetime(max(year, MINYEAR), month_index + 1, 1, tzinfo=UTC).timestamp()
        if year >= MINYEAR and second >= low:
            count += 1
            yield second
