"""Cycles: found by the test of fit, and shown by the Nash mixture."""

import numpy as np
import pytest

from pwtourney.ratings import Result
from pwtourney.ratings.fitness import nash_mixture
from pwtourney.standings.rate import standings
from tests.ratings.games import pair, simulated

BOTS = ["bot0", "bot1", "bot2"]


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


def test_a_cycle_of_strengths_has_a_mixture_of_three() -> None:
    """Rock, paper and scissors share it; the strongest of a ladder has it alone."""
    cycle = [
        g
        for a, b in (("r", "s"), ("s", "p"), ("p", "r"))
        for k in range(50)
        for g in pair(a, b, 1.0, float(k % 5 > 0), f"{a}{b}{k}")
    ]
    pool = standings(None, cycle).pools[0]
    found = nash_mixture(["r", "p", "s"], pool.meetings)
    assert [each.weight for each in found] == pytest.approx([1 / 3] * 3, abs=1e-6)
    assert all(each.frequency > 0.95 for each in found)
    ladder = standings(None, simulated([0, 200, 400], 100, 1)).pools[0]
    weights = {x.bot: x.weight for x in nash_mixture(BOTS, ladder.meetings)}
    assert weights == pytest.approx({"bot0": 0.0, "bot1": 0.0, "bot2": 1.0}, abs=1e-9)


def test_two_equal_bots_share_the_mixture() -> None:
    """Half each, whatever order they stand in."""
    games = [g for k in range(40) for g in pair("a", "b", 1.0, 0.0, str(k))]
    found = nash_mixture(["a", "b"], standings(None, games).pools[0].meetings)
    assert [each.weight for each in found] == pytest.approx([0.5, 0.5])
