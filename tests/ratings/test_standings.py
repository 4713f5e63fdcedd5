"""Ratings against closed forms, a naive maximisation, and known strengths."""

import math
import random
import warnings

import numpy as np
import pytest

from pwtourney.ratings import Result, SeatStats
from pwtourney.ratings.bradley_terry import count_results, fit
from pwtourney.ratings.existence import seat_term_exists
from pwtourney.ratings.significance import t_quantile
from pwtourney.standings import Line, Pool, standings
from tests.ratings.games import elo, game, simulated


def only_pool(bots: list[str], results: list[Result]) -> Pool:
    """Return the single table of a tournament."""
    (pool,) = standings(bots, results).pools
    return pool


def by_bot(pool: Pool) -> dict[str, Line]:
    """Return the lines by bot."""
    return {line.bot: line for line in pool.lines}


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


@pytest.mark.parametrize("together", [0.0, 250.0])
def test_intervals_cover_the_truth_at_their_level(together: float) -> None:
    """Of 400 intervals about 95 % cover, whether or not the games of a pair go together."""
    covered = 0
    for seed in range(200):
        results = simulated([0, 0], 60, seed=seed, together=together)
        for line in only_pool(["bot0", "bot1"], results).lines:
            assert line.plus_minus is not None
            covered += abs(line.elo) <= line.plus_minus
    assert 0.90 <= covered / 400 <= 0.985


def test_the_order_of_the_games_changes_no_bit() -> None:
    """Shuffled results give the very same numbers."""
    results = simulated([0, 80, 160], 20, seed=11)
    bots = ["bot0", "bot1", "bot2"]
    expected = standings(bots, results)
    random.Random(5).shuffle(results)
    assert standings(bots, results) == expected


def test_an_unbeaten_bot_gets_a_bound_that_can_be_checked_by_hand() -> None:
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
    assert [line.bot for line in pool.lines] == ["a", "b"]
    assert [(line.ranks.best, line.ranks.worst) for line in pool.lines] == [(1, 2), (1, 2)]
    assert (pool.prior, pool.deals) == (0, 3)


def test_one_bot_that_always_loses_takes_nobodys_rating() -> None:
    """Three ordinary bots are rated as if it were not there, and it has a bound below them."""
    ordinary = simulated([0, 40, 90], 100, 5)
    lost = [
        game(*order, points, f"lost {bot} {k}")
        for bot in ("bot0", "bot1", "bot2")
        for k in range(20)
        for order, points in (((bot, "loser"), 1.0), (("loser", bot), 0.0))
    ]
    alone = only_pool(["bot0", "bot1", "bot2"], ordinary)
    pool = only_pool(["bot0", "bot1", "bot2", "loser"], ordinary + lost)
    for before, after in zip(alone.lines, pool.lines, strict=False):
        assert (after.bot, after.elo, after.plus_minus, after.los, after.bound) == (
            *(before.bot, before.elo, before.plus_minus, before.los, ""),
        )
    last = pool.lines[-1]
    assert (last.bot, last.bound, last.plus_minus) == ("loser", "<", None)
    assert last.elo < pool.lines[2].elo - 100
    assert (last.ranks.best, last.ranks.worst) == (4, 4)


def test_unbeaten_bots_that_never_met_have_bounds_of_their_own() -> None:
    """Each by its own games: five deals won against b are p⁵ = 5 % at p = 0.549, twenty 0.861."""
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


def test_a_group_above_another_keeps_its_own_differences() -> None:
    """Two that beat all others and each other by turns: bounds, as far apart as they alone are."""
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
    assert all(lines[each].bound == "" for each in ("bot0", "bot1", "bot2"))


def test_what_lies_beyond_a_bound_has_none() -> None:
    """A beats B, B beats two that are even: A has no games with those, so only its place."""
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


def test_deals_that_all_gave_the_same_are_not_certainty() -> None:
    """Forty shared deals with one outcome: nothing is known of chance, and nothing is claimed."""
    results = [
        game(*order, points, f"{k}")
        for k in range(40)
        for order, points in (
            *((("a", "b"), 1.0), (("b", "a"), 0.0), (("a", "b"), 1.0), (("b", "a"), 1.0)),
        )
    ]
    pool = only_pool(["a", "b"], results)
    assert pool.lines[0].elo > pool.lines[1].elo
    assert [line.plus_minus for line in pool.lines] == [None, None]
    assert pool.lines[0].los == 0.5
    assert pool.gaps[0].error is None
    assert not pool.separated(0.95)


def test_a_chain_of_perfect_scores_is_ranked_and_flagged() -> None:
    """A beats B beats C, always: A has a lower bound, C an upper one, B a rating."""
    results = [
        game(*order, points, f"{winner}{k}")
        for winner, loser in (("a", "b"), ("b", "c"))
        for k in range(4)
        for order, points in (((winner, loser), 1.0), ((loser, winner), 0.0))
    ]
    pool = only_pool(["c", "b", "a"], results)
    assert [(line.bot, line.bound) for line in pool.lines] == [("a", ">"), ("b", ""), ("c", "<")]


def test_bots_that_never_met_are_in_tables_of_their_own() -> None:
    """No rating, rank or interval reaches from one component to another."""
    results = [game("a", "b", 1.0, "1"), game("b", "a", 1.0, "1")]
    results += [game("c", "d", 1.0, "2"), game("d", "c", 0.0, "2")]
    table = standings(["a", "b", "c", "d", "e"], results)
    assert [sorted(line.bot for line in pool.lines) for pool in table.pools] == [
        *(["a", "b"], ["c", "d"], ["e"])
    ]
    assert table.pools[2].lines[0].plus_minus is None


@pytest.mark.parametrize(
    "results",
    [
        [],
        [game("a", "b", 1.0)],
        [game("a", "b", None)],
        [game("a", "b", 0.5), game("b", "a", 0.5)],
        [game("a", "b", 1.0, "1"), game("b", "a", 1.0, "1")],
        [game("a", "b", 1.0, "1"), game("a", "b", 0.0, "2")],
    ],
)
def test_tiny_tournaments_have_a_sensible_table(results: list[Result]) -> None:
    """No game, one game, void games, technical draws, the first seat always winning."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        table = standings(["a", "b"], results)
    lines = [line for pool in table.pools for line in pool.lines]
    assert sorted(line.bot for line in lines) == ["a", "b"]
    assert all(math.isfinite(line.elo) for line in lines)
    assert table.games + table.voids == len(results)


def test_a_seat_that_always_wins_has_no_finite_advantage() -> None:
    """It is then left out, rather than reported as infinite."""
    results = [game(*order, 1.0, str(k)) for k in range(5) for order in (("a", "b"), ("b", "a"))]
    pool = only_pool(["a", "b"], results)
    assert pool.seat_elo is None
    assert [line.elo for line in pool.lines] == pytest.approx([0, 0])


def test_an_advantage_needs_games_that_tell_it_from_strength() -> None:
    """If A always has the first seat, a good A and a good seat cannot be told apart."""
    results = [game("a", "b", float(k % 3 > 0), str(k)) for k in range(9)]
    assert not seat_term_exists(count_results(["a", "b"], results))


@pytest.mark.parametrize(
    ("freedom", "value"),
    [(1, 12.706), (2, 4.303), (3, 3.182), (5, 2.571), (10, 2.228), (28, 2.048), (29, 2.045)],
)
def test_student_quantiles_are_those_of_the_printed_tables(freedom: int, value: float) -> None:
    """The two-sided 95 % points."""
    assert t_quantile(0.975, freedom) == pytest.approx(value, abs=0.0006)


def test_few_deals_make_a_rough_interval() -> None:
    """Below 30 deals Student's t is used and the table says so."""
    results = simulated([0, 50], 10, seed=1)
    assert only_pool(["bot0", "bot1"], results).rough
    assert not only_pool(["bot0", "bot1"], simulated([0, 50], 30, seed=1)).rough


@pytest.mark.parametrize(
    ("deals", "factor"),
    [
        pytest.param(29, 2.048, id="Student's t with 28 degrees of freedom"),
        pytest.param(30, 1.960, id="the normal distribution"),
    ],
)
def test_from_30_deals_on_intervals_are_those_of_the_normal_distribution(
    deals: int, factor: float
) -> None:
    """Two bots that win half of the pairs each have an error of 1/√29 with 29 deals and with 30.

    By hand, from the formula in docs/ratings.md: with s = ±1 for a pair that one of them won, 0
    for one that is even, and H = G/2, the variance of the difference is G/(G − 1) Σs² · 4/G². With
    28 won pairs of 29, and with 30 of 30, that is 4/29, and the error of one bot is half its root.
    The factors are those of the printed tables.
    """
    shares = [1.0, 0.0] * (deals // 2) + [0.5] * (deals % 2)
    results = [
        result
        for deal, share in enumerate(shares)
        for result in (game("a", "b", share, str(deal)), game("b", "a", 1 - share, str(deal)))
    ]
    line = by_bot(only_pool(["a", "b"], results))["a"]
    assert line.plus_minus == pytest.approx(factor / math.sqrt(29) * 400 / math.log(10), rel=0.0003)


def test_counts_are_those_of_the_games() -> None:
    """Wins, seats, margins, times and faults, counted by hand for three games."""
    results = [
        Result("a", "b", 1.0, "1", 10, (SeatStats((1000, 2000)), SeatStats((500,)))),
        Result("b", "a", 1.0, "1", 4, (SeatStats((500,)), SeatStats((9000,)))),
        Result("a", "b", 0.0, "2", None, (SeatStats(fault="crash"), SeatStats())),
        Result("a", "b", None, "3"),
    ]
    line = by_bot(only_pool(["a", "b"], results))["a"]
    tally, used = line.tally, line.resources
    assert (tally.wins, tally.losses, tally.played, tally.voids) == (1, 2, 3, 1)
    assert (tally.share(), tally.share(0), tally.share(1)) == (1 / 3, 0.5, 0.0)
    assert line.margin is not None
    assert (line.margin.mean, line.margin.median, line.margin.games) == (3, 3, 2)
    assert (tally.deals, tally.pairs) == (2, (0, 1, 0))
    assert (used.mean_ms, used.slowest) == (4.0, 9000)
    assert used.faults == {"crash": 1}
