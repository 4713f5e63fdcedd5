"""Who is above whom: likelihoods, ranks, gaps, and bounds that hold at every look."""

import math

import numpy as np
import pytest

from benchmarks.intervals import any_time_errors
from pwtourney.ratings.order import (
    Gap,
    any_time_factor,
    likelihoods,
    pairs_to_separate,
    rank_intervals,
)
from pwtourney.standings.rate import standings
from tests.ratings.games import pair, simulated

MANY = [99, 99]
"""Deals on which two bots have played, enough for the normal distribution."""


def test_the_likelihood_of_superiority_is_that_of_a_difference() -> None:
    """With and without covariance, from the normal table: Φ(1) and Φ(2)."""
    ratings = np.array([10.0, 0.0])
    apart = likelihoods(ratings, np.array([[50.0, 0.0], [0.0, 50.0]]), MANY)
    together = likelihoods(ratings, np.array([[50.0, 37.5], [37.5, 50.0]]), MANY)
    assert apart[0, 1] == pytest.approx(0.8413, abs=1e-4)
    assert together[0, 1] == pytest.approx(0.9772, abs=1e-4)
    assert apart[1, 0] == pytest.approx(1 - apart[0, 1])


def test_rank_intervals_are_narrow_where_bots_are_apart() -> None:
    """Two bots a standard error apart share ranks 2 and 3; the one far above holds the first."""
    covariance = np.diag([100.0, 100.0, 100.0])
    found = rank_intervals(np.array([500.0, 10.0, 0.0]), covariance, [99, 99, 99])
    assert [tuple(each) for each in found] == [(1, 1), (2, 3), (2, 3)]
    unknown = rank_intervals(np.array([1.0, 0.0]), np.full((2, 2), np.nan), MANY)
    assert [tuple(each) for each in unknown] == [(1, 2), (1, 2)]


def test_on_few_deals_nobody_is_as_sure() -> None:
    """A lead of 2.776 errors on five deals is 97.5 % by Student's t; on many it is 99.7 %."""
    ratings, covariance = np.array([27.76, 0.0]), np.diag([50.0, 50.0])
    few, many = (likelihoods(ratings, covariance, [99, deals])[0, 1] for deals in (5, 99))
    assert few == pytest.approx(0.975, abs=1e-4)
    assert many == pytest.approx(0.9972, abs=1e-4)
    assert likelihoods(ratings, covariance, [99, 1])[0, 1] == 0.5


def test_a_bot_on_few_deals_may_have_more_ranks() -> None:
    """It leads by 2.5 errors: on many deals it is first, on four it may be second."""
    ratings, covariance = np.array([35.0, 0.0]), np.diag([100.0, 100.0])
    few, many = (rank_intervals(ratings, covariance, [deals, 99]) for deals in (4, 99))
    assert [tuple(each) for each in many] == [(1, 1), (2, 2)]
    assert [tuple(each) for each in few] == [(1, 2), (1, 2)]
    unknown = rank_intervals(ratings, covariance, [1, 99])
    assert [tuple(each) for each in unknown] == [(1, 2), (1, 2)]


def test_bots_that_nothing_tells_apart_share_their_ranks() -> None:
    """All pairs split on the same deals: both may be first or second."""
    games = [g for k in range(40) for g in pair("a", "b", 1.0, 0.0, str(k))]
    lines = standings(None, games).pools[0].lines
    assert [(line.ranks.best, line.ranks.worst) for line in lines] == [(1, 2), (1, 2)]


def test_the_planner_counts_by_the_square_root() -> None:
    """Half the error takes four times the pairs: 100 pairs at 1.96 errors of twice the gap."""
    gap = Gap("a", "b", 10.0, 20.0 / 1.959963985)
    assert pairs_to_separate(gap, 100) == 300
    assert pairs_to_separate(gap._replace(error=1.0), 100) == 0
    assert pairs_to_separate(gap._replace(difference=0.0), 100) is None
    assert pairs_to_separate(gap._replace(error=None), 100) is None
    assert pairs_to_separate(gap._replace(difference=1e-3), 100) is None


def test_what_the_planner_says_comes_true() -> None:
    """After as many pairs as it asks for, the neighbours are apart or nearly so."""
    few = standings(None, simulated([0, 40], 100, 8)).pools[0]
    more = pairs_to_separate(few.gaps[0], few.pairs)
    assert more is not None
    assert more > 0
    total = standings(None, simulated([0, few.gaps[0].difference], 100 + more, 9)).pools[0]
    (gap,) = total.gaps
    assert gap.error is not None
    assert few.gaps[0].difference / gap.error == pytest.approx(1.96, rel=0.1)


def test_bounds_for_every_look_hold_at_every_look() -> None:
    """Equal bots, looked at after each of 3,000 deals: at most 5 % are ever told apart."""
    assert any_time_errors(0.95, 600, 3000) <= 0.05 + 2 * math.sqrt(0.05 * 0.95 / 600)
    assert any_time_factor(500, 0.975) < 3.1  # a single look is 1.96


def test_ranks_are_separated_only_where_all_of_them_are() -> None:
    """Two far apart, two equal: not; all far apart: so; fewer than thirty deals: never."""
    assert not standings(None, simulated([0, 0, 400], 300, 3)).pools[0].is_separated(0.95)
    assert standings(None, simulated([0, 200, 400], 300, 3)).pools[0].is_separated(0.95)
    assert not standings(None, simulated([0, 400], 20, 3)).pools[0].is_separated(0.95)
    unbeaten = [g for k in range(40) for g in pair("a", "b", 1.0, 1.0, str(k))]
    assert standings(None, unbeaten).pools[0].is_separated(0.95)
