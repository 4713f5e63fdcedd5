"""Tails, quantiles and corrections against printed tables and scipy."""

import pytest
from scipy.stats import chi2

from pwtourney.ratings.significance import chi_square_tail, holm, t_quantile


@pytest.mark.parametrize(
    ("freedom", "value"),
    [(1, 12.706), (2, 4.303), (3, 3.182), (5, 2.571), (10, 2.228), (28, 2.048), (29, 2.045)],
)
def test_student_quantiles_are_those_of_the_printed_tables(freedom: int, value: float) -> None:
    """The two-sided 95 % points."""
    assert t_quantile(0.975, freedom) == pytest.approx(value, abs=0.0006)


@pytest.mark.parametrize(
    ("value", "freedom", "chance"),
    [(3.841, 1, 0.05), (5.991, 2, 0.05), (7.815, 3, 0.05), (18.307, 10, 0.05), (6.635, 1, 0.01)],
)
def test_chi_square_is_that_of_the_printed_tables(
    value: float, freedom: int, chance: float
) -> None:
    """The usual points of the tables."""
    assert chi_square_tail(value, freedom) == pytest.approx(chance, abs=5e-5)


@pytest.mark.parametrize(("value", "freedom"), [(4940.9, 4851), (0.3, 1), (12.0, 7), (900, 1000)])
def test_chi_square_is_that_of_scipy(value: float, freedom: int) -> None:
    """Also where there are thousands of pairings."""
    assert chi_square_tail(value, freedom) == pytest.approx(chi2.sf(value, freedom), rel=1e-6)


def test_holms_correction_is_his_own_rule() -> None:
    """By hand: 0.01·3, 0.02·2, 0.04·1, none smaller than the one before."""
    assert holm([0.04, 0.01, 0.02]) == pytest.approx([0.04, 0.03, 0.04])
    assert holm([0.5, 0.6]) == [1.0, 1.0]
