"""Cycles are found by the test of fit and shown by the Nash mixture."""

import sys
from itertools import product

import numpy as np
import pytest

from pwtourney.errors import UsageError
from pwtourney.ratings import Result
from pwtourney.ratings.laws import find_laws
from pwtourney.ratings.order import nash_mixture
from pwtourney.standings.rate import standings
from tests.ratings.games import only_pool, pair, simulated

BOTS = ["bot0", "bot1", "bot2"]


def test_cycle_breaks_the_fit_and_is_named() -> None:
    """Paper beats stone beats scissors: one rating for each bot explains none of it."""
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


@pytest.mark.thorough
def test_simulated_games_fit_the_model() -> None:
    """Of 100 simulated tables, about five have p below 5 %, as expected."""
    ps = []
    for seed in range(100):
        results = simulated([0, 30, 60, 90], 20, 1000 + seed, together=150)
        fitness = standings([f"bot{k}" for k in range(4)], results).pools[0].fitness
        assert fitness is not None
        ps.append(fitness.p)
    assert 1 <= sum(p < 0.05 for p in ps) <= 10
    assert 0.4 < float(np.mean(ps)) < 0.6


@pytest.mark.slow
def test_single_upset_between_distant_bots_is_no_surprise() -> None:
    """Of 12 ladders of 13 bots over 1,900 Elo hardly one is rejected; a normal z rejected six."""
    ladder = np.linspace(-950, 950, 13).tolist()
    fits = [
        pool.fitness
        for seed in range(12)
        for pool in standings(None, simulated(ladder, 8, seed)).pools
        if pool.fitness is not None
    ]
    assert len(fits) >= 9
    assert sum(fitness.p < 0.05 for fitness in fits) <= 2
    assert sum(bool(fitness.deviations) for fitness in fits) <= 2


def test_few_deals_give_no_test_of_fit() -> None:
    """Three bots with ten pairs each leave 27 degrees of freedom; with eleven 30, which suffice."""
    ten, eleven = (only_pool(BOTS, simulated([0, 0, 0], pairs, 1)).fitness for pairs in (10, 11))
    assert ten is None
    assert eleven is not None


@pytest.mark.slow
def test_fair_tables_on_few_deals_are_rarely_rejected() -> None:
    """Of 60 tables of three equal bots, 3 are expected, and 7 are within chance."""
    chances = [
        fitness.p
        for seed in range(60)
        if (fitness := only_pool(BOTS, simulated([0, 0, 0], 11, seed)).fitness)
    ]
    assert len(chances) == 60
    assert sum(p < 0.05 for p in chances) <= 7


def test_one_lost_game_of_a_favourite_is_not_a_deviation() -> None:
    """A has 19 to 6 against b, and b against c: that a lost its only game to c is likely enough."""
    games = []
    for stronger, weaker in (("a", "b"), ("b", "c")):
        for k in range(25):
            won = k < 19
            if k % 2:
                games.append(Result(stronger, weaker, float(won), f"{stronger}{k}"))
            else:
                games.append(Result(weaker, stronger, float(not won), f"{stronger}{k}"))
    fitness = standings(None, [*games, Result("a", "c", 0.0, "x")]).pools[0].fitness
    assert fitness is not None
    assert fitness.p > 0.05
    assert not fitness.deviations


@pytest.mark.thorough
@pytest.mark.slow
def test_overall_test_agrees_with_named_pairings() -> None:
    """A table with a deviating pairing has signs of intransitivity itself."""
    seen = 0
    for seed in range(40):
        games = [
            *simulated([0, 0, 0], 15, seed),
            *(g for k in range(15) for g in pair("bot0", "bot2", 1.0, float(k % 3 > 0), f"x{k}")),
        ]
        fitness = standings(BOTS, games).pools[0].fitness
        assert fitness is not None
        assert all(fitness.p <= deviation.p < 0.05 for deviation in fitness.deviations)
        seen += bool(fitness.deviations)
    assert seen


def test_very_large_tables_use_a_bound_by_the_number_of_pairings(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Without simulated tournaments a cycle is still found, and a fair table gives no result."""
    monkeypatch.setattr("pwtourney.ratings.fitness._TABLES", {})
    cycle = [
        g
        for a, b in (("a", "b"), ("b", "c"), ("c", "a"))
        for k in range(30)
        for g in pair(a, b, 1.0, float(k % 4 > 0), f"{a}{b}{k}")
    ]
    fitness = standings(None, cycle).pools[0].fitness
    assert fitness is not None
    assert fitness.p < 1e-6
    assert len(fitness.deviations) == 3
    assert standings(BOTS, simulated([0, 50, 100], 30, 3)).pools[0].fitness is None


@pytest.mark.parametrize("dependence", [0.0, 0.6, -0.6])
def test_computed_chances_equal_a_full_enumeration(dependence: float) -> None:
    """All outcomes of two mirrored pairs and a single game are enumerated."""
    p, q, share = 0.7, 0.4, abs(dependence)
    both = min(p, q) if dependence > 0 else max(p + q - 1, 0)
    one_pair = {
        (1, 1): share * both + (1 - share) * p * q,
        (1, 0): share * (p - both) + (1 - share) * p * (1 - q),
        (0, 1): share * (q - both) + (1 - share) * (1 - p) * q,
        (0, 0): share * (1 - p - q + both) + (1 - share) * (1 - p) * (1 - q),
    }
    likely = np.zeros(6)
    for first, second, last in product(one_pair, one_pair, (0, 1)):
        chance = one_pair[first] * one_pair[second] * (p if last else 1 - p)
        likely[sum(first) + sum(second) + last] += chance
    deals = np.array([[0, 1, 0, 1], [0, 1, 1, 2]])
    laws = find_laws(deals, np.array([5]), np.array([[p, q]]), dependence)
    for points in range(6):
        above, below = likely[points:].sum(), likely[: points + 1].sum()
        expected = min(1.0, 2 * min(above, below))
        assert float(laws.find_chances(np.array([float(points)]))[0]) == pytest.approx(expected)


@pytest.mark.slow
def test_cycle_has_a_nash_mixture_of_three() -> None:
    """Rock, paper and scissors share it; in a ladder the strongest has all of it."""
    cycle = [
        g
        for a, b in (("r", "s"), ("s", "p"), ("p", "r"))
        for k in range(50)
        for g in pair(a, b, 1.0, float(k % 5 > 0), f"{a}{b}{k}")
    ]
    pool = standings(None, cycle).pools[0]
    mixture = nash_mixture(["r", "p", "s"], pool.meetings)
    assert [member.weight for member in mixture] == pytest.approx([1 / 3] * 3, abs=1e-6)
    assert all(member.frequency > 0.95 for member in mixture)
    ladder = standings(None, simulated([0, 200, 400], 100, 1)).pools[0]
    weights = {x.bot: x.weight for x in nash_mixture(BOTS, ladder.meetings)}
    assert weights == pytest.approx({"bot0": 0.0, "bot1": 0.0, "bot2": 1.0}, abs=1e-9)


@pytest.mark.thorough
@pytest.mark.slow
def test_frequency_in_the_mixture_is_a_share_of_the_draws() -> None:
    """A is a little ahead of b, and both are far ahead of c: b is in some draws, c in none."""
    games = [g for k in range(40) for g in pair("a", "b", 1.0, float(k % 8 == 0), str(k))]
    games += [g for k in range(40) for g in pair("b", "c", 1.0, 1.0, f"c{k}")]
    games += [g for k in range(40) for g in pair("a", "c", 1.0, 1.0, f"d{k}")]
    meetings = standings(None, games).pools[0].meetings
    mixture = {member.bot: member for member in nash_mixture(["a", "b", "c"], meetings)}
    assert mixture["a"].weight == pytest.approx(1.0)
    assert 0.9 < mixture["a"].frequency <= 1.0
    assert 0.0 <= mixture["b"].frequency < 0.2
    assert mixture["c"].frequency == 0.0
    assert nash_mixture(["a", "b", "c"], meetings) == nash_mixture(["a", "b", "c"], meetings)


def test_missing_scipy_is_an_error_of_the_nash_mixture(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error names the library and the extra that installs it."""
    monkeypatch.setitem(sys.modules, "scipy.optimize", None)
    with pytest.raises(UsageError) as caught:
        nash_mixture(["a", "b"], ())
    assert str(caught.value) == (
        "the Nash mixture needs scipy; install pwtourney with the extra [analysis]"
    )


@pytest.mark.slow
def test_two_equal_bots_share_the_mixture() -> None:
    """Each has half of it, in any order."""
    games = [g for k in range(40) for g in pair("a", "b", 1.0, 0.0, str(k))]
    mixture = nash_mixture(["a", "b"], standings(None, games).pools[0].meetings)
    assert [member.weight for member in mixture] == pytest.approx([0.5, 0.5])
