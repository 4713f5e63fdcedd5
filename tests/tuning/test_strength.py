"""The model of strength against scipy's optimiser and known functions."""

from collections.abc import Callable, Sequence
from itertools import chain
from typing import Any

import numpy as np
import pytest

from pwtourney.ratings.bradley_terry import NATURAL, Floats
from pwtourney.tuning.strength import StrengthModel, _find_mode, _Prior

CENTRE = np.full((1, 2), 0.5)


def _expit(x: Any) -> Any:
    """Return the logistic function of numbers."""
    return 1 / (1 + np.exp(-x))


def _played(
    model: StrengthModel, probes: int, elo: Callable[[Floats], Floats], games: int = 8
) -> tuple[Floats, Floats, Floats]:
    """Add random outcomes to a model; return plus, minus and the shares that plus won."""
    rng = np.random.default_rng(11)
    plus, minus = rng.random((2, probes, 2))
    chance = _expit(NATURAL * (elo(plus) - elo(minus)))
    won = rng.binomial(games, chance) / games
    for first, second, share in zip(plus, minus, won, strict=True):
        model.add(first, second, 2 * share - 1, games)
    return plus, minus, won


def _bowl(places: Floats) -> Floats:
    """Return a strength that is highest at (0.7, 0.3), with options that must change together."""
    x, y = 2 * places.T - np.array([[0.4], [-0.4]])
    off_x, off_y = x - 1, y - 1
    return np.asarray(-100 * (off_x**2 + off_y**2 - off_x * off_y))


@pytest.mark.slow
def test_mode_equals_that_of_scipy() -> None:
    """BFGS on the same posterior, written in the test, finds the same coefficients."""
    from scipy.optimize import minimize  # imported here because that takes half a second
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
    # a Hessian by finite differences of the loss
    step = 1e-3
    axis = np.eye(len(scale))[0] * scale * step
    second = (loss(fit.mean + axis) - 2 * loss(fit.mean) + loss(fit.mean - axis)) / step**2
    information = np.linalg.inv(fit.covariance)
    assert information[0, 0] * scale[0] ** 2 == pytest.approx(second, rel=1e-4)


def test_bowl_is_found_with_its_depth() -> None:
    """With 16,000 games, the model's optimum and losses equal those of the true function."""
    model = StrengthModel(2)
    _played(model, 400, _bowl, games=40)
    top = model.maximise(model.mean[None], CENTRE)[0]
    assert _bowl(top[None]) > -1
    for values in ([0.2, 0.3], [0.9, 0.9], [0.5, 0.5]):
        point = np.array(values)
        truth = float((_bowl(top[None]) - _bowl(point[None]))[0])
        assert model.difference(top, point) == pytest.approx(truth, rel=0.1, abs=10)


def test_step_function_is_found() -> None:
    """The model has a step of 300 Elo in the middle of one option, and its flat ends."""
    model = StrengthModel(2)
    _played(model, 400, lambda places: np.where(places[:, 0] > 0.5, -300.0, 0.0), games=40)
    low, high = np.array([0.35, 0.5]), np.array([0.65, 0.5])
    assert model.difference(low, high) == pytest.approx(300, abs=60)
    assert model.difference(np.array([0.1, 0.5]), low) == pytest.approx(0, abs=60)
    left, right = np.array([[0.35, 0.1], [0.35, 0.9]])
    assert model.difference(left, right) == pytest.approx(0, abs=30)


@pytest.mark.slow
def test_highest_place_equals_that_of_a_fine_grid() -> None:
    """For functions from the prior, no place of a grid of 201 × 201 is higher by 1 Elo."""
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


def test_without_outcomes_both_ends_are_equally_likely() -> None:
    """Both ends of a range are expected to be equal, and worse than the middle."""
    model = StrengthModel(1)
    low, middle, high = np.array([0.0]), np.array([0.5]), np.array([1.0])
    assert model.difference(low, high) == pytest.approx(0)
    assert model.difference(middle, high) > 0


@pytest.mark.slow
def test_games_against_others_estimate_the_same_difference() -> None:
    """Two games of each side against an equal of the middle recover 500 Elo from end to end.

    Neither the difference nor its error is too small: the estimate is off by less than three
    standard errors, and these are larger than those of as many direct games.
    """
    rng = np.random.default_rng(4)
    others, direct = StrengthModel(1), StrengthModel(1)
    for first, second in rng.random((1500, 2, 1)):
        elo = 500 * np.array([first[0], second[0]]) - 250
        ours, theirs = rng.binomial(2, _expit(NATURAL * elo)) - 1.0
        others.add(first, second, (ours - theirs) / 2, 4, halfway=True)
        direct.add(first, second, rng.binomial(2, _expit(NATURAL * (elo[0] - elo[1]))) - 1.0, 2)
    ends = np.array([[1.0], [0.0]])
    differences, doubt = [], []
    for model in (others, direct):
        row = np.subtract(*model.features(ends))
        differences.append(model.difference(*ends))
        doubt.append(np.sqrt(row @ model.covariance @ row) / NATURAL)
    assert abs(differences[0] - 500) < 3 * doubt[0] < 120
    assert doubt[0] > doubt[1]


def _squared_exponential(left: Floats, right: Floats) -> Floats:
    """Return the covariance of a Gaussian process on −1 … 1 that is 0 at ±1.3, with length 0.4.

    By the method of images: each place is mirrored at both ends with the opposite sign.
    """
    total = np.zeros((len(left), len(right)))
    for turn in range(-2, 3):
        for sign, middle in ((1, 0.0), (-1, -2.6)):
            distance = left[:, None] - (middle + sign * right[None]) - 5.2 * turn
            total += sign * np.exp(-((distance / 0.4) ** 2) / 2)
    return total


@pytest.mark.parametrize(("number", "deviation"), [(0, 3.0), (1, 20.0), (2, 60.0)])
def test_prior_is_quadratic_with_a_smooth_deviation(number: int, deviation: float) -> None:
    """In Elo: 150² xy + 60² x²y² + deviation² · a squared exponential, and 50² for the product."""
    model = StrengthModel(2)
    prior = model._priors[number]
    places = np.random.default_rng(1).random((12, 2))
    x, y = 2 * places.T - 1
    rows = model.features(places)
    assert rows @ prior.mean / NATURAL == pytest.approx(-80 * (x**2 + y**2))
    expected = 50**2 * np.outer(x * y, x * y)
    for axis in (x, y):
        product = np.outer(axis, axis)
        expected += 150**2 * product + 60**2 * product**2
        expected += deviation**2 * _squared_exponential(axis, axis)
    covariance = (rows / prior.precision) @ rows.T / NATURAL**2
    # eight waves leave out less than a thousandth of the deviation
    assert covariance == pytest.approx(expected, rel=1e-9, abs=1e-3 * deviation**2)


def test_posterior_without_outcomes_is_the_middle_prior() -> None:
    """Its deviation of 20 Elo is neither the smallest nor the largest."""
    model = StrengthModel(2)
    assert model.mean == pytest.approx(model._priors[1].mean)
    assert np.linalg.inv(model.covariance) == pytest.approx(np.diag(model._priors[1].precision))


def test_option_is_idle_with_the_chance_that_its_coefficients_are_0() -> None:
    """One of four before any outcome, then by the evidence of a model without it, next to ours.

    The first option matters, the second does not. Laplace's method is exact for neither.
    """
    model = StrengthModel(2)
    assert model.idle_chances() == pytest.approx([0.25, 0.25])
    plus, minus, won = _played(
        model, 60, lambda places: -60 * (2 * places[:, 0] - 1) ** 2, games=40
    )
    rows = model.features(plus) - model.features(minus)
    for axis, chance in enumerate(model.idle_chances()):
        own = slice(10 * axis, 10 * axis + 10)
        mean, precision = model._prior.mean.copy(), model._prior.precision.copy()
        mean[own], precision[own] = 0, 1e12
        games = np.full(60, 40.0)
        without = _find_mode(rows, won, games, _Prior(mean, precision)).evidence
        ratio = np.exp(_find_mode(rows, won, games, model._prior).evidence - without)
        assert np.log(1 / chance - 1) == pytest.approx(np.log(3 * ratio), abs=0.2)
    assert model.idle_chances()[0] < 0.1 < 0.5 < model.idle_chances()[1]


def _coefficients(
    model: StrengthModel, axes: Sequence[Sequence[float]], *products: float
) -> Floats:
    """Return coefficients without waves: linear and square of each option, and of products."""
    no_waves = [0.0] * 8
    return np.array([[*chain.from_iterable([*axis, *no_waves] for axis in axes), *products]])


def test_top_of_a_parabola_is_found_between_the_steps() -> None:
    """−(x − a)² is highest at a, from −1 to 1: at (a + 1) / 2 of the range, up to its ends."""
    model = StrengthModel(1)
    for top in (-2.0, -1.0, -0.974, -0.61, 0.0, 0.013, 0.488, 0.96, 1.0, 3.0):
        optimum = model.maximise(_coefficients(model, [(2 * top, -1)]), np.array([[0.4]]))
        assert optimum == pytest.approx((min(max(top, -1), 1) + 1) / 2, abs=1e-9)


def test_without_a_top_an_end_of_the_range_is_highest() -> None:
    """3x + x² rises everywhere, and −3x falls: no parabola leads away from the ends."""
    model = StrengthModel(2)
    optimum = model.maximise(_coefficients(model, [(3, 1), (-3, 0)], 0), CENTRE)
    assert optimum.tolist() == [[1, 0]]


def test_options_that_change_together_have_a_common_optimum() -> None:
    """−3x² + 2xy has its top at x = y / 3; with y = 0.9, x = 0.3, and both are on a step.

    With y = 0.5, x is 1/6, between the steps at 0.15 and 0.2.
    """
    model = StrengthModel(2)
    for top, expected in ((0.9, 0.3), (0.5, 1 / 6), (-0.5, -1 / 6)):
        # y is fixed by a parabola so steep that x moves it by less than 1e-6
        steep = [(0, -3), (2e7 * top, -1e7)]
        optimum = 2 * model.maximise(_coefficients(model, steep, 2), CENTRE)[0] - 1
        assert optimum == pytest.approx([expected, top], abs=1e-6)


def test_search_runs_from_every_start_to_the_highest_top() -> None:
    """4xy + x + y − x² − y² has tops at (1, 1), with height 4, and at (−1, −1), with height 0."""
    model = StrengthModel(2)
    function = _coefficients(model, [(1, -1), (1, -1)], 4)
    low, high = np.array([0.1, 0.1]), np.array([0.9, 0.9])
    assert model.maximise(function, np.array([low])).tolist() == [[0, 0]]
    assert model.maximise(function, np.array([high])).tolist() == [[1, 1]]
    assert model.maximise(function, np.array([low, high])).tolist() == [[1, 1]]


@pytest.mark.parametrize(("slope", "top"), [(-0.8, [1, 0.875]), (-1.2, [0, 0.375])])
def test_highest_of_two_tops_is_found(slope: float, top: list[float]) -> None:
    """4xy + kx + 2y − 4y² has tops at (1, 0.75), 2.25 + k high, and at (−1, −0.25), 0.25 − k."""
    model = StrengthModel(2)
    function = _coefficients(model, [(slope, 0), (2, -4)], 4)
    starts = np.array([[0.1, 0.1], [0.9, 0.9]])
    assert model.maximise(function, starts)[0] == pytest.approx(top)


def test_highest_place_of_each_function_equals_that_of_a_grid() -> None:
    """For 12 functions from the prior, no place of its grid of 41 × 41 is higher."""
    model = StrengthModel(2)
    prior = model._priors[2]
    rng = np.random.default_rng(2)
    drawn = prior.mean + 2 * rng.normal(size=(12, len(prior.mean))) / np.sqrt(prior.precision)
    line = np.linspace(0, 1, 41)
    grid = np.array([[x, y] for x in line for y in line])
    tops = model.maximise(drawn, rng.random((12, 2)))
    heights = (model.features(tops) * drawn).sum(axis=1) / NATURAL
    assert (heights > (model.features(grid) @ drawn.T).max(axis=0) / NATURAL - 0.1).all()


@pytest.mark.parametrize("luck", [0.0, 1.0])
def test_no_coefficient_can_be_better_at_the_mode(luck: float) -> None:
    """The gradient of the posterior is 0 there, and the covariance is its inverse curvature.

    It is summed over 150 outcomes; also if all games are won, where Newton's method overshoots.
    """
    rng = np.random.default_rng(3)
    rows, games = 3 * rng.normal(size=(150, 3)), rng.integers(1, 40, 150).astype(float)
    scores = np.maximum(rng.random(150).round(1), luck)
    prior = _Prior(np.array([0.5, -1.0, 2.0]), np.array([1e-3, 0.4, 2.0]))
    fit = _find_mode(rows, scores, games, prior)
    slope = -prior.precision * (fit.mean - prior.mean)
    curvature = np.diag(prior.precision)
    for row, score, count in zip(rows, scores, games, strict=True):
        chance = _expit(row @ fit.mean)
        slope += count * (score - chance) * row
        curvature += count * chance * (1 - chance) * np.outer(row, row)
    assert slope == pytest.approx(np.zeros(3), abs=1e-6)
    assert fit.covariance @ curvature == pytest.approx(np.eye(3), abs=1e-6)


def test_evidence_is_the_integral_over_the_prior() -> None:
    """Summed over 4,001 values of one coefficient, with enough games for Laplace's method."""
    rows, scores = np.array([[1.0], [0.5], [-2.0]]), np.array([0.6, 0.7, 0.3])
    games, prior = np.array([300.0, 500.0, 200.0]), _Prior(np.array([1.5]), np.array([0.8]))
    values = np.linspace(-0.5, 1.5, 4001)
    chances = _expit(rows * values)
    likelihood = games @ (
        scores[:, None] * np.log(chances) + (1 - scores[:, None]) * np.log(1 - chances)
    )
    density = np.sqrt(0.8 / (2 * np.pi)) * np.exp(-0.8 * (values - 1.5) ** 2 / 2)
    highest = likelihood.max()
    total = (np.exp(likelihood - highest) * density).sum() * (values[1] - values[0])
    evidence = _find_mode(rows, scores, games, prior).evidence
    assert evidence == pytest.approx(highest + np.log(total), abs=0.01)
