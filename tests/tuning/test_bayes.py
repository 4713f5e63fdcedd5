"""The Bayesian search equals its formula, evaluated candidate by candidate."""

import math
from hashlib import sha256

import numpy as np
import pytest

from pwtourney.ratings.bradley_terry import Floats
from pwtourney.tuning import Dimension, Outcome
from pwtourney.tuning.bayes import Bayes

SPACE = (Dimension("pace", "float", 1.0, 0.0, 4.0), Dimension("rounds", "int", 1, 0, 4))


def _draw(seed: int, label: str, number: int, index: int) -> float:
    """Return the number from 0 to 1 that a seed and labels give, as in all stored results."""
    digest = sha256(f"pwtourney/tune/{seed}/{label}/{number}/{index}".encode()).digest()
    return int.from_bytes(digest[:8], "big") / 2**64


def _most_telling(known: Bayes, number: int, games: int, low: float, high: float) -> Floats:
    """Return both places of the candidate that reduces the uncertainty of the optimum most.

    By the formula in the first docstring of `pwtourney.tuning.bayes`: w (zᵀCδ)² / (1 + w zᵀCz),
    summed over optima.
    """
    model, best = known.strength, known.best()
    covariance = model.covariance
    top = model.features(best[None])[0]
    ahead = model.features(known.draw_optima(best)) - top
    highest, chosen = -1.0, np.zeros((2, 2))
    for candidate in range(32):
        widest = low * (high / low) ** _draw(known.seed, "candidates", number, candidate)
        reach = []
        for option, least in enumerate((0.0, 1 / 4)):
            index = 32 + 2 * candidate + option
            share = _draw(known.seed, "candidates", number, index)
            sign = -1 if _draw(known.seed, "candidates", number, 64 + index) < 0.5 else 1
            reach.append(sign * max(widest * (0.6 + 0.4 * share), least))
        places = np.array([best + reach, best - reach]).clip(0, 1)
        z = np.subtract(*model.features(places))
        chance = 1 / (1 + math.exp(-z @ model.mean))
        weight = games * chance * (1 - chance)
        value = sum(weight * (z @ covariance @ delta) ** 2 for delta in ahead)
        value /= 1 + weight * (z @ covariance @ z)
        if value > highest:
            highest, chosen = value, places
    return chosen


@pytest.mark.parametrize("slope", [-0.6, 0.2, 0.6])
def test_probe_is_the_most_informative_of_32_candidates(slope: float) -> None:
    """The results lead into the range or to its ends; the posterior includes all of them."""
    bayes = Bayes(SPACE, pairs=3, seed=8, batch=1, reach_low=0.1, reach_high=0.45)
    for number in range(5):
        plus, minus = _most_telling(bayes, number, games=6, low=0.1, high=0.45)
        probe = bayes.ask()
        assert probe.plus["pace"] == pytest.approx(4 * plus[0], abs=1e-4)
        assert probe.minus["pace"] == pytest.approx(4 * minus[0], abs=1e-4)
        up = _draw(8, "round", number, 1)
        assert probe.plus["rounds"] == math.floor(4 * plus[1] + up)
        assert probe.minus["rounds"] == math.floor(4 * minus[1] + up)
        gain = slope * (plus.sum() - minus.sum())
        bayes.tell(Outcome(number, float(np.clip(gain, -1, 1)), 6))


def test_posterior_is_kept_for_a_fifteenth_of_the_outcomes() -> None:
    """From 16 outcomes on that is more than one: every second probe uses an older posterior."""
    bayes = Bayes(SPACE, pairs=3, seed=8, batch=1)
    scores = (0, 0.5, -1, -0.5, 1, 0.5, 0.5, 0, 0, 0.5, 0, -0.5, -0.5, 0.5, 0, 0, 1, -1, 0.5, -1)
    is_newest = []
    for number, score in enumerate(scores):
        probe = bayes.ask()
        if number >= 14:
            plus, minus = _most_telling(bayes, number, games=6, low=0.15, high=0.4)
            played = (probe.plus["pace"], probe.minus["pace"])
            is_newest.append(played == pytest.approx((4 * plus[0], 4 * minus[0]), abs=1e-4))
        bayes.tell(Outcome(number, score, 6))
    assert is_newest == [True, True, False, True, False, True]


def test_spread_holds_68_percent_of_likely_optima() -> None:
    """Of 96 drawn optima and 96 even places, each kind with the chance that the option matters.

    The shares of those that are at most the spread away are summed one by one.
    """
    bayes = Bayes(SPACE, pairs=3, seed=8, batch=1)
    for number in range(3):
        bayes.tell(Outcome(number, 0.3, 6))
    best, idle = bayes.best(), bayes.strength.idle_chances()
    drawn = bayes.draw_optima(best, 96)
    for axis, spread in enumerate(bayes.spread().values()):
        held, inner = 0.0, 0.0
        for number in range(96):
            for place, chance in ((drawn[number, axis], 1 - idle[axis]), (number / 95, idle[axis])):
                away = 4 * abs(place - best[axis])
                held += chance / 96 * (away <= spread + 1e-9)
                inner += chance / 96 * (away < spread - 1e-9)
        assert inner < 0.683 <= held


def test_probes_are_chosen_by_the_first_32_of_the_optima_of_a_spread() -> None:
    """More optima for a spread leave the games of a tuning as they are."""
    bayes = Bayes(SPACE, pairs=3, seed=8, batch=1)
    bayes.tell(Outcome(0, 0.3, 6))
    best = bayes.best()
    assert (bayes.draw_optima(best, 96)[:32] == bayes.draw_optima(best)).all()
    assert len(bayes.draw_optima(best)) == 32
