"""The model of strength against scipy's optimiser and known functions."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from pwtourney.ratings.bradley_terry import NATURAL, Floats
from pwtourney.tuning.strength import StrengthModel, _find_mode

CENTRE = np.full((1, 2), 0.5)


def _expit(x: Any) -> Any:
    """Return the logistic function of numbers."""
    return 1 / (1 + np.exp(-x))


def _played(
    model: StrengthModel, probes: int, elo: Callable[[Floats], Floats], games: int = 8
) -> tuple[Floats, Floats, Floats]:
    """Add drawn outcomes to a model; return plus, minus and the shares that plus won."""
    rng = np.random.default_rng(11)
    plus, minus = rng.random((2, probes, 2))
    chance = _expit(NATURAL * (elo(plus) - elo(minus)))
    won = rng.binomial(games, chance) / games
    for one, two, share in zip(plus, minus, won, strict=True):
        model.add(one, two, 2 * share - 1, games)
    return plus, minus, won


def _bowl(places: Floats) -> Floats:
    """Return a strength that is highest at (0.7, 0.3), where options must change together."""
    x, y = 2 * places.T - np.array([[0.4], [-0.4]])
    off_x, off_y = x - 1, y - 1
    return np.asarray(-100 * (off_x**2 + off_y**2 - off_x * off_y))


@pytest.mark.slow
def test_the_mode_is_where_scipy_finds_it() -> None:
    """BFGS on the same posterior, written out in the test, ends at the same coefficients."""
    from scipy.optimize import minimize  # here: to import it takes half a second
    from scipy.special import log_expit

    model = StrengthModel(2)
    plus, minus, won = _played(model, 60, _bowl)
    rows = model.features(plus) - model.features(minus)
    prior = model._priors[1]

    def loss(coefficients: Floats) -> float:
        difference = rows @ coefficients
        likelihood = won * log_expit(difference) + (1 - won) * log_expit(-difference)
        return float(
            (prior.precision * (coefficients - prior.mean) ** 2).sum() / 2 - 8 * likelihood.sum()
        )

    scale = 1 / np.sqrt(prior.precision)
    best = minimize(lambda z: loss(z * scale), prior.mean / scale, method="BFGS")
    fit = _find_mode(rows, won, np.full(60, 8.0), prior)
    assert fit.mean / scale == pytest.approx(best.x, abs=1e-3)
    # a Hessian by finite differences of the loss, inverted
    step = 1e-3
    axis = np.eye(len(scale))[0] * scale * step
    second = (loss(fit.mean + axis) - 2 * loss(fit.mean) + loss(fit.mean - axis)) / step**2
    information = np.linalg.inv(fit.covariance)
    assert information[0, 0] * scale[0] ** 2 == pytest.approx(second, rel=1e-4)


def test_a_bowl_is_found_with_its_depth() -> None:
    """With 16,000 games, the optimum of the model and its losses are those that were drawn."""
    model = StrengthModel(2)
    _played(model, 400, _bowl, games=40)
    top = model.maximise(model.mean[None], CENTRE)[0]
    assert _bowl(top[None]) > -1
    for place in ([0.2, 0.3], [0.9, 0.9], [0.5, 0.5]):
        there = np.array(place)
        truth = float((_bowl(top[None]) - _bowl(there[None]))[0])
        assert model.difference(top, there) == pytest.approx(truth, rel=0.1, abs=10)


def test_a_strength_that_is_not_quadratic_is_found_too() -> None:
    """A step of 300 Elo in the middle of one option is there in the model, and its flat ends."""
    model = StrengthModel(2)
    _played(model, 400, lambda places: np.where(places[:, 0] > 0.5, -300.0, 0.0), games=40)
    low, high = np.array([0.35, 0.5]), np.array([0.65, 0.5])
    assert model.difference(low, high) == pytest.approx(300, abs=60)
    assert model.difference(np.array([0.1, 0.5]), low) == pytest.approx(0, abs=60)
    one, two = np.array([[0.35, 0.1], [0.35, 0.9]])
    assert model.difference(one, two) == pytest.approx(0, abs=30)


@pytest.mark.slow
def test_the_highest_place_is_the_one_of_a_fine_grid() -> None:
    """For functions drawn from the prior, no place of a grid of 201 × 201 is higher by 1 Elo."""
    model = StrengthModel(2)
    prior = model._priors[2]
    rng = np.random.default_rng(2)
    drawn = prior.mean + rng.normal(size=(10, len(prior.mean))) / np.sqrt(prior.precision)
    line = np.linspace(0, 1, 201)
    grid = np.array([[x, y] for x in line for y in line])
    starts = rng.random((30, 2))
    tops = model.maximise(drawn, starts)
    heights = (model.features(tops) * drawn).sum(axis=1) / NATURAL
    assert heights == pytest.approx((model.features(grid) @ drawn.T).max(axis=0) / NATURAL, abs=1)


def test_without_outcomes_nothing_is_expected_of_an_end() -> None:
    """Both ends of a range are equally likely to be better, and both less than the middle."""
    model = StrengthModel(1)
    low, middle, high = np.array([0.0]), np.array([0.5]), np.array([1.0])
    assert model.difference(low, high) == pytest.approx(0)
    assert model.difference(middle, high) > 0


@pytest.mark.slow
def test_games_against_others_say_what_those_against_each_other_do() -> None:
    """Two games of each side against an equal of the middle: 500 Elo from end to end come back.

    Neither the difference nor its doubt are smaller than they are: it is off by under three
    deviations, and these are more than those of as many games against each other.
    """
    rng = np.random.default_rng(4)
    others, direct = StrengthModel(1), StrengthModel(1)
    for one, two in rng.random((1500, 2, 1)):
        elo = 500 * np.array([one[0], two[0]]) - 250
        ours, theirs = rng.binomial(2, _expit(NATURAL * elo)) - 1.0
        others.add(one, two, (ours - theirs) / 2, 4, halfway=True)
        direct.add(one, two, rng.binomial(2, _expit(NATURAL * (elo[0] - elo[1]))) - 1.0, 2)
    ends = np.array([[1.0], [0.0]])
    found, doubt = [], []
    for model in (others, direct):
        row = np.subtract(*model.features(ends))
        found.append(model.difference(*ends))
        doubt.append(np.sqrt(row @ model.covariance @ row) / NATURAL)
    assert abs(found[0] - 500) < 3 * doubt[0] < 120
    assert doubt[0] > doubt[1]
