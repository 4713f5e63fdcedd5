"""Ratings against statsmodels, choix, closed forms and a naive maximisation."""

import math
import random
from collections.abc import Sequence
from typing import Any

import choix
import numpy as np
import pytest
import statsmodels.api as sm

from pwtourney.ratings import Result
from pwtourney.ratings.bradley_terry import NATURAL, count_results, fit, inverse_information
from pwtourney.ratings.covariance import clustered_covariance
from tests.ratings.games import by_bot, elo, game, only_pool, simulated


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


def test_two_bots_differ_by_the_logistic_curve() -> None:
    """Three of four points with balanced seats are 190.85 Elo, by the textbook formula."""
    results = []
    for deal in range(40):
        won = 1.0 if deal % 4 else 0.0
        results += [game("a", "b", won, str(deal)), game("b", "a", 1 - won, str(deal))]
    lines = by_bot(only_pool(["a", "b"], results))
    assert lines["a"].elo - lines["b"].elo == pytest.approx(elo(0.75), abs=1e-6)
    assert elo(0.75) == pytest.approx(190.85, abs=0.005)
    assert lines["a"].elo == pytest.approx(-lines["b"].elo)


def test_the_first_seat_is_rated_apart_from_the_bots() -> None:
    """Two equal bots, the first seat winning 60 %: 70.4 Elo for the seat, nothing for a bot."""
    results = [
        game(*order, float(number < 6), f"{number}")
        for number in range(10)
        for order in (("a", "b"), ("b", "a"))
    ]
    pool = only_pool(["a", "b"], results)
    assert pool.seat_elo == pytest.approx(elo(0.6), abs=1e-6)
    assert elo(0.6) == pytest.approx(70.4, abs=0.05)
    assert [line.elo for line in pool.lines] == pytest.approx([0, 0], abs=1e-9)


def naive_log_likelihood(results: list[Result], values: np.ndarray) -> float:
    """Add up the logarithms of the chances, game by game."""
    total = 0.0
    for result in results:
        first, second = int(result.first[3:]), int(result.second[3:])
        chance = 1 / (1 + math.exp(-(values[first] - values[second] + values[-1])))
        assert result.points is not None
        total += math.log(chance if result.points else 1 - chance)
    return total


def test_the_fit_is_the_maximum_of_the_likelihood() -> None:
    """No small step in any direction improves a likelihood that is written out game by game."""
    results = simulated([0, 100, 250], 12, seed=3, seat=40)
    bots = ["bot0", "bot1", "bot2"]
    fitted = fit(count_results(bots, results))
    best = np.append(fitted.theta, fitted.gamma)
    top = naive_log_likelihood(results, best)
    stream = np.random.default_rng(1)
    for _ in range(200):
        step = stream.normal(size=4)
        step[:3] -= step[:3].mean()
        assert naive_log_likelihood(results, best + 0.01 * step) < top


def test_the_information_is_the_curvature_of_the_likelihood() -> None:
    """Second differences of the naive likelihood agree with the matrix."""
    results = simulated([0, 100, 250], 6, seed=5, seat=40)
    fitted = fit(count_results(["bot0", "bot1", "bot2"], results))
    best, h = np.append(fitted.theta, fitted.gamma), 1e-3
    for i in range(4):
        for j in range(4):
            total = 0.0
            for a, b in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
                moved = best.copy()
                moved[i] += a * h
                moved[j] += b * h
                total += a * b * naive_log_likelihood(results, moved)
            assert -total / (4 * h * h) == pytest.approx(fitted.information[i, j], abs=1e-3)


def test_known_strengths_are_found_again() -> None:
    """With 300 pairs a pairing every estimate lies within four standard errors of the truth."""
    truth = [0.0, 60.0, 150.0, 220.0]
    pool = only_pool([f"bot{k}" for k in range(4)], simulated(truth, 300, seed=7, seat=25))
    mean = sum(truth) / 4
    for line in pool.lines:
        assert line.plus_minus is not None
        assert abs(line.elo - (truth[int(line.bot[3:])] - mean)) < 4 * line.plus_minus / 1.96
    assert pool.seat_elo == pytest.approx(25, abs=4 * pool.seat_plus_minus / 1.96)  # type: ignore[operator]
