"""The table: anchors, priors, and tournaments with very few games."""

import math
import warnings

import pytest

from pwtourney.ratings import Result
from pwtourney.ratings.game_columns import gather
from pwtourney.report.text.rows import table_notes
from pwtourney.standings import Anchor, RatingOptions
from pwtourney.standings.rate import standings, tables
from tests.ratings.games import by_bot, game, only_pool, pair, simulated


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
    lines = [line for pool in table.pools for line in pool.rows]
    assert sorted(line.bot for line in lines) == ["a", "b"]
    assert all(math.isfinite(line.elo) for line in lines)
    assert table.games + table.voids == len(results)


def test_tiny_tables_give_no_python_warnings() -> None:
    """They have perfect scores, one game, two tables, one bot, or only void games."""
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
            for options in (RatingOptions(), RatingOptions((Anchor("a", 1000.0),), 2.0)):
                table = standings(["a", "b", "c", "d"], games, options)
                assert sum(len(pool.rows) for pool in table.pools) == 4
        assert standings(["a"], []).pools[0].rows[0].bot == "a"


@pytest.mark.slow
def test_anchor_moves_the_scale_and_the_errors() -> None:
    """Ratings shift; the anchor has no error; the others have that of the difference to it."""
    games = simulated([0, 80, 200], 150, 4)
    free = standings(None, games).pools[0]
    held = standings(None, games, RatingOptions((Anchor("bot1", 1000.0),))).pools[0]
    index = [line.bot for line in free.rows].index("bot1")
    shift = 1000.0 - free.rows[index].elo
    for k, (before, after) in enumerate(zip(free.rows, held.rows, strict=True)):
        assert after.elo == pytest.approx(before.elo + shift)
        variance = (
            free.covariance[k][k] + free.covariance[index][index] - 2 * free.covariance[k][index]
        )
        assert held.covariance[k][k] == pytest.approx(variance, abs=1e-9)
        assert (after.plus_minus is None) == (k == index)
        assert after.los == before.los
    assert held.anchor == "bot1"
    nobody = standings(None, games, RatingOptions((Anchor("nobody", 0.0),)))
    assert (nobody.pools[0], nobody.unanchored) == (free, "nobody")


def test_rows_and_meetings_are_found_by_names_of_bots() -> None:
    """A meeting is reported from the side of the bot that is named first."""
    games = [Result("a", "b", 1.0, "x", 7), Result("b", "a", 0.0, "x", -3)]
    table = standings(["a", "b", "c"], games)
    pool, line = table.find_row("b")
    assert (line.bot, line in pool.rows) == ("b", True)
    ours, theirs = table.find_meeting("a", "b"), table.find_meeting("b", "a")
    assert (ours.first, ours.points, ours.margin) == ("a", 2, 5)
    assert (theirs.first, theirs.points, theirs.margin) == ("b", 0, -5)
    with pytest.raises(LookupError, match="d has not played"):
        table.find_row("d")
    with pytest.raises(LookupError, match="a and c have not met"):
        table.find_meeting("a", "c")


def test_prior_pulls_ratings_together() -> None:
    """The more virtual games, the smaller the spread, even if ratings exist without them."""
    games = simulated([0, 80, 200], 50, 4)
    spreads = []
    for prior in (0.0, 5.0, 50.0):
        lines = standings(None, games, RatingOptions(prior=prior)).pools[0].rows
        spreads.append(lines[0].elo - lines[-1].elo)
    assert spreads[0] > spreads[1] > spreads[2] > 0


def lost(loser: str, winner: str, pairs: int) -> list[Result]:
    """Return pairs in which the winner won every game."""
    return [g for k in range(pairs) for g in pair(winner, loser, 1.0, 1.0, f"{winner} {loser} {k}")]


def test_bot_that_only_lost_ranks_below_its_opponents() -> None:
    """The last lost 0-24, half of it to a bot that lost to all others even more often."""
    rated = simulated([0, 50], 40, 1)
    results = [
        *rated,
        *lost("beaten", "bot0", 30),
        *lost("last", "bot1", 6),
        *lost("last", "beaten", 6),
    ]
    (pool,) = standings(None, results).pools
    assert [line.bot for line in pool.rows] == ["bot1", "bot0", "beaten", "last"]
    *_, beaten, last = pool.rows
    assert (beaten.bound, last.bound) == ("<", "<")
    assert last.elo > beaten.elo  # a bound is not a rank


@pytest.mark.parametrize(("deals", "tells"), [(1, False), (4, False), (5, True)])
def test_bound_tells_something_from_five_deals_on(deals: int, tells: bool) -> None:
    """Equals win four deals in a row in 6 % of cases, and five in 3 %."""
    equal = [game for k in range(30) for game in pair("a", "b", 1.0, 0.0, f"a b {k}")]
    for record, bound in ((lost("a", "new", deals), ">"), (lost("new", "a", deals), "<")):
        row = standings(None, [*equal, *record]).find_row("new")[1]
        assert (row.bound, row.bound_tells) == (bound, tells)
        assert math.isfinite(row.elo)
        assert math.isfinite(row.shown_elo) == tells


def test_unbeaten_bots_rank_by_their_own_games() -> None:
    """The first has beaten only the second, which has beaten everybody else far more often."""
    rated = simulated([0, 50], 40, 1)
    results = [
        *rated,
        *lost("bot0", "second", 30),
        *lost("bot0", "first", 3),
        *lost("second", "first", 3),
    ]
    (pool,) = standings(None, results).pools
    assert [line.bot for line in pool.rows][:2] == ["first", "second"]
    assert pool.rows[0].elo < pool.rows[1].elo


def test_unbeaten_bots_that_have_not_met_rank_by_points() -> None:
    """Both have won all of their games, so the bot with more games ranks first."""
    rated = simulated([0, 50], 40, 1)
    results = [*rated, *lost("bot0", "a-few", 2), *lost("bot0", "many", 5)]
    (pool,) = standings(None, results).pools
    assert [line.bot for line in pool.rows][:2] == ["many", "a-few"]


def test_ratings_have_no_errors_if_results_decide_the_pairings() -> None:
    """Ratings stay; intervals, LOS, gaps and fit are unknown, and any rank is possible."""
    games = [*simulated([0, 40, 80], 20, 1), *pair("best", "bot0", 1.0, 1.0, "x")]
    (plain,) = standings(None, games).pools
    (pool,) = standings(None, games, paired_by_results=True).pools
    assert plain.fitness is not None
    assert pool.fitness is None
    assert pool.paired_by_results
    assert not plain.paired_by_results
    assert [line.bot for line in pool.rows] == [line.bot for line in plain.rows]
    for line, known in zip(pool.rows, plain.rows, strict=True):
        assert (line.plus_minus, line.los, line.ranks) == (None, None, (1, 4))
        assert line.bound == known.bound
        assert math.isnan(line.elo) if line.bound else line.elo == known.elo
    assert pool.rows[0].bound == ">"
    assert [gap.error for gap in pool.gaps] == [None] * 3
    assert {line.massey and line.massey.plus_minus for line in pool.rows} == {None}
    assert pool.design_effect is None
    assert pool.seat_plus_minus == plain.seat_plus_minus


def test_unbeaten_bots_keep_their_order_without_known_bounds() -> None:
    """Points and not names decide it: of two that beat all others, b won more often."""
    games = simulated([0, 40], 20, 1)
    games += [g for k in range(9) for g in pair("b", "bot0", 1.0, 1.0, f"b{k}")]
    games += pair("a", "bot0", 1.0, 1.0, "a")
    games += [g for k in range(4) for g in pair("b", "a", 1.0, float(k > 0), f"c{k}")]
    orders = [
        [line.bot for line in standings(None, games, paired_by_results=by_results).pools[0].rows]
        for by_results in (False, True)
    ]
    assert orders[0] == orders[1] == ["b", "a", "bot1", "bot0"]


def test_bots_with_unknown_resources_need_no_entry() -> None:
    """For a table of other programs' games an empty mapping suffices."""
    columns = gather(None, pair("a", "b", 1.0, 0.0, "x"))
    (pool,) = tables(columns, {}).pools
    assert [line.resources.games for line in pool.rows] == [0, 0]


def test_pairs_are_counted_if_both_bots_had_both_seats() -> None:
    """Games of one pair name with the same seats are single games."""
    games = [Result("a", "b", float(k % 3 > 0), "", pair=f"p{k // 2}") for k in range(60)]
    (pool,) = standings(None, games).pools
    assert not pool.paired
    assert pool.pairs == 60


def test_games_against_a_hidden_bot_count() -> None:
    """The others have the ratings, errors and order that they have with it, and ranks 1 and 2."""
    columns = gather(None, simulated([0, 80, 200], 150, 4))
    whole = tables(columns, {}).pools[0]
    pool = tables(columns, {}, hides="bot1".__eq__).pools[0]
    kept = [row for row in whole.rows if row.bot != "bot1"]
    shown = [(row.bot, row.elo, row.plus_minus) for row in pool.rows]
    assert shown == [(row.bot, row.elo, row.plus_minus) for row in kept]
    assert [row.rank for row in pool.rows] == [1, 2]
    assert max(row.ranks.worst for row in pool.rows) == 2
    assert (pool.hidden, [(gap.above, gap.below) for gap in pool.gaps]) == (1, [("bot2", "bot0")])
    notes = table_notes(tables(columns, {}, hides="bot1".__eq__))
    assert notes[0].startswith("Elo 0 = average of these bots and 1 banned;")


def test_equal_ratings_share_a_rank() -> None:
    """Two bots with the same results against a third are both first, and it has rank 3."""
    games = pair("a", "b", 1.0, 0.0, "x")
    for bot in ("a", "b"):
        games += pair(bot, "c", 1.0, 1.0, "y") + pair(bot, "c", 1.0, 0.0, "z")
    (pool,) = standings(None, games).pools
    assert [(row.bot, row.rank) for row in pool.rows] == [("a", 1), ("b", 1), ("c", 3)]


def test_hidden_bot_can_fix_no_scale_and_has_no_table_of_its_own() -> None:
    """It is named as an anchor without a rating; of two groups of bots, its own is left out."""
    columns = gather(None, simulated([0, 80, 200], 150, 4))
    rated = tables(columns, {}, RatingOptions((Anchor("bot1", 0.0),)), hides="bot1".__eq__)
    assert rated.unanchored == "bot1"
    alone = gather(["a", "b", "c"], pair("a", "b", 1.0, 0.0, "x"))
    table = tables(alone, {}, hides="c".__eq__)
    assert [[row.bot for row in pool.rows] for pool in table.pools] == [["a", "b"]]


def test_average_opponent_is_weighted_by_games() -> None:
    """Counted by hand: bot0 plays 40 pairs against bot1, and 20 against bot2.

    The average leaves out a bot that only lost, which has a bound.
    """
    close, far = simulated([0, 80], 40, 4), simulated([0, 0, 200], 20, 5)
    games = close + [g for g in far if {g.first, g.second} == {"bot0", "bot2"}]
    games += lost("low", "bot1", 9) + lost("last", "low", 9)
    rows = by_bot(only_pool(["bot0", "bot1", "bot2", "low", "last"], games))
    elos = {bot: row.elo for bot, row in rows.items()}
    assert {bot: row.opponents_elo for bot, row in rows.items()} == {
        "bot0": pytest.approx((2 * elos["bot1"] + elos["bot2"]) / 3),
        "bot1": pytest.approx(elos["bot0"]),
        "bot2": pytest.approx(elos["bot0"]),
        "low": pytest.approx(elos["bot1"]),
        "last": None,
    }
