"""Ratings and bounds equal those of statsmodels, choix, closed forms and a naive maximisation."""

import math
import random
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from pwtourney.ratings import Result
from pwtourney.ratings.bradley_terry import (
    NATURAL,
    count_results,
    fit,
    inverse_information,
    seat_term_exists,
)
from pwtourney.ratings.uncertainty import clustered_covariance
from pwtourney.standings.rate import standings
from tests.ratings.games import by_bot, elo, game, only_pool, simulated


def unbalanced(seed: int) -> list[Result]:
    """Return games in which some bots met often, some rarely, and one often had the first seat."""
    rng = random.Random(seed)
    drawn = simulated([0, 60, 120, 240, 300], 40, seed, seat=30)
    return [
        result
        for result in drawn
        if rng.random() < {"bot0": 0.3, "bot4": 0.6}.get(result.second, 0.95)
        and (result.first, result.second) != ("bot1", "bot3")
    ]


DATA = {
    "balanced": simulated([0, 40, 90, 150], 50, 1),
    "unbalanced": unbalanced(2),
    "seat-skewed": simulated([0, 100, 150], 80, 3, seat=150),
    "correlated": simulated([0, 50, 100, 200], 50, 4, together=300),
    "one deal for many pairings": [
        result._replace(deal=str(number % 37)) for number, result in enumerate(unbalanced(5))
    ],
}


def bots_of(results: Sequence[Result]) -> list[str]:
    """Return the names of all bots."""
    return sorted({name for result in results for name in (result.first, result.second)})


def by_statsmodels(results: Sequence[Result]) -> tuple[Any, Any]:
    """Fit a binomial GLM with errors clustered by deal; return centred ratings and errors in Elo.

    The last bot is the reference; the covariance is transformed to ratings relative to the
    mean.
    """
    import statsmodels.api as sm  # imported here because that takes a second

    bots = bots_of(results)
    n = len(bots)
    design = np.zeros((len(results), n + 1))
    for row, result in enumerate(results):
        design[row, bots.index(result.first)] += 1
        design[row, bots.index(result.second)] -= 1
        design[row, n] = 1
    used = np.delete(design, n - 1, axis=1)
    deals = {name: k for k, name in enumerate(sorted({result.deal for result in results}))}
    model = sm.GLM([result.points for result in results], used, family=sm.families.Binomial())
    groups = np.array([deals[result.deal] for result in results])
    done = model.fit(
        tol=1e-14,
        cov_type="cluster",
        cov_kwds={"groups": groups, "use_correction": False},
    )
    centre = np.insert(np.eye(n), n - 1, 0, axis=0)
    centre[:n] -= centre[:n].sum(axis=0) / n
    covariance = centre @ done.cov_params() @ centre.T * len(deals) / (len(deals) - 1)
    return centre @ done.params / NATURAL, np.sqrt(np.diag(covariance)) / NATURAL


@pytest.mark.slow(5)
@pytest.mark.thorough
def test_ratings_and_errors_equal_those_of_statsmodels() -> None:
    """Ratings agree to 0.001 Elo and errors to 0.1 %, also those of the seat."""
    for name, results in DATA.items():
        counts = count_results(bots_of(results), results)
        fitted = fit(counts)
        errors = np.sqrt(np.diag(clustered_covariance(counts, fitted))) / NATURAL
        elos, expected = by_statsmodels(results)
        ours = np.append(fitted.theta, fitted.gamma) / NATURAL
        assert ours == pytest.approx(elos, abs=1e-3), name
        assert errors == pytest.approx(expected, rel=1e-3), name


@pytest.mark.slow
def test_ratings_without_a_seat_equal_those_of_choix() -> None:
    """The maximum likelihood from the same list of wins agrees to 0.001 Elo."""
    import choix  # imported in one test only, because that takes a second

    for name, results in DATA.items():
        bots = bots_of(results)
        wins = [
            (bots.index(result.first), bots.index(result.second))
            if result.points == 1
            else (bots.index(result.second), bots.index(result.first))
            for result in results
        ]
        expected = choix.opt_pairwise(len(bots), wins, method="Newton-CG", tol=1e-12)
        elos = fit(count_results(bots, results), seat_term=False).theta / NATURAL
        assert elos == pytest.approx((expected - expected.mean()) / NATURAL, abs=1e-3), name


@pytest.mark.slow(5)
@pytest.mark.thorough
def test_independent_errors_equal_those_of_statsmodels() -> None:
    """The inverse information is the covariance of a GLM without clusters."""
    import statsmodels.api as sm  # imported here because that takes a second

    results = DATA["balanced"]
    bots = bots_of(results)
    n = len(bots)
    fitted = fit(count_results(bots, results))
    inverse = inverse_information(fitted)
    design = np.zeros((len(results), n))
    for row, result in enumerate(results):
        for name, sign in ((result.first, 1), (result.second, -1)):
            if name != bots[-1]:
                design[row, bots.index(name)] = sign
        design[row, n - 1] = 1
    points = [result.points for result in results]
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


def test_first_seat_is_rated_apart_from_the_bots() -> None:
    """Two equal bots, of which the first seat wins 60 %: 70.4 Elo for the seat, 0 for the bots."""
    results = [
        game(*order, float(number < 6), f"{number}")
        for number in range(10)
        for order in (("a", "b"), ("b", "a"))
    ]
    pool = only_pool(["a", "b"], results)
    assert pool.seat_elo == pytest.approx(elo(0.6), abs=1e-6)
    assert elo(0.6) == pytest.approx(70.4, abs=0.05)
    assert [line.elo for line in pool.rows] == pytest.approx([0, 0], abs=1e-9)


def naive_log_likelihood(results: list[Result], values: np.ndarray) -> float:
    """Sum the logarithms of the probabilities, game by game."""
    total = 0.0
    for result in results:
        first, second = int(result.first[3:]), int(result.second[3:])
        chance = 1 / (1 + math.exp(-(values[first] - values[second] + values[-1])))
        assert result.points is not None
        total += math.log(chance if result.points else 1 - chance)
    return total


def test_fit_is_the_maximum_of_the_likelihood() -> None:
    """No small step in any direction improves the likelihood, summed game by game."""
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


def test_information_is_the_curvature_of_the_likelihood() -> None:
    """Second differences of the naive likelihood equal the matrix."""
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


def test_known_strengths_are_estimated() -> None:
    """With 300 pairs for every two bots, all estimates are within four standard errors."""
    truth = [0.0, 60.0, 150.0, 220.0]
    pool = only_pool([f"bot{k}" for k in range(4)], simulated(truth, 300, seed=7, seat=25))
    mean = sum(truth) / 4
    for line in pool.rows:
        assert line.plus_minus is not None
        assert abs(line.elo - (truth[int(line.bot[3:])] - mean)) < 4 * line.plus_minus / 1.96
    assert pool.seat_elo == pytest.approx(25, abs=4 * pool.seat_plus_minus / 1.96)  # type: ignore[operator]


def test_bound_of_an_unbeaten_bot_can_be_computed_by_hand() -> None:
    """A wins all games on 3 deals against B: p³ = 5 % at p = 0.3684, which is −93.6 Elo."""
    results = [
        game(*order, points, str(deal))
        for deal in range(3)
        for order, points in ((("a", "b"), 1.0), (("b", "a"), 0.0))
    ]
    pool = only_pool(["a", "b"], results)
    lines = by_bot(pool)
    assert (lines["a"].bound, lines["b"].bound) == (">", "")
    assert lines["b"].elo == 0.0
    assert lines["a"].elo == pytest.approx(elo(0.05 ** (1 / 3)), abs=1e-6)
    assert elo(0.05 ** (1 / 3)) == pytest.approx(-93.6, abs=0.1)
    assert [line.bot for line in pool.rows] == ["a", "b"]
    assert [(line.ranks.best, line.ranks.worst) for line in pool.rows] == [(1, 2), (1, 2)]
    assert (pool.prior, pool.deals) == (0, 3)


def test_bot_that_always_loses_changes_no_other_rating() -> None:
    """Three ordinary bots are rated as without it, and it has a bound below them."""
    ordinary = simulated([0, 40, 90], 100, 5)
    lost = [
        game(*order, points, f"lost {bot} {k}")
        for bot in ("bot0", "bot1", "bot2")
        for k in range(20)
        for order, points in (((bot, "loser"), 1.0), (("loser", bot), 0.0))
    ]
    alone = only_pool(["bot0", "bot1", "bot2"], ordinary)
    pool = only_pool(["bot0", "bot1", "bot2", "loser"], ordinary + lost)
    for before, after in zip(alone.rows, pool.rows, strict=False):
        assert (after.bot, after.elo, after.plus_minus, after.los, after.bound) == (
            before.bot,
            before.elo,
            before.plus_minus,
            before.los,
            "",
        )
    last = pool.rows[-1]
    assert (last.bot, last.bound, last.plus_minus) == ("loser", "<", None)
    assert last.elo < pool.rows[2].elo - 100
    assert (last.ranks.best, last.ranks.worst) == (4, 4)


def test_unbeaten_bots_that_never_met_have_separate_bounds() -> None:
    """Five deals won against b: p⁵ = 5 % at p = 0.549; twenty deals: p = 0.861."""
    results = [
        game(*order, points, f"{bot} {k}")
        for bot, deals in (("few", 5), ("many", 20))
        for k in range(deals)
        for order, points in (((bot, "b"), 1.0), (("b", bot), 0.0))
    ]
    lines = by_bot(only_pool(["few", "many", "b"], results))
    assert lines["few"].elo == pytest.approx(elo(0.05 ** (1 / 5)), abs=1e-6)
    assert lines["many"].elo == pytest.approx(elo(0.05 ** (1 / 20)), abs=1e-6)
    assert lines["few"].bound == lines["many"].bound == ">"


def test_group_above_another_keeps_its_own_differences() -> None:
    """Two bots beat all others and each other: they have bounds with their own difference."""
    among = [
        game(*order, points, f"top {k}")
        for k in range(20)
        for order, points in ((("x", "y"), 1.0), (("y", "x"), float(k % 4 == 0)))
    ]
    below = simulated([0, 50, 80], 40, 3)
    between = [
        game(*order, points, f"{top} {low} {k}")
        for top in "xy"
        for low in ("bot0", "bot1", "bot2")
        for k in range(5)
        for order, points in (((top, low), 1.0), ((low, top), 0.0))
    ]
    lines = by_bot(only_pool(["x", "y", "bot0", "bot1", "bot2"], among + below + between))
    alone = by_bot(only_pool(["x", "y"], among))
    assert lines["x"].bound == lines["y"].bound == ">"
    assert lines["x"].elo - lines["y"].elo == pytest.approx(alone["x"].elo - alone["y"].elo)
    assert all(lines[bot].bound == "" for bot in ("bot0", "bot1", "bot2"))


def test_bot_beyond_a_bound_has_no_bound() -> None:
    """A beats B, and B beats two equal bots: A has no games with those, so it has only a rank."""
    results = [
        game(*order, points, f"{winner}{loser}{k}")
        for winner, loser in (("a", "b"), ("b", "c"), ("b", "d"))
        for k in range(4)
        for order, points in (((winner, loser), 1.0), ((loser, winner), 0.0))
    ]
    results += [game(*order, 1.0, f"{k}") for k in range(9) for order in (("c", "d"), ("d", "c"))]
    lines = by_bot(only_pool(["a", "b", "c", "d"], results))
    assert lines["a"].bound == ">"
    assert math.isnan(lines["a"].elo)
    assert math.isfinite(lines["b"].elo)
    assert (lines["a"].ranks.best, lines["a"].ranks.worst) == (1, 4)


def test_chain_of_perfect_scores_has_two_bounds() -> None:
    """A always beats B, and B always C: A has a lower bound, C an upper one, B a rating."""
    results = [
        game(*order, points, f"{winner}{k}")
        for winner, loser in (("a", "b"), ("b", "c"))
        for k in range(4)
        for order, points in (((winner, loser), 1.0), ((loser, winner), 0.0))
    ]
    pool = only_pool(["c", "b", "a"], results)
    assert [(line.bot, line.bound) for line in pool.rows] == [("a", ">"), ("b", ""), ("c", "<")]


@pytest.mark.parametrize("level", [0.9, 0.95, 0.99])
def test_bound_gives_a_perfect_record_the_complement_of_the_level(level: float) -> None:
    """Against one bot of rating 0, eight games on eight deals: σ(θ)⁸ = 1 − level, by hand."""
    results = [game("a", "b", 1.0, str(k)) for k in range(8)]
    results += [game(*order, 0.5, "x") for order in (("b", "c"), ("c", "b"))]
    (pool,) = standings(None, results, level=level).pools
    line = by_bot(pool)["a"]
    chance = (1 - level) ** (1 / 8)
    assert line.bound == ">"
    assert line.elo == pytest.approx(400 * math.log10(chance / (1 - chance)), abs=0.1)


@pytest.mark.parametrize("won", [True, False])
def test_bound_counts_the_seat_and_the_hardest_game_of_each_deal(won: bool) -> None:
    """With the opponent's rating and the seat's advantage, such a record has a probability of 5 %.

    Six deals are played from both sides; the harder game of each is the one in the seat that is
    worse for the record. Two more deals have one game each.
    """
    points = float(won)
    games = [*simulated([0.0, 30.0], 200, 3, seat=60.0)]
    for k in range(6):
        games += [game("x", "bot0", points, f"x{k}"), game("bot0", "x", 1 - points, f"x{k}")]
    games += [game("x", "bot0", points, "one"), game("bot0", "x", 1 - points, "two")]
    (pool,) = standings(None, games).pools
    lines = by_bot(pool)
    assert lines["x"].bound == (">" if won else "<")
    assert pool.seat_elo is not None
    lead = lines["x"].elo - lines["bot0"].elo

    def record(difference: float) -> float:
        return 1 / (1 + 10 ** (-(difference if won else -difference) / 400))

    first, second = record(lead + pool.seat_elo), record(lead - pool.seat_elo)
    assert min(first, second) ** 6 * first * second == pytest.approx(0.05, rel=1e-6)


def test_bots_that_never_met_have_separate_tables() -> None:
    """No rating, rank or interval connects the components."""
    results = [game("a", "b", 1.0, "1"), game("b", "a", 1.0, "1")]
    results += [game("c", "d", 1.0, "2"), game("d", "c", 0.0, "2")]
    table = standings(["a", "b", "c", "d", "e"], results)
    assert [sorted(line.bot for line in pool.rows) for pool in table.pools] == [
        ["a", "b"],
        ["c", "d"],
        ["e"],
    ]
    assert table.pools[2].rows[0].plus_minus is None


def test_seat_that_always_wins_has_no_finite_advantage() -> None:
    """The advantage is left out instead of being infinite."""
    results = [game(*order, 1.0, str(k)) for k in range(5) for order in (("a", "b"), ("b", "a"))]
    pool = only_pool(["a", "b"], results)
    assert pool.seat_elo is None
    assert [line.elo for line in pool.rows] == pytest.approx([0, 0])


def test_seat_advantage_needs_games_with_swapped_seats() -> None:
    """If A always has the first seat, a good A and a good seat cannot be distinguished."""
    results = [game("a", "b", float(k % 3 > 0), str(k)) for k in range(9)]
    assert not seat_term_exists(count_results(["a", "b"], results))
