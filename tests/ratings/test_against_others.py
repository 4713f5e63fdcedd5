"""Ratings and intervals against programs that share nothing with ours: statsmodels and choix."""

import math
import random
from collections.abc import Sequence
from typing import Any

import choix
import numpy as np
import pytest
import statsmodels.api as sm
from scipy.stats import chi2

from pwtourney.ratings import Result
from pwtourney.ratings.bradley_terry import NATURAL, count_results, fit, inverse_information
from pwtourney.ratings.covariance import clustered_covariance
from pwtourney.ratings.order import likelihoods, rank_intervals
from pwtourney.ratings.significance import chi_square_tail, holm
from pwtourney.standings import standings
from tests.ratings.games import simulated


def unbalanced(seed: int) -> list[Result]:
    """Return games in which some bots met often, some seldom, and one often had the first seat."""
    rng = random.Random(seed)
    drawn = simulated([0, 60, 120, 240, 300], 40, seed, seat=30)
    return [
        each
        for each in drawn
        if rng.random() < {"bot0": 0.3, "bot4": 0.6}.get(each.second, 0.95)
        and (each.first, each.second) != ("bot1", "bot3")
    ]


DATA = {
    "balanced": simulated([0, 40, 90, 150], 50, 1),
    "unbalanced": unbalanced(2),
    "seat-skewed": simulated([0, 100, 150], 80, 3, seat=150),
    "correlated": simulated([0, 50, 100, 200], 50, 4, together=300),
    "one deal for many pairings": [
        each._replace(deal=str(number % 37)) for number, each in enumerate(unbalanced(5))
    ],
}


def bots_of(results: Sequence[Result]) -> list[str]:
    """Return the names of all bots."""
    return sorted({name for each in results for name in (each.first, each.second)})


def by_statsmodels(results: Sequence[Result]) -> tuple[Any, Any]:
    """Fit a binomial GLM, errors clustered by deal; ratings centred, in Elo.

    The last bot is the reference; the covariance is brought to ratings relative to the mean.
    """
    bots = bots_of(results)
    n = len(bots)
    design = np.zeros((len(results), n + 1))
    for row, each in enumerate(results):
        design[row, bots.index(each.first)] += 1
        design[row, bots.index(each.second)] -= 1
        design[row, n] = 1
    used = np.delete(design, n - 1, axis=1)
    deals = {name: k for k, name in enumerate(sorted({each.deal for each in results}))}
    model = sm.GLM([each.points for each in results], used, family=sm.families.Binomial())
    groups = np.array([deals[each.deal] for each in results])
    done = model.fit(
        tol=1e-14,
        cov_type="cluster",
        cov_kwds={"groups": groups, "use_correction": False},
    )
    centre = np.insert(np.eye(n), n - 1, 0, axis=0)
    centre[:n] -= centre[:n].sum(axis=0) / n
    covariance = centre @ done.cov_params() @ centre.T * len(deals) / (len(deals) - 1)
    return centre @ done.params / NATURAL, np.sqrt(np.diag(covariance)) / NATURAL


@pytest.mark.parametrize("name", DATA)
def test_ratings_and_errors_are_those_of_statsmodels(name: str) -> None:
    """To a thousandth of an Elo, errors to a thousandth of themselves, the seat among them."""
    results = DATA[name]
    counts = count_results(bots_of(results), results)
    fitted = fit(counts)
    errors = np.sqrt(np.diag(clustered_covariance(counts, fitted))) / NATURAL
    elos, expected = by_statsmodels(results)
    assert np.append(fitted.theta, fitted.gamma) / NATURAL == pytest.approx(elos, abs=1e-3)
    assert errors == pytest.approx(expected, rel=1e-3)


@pytest.mark.parametrize("name", DATA)
def test_ratings_without_a_seat_are_those_of_choix(name: str) -> None:
    """Its maximum likelihood from the same list of wins, to a thousandth of an Elo."""
    results = DATA[name]
    bots = bots_of(results)
    wins = [
        (bots.index(each.first), bots.index(each.second))
        if each.points == 1
        else (bots.index(each.second), bots.index(each.first))
        for each in results
    ]
    expected = choix.opt_pairwise(len(bots), wins, method="Newton-CG", tol=1e-12)
    fitted = fit(count_results(bots, results), seat_term=False)
    assert fitted.theta / NATURAL == pytest.approx((expected - expected.mean()) / NATURAL, abs=1e-3)


def test_independent_errors_are_those_of_statsmodels() -> None:
    """The inverse information is the covariance that a GLM gives without clusters."""
    results = DATA["balanced"]
    bots = bots_of(results)
    n = len(bots)
    fitted = fit(count_results(bots, results))
    inverse = inverse_information(fitted)
    design = np.zeros((len(results), n))
    for row, each in enumerate(results):
        for name, sign in ((each.first, 1), (each.second, -1)):
            if name != bots[-1]:
                design[row, bots.index(name)] = sign
        design[row, n - 1] = 1
    points = [each.points for each in results]
    done = sm.GLM(points, design, family=sm.families.Binomial()).fit(tol=1e-14)
    for k in range(n - 1):
        ours = inverse[k, k] + inverse[n - 1, n - 1] - 2 * inverse[k, n - 1]
        assert math.sqrt(ours) == pytest.approx(done.bse[k], rel=1e-3)


def test_the_likelihood_of_superiority_is_that_of_a_difference() -> None:
    """With and without covariance, from the normal table: Φ(1) and Φ(2)."""
    ratings = np.array([10.0, 0.0])
    apart = likelihoods(ratings, np.array([[50.0, 0.0], [0.0, 50.0]]))
    together = likelihoods(ratings, np.array([[50.0, 37.5], [37.5, 50.0]]))
    assert apart[0, 1] == pytest.approx(0.8413, abs=1e-4)
    assert together[0, 1] == pytest.approx(0.9772, abs=1e-4)
    assert apart[1, 0] == pytest.approx(1 - apart[0, 1])


def test_rank_intervals_are_narrow_where_bots_are_apart() -> None:
    """Two bots a standard error apart share ranks 2 and 3; the one far above holds the first."""
    covariance = np.diag([100.0, 100.0, 100.0])
    found = rank_intervals(np.array([500.0, 10.0, 0.0]), covariance)
    assert [tuple(each) for each in found] == [(1, 1), (2, 3), (2, 3)]
    unknown = rank_intervals(np.array([1.0, 0.0]), np.full((2, 2), np.nan))
    assert [tuple(each) for each in unknown] == [(1, 2), (1, 2)]


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


def test_a_cycle_breaks_the_fit_and_is_named() -> None:
    """Paper beats stone beats scissors: one number a bot explains none of it."""
    results = [
        Result(*(pair if k % 2 else pair[::-1]), float((k % 10 != 0) == bool(k % 2)), f"{pair}{k}")
        for pair in (("a", "b"), ("b", "c"), ("c", "a"))
        for k in range(60)
    ]
    pool = standings(["a", "b", "c"], results).pools[0]
    assert pool.fitness is not None
    assert pool.fitness.freedom == 1
    assert pool.fitness.p < 1e-6
    assert len(pool.fitness.deviations) == 3
    worst = pool.fitness.deviations[0]
    assert abs(worst.z) > 4
    assert worst.points != pytest.approx(worst.expected, abs=5)


def test_games_from_the_model_are_explained_by_it() -> None:
    """Of 100 simulated tables about five are below p = 5 %, as they should be."""
    ps = []
    for seed in range(100):
        results = simulated([0, 30, 60, 90], 20, 1000 + seed, together=150)
        fitness = standings([f"bot{k}" for k in range(4)], results).pools[0].fitness
        assert fitness is not None
        ps.append(fitness.p)
    assert 0 <= sum(p < 0.05 for p in ps) <= 12
    assert 0.4 < float(np.mean(ps)) < 0.6


def test_the_design_effect_tells_what_pairs_are_worth() -> None:
    """Games of a pair that go the same way make ratings less sure than independent ones."""
    bots = [f"bot{k}" for k in range(3)]
    apart = standings(bots, simulated([0, 50, 100], 200, 3)).pools[0].design_effect
    alike = standings(bots, simulated([0, 50, 100], 200, 3, together=500)).pools[0].design_effect
    assert apart == pytest.approx(1.0, abs=0.2)
    assert alike is not None
    assert alike > 1.3
