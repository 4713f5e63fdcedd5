"""Dates of the store, and the round dates of an axis of time, from a calendar."""

import time
from collections.abc import Iterator
from datetime import datetime

import pytest

from pwtourney.report.page.dates import list_date_ticks, parse_date

DAY = 24 * 60 * 60


@pytest.fixture
def in_tokyo(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let local time be nine hours ahead of UTC."""
    with monkeypatch.context() as patch:
        patch.setenv("TZ", "JST-9")
        time.tzset()
        yield
    time.tzset()


def seconds(date: str) -> float:
    """Return a date and time in UTC in seconds since 1970."""
    return datetime.fromisoformat(f"{date}+00:00").timestamp()


@pytest.mark.usefixtures("in_tokyo")
def test_date_without_offset_is_in_utc() -> None:
    """One day after the beginning of 1970 is a day in seconds, wherever the machine is."""
    assert parse_date("1970-01-02") == DAY
    assert parse_date("1970-01-02T00:00:00Z") == DAY
    assert parse_date("1970-01-02T02:00:00+02:00") == DAY


@pytest.mark.usefixtures("in_tokyo")
@pytest.mark.parametrize(
    ("first", "last", "dates"),
    [
        # both ends are ticks
        ("2026-03-02T06:00", "2026-03-02T06:05", [f"2026-03-02T06:0{n}" for n in range(6)]),
        ("2026-03-02T06:01", "2026-03-02T06:13", ["2026-03-02T06:05", "2026-03-02T06:10"]),
        ("2026-03-01T00:00", "2026-03-06T00:00", [f"2026-03-0{n}T00:00" for n in range(1, 7)]),
        # seven days do not fit, and the second of March is the 20,514th day after 1970-01-01
        ("2026-03-01T00:00", "2026-03-07T00:00", [f"2026-03-0{n}T00:00" for n in (2, 4, 6)]),
        # Mondays
        (
            "2026-01-06T00:00",
            "2026-02-09T00:00",
            [
                "2026-01-12T00:00",
                "2026-01-19T00:00",
                "2026-01-26T00:00",
                "2026-02-02T00:00",
                "2026-02-09T00:00",
            ],
        ),
        (
            "2026-01-01T00:00",
            "2026-06-30T00:00",
            [f"2026-0{n}-01T00:00" for n in range(1, 7)],
        ),
        # seven months do not fit
        (
            "2026-01-01T00:00",
            "2026-07-01T00:00",
            [f"2026-0{n}-01T00:00" for n in (1, 3, 5, 7)],
        ),
        (
            "2025-11-30T00:00",
            "2027-02-01T00:00",
            [
                "2026-01-01T00:00",
                *(f"2026-{n:02}-01T00:00" for n in (4, 7, 10)),
                "2027-01-01T00:00",
            ],
        ),
        (
            "2020-01-02T00:00",
            "2031-01-01T00:00",
            [f"20{n}-01-01T00:00" for n in (22, 24, 26, 28, 30)],
        ),
        ("9991-01-01T00:00", "9999-12-31T00:00", [f"999{n}-01-01T00:00" for n in (2, 4, 6, 8)]),
        ("0001-01-01T00:00", "0900-01-01T00:00", [f"0{n}00-01-01T00:00" for n in (2, 4, 6, 8)]),
    ],
)
def test_ticks_are_the_beginnings_of_calendar_units(
    first: str, last: str, dates: list[str]
) -> None:
    """They are in UTC, at most six, and both ends belong to the axis."""
    ticks = list_date_ticks(seconds(first), seconds(last))
    assert [second for second, _ in ticks] == [seconds(date) for date in dates]


@pytest.mark.usefixtures("in_tokyo")
def test_ticks_are_written_in_utc() -> None:
    """Hours are written with their day, and months alone."""
    hours = list_date_ticks(seconds("2026-03-02T22:30"), seconds("2026-03-03T01:30"))
    assert [text for _, text in hours] == ["03-02 23:00", "03-03 00:00", "03-03 01:00"]
    months = list_date_ticks(seconds("2026-03-31T00:00"), seconds("2026-08-15T00:00"))
    assert [text for _, text in months] == [f"2026-0{month}" for month in range(4, 9)]
