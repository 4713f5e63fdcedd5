"""What stands beside the ratings: matrix, seats, margins, gaps, repetitions, anchors, mixtures."""

import math
import random
import warnings

import numpy as np
import pytest
import statsmodels.api as sm
from scipy.stats import binomtest, ttest_1samp

from benchmarks.intervals import any_time_errors, coverage, sprt_error
from pwtourney.ratings import Result
from pwtourney.ratings.fitness import nash_mixture
from pwtourney.ratings.games import gather
from pwtourney.ratings.margins import massey
from pwtourney.ratings.order import Gap, any_time_factor, pairs_to_separate
from pwtourney.standings import RatingOptions, standings
from tests.ratings.games import simulated

BOTS = ["bot0", "bot1", "bot2"]


def pair(a: str, b: str, first: float | None, second: float | None, deal: str) -> list[Result]:
    """Return a mirrored pair; the points are those of `a`."""
    back = None if second is None else 1 - second
    return [
        Result(a, b, first, deal, pair=deal),
        Result(b, a, back, deal, pair=deal),
    ]


def with_margins(seed: int, pairs: int) -> list[Result]:
    """Return games whose margins are strengths, a seat's worth, a deal's whim, and noise."""
    rng = random.Random(seed)
    strength = {"bot0": -8.0, "bot1": 1.0, "bot2": 7.0}
    found = []
    for number in range(pairs):
        a, b = rng.sample(BOTS, 2)
        whim = rng.gauss(0, 4)
        for first, second, sign in ((a, b, 1), (b, a, -1)):
            raw = strength[first] - strength[second] + 3 + sign * whim + rng.gauss(0, 6)
            margin = round(raw) or 1
            won = float(margin > 0)
            found.append(Result(first, second, won, f"c{number}", margin, pair=f"{number}"))
    return found


def test_massey_ratings_are_those_of_a_regression_with_clustered_errors() -> None:
    """Ordinary least squares of statsmodels, clustered by deal, brought to a mean of 0."""
    games = with_margins(1, 150)
    design = np.zeros((len(games), 4))
    for row, each in enumerate(games):
        design[row, BOTS.index(each.first)] = 1
        design[row, BOTS.index(each.second)] = -1
        design[row, 3] = 1
    groups = [each.deal for each in games]
    reduced = design[:, [0, 1, 3]]  # the last bot is the reference
    fitted = sm.OLS([each.margin for each in games], reduced).fit()
    codes = np.unique(groups, return_inverse=True)[1]
    clustered = fitted.get_robustcov_results("cluster", groups=codes, use_correction=False)
    centre = np.array([[2 / 3, -1 / 3], [-1 / 3, 2 / 3], [-1 / 3, -1 / 3]])
    expected = centre @ fitted.params[:2]
    count = len(set(groups))
    covariance = centre @ clustered.cov_params()[:2, :2] @ centre.T * count / (count - 1)
    found = massey(gather(BOTS, games))
    for k, rated in enumerate(found):
        assert rated is not None
        assert rated.points == pytest.approx(expected[k], abs=1e-9)
        assert rated.plus_minus == pytest.approx(1.959964 * covariance[k, k] ** 0.5, rel=1e-6)


def test_massey_does_without_what_cannot_be_told() -> None:
    """One order of seats only, no margins at all, and bots that margins do not join."""
    one_way = [Result("a", "b", 1.0, str(k), 5 + k % 2) for k in range(4)]
    first, second = massey(gather(["a", "b"], one_way))
    assert first is not None
    assert second is not None
    assert first.points - second.points == pytest.approx(5.5)
    assert massey(gather(["a", "b"], [Result("a", "b", 1.0, "x")])) == [None, None]
    apart = [Result("a", "b", 1.0, "x", 3), Result("c", "d", 1.0, "y", 3)]
    assert massey(gather(["a", "b", "c", "d"], apart)) == [None] * 4


def test_a_pairing_is_judged_by_a_t_test_of_its_deals() -> None:
    """With 20 deals, against scipy's, or by coins if those doubt more; all alike, by coins."""
    rng = random.Random(3)
    outcomes = [(float(rng.random() < 0.7), float(rng.random() < 0.7)) for _ in range(20)]
    games = [g for k, (x, y) in enumerate(outcomes) for g in pair("a", "b", x, y, str(k))]
    (met,) = standings(None, games).pools[0].meetings
    totals = [x + y for x, y in outcomes]
    by_coins = binomtest(totals.count(2.0), totals.count(2.0) + totals.count(0.0)).pvalue
    expected = max(ttest_1samp(totals, 1.0).pvalue, by_coins)
    assert (met.first, met.second, met.games, met.deals) == ("a", "b", 40, 20)
    assert met.points == sum(x + y for x, y in outcomes)
    assert met.p == pytest.approx(expected, rel=1e-9)
    won = [g for k in range(6) for g in pair("a", "b", 1.0, 1.0, str(k))]
    assert standings(None, won).pools[0].meetings[0].p == 2 * 0.5**6
    split = [g for k in range(6) for g in pair("a", "b", 1.0, 0.0, str(k))]
    assert standings(None, split).pools[0].meetings[0].p == 1.0


def test_the_matrix_is_corrected_for_how_many_pairings_there_are() -> None:
    """Of three pairings the least p is multiplied by three (Holm)."""
    games = [g for k in range(9) for g in pair("a", "b", 1.0, 1.0, f"ab{k}")]
    games += [g for k in range(9) for g in pair("b", "c", 1.0, 0.0, f"bc{k}")]
    games += [g for k in range(9) for g in pair("a", "c", 1.0, 0.0, f"ac{k}")]
    found = {(m.first, m.second): m.p for m in standings(None, games).pools[0].meetings}
    assert found["a", "b"] == pytest.approx(3 * 2 * 0.5**9)
    assert found["b", "c"] == 1.0


def test_the_gain_of_a_seat_is_counted_by_hand() -> None:
    """Of four pairs the first seat wins both games in two, each bot one in two: half a point."""
    games = [g for k in (0, 1) for g in pair("a", "b", 1.0, 0.0, str(k))]
    games += pair("a", "b", 1.0, 1.0, "2") + pair("a", "b", 0.0, 0.0, "3")
    lines = standings(None, games).pools[0].lines
    for line in lines:
        assert line.seat is not None
        assert (line.seat.pairs, line.seat.mean) == (4, 0.5)
        # values 1, 1, 0, 0: variance of the mean 1/3 / 4, t(3) = 3.182
        assert line.seat.plus_minus == pytest.approx(3.1824 * math.sqrt(1 / 12), rel=1e-4)


def test_mirrored_pairs_save_what_the_deal_decides() -> None:
    """All split: all of it; both games alike: they cost as much again; independent: nothing."""
    split = [g for k in range(50) for g in pair("a", "b", k % 2, 1 - k % 2, str(k))]
    assert standings(None, split).pools[0].saved == 1.0
    alike = [g for k in range(50) for g in pair("a", "b", k % 2, k % 2, str(k))]
    assert standings(None, alike).pools[0].saved == pytest.approx(-1.0, abs=0.05)
    saved = standings(None, simulated([0, 50, 100], 700, 2)).pools[0].saved
    assert saved == pytest.approx(0.0, abs=0.06)


def test_a_game_that_repeats_another_counts_once() -> None:
    """The same bots, seats, deal and moves; not on another deal, and not with other moves."""
    one = Result("a", "b", 1.0, "x", 3, pair="1", moves=77)
    games = [
        one,
        one._replace(pair="2"),
        one._replace(pair="3", moves=78),
        one._replace(deal="y", pair="4"),
        one._replace(moves=None, pair="5"),
        Result("b", "a", 1.0, "x", 3, pair="1", moves=77),
    ]
    found = standings(None, games)
    assert (found.games, found.repeated) == (5, 1)
    assert standings(None, games[::-1]) == found


def test_an_anchor_moves_the_scale_and_the_errors_with_it() -> None:
    """Ratings shift; the anchor has no error; the others have that of the difference to it."""
    games = simulated([0, 80, 200], 150, 4)
    free = standings(None, games).pools[0]
    held = standings(None, games, RatingOptions(anchor=("bot1", 1000.0))).pools[0]
    place = [line.bot for line in free.lines].index("bot1")
    shift = 1000.0 - free.lines[place].elo
    for k, (before, after) in enumerate(zip(free.lines, held.lines, strict=True)):
        assert after.elo == pytest.approx(before.elo + shift)
        variance = (
            free.covariance[k][k] + free.covariance[place][place] - 2 * free.covariance[k][place]
        )
        assert held.covariance[k][k] == pytest.approx(variance, abs=1e-9)
        assert (after.plus_minus is None) == (k == place)
        assert after.los == before.los
    assert held.anchor == "bot1"
    nobody = standings(None, games, RatingOptions(anchor=("nobody", 0.0)))
    assert (nobody.pools[0], nobody.unanchored) == (free, "nobody")


def test_a_prior_pulls_ratings_together() -> None:
    """The more virtual games the smaller the spread, for ratings that exist without them, too."""
    games = simulated([0, 80, 200], 50, 4)
    spreads = []
    for prior in (0.0, 5.0, 50.0):
        lines = standings(None, games, RatingOptions(prior=prior)).pools[0].lines
        spreads.append(lines[0].elo - lines[-1].elo)
    assert spreads[0] > spreads[1] > spreads[2] > 0


def test_the_planner_counts_by_the_square_root() -> None:
    """Half the error takes four times the pairs: 100 pairs at 1.96 errors of twice the gap."""
    gap = Gap("a", "b", 10.0, 20.0 / 1.959963985)
    assert pairs_to_separate(gap, 100) == 300
    assert pairs_to_separate(gap._replace(error=1.0), 100) == 0
    assert pairs_to_separate(gap._replace(difference=0.0), 100) is None
    assert pairs_to_separate(gap._replace(error=None), 100) is None
    assert pairs_to_separate(gap._replace(difference=1e-3), 100) is None


def test_what_the_planner_says_comes_true() -> None:
    """After as many pairs as it asks for, the neighbours are apart or nearly so."""
    few = standings(None, simulated([0, 40], 100, 8)).pools[0]
    more = pairs_to_separate(few.gaps[0], few.pairs)
    assert more is not None
    assert more > 0
    total = standings(None, simulated([0, few.gaps[0].difference], 100 + more, 9)).pools[0]
    (gap,) = total.gaps
    assert gap.error is not None
    assert few.gaps[0].difference / gap.error == pytest.approx(1.96, rel=0.1)


def test_bounds_for_every_look_hold_at_every_look() -> None:
    """Equal bots, looked at after each of 3,000 deals: at most 5 % are ever told apart."""
    assert any_time_errors(0.95, 600, 3000) <= 0.05 + 2 * math.sqrt(0.05 * 0.95 / 600)
    assert any_time_factor(500, 0.975) < 3.1  # a single look is 1.96


def test_ranks_are_separated_only_where_all_of_them_are() -> None:
    """Two far apart, two equal: not; all far apart: so; fewer than thirty deals: never."""
    assert not standings(None, simulated([0, 0, 400], 300, 3)).pools[0].separated(0.95)
    assert standings(None, simulated([0, 200, 400], 300, 3)).pools[0].separated(0.95)
    assert not standings(None, simulated([0, 400], 20, 3)).pools[0].separated(0.95)
    unbeaten = [g for k in range(40) for g in pair("a", "b", 1.0, 1.0, str(k))]
    assert standings(None, unbeaten).pools[0].separated(0.95)


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


def test_nothing_of_it_warns_on_tiny_tables() -> None:
    """Perfect scores, one game, two tables, one bot, nothing but void games."""
    tables: list[list[Result]] = [
        pair("a", "b", 1.0, 1.0, "x"),
        [Result("a", "b", 1.0, "x", 4)],
        pair("a", "b", 1.0, 0.0, "x") + pair("c", "d", 1.0, 1.0, "y"),
        [],
        pair("a", "b", None, None, "x"),
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for games in tables:
            for options in (RatingOptions(), RatingOptions(("a", 1000.0), 2.0)):
                found = standings(["a", "b", "c", "d"], games, options)
                assert sum(len(pool.lines) for pool in found.pools) == 4
        assert standings(["a"], []).pools[0].lines[0].bot == "a"


@pytest.mark.parametrize("rho", [-0.6, 0.0, 0.6])
def test_intervals_hold_the_truth_as_often_as_they_say(rho: float) -> None:
    """A short run of the benchmark: 95 % of 600 intervals, within four standard errors."""
    assert coverage(rho, 100, seed=5) == pytest.approx(0.95, abs=0.036)


@pytest.mark.slow(4)
def test_the_test_errs_no_oftener_than_it_says() -> None:
    """A short run of the benchmark: of 150 runs at most 5 % and three standard errors, 10 %.

    A test on single games errs in 13 %, and would be found by the benchmark's 2,000 runs.
    """
    assert sprt_error(0.6, better=False, runs=150, seed=2) <= 0.05 + 3 * math.sqrt(
        0.05 * 0.95 / 150
    )


def test_margins_are_told_by_seat_by_pairing_and_by_ties() -> None:
    """Four games of a against b by hand: +4 and 0 as first, −2 and +6 as second."""
    games = [
        Result("a", "b", 1.0, "x", 4, pair="x"),
        Result("b", "a", 1.0, "x", 2, pair="x"),
        Result("a", "b", 1.0, "y", 0, pair="y"),
        Result("b", "a", 0.0, "y", -6, pair="y"),
    ]
    (pool,) = standings(None, games).pools
    lines = {line.bot: line.margin for line in pool.lines}
    a, b = lines["a"], lines["b"]
    assert a is not None
    assert b is not None
    assert (a.mean, a.first, a.second, a.tied, a.median) == (2.0, 2.0, 2.0, 0.25, 2.0)
    assert (b.mean, b.first, b.second) == (-2.0, -2.0, -2.0)
    (met,) = pool.meetings
    assert met.margin == 2.0
    # the deals' sums of residuals are −2 and 2: √(8 · 2) / 4 = 1, times t(1) = 12.706
    assert met.margin_plus_minus == pytest.approx(12.706, abs=0.001)


def test_bots_that_nothing_tells_apart_share_their_ranks() -> None:
    """All pairs split on the same deals: both may be first or second."""
    games = [g for k in range(40) for g in pair("a", "b", 1.0, 0.0, str(k))]
    lines = standings(None, games).pools[0].lines
    assert [(line.ranks.best, line.ranks.worst) for line in lines] == [(1, 2), (1, 2)]


def test_two_equal_bots_share_the_mixture() -> None:
    """Half each, whatever order they stand in."""
    games = [g for k in range(40) for g in pair("a", "b", 1.0, 0.0, str(k))]
    found = nash_mixture(["a", "b"], standings(None, games).pools[0].meetings)
    assert [each.weight for each in found] == pytest.approx([0.5, 0.5])
