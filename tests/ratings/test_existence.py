"""Bots whose ratings do not exist: bounds, tables of their own, and a seat that cannot be told."""

import math

import pytest

from pwtourney.ratings.bradley_terry import count_results
from pwtourney.ratings.existence import seat_term_exists
from pwtourney.standings import standings
from tests.ratings.games import by_bot, elo, game, only_pool, simulated


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
