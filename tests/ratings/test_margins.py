"""Margins computed by hand, and Massey ratings compared with statsmodels."""

import random

import numpy as np
import pytest

from pwtourney.ratings import Result
from pwtourney.ratings.game_columns import gather
from pwtourney.ratings.tally import massey
from pwtourney.standings.rate import standings

BOTS = ["bot0", "bot1", "bot2"]


def with_margins(seed: int, pairs: int) -> list[Result]:
    """Return games with margins from strengths, the seat, an effect of the deal, and noise."""
    rng = random.Random(seed)
    strength = {"bot0": -8.0, "bot1": 1.0, "bot2": 7.0}
    results = []
    for number in range(pairs):
        a, b = rng.sample(BOTS, 2)
        whim = rng.gauss(0, 4)
        for first, second, sign in ((a, b, 1), (b, a, -1)):
            raw = strength[first] - strength[second] + 3 + sign * whim + rng.gauss(0, 6)
            margin = round(raw) or 1
            won = float(margin > 0)
            results.append(Result(first, second, won, f"c{number}", margin, pair=f"{number}"))
    return results


def test_margins_are_reported_by_seat_pairing_and_ties() -> None:
    """Four games of a against b by hand: +4 and 0 in the first seat, −2 and +6 in the second."""
    games = [
        Result("a", "b", 1.0, "x", 4, pair="x"),
        Result("b", "a", 1.0, "x", 2, pair="x"),
        Result("a", "b", 1.0, "y", 0, pair="y"),
        Result("b", "a", 0.0, "y", -6, pair="y"),
    ]
    (pool,) = standings(None, games).pools
    lines = {line.bot: line.margin for line in pool.rows}
    a, b = lines["a"], lines["b"]
    assert a is not None
    assert b is not None
    assert (a.mean, a.first, a.second, a.tied, a.median) == (2.0, 2.0, 2.0, 0.25, 2.0)
    assert (b.mean, b.first, b.second) == (-2.0, -2.0, -2.0)
    (met,) = pool.meetings
    assert met.margin == 2.0
    # the deals' sums of residuals are −2 and 2: √(8 · 2) / 4 = 1, times t(1) = 12.706
    assert met.margin_plus_minus == pytest.approx(12.706, abs=0.001)


@pytest.mark.thorough
def test_massey_ratings_equal_a_regression_with_clustered_errors() -> None:
    """Ordinary least squares of statsmodels, clustered by deal, give the same, with a mean of 0."""
    import statsmodels.api as sm  # imported here because that takes a second

    games = with_margins(1, 150)
    design = np.zeros((len(games), 4))
    for row, result in enumerate(games):
        design[row, BOTS.index(result.first)] = 1
        design[row, BOTS.index(result.second)] = -1
        design[row, 3] = 1
    groups = [result.deal for result in games]
    reduced = design[:, [0, 1, 3]]  # the last bot is the reference
    fitted = sm.OLS([result.margin for result in games], reduced).fit()
    codes = np.unique(groups, return_inverse=True)[1]
    clustered = fitted.get_robustcov_results("cluster", groups=codes, use_correction=False)
    centre = np.array([[2 / 3, -1 / 3], [-1 / 3, 2 / 3], [-1 / 3, -1 / 3]])
    expected = centre @ fitted.params[:2]
    count = len(set(groups))
    covariance = centre @ clustered.cov_params()[:2, :2] @ centre.T * count / (count - 1)
    ratings = massey(gather(BOTS, games))
    for k, rated in enumerate(ratings):
        assert rated is not None
        assert rated.points == pytest.approx(expected[k], abs=1e-9)
        assert rated.plus_minus == pytest.approx(1.959964 * covariance[k, k] ** 0.5, rel=1e-6)


def test_massey_ignores_games_without_margin() -> None:
    """Also one order of seats only, no margins at all, and bots that no margins connect."""
    one_way = [Result("a", "b", 1.0, str(k), 5 + k % 2) for k in range(4)]
    first, second = massey(gather(["a", "b"], one_way))
    assert first is not None
    assert second is not None
    assert first.points - second.points == pytest.approx(5.5)
    assert massey(gather(["a", "b"], [Result("a", "b", 1.0, "x")])) == [None, None]
    apart = [Result("a", "b", 1.0, "x", 3), Result("c", "d", 1.0, "y", 3)]
    assert massey(gather(["a", "b", "c", "d"], apart)) == [None] * 4
