"""Numbers as people read them."""

import math

import pytest

from pwtourney.report.figures import (
    amount,
    describe_rating,
    format_rating,
    format_spread,
    mean,
    percent,
    sign_numbers,
    span,
)
from tests.report.handmade import make_row


def test_level_is_written_in_per_cent_without_needless_digits() -> None:
    """99.9 % keeps its digit, and 95 % has none."""
    assert [percent(level) for level in (0.95, 0.999, 0.5)] == ["95", "99.9", "50"]
    assert percent(0.987654) == "98.765"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (-12, "−12"),
        ("-54 ± 123 Elo", "−54 ± 123 Elo"),
        ("wren -3, robin-2 -7", "wren −3, robin-2 −7"),
        ("4-0-1, 2026-11-27", "4-0-1, 2026-11-27"),
        ("a.-2 --pairs -x", "a.-2 --pairs -x"),
    ],
)
def test_numbers_below_zero_have_a_minus_sign(text: object, shown: str) -> None:
    """Hyphens of names, records, dates and options are none."""
    assert sign_numbers(text) == shown


@pytest.mark.parametrize(
    ("elo", "half", "bound", "text"),
    [
        (12.4, 30.5001, "", "+12 ± 31"),
        (-12.6, None, "", "-13"),
        (0.5, None, "", "0"),
        (-0.5, None, "", "0"),
        (0.51, None, "", "+1"),
        (80.0, None, ">", "> +80"),
        (0.2, None, "<", "< 0"),
        (math.nan, None, "?", "?"),
        (math.nan, None, "", ""),
    ],
)
def test_rating_has_a_sign_unless_it_rounds_to_zero(
    elo: float, half: float | None, bound: str, text: str
) -> None:
    """Half an Elo rounds to 0; a rating that is unknown leaves only the sign of its bound."""
    assert format_rating(elo, half, bound) == text


def test_rating_of_a_bot_is_said_with_its_interval_or_bound() -> None:
    """A bound that tells nothing is no rating, and neither is an unknown one."""
    row = make_row("owl", 12.4, plus_minus=30.0)
    assert describe_rating(row) == "+12 ± 30 Elo"
    unbeaten = row._replace(plus_minus=None, bound=">")
    assert describe_rating(unbeaten) == "> +12 Elo"
    assert describe_rating(unbeaten._replace(bound_tells=False)) == "no rating"
    assert describe_rating(row._replace(elo=math.nan)) == "no rating"


def test_spread_follows_its_estimate_in_the_unit_of_it() -> None:
    """A share is scaled to per cent; nothing follows where the interval is unknown."""
    assert format_spread(12.34) == " ± 12"
    assert format_spread(12.34, 1) == " ± 12.3"
    assert format_spread(0.1234, scale=100) == " ± 12"
    assert format_spread(None) == ""


def test_mean_is_in_the_larger_unit() -> None:
    """6000 µs in two moves are 3 ms each; nothing has no mean."""
    assert mean(6000, 2) == 3.0
    assert mean(6144, 2, 1024) == 3.0
    assert mean(500, 1) == 0.5
    assert mean(0, 0) is None


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (1.6, "2 s"),
        (89.4, "89 s"),
        (90, "2 min"),
        (600, "10 min"),
        (5399, "90 min"),
        (5400, "1.5 h"),
        (172_799, "48.0 h"),
        (172_800, "2 days"),
        (864_000, "10 days"),
    ],
)
def test_duration_has_the_unit_that_people_would_use(seconds: float, text: str) -> None:
    """Seconds below 90 s, minutes below 90 min, hours below two days, then days."""
    assert span(seconds) == text


def test_noun_is_singular_for_exactly_one() -> None:
    """Numbers above a million have all of their digits; 10 digits are kept."""
    words = [amount(number, "game") for number in (0, 1, 2, 0.5, 12_345_678)]
    assert words == ["0 games", "1 game", "2 games", "0.5 games", "12345678 games"]
    assert amount(1 / 3, "game") == "0.3333333333 games"
