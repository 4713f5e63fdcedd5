"""SPSA equals Spall's formulas, computed by hand and step by step."""

from hashlib import sha256

import numpy as np
import pytest

from pwtourney.tuning import Dimension, Outcome
from pwtourney.tuning.spsa import Spsa

PACE = Dimension("pace", "float", 5.0, 0.0, 10.0)


def test_gains_are_those_of_spall() -> None:
    """a_k = a / (A + k + 1)^α and c_k = c / (k + 1)^γ end at r_end · c_end² and c_end.

    With N = 100, A = 10, c_end = 0.1 and r_end = 0.02: c = 0.1 · 100^0.101 = 0.15922, so c_9 =
    0.15922 / 10^0.101 = 0.12618; a = 0.0002 · 110^0.602 = 0.0033880, so a_9 = 0.0033880 /
    20^0.602 = 0.00055812.
    """
    spsa = Spsa([PACE], probes=100, pairs=1, seed=1, c_end=0.1, r_end=0.02)
    assert spsa.perturbation(99) == pytest.approx([0.1])
    assert spsa.gain(99) == pytest.approx([0.0002])
    assert spsa.perturbation(9) == pytest.approx([0.12618], rel=1e-4)
    assert spsa.gain(9) == pytest.approx([0.00055812], rel=1e-4)


def test_iteration_moves_by_gain_and_result_along_the_signs() -> None:
    """With α = γ = 0 all gains are equal: a result of +2 moves by r · c · 2 = 0.04 of 10."""
    spsa = Spsa([PACE], probes=4, pairs=1, seed=1, batch=1, c_end=0.1, r_end=0.2, alpha=0, gamma=0)
    iterates = [5.0]
    for number, score in enumerate((1.0, -1.0, 0.5)):
        probe = spsa.ask()
        sign = np.sign(probe.plus["pace"] - probe.minus["pace"])
        assert probe.plus["pace"] == pytest.approx(iterates[-1] + 10 * 0.1 * sign)
        assert probe.minus["pace"] == pytest.approx(iterates[-1] - 10 * 0.1 * sign)
        spsa.tell(Outcome(number, score, 2))
        iterates.append(iterates[-1] + 10 * 0.2 * 0.1 * 2 * score * sign)
    # of iterates 0 to 3, those from number 3 // 2 = 1
    assert spsa.estimate()["pace"] == pytest.approx(np.mean(iterates[1:]))


@pytest.mark.slow
def test_path_error_is_the_standard_error_of_a_random_walk() -> None:
    """It equals the standard deviation of the estimates of 400 runs with random results.

    Results are ±1 in games on a space without slope; 12 % are over three standard errors of it.
    """
    rng = np.random.default_rng(3)
    estimates = []
    for seed in range(400):
        spsa = Spsa([PACE], probes=6, pairs=1, seed=seed, c_end=0.02, r_end=0.5)
        for number, win in enumerate(rng.integers(0, 2, 6)):
            spsa.tell(Outcome(number, 2.0 * win - 1, 1))
        estimates.append(spsa.estimate()["pace"])
    assert np.std(estimates) == pytest.approx(10 * spsa.path_error()[0], rel=0.12)


def test_path_that_has_not_left_its_start_has_a_large_spread() -> None:
    """With 50,000 probes planned, 30 hardly move: the optimum is still within the spread.

    Strength falls by 300 Elo from 0.8 to the start at 0.1; games are drawn from it.
    """
    rng = np.random.default_rng(1)
    space = [Dimension("pace", "float", 0.1, 0.0, 1.0)]
    spsa = Spsa(space, probes=50_000, pairs=1, seed=1)
    for number in range(30):
        probe = spsa.ask()
        plus, minus = (-300 * ((values["pace"] - 0.8) / 0.7) ** 2 for values in probe[1:])
        wins = rng.binomial(2, 1 / (1 + 10 ** ((minus - plus) / 400)))
        spsa.tell(Outcome(number, wins - 1.0, 2))
    assert spsa.estimate()["pace"] < 0.15
    assert spsa.spread()["pace"] > 0.2


def test_long_path_to_the_optimum_has_a_small_spread() -> None:
    """After 400 probes of 40 games each that lead to 0.6, the spread is small and contains it."""
    rng = np.random.default_rng(1)
    space = [Dimension("pace", "float", 0.2, 0.0, 1.0)]
    spsa = Spsa(space, probes=400, pairs=20, seed=1)
    for number in range(400):
        probe = spsa.ask()
        plus, minus = (-1000 * (values["pace"] - 0.6) ** 2 for values in probe[1:])
        wins = rng.binomial(40, 1 / (1 + 10 ** ((minus - plus) / 400)))
        spsa.tell(Outcome(number, wins / 20 - 1.0, 40))
    assert spsa.spread()["pace"] < 0.1
    assert abs(spsa.estimate()["pace"] - 0.6) < 3 * spsa.spread()["pace"]


def test_integers_are_perturbed_by_at_least_half_a_step() -> None:
    """Both perturbations are always different values, however small c_end is."""
    space = [Dimension("rounds", "int", 0, 0, 3)]
    spsa = Spsa(space, probes=30, pairs=1, seed=1, c_end=0.001)
    for number in range(30):
        probe = spsa.ask()
        assert probe.plus != probe.minus
        spsa.tell(Outcome(number, (-1.0) ** number, 2))


def test_perturbations_stay_within_the_ranges() -> None:
    """At the border the centre moves inwards, so both are as far apart as inside."""
    space = [Dimension("pace", "float", 10.0, 0.0, 10.0)]
    probe = Spsa(space, probes=1, pairs=1, seed=1, c_end=0.1).ask()
    assert sorted((probe.plus["pace"], probe.minus["pace"])) == pytest.approx([8.0, 10.0])


def test_signs_and_rounding_follow_from_the_seed() -> None:
    """They are drawn from SHA-256 of the seed and the probe's number, as in all stored results.

    A sign is + if the first byte is below 128. `rounds` starts at 0, so its centre is moved to
    a tenth of the range: 0 meets 0.2 · 199 = 39.8, which a draw of at least 0.2 rounds up.
    """
    space = [Dimension("pace", "float", 50, 0, 100), Dimension("rounds", "int", 0, 0, 199)]
    spsa = Spsa(space, probes=9, pairs=1, seed=7, batch=6, c_end=0.1, alpha=0, gamma=0)
    for number in range(6):
        probe = spsa.ask()
        first, second = (
            sha256(f"pwtourney/tune/7/signs/{number}/{option}".encode()).digest()[0] < 128
            for option in range(2)
        )
        assert (probe.plus["pace"], probe.minus["pace"]) == ((60, 40) if first else (40, 60))
        drawn = sha256(f"pwtourney/tune/7/round/{number}/1".encode()).digest()
        high = 40 if int.from_bytes(drawn[:8], "big") >= 0.2 * 2**64 else 39
        assert (probe.plus["rounds"], probe.minus["rounds"]) == ((high, 0) if second else (0, high))


@pytest.mark.parametrize(("width", "last"), [(1, 0.5), (4, 0.125), (50, 0.01)])
def test_last_perturbation_is_at_least_half_a_step(width: int, last: float) -> None:
    """Half a step of an integer with 4 steps is an eighth of its range; c_end is 0.01."""
    space = [Dimension("rounds", "int", 0, 0, width), PACE]
    spsa = Spsa(space, probes=30, pairs=1, seed=1, c_end=0.01)
    assert spsa.perturbation(29) == pytest.approx([last, 0.01])


@pytest.mark.parametrize(
    ("width", "c_end", "last"),
    [(1, None, 10 / 3), (3, None, 10 / 9), (4, None, 1), (1, 0.01, 10 / 3)],
)
def test_wide_perturbation_of_a_whole_number_travels_further(
    width: int, c_end: float | None, last: float
) -> None:
    """Half a step of 0 to 1 is 0.5 of the range, 0.5 / 0.15 of the default, and so is the gain."""
    space = [Dimension("rounds", "int", 0, 0, width), PACE]
    spsa = Spsa(space, probes=40, pairs=3, seed=1, c_end=c_end)
    assert spsa.gain(39) == pytest.approx([last / 240, 1 / 240])


@pytest.mark.slow
@pytest.mark.parametrize("best", [0, 1])
def test_whole_number_from_0_to_1_is_found(best: int) -> None:
    """One value is 40 Elo better, and 1,000 games start at the other, in each of 10 tunings."""
    rng = np.random.default_rng(1)
    for seed in range(10):
        space = [Dimension("mode", "int", 1 - best, 0, 1)]
        spsa = Spsa(space, probes=500, pairs=1, seed=seed)
        for number in range(500):
            ahead = 40 if spsa.ask().plus["mode"] == best else -40
            wins = rng.binomial(2, 1 / (1 + 10 ** (-ahead / 400)))
            spsa.tell(Outcome(number, wins - 1.0, 2))
        assert round(spsa.estimate()["mode"]) == best


def test_perturbation_is_at_most_half_of_the_range() -> None:
    """0.4 at the end would be 0.4 · 30^0.101 = 0.56 at the beginning."""
    spsa = Spsa([PACE], probes=30, pairs=1, seed=1, c_end=0.4)
    assert spsa.perturbation(0) == [0.5]


def test_default_gain_moves_a_perturbation_squared_if_all_games_are_won() -> None:
    """Without a setting the gain is 1 / games, and there are 2 · 3 pairs · 40."""
    spsa = Spsa([PACE, PACE], probes=40, pairs=3, seed=1)
    assert spsa.gain(39) == pytest.approx([1 / 240, 1 / 240])
    assert spsa.perturbation(39) == pytest.approx([0.15, 0.15])


@pytest.mark.parametrize("side", [1, -1])
def test_path_stays_within_the_range(side: int) -> None:
    """A step far beyond an end leads to the end, and the next one starts there.

    Both steps are ten perturbations long, each 1/10 of the range, and the second result is half
    as large: from 0.5 to the end, then half of the range back. The estimate is the mean of
    both.
    """
    spsa = Spsa([PACE], probes=9, pairs=1, seed=1, batch=1, c_end=0.1, r_end=10, alpha=0, gamma=0)
    for number, step in enumerate((1.0, -0.5)):
        probe = spsa.ask()
        sign = 1 if probe.plus["pace"] > probe.minus["pace"] else -1
        spsa.tell(Outcome(number, side * sign * step, 1))
    assert spsa.estimate()["pace"] == pytest.approx(5 + side * 2.5)


@pytest.mark.parametrize(
    ("count", "moves"), [(0, 0), (1, 1 / 4), (2, 5 / 4), (3, 14 / 9), (4, 23 / 9), (5, 46 / 16)]
)
def test_each_move_counts_in_the_error_as_often_as_in_the_mean(count: int, moves: float) -> None:
    """Squared shares of the mean are summed by hand; a move is r · c = 0.02 a game, of four games.

    After four moves the mean is of iterates 2, 3 and 4: moves 1 and 2 are in all of them, move
    3 in two and move 4 in one, 1 + 1 + 4/9 + 1/9 = 23/9.
    """
    spsa = Spsa([PACE, PACE], probes=9, pairs=1, seed=1, c_end=0.1, r_end=0.2, alpha=0, gamma=0)
    for number in range(count):
        spsa.tell(Outcome(number, 0.5, 4))
    assert spsa.path_error() == pytest.approx([0.02 * 2 * moves**0.5] * 2)


def test_estimate_is_the_mean_of_the_second_half_of_the_path() -> None:
    """After five moves of 1 each from 5, iterates 2 to 5 count: their mean is 8.5."""
    spsa = Spsa([PACE], probes=9, pairs=1, seed=1, batch=1, c_end=0.1, r_end=1, alpha=0, gamma=0)
    for number in range(5):
        probe = spsa.ask()
        sign = 1 if probe.plus["pace"] > probe.minus["pace"] else -1
        spsa.tell(Outcome(number, sign, 1))
    assert spsa.estimate()["pace"] == pytest.approx(8.5)
