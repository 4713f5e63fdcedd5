"""Options in the unit cube and back: ranges, rounding, random draws."""

from statistics import NormalDist, fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pwtourney.errors import UsageError
from pwtourney.tuning.space import Dimension, Draws, check_space

PLACES = st.floats(-0.5, 1.5)
DRAWS = st.floats(0, 1, exclude_max=True)
WHOLE = st.tuples(st.integers(-1000, 1000), st.integers(1, 1000))
REAL = st.tuples(st.floats(-1e6, 1e6), st.floats(1e-3, 1e6))


@pytest.mark.slow
@given(WHOLE, PLACES, DRAWS)
def test_integer_option_is_an_int_next_to_its_place(
    ends: tuple[int, int], position: float, draw: float
) -> None:
    """It is within the range, and less than a step from the requested value."""
    low, width = ends
    dimension = Dimension("pace", "int", low, low, low + width)
    value = dimension.settle(position, draw)
    assert type(value) is int
    assert low <= value <= low + width
    assert abs(value - (low + width * min(max(position, 0), 1))) < 1 + 1e-6


@given(REAL, PLACES, DRAWS)
def test_float_option_is_within_its_range_and_has_few_digits(
    ends: tuple[float, float], position: float, draw: float
) -> None:
    """It is a float at most a hundred-thousandth of the range from the requested value."""
    low, width = ends
    dimension = Dimension("nook", "float", low, low, low + width)
    value = dimension.settle(position, draw)
    assert type(value) is float
    assert dimension.low <= value <= dimension.high
    assert abs(value - dimension.from_unit(position)) <= 1e-5 * width


@pytest.mark.parametrize("position", [0.0, 0.13, 0.5, 0.875, 1.0])
def test_integers_are_rounded_without_bias(position: float) -> None:
    """Over evenly spread draws, their mean is the requested value."""
    dimension = Dimension("pace", "int", 0, 0, 7)
    mean = fmean(dimension.settle(position, k / 1000) for k in range(1000))
    assert mean == pytest.approx(7 * position, abs=1e-3)


def test_integer_option_is_played_as_an_int() -> None:
    """A bot that declares an `int` gets 3, not 3.0; a position outside the range is clipped."""
    dimension = Dimension("pace", "int", 0, 0, 7)
    played = [dimension.settle(position, 0.5) for position in (-0.5, 0.4, 1.5)]
    assert played == [0, 3, 7]
    assert {type(value) for value in played} == {int}


def test_narrowest_range_is_searched() -> None:
    """In 1e-12, a hundred-thousandth has 17 digits after the point."""
    dimension = Dimension("nook", "float", 0, 0, 1e-12)
    assert dimension.settle(0.123456, 0) == pytest.approx(1.2346e-13, rel=1e-12)


def test_place_is_the_share_of_the_range_below_it() -> None:
    """From 10 to 30, the value 15 is at a quarter, and back."""
    dimension = Dimension("pace", "int", 10, 10, 30)
    assert dimension.to_unit(15) == 0.25
    assert dimension.from_unit(0.25) == 15


@pytest.mark.parametrize(
    ("dimension", "message"),
    [
        (
            ("pace", "float", 1, 2, 2),
            "it cannot be tuned from 2 to 2; give a range whose lower end is below its upper end$",
        ),
        (("pace", "float", 1, 3, 2), "lower end is below"),
        (("pace", "float", 1, 0, float("inf")), "lower end is below"),
        (("pace", "float", 1, -1e308, 1e308), "range from -1e\\+308 to 1e\\+308 is too wide"),
        (("pace", "float", 0, 0, 1e-17), "range from 0 to 1e-17 is too narrow"),
        (("pace", "float", 5, 0, 2), "default 5 is not within the range from 0 to 2"),
        (("pace", "int", 0.5, 0, 2), "whole number"),
        (("pace", "int", 1, 0, 2.5), "whole number"),
    ],
)
def test_invalid_range_is_refused(
    dimension: tuple[str, str, float, float, float], message: str
) -> None:
    """The message names the option and the problem."""
    with pytest.raises(UsageError, match=f"option pace: .*{message}"):
        Dimension(*dimension)  # type: ignore[arg-type]


def test_space_has_at_least_one_option_and_each_once() -> None:
    """No option, or the same option twice, is refused."""
    pace = Dimension("pace", "int", 1, 0, 2)
    check_space([pace])
    with pytest.raises(UsageError, match=r"^there is no option to tune: name at least one$"):
        check_space([])
    nook = Dimension("nook", "int", 1, 0, 2)
    with pytest.raises(UsageError, match=r"^named twice among the options to tune: nook, pace$"):
        check_space([pace, nook, pace, nook])


def test_space_has_at_most_20_options() -> None:
    """A 21st is refused, before a model of them takes gigabytes."""
    many = [Dimension(f"pace{k}", "int", 1, 0, 2) for k in range(21)]
    check_space(many[:20])
    with pytest.raises(UsageError, match="21 options are too many; at most 20 are tuned at once"):
        check_space(many)


def test_draws_follow_from_seed_and_labels() -> None:
    """They are the first 53 bits of SHA-256 hashes, computed with coreutils' `sha256sum`."""
    draws = Draws(7, "signs", 3)
    # printf 'pwtourney/tune/7/signs/3/0' | sha256sum, and the same with 1 and 2 at the end
    assert [next(draws) for _ in range(3)] == [(bits >> 11) / 2**53 for bits in FIRST]
    first, second = Draws(7, "signs", 3), Draws(7, "signs", 3)
    assert [next(first) for _ in range(5)] == [next(second) for _ in range(5)]
    assert next(Draws(7, "signs", 4)) != next(Draws(7, "signs", 3))
    assert next(Draws(8, "signs", 3)) != next(Draws(7, "signs", 3))


def test_draws_have_their_distributions() -> None:
    """Quantiles of 4,000 draws equal those of the distributions, within four standard errors."""
    draws = Draws(1)
    even = sorted(next(draws) for _ in range(4000))
    normal = sorted(draws.normal() for _ in range(4000))
    signs = [draws.sign() for _ in range(4000)]
    for share in (0.1, 0.5, 0.9):
        assert even[round(4000 * share)] == pytest.approx(share, abs=0.04)
        below = NormalDist().cdf(normal[round(4000 * share)])
        assert below == pytest.approx(share, abs=0.04)
    assert set(signs) == {-1, 1}
    assert abs(sum(signs)) < 4 * 4000**0.5


FIRST = (0xE4DA4F05C3A1C1B8, 0xCBC807C344C6D072, 0x32785DC86828A8C3)
