"""The order of bots: likelihoods, ranks, gaps, and bounds that hold after every look."""

import math
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from benchmarks.stopping import any_time_errors, kept_promises
from pwtourney.ratings import Result
from pwtourney.ratings.bradley_terry import count_results, fit, seat_term_exists
from pwtourney.ratings.order import (
    Gap,
    any_time_factor,
    believable_difference,
    choose_pairs,
    joint_width,
    likelihoods,
    pairs_to_separate,
    rank_intervals,
)
from pwtourney.ratings.uncertainty import clustered_covariance, interval_factor
from pwtourney.standings.rate import standings
from tests.ratings.games import pair, simulated

MANY = [99, 99]
"""The numbers of deals of two bots, enough for the normal distribution."""


def test_likelihood_of_superiority_follows_from_the_difference() -> None:
    """With and without covariance: Φ(1) and Φ(2) of the normal table."""
    ratings = np.array([10.0, 0.0])
    apart = likelihoods(ratings, np.array([[50.0, 0.0], [0.0, 50.0]]), MANY)
    together = likelihoods(ratings, np.array([[50.0, 37.5], [37.5, 50.0]]), MANY)
    assert apart[0, 1] == pytest.approx(0.8413, abs=1e-4)
    assert together[0, 1] == pytest.approx(0.9772, abs=1e-4)
    assert apart[1, 0] == pytest.approx(1 - apart[0, 1])


def test_rank_intervals_are_narrow_for_separated_bots() -> None:
    """Two bots within a standard error share ranks 2 and 3; the one far above has rank 1."""
    covariance = np.diag([100.0, 100.0, 100.0])
    intervals = rank_intervals(np.array([500.0, 10.0, 0.0]), covariance, [99, 99, 99], 99)
    assert [tuple(interval) for interval in intervals] == [(1, 1), (2, 3), (2, 3)]
    unknown = rank_intervals(np.array([1.0, 0.0]), np.full((2, 2), np.nan), MANY, 99)
    assert [tuple(interval) for interval in unknown] == [(1, 2), (1, 2)]


def test_intervals_of_independent_ratings_hold_together_as_sidak_says() -> None:
    """Of n independent errors, the largest stays within the normal quantile of (1 + 0.95^(1/n))/2.

    An anchor has no error; without known errors, nothing is known of them together.
    """
    for number in (1, 8, 30):
        covariance = np.diag([*[100.0] * number, 0.0])
        sidak = NormalDist().inv_cdf((1 + 0.95 ** (1 / number)) / 2) / NormalDist().inv_cdf(0.975)
        assert joint_width(covariance, 10**6) == pytest.approx(sidak, rel=0.03)
    # 3.22/2.576 by the tables of Šidák
    assert joint_width(np.diag([9.0] * 8), 10**6, 0.99) == pytest.approx(1.25, rel=0.03)
    assert joint_width(np.full((3, 3), np.nan), 99) is None
    assert joint_width(np.zeros((2, 2)), 99) is None


def test_intervals_hold_together_on_few_shared_deals() -> None:
    """Eight equal bots on six shared deals: all hold in 95 of 100 tables or more, by simulation.

    With errors from a normal distribution, whose bounds Student's t widens, 85 did.
    """
    stream, held = np.random.default_rng(3), 0
    for _ in range(200):
        # by deal, the errors of eight ratings; as estimated from the six, they are normal
        scores = stream.standard_normal((6, 8))
        scores -= scores.mean(axis=1, keepdims=True)
        covariance = np.cov(scores, rowvar=False) / 6
        width = joint_width(covariance, 6)
        assert width is not None
        errors = np.sqrt(np.diag(covariance))
        reach = width * interval_factor(6, 0.95) * errors
        held += bool((np.abs(scores.mean(axis=0)) <= reach).all())
    assert held >= 188  # two standard errors below 97.5 %
    assert joint_width(np.eye(2), 1) is None


def test_few_deals_give_less_certainty() -> None:
    """A lead of 2.776 errors on five deals is 97.5 % by Student's t; on many deals it is 99.7 %."""
    ratings, covariance = np.array([27.76, 0.0]), np.diag([50.0, 50.0])
    few, many = (likelihoods(ratings, covariance, [99, deals])[0, 1] for deals in (5, 99))
    assert few == pytest.approx(0.975, abs=1e-4)
    assert many == pytest.approx(0.9972, abs=1e-4)
    assert likelihoods(ratings, covariance, [99, 1])[0, 1] == 0.5


def test_bot_on_few_deals_may_have_more_ranks() -> None:
    """It leads by 2.5 errors: on many deals it is first, on four it may be second."""
    ratings, covariance = np.array([35.0, 0.0]), np.diag([100.0, 100.0])
    few, many = (rank_intervals(ratings, covariance, [deals, 99], 99) for deals in (4, 99))
    assert [tuple(interval) for interval in many] == [(1, 1), (2, 2)]
    assert [tuple(interval) for interval in few] == [(1, 2), (1, 2)]
    unknown = rank_intervals(ratings, covariance, [1, 99], 99)
    assert [tuple(interval) for interval in unknown] == [(1, 2), (1, 2)]


def test_rank_intervals_are_wider_at_a_higher_level() -> None:
    """A lead of 2.25 errors is between 1.96 and 2.576, the normal quantiles of the tables."""
    ratings, covariance = np.array([22.5, 0.0]), np.diag([50.0, 50.0])
    for level, ranks in ((0.95, [(1, 1), (2, 2)]), (0.99, [(1, 2), (1, 2)])):
        assert [
            tuple(interval) for interval in rank_intervals(ratings, covariance, MANY, 99, level)
        ] == ranks


def test_pairs_to_separate_two_bots_depend_on_the_level() -> None:
    """A higher level needs more pairs; a difference certain at 90 % need not be at 99.9 %."""
    games = simulated([0, 60], 110, 3)
    pools = [standings(None, games, level=level).pools[0] for level in (0.9, 0.95, 0.999)]
    effort = [pool.more_pairs(pool.gaps[0]) for pool in pools]
    more = [needed.of_all for needed in effort if needed]
    assert len(more) == 3
    assert more == sorted(more)
    assert more[0] == 0 < more[2]
    assert [pool.tells(pool.gaps[0]) for pool in pools] == [pairs == 0 for pairs in more]


def brute_force(bots: list[str], played: list[Result], pairs: int) -> list[tuple[str, str]]:
    """Choose pairs one by one, inverting the whole information matrix for every candidate.

    A pair of i and j adds 2 p(1 − p) to the information about their difference.
    """
    counts = count_results(bots, played)
    fitted = fit(counts, seat_term=seat_term_exists(counts), prior=1.0)
    n = len(bots)
    known: NDArray[Any] = clustered_covariance(counts, fitted)[:n, :n]
    theta = fitted.theta
    best = int(theta.argmax())
    others = [k for k in range(n) if k != best]

    def variance(covariance: NDArray[Any], i: int, j: int) -> float:
        return float(covariance[i, i] + covariance[j, j] - 2 * covariance[i, j])

    weights = [
        math.exp(-((theta[best] - theta[k]) ** 2) / variance(known, best, k) / 2) for k in others
    ]
    chosen = []
    for _ in range(pairs):
        left: dict[tuple[int, int], float] = {}
        for i in range(n):
            for j in range(i + 1, n):
                p = 1 / (1 + math.exp(theta[j] - theta[i]))
                between = np.zeros(n)
                between[i], between[j] = 1, -1
                more = np.linalg.pinv(known) + 2 * p * (1 - p) * np.outer(between, between)
                then = np.linalg.pinv(more)
                terms = zip(weights, others, strict=True)
                left[i, j] = sum(w * variance(then, best, k) for w, k in terms)
        i, j = min(left, key=lambda pair: left[pair])
        p = 1 / (1 + math.exp(theta[j] - theta[i]))
        between = np.zeros(n)
        between[i], between[j] = 1, -1
        known = np.linalg.pinv(np.linalg.pinv(known) + 2 * p * (1 - p) * np.outer(between, between))
        chosen.append((bots[i], bots[j]))
    return chosen


@pytest.mark.parametrize("seed", range(4))
def test_most_informative_pairs_equal_brute_force(seed: int) -> None:
    """Five bots, two of them close at the top; every pair is tried with full inversions."""
    games = simulated([0, 40, 90, 200, 220], 12, seed, seat=20.0)
    bots = [f"bot{k}" for k in range(5)]
    assert choose_pairs(bots, games, 8) == brute_force(bots, games, 8)


def test_pairs_are_chosen_without_any_games() -> None:
    """All pairs are equally good; each chosen pair becomes less informative."""
    chosen = choose_pairs(["a", "b", "c"], [], 3)
    assert len(chosen) == 3
    assert chosen[0] != chosen[1]


def test_bots_without_a_difference_share_their_ranks() -> None:
    """All pairs are split on the same deals: both bots may be first or second."""
    games = [g for k in range(40) for g in pair("a", "b", 1.0, 0.0, str(k))]
    lines = standings(None, games).pools[0].rows
    assert [(line.ranks.best, line.ranks.worst) for line in lines] == [(1, 2), (1, 2)]


def bound(deals: int, alpha: float = 0.025) -> float:
    """Return the any-time bound by the formula of its paper, tightest at 500 deals."""
    lost = -2 * math.log(2 * alpha)
    grown = deals * (lost + math.log(lost + 1)) / 500
    width = 2 * (grown + 1) / grown * math.log(1 + math.sqrt(grown + 1) / (2 * alpha))
    return math.sqrt(width)


def test_planned_pairs_follow_the_square_root_law() -> None:
    """Pairs are added until the believed 2½ errors have grown to the bound; also at 99 %."""
    gap = Gap("a", "b", 10.0, 4.0)
    believed = 2.5 - NormalDist().inv_cdf(0.6)  # the other tail is negligible
    for level in (0.975, 0.99):
        more = pairs_to_separate(gap, 200, 100, level, 1 / 16 / 200)
        assert more is not None
        # two of the 200 pairs share a deal, and the same holds for future pairs
        before, after = (
            bound(round(100 + pairs / 2), 1 - level) for pairs in (more.of_all - 1, more.of_all)
        )
        assert believed * math.sqrt(1 + (more.of_all - 1) / 200) <= before
        assert believed * math.sqrt(1 + more.of_all / 200) > after
        assert more.elo == pytest.approx(4 * believed, rel=1e-4)
        assert not more.close


def test_pairs_of_two_bots_count_by_their_information() -> None:
    """If a pair of the two has ten times the information of one of all, a tenth suffices."""
    gap = Gap("a", "b", 10.0, 4.0)
    same = pairs_to_separate(gap, 5000, 5000, 0.975, 1 / 16 / 5000)
    more = pairs_to_separate(gap, 5000, 5000, 0.975, 1 / 16 / 500)
    assert same is not None
    assert more is not None
    assert same.of_two == same.of_all == more.of_all
    # the bound grows slightly with the number of deals, which is smaller for the two
    assert more.of_two == pytest.approx(more.of_all / 10, rel=0.12)
    assert more.of_two < more.of_all / 10
    # less informative pairs than those of all are not suggested
    less = pairs_to_separate(gap, 5000, 5000, 0.975, 1 / 16 / 50_000)
    assert less == same


def test_more_than_ten_million_pairs_are_not_reported() -> None:
    """Nor is anything for a difference without an error or of the wrong sign."""
    gap = Gap("a", "b", 10.0, 4.0)
    assert pairs_to_separate(gap._replace(error=None), 100, 100, 0.975, 1.0) is None
    assert pairs_to_separate(gap._replace(difference=-1.0), 100, 100, 0.975, 1.0) is None
    assert pairs_to_separate(gap._replace(difference=0.0), 10**6, 100, 0.975, 1.0) is None


def test_no_difference_is_certain_before_thirty_deals() -> None:
    """Even for bots that are very far apart, as many pairs as are missing to 30 are reported."""
    gap = Gap("a", "b", 1000.0, 4.0)
    more = pairs_to_separate(gap, 10, 10, 0.975, 1 / 16 / 10)
    assert more is not None
    assert (more.of_two, more.of_all) == (20, 20)


@pytest.mark.parametrize("truth", [0.5, 1.0, 1.5, 3.0, 20.0])
def test_believed_difference_is_exceeded_in_40_of_100_runs(truth: float) -> None:
    """The 60 % quantile of observed absolute differences, from a million draws."""
    seen = np.abs(np.random.default_rng(7).standard_normal(1_000_000) + truth)
    assert believable_difference(float(np.quantile(seen, 0.6))) == pytest.approx(truth, abs=0.02)


def test_possibly_zero_difference_counts_as_a_third_of_an_error() -> None:
    """This holds up to the 60 % quantile of a true difference of a third; such bots are close."""
    few = np.abs(np.random.default_rng(7).standard_normal(1_000_000) + 1 / 3)
    limit = float(np.quantile(few, 0.6))
    assert believable_difference(0.0) == believable_difference(limit - 0.02) == 1 / 3
    assert believable_difference(limit + 0.02) > 1 / 3
    efforts = [
        pairs_to_separate(Gap("a", "b", 40 * limit + by, 40.0), 100, 100, 0.975, 1 / 160_000)
        for by in (-1, 1)
    ]
    assert [more and more.close for more in efforts] == [True, False]
    elos = [more.elo for more in efforts if more]
    assert elos[0] == pytest.approx(40 / 3)
    assert 40 / 3 < elos[1] < 40 * limit


@pytest.mark.parametrize("elo", [10, 20, 40, 80])
@pytest.mark.slow
def test_half_of_all_planned_pairs_suffice(elo: int) -> None:
    """Plans made after a hundred pairs of two bots: at least half separate them in time."""
    kept = kept_promises(elo, 400).kept
    assert kept >= 0.5


@pytest.mark.slow
def test_any_time_bounds_hold_at_every_look() -> None:
    """Equal bots, checked after each of 3,000 deals: at most 5 % are ever separated."""
    assert any_time_errors(0.95, 600, 3000) <= 0.05 + 2 * math.sqrt(0.05 * 0.95 / 600)
    assert any_time_factor(500, 0.975) < 3.1  # for a single look it is 1.96


@pytest.mark.slow
def test_order_is_separated_only_if_all_gaps_are() -> None:
    """With two equal bots it is not; with all far apart it is; with under 30 deals it never is."""
    assert not standings(None, simulated([0, 0, 400], 300, 3)).pools[0].is_separated(0.95)
    assert standings(None, simulated([0, 200, 400], 300, 3)).pools[0].is_separated(0.95)
    assert not standings(None, simulated([0, 400], 20, 3)).pools[0].is_separated(0.95)
    unbeaten = [g for k in range(40) for g in pair("a", "b", 1.0, 1.0, str(k))]
    assert standings(None, unbeaten).pools[0].is_separated(0.95)
