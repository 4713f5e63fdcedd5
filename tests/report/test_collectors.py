"""Data collected from games: the rating curve, one bot in depth, and games to replay."""

import math
import random

import pytest

from pwtourney.notation.game import Fault, Game, Ply, Verdict
from pwtourney.ratings import Result
from pwtourney.ratings.meetings import HeadToHead
from pwtourney.report.collectors import (
    OPPONENT_HEADINGS,
    Depth,
    GameIndex,
    History,
    ListedGame,
    Thinking,
    find_meetings,
    format_meeting,
    list_opponents,
    title_opponents,
)
from pwtourney.rules import deal, find_edition
from pwtourney.schedule.season import Member, Season
from pwtourney.standings import Anchor, RatingOptions, Standings
from pwtourney.standings.rate import standings
from pwtourney.store import result_of
from tests.report.handmade import OPPONENT_COLUMNS, make_pool, make_row

DEALT = deal(find_edition("original"), 1)


@pytest.mark.slow
def test_last_point_of_the_curve_equals_the_leaderboard() -> None:
    """This holds with shared deals, repeated games, void games, and two tables."""
    rng = random.Random(3)
    results = []
    for number in range(600):
        first, second = rng.sample("abc", 2) if number % 3 else rng.sample("xy", 2)
        points = rng.choice([0.0, 1.0, 1.0, None])
        name, moves = str(number % 20), None if points is None else rng.randrange(3)
        results.append(Result(first, second, points, name, 5, str(number // 2), moves))
    history = History()
    for result in results:
        history.add(result)
    table = standings(None, results)
    assert table.repeated > 50
    assert len(table.pools) == 2
    last = history.points(5)[-1]
    assert last.games == 600
    shown = {line.bot: line.elo for pool in table.pools for line in pool.rows}
    assert {bot: elo for bot, (elo, _) in last.elos.items()} == pytest.approx(shown)


def record(
    number: int,
    bots: tuple[str, str],
    scores: tuple[int, int],
    verdict: Verdict,
    winner: int | None,
) -> Game:
    """Return a simulated game."""
    faults = (Fault(0, verdict, "why"),) if verdict is Verdict.CRASH else ()
    return Game(
        bots,
        "original",
        DEALT,
        (1, 2),
        (Ply(0, "advance", 1),),
        verdict,
        winner,
        scores,
        faults=faults,
        pair=number // 2,
        game=number % 2,
    )


def test_difference_to_an_opponent_follows_from_their_games() -> None:
    """Three of four points on two deals are 191 Elo; without games there is no difference."""
    done = Verdict.FINISHED
    games = [
        record(
            k, ("magpie", "wren") if k % 2 == 0 else ("wren", "magpie"), (9, 4), done, winner
        )._replace(deal=deal(find_edition("original"), k // 2))
        for k, winner in enumerate((0, 1, 0, 0))
    ]
    games.append(record(4, ("magpie", "crow"), (0, 0), Verdict.RUNNER_ERROR, None))
    depth = Depth("magpie")
    for game in games:
        depth.add(game, result_of(game))
    table = depth.tables(standings(None, map(result_of, games)))[0]
    (*_, crow, none, _), (*_, wren, pairs, nelo) = table.rows
    assert (crow, none) == ("–", "–")
    # shares of 1 and ½ have a mean of ¾ with an error of ¼; t of one degree of freedom is 12.7062
    assert wren == f"+191 ± {12.7062 * 0.25 / (0.75 * 0.25) * 400 / math.log(10):.0f}"
    assert pairs == "0–0–1–0–1"  # one split and one won; their shares deviate by ¼ from ¾
    # two deals are too few for the error of nElo
    assert nelo == f"+{800 / math.log(10) / math.sqrt(2) * 0.25 / 0.25:.0f}"
    (narrow,) = [
        row[-3]
        for row in depth.tables(standings(None, map(result_of, games), level=0.9))[0].rows
        if row[0] == "wren"
    ]
    # t of one degree of freedom at 95 % on one side is 6.3138
    assert narrow == f"+191 ± {6.3138 * 0.25 / (0.75 * 0.25) * 400 / math.log(10):.0f}"


def test_bot_is_reported_by_opponent_seat_and_verdict() -> None:
    """Five games of magpie, one of them void, and one of others are computed by hand."""
    depth = Depth("magpie")
    done, crash, void = Verdict.FINISHED, Verdict.CRASH, Verdict.RUNNER_ERROR
    games = [
        record(0, ("magpie", "wren"), (10, 4), done, 0),
        record(1, ("wren", "magpie"), (7, 9), done, 1),
        record(2, ("magpie", "crow"), (-3, 20), done, 1),
        record(3, ("magpie", "crow"), (-9, -9), crash, 1),
        record(4, ("crow", "magpie"), (0, 0), void, None),
        record(5, ("wren", "crow"), (50, 0), done, 0),
    ]
    for game in games:
        depth.add(game, result_of(game))
    opponents, seats, verdicts, best, worst = depth.tables(standings(None, map(result_of, games)))
    assert opponents.rows == (
        ("crow", "2", "0", "0.0%", "-23.0", "1", "–", "–", "–"),
        ("wren", "2", "2", "100.0%", "+4.0", "0", "–", "0–0–0–0–1", "–"),
    )
    assert seats.rows == (
        ("first", "3", "1", "33.3%", "-8.5", "0"),
        ("second", "1", "1", "100.0%", "+2.0", "1"),
    )
    assert verdicts.rows == (
        ("crash", "lost", "1"),
        ("finished", "lost", "1"),
        ("finished", "won", "2"),
        ("runner-error", "void", "1"),
    )
    assert best.rows[0] == ("0.0", "wren", "10:4", "+6")
    assert worst.rows[0] == ("1.0", "crow", "-3:20", "-23")
    assert len(best.rows) == 3


def test_newest_widest_and_closest_games_can_be_replayed() -> None:
    """Of 2000 games, the newest 600 and up to 100 each of the widest and closest are kept.

    Game 3 ended 90 to 0 and game 5 with 20 each; all others 30 to 10.
    """
    index = GameIndex(newest=600)
    for number in range(2000):
        scores = {3: (90, 0), 5: (20, 20)}.get(number, (30, 10))
        made = record(number, ("magpie", "wren"), scores, Verdict.FINISHED, 0)
        index.add(made, result_of(made))
    kept = [2 * game.pair + game.game for game in index.replayable_games()]
    assert kept == sorted(set(kept))
    assert set(kept) >= {3, 5, *range(1400, 2000)}
    assert len(kept) <= 600 + 2 * 100
    assert index.count == 2000


def test_all_games_can_be_kept_or_none_of_the_newest() -> None:
    """Without a limit all 300 are; with 0 only the notable ones, 100 of each kind."""
    whole, notable = GameIndex(newest=None), GameIndex(newest=0)
    for number in range(300):
        made = record(number, ("magpie", "wren"), (number, 0), Verdict.FINISHED, 0)
        for index in (whole, notable):
            index.add(made, result_of(made))
    assert len(whole.replayable_games()) == 300
    kept = [2 * game.pair + game.game for game in notable.replayable_games()]
    assert kept == [*range(100), *range(200, 300)]


def test_margins_are_counted_in_steps_of_ten_rounded_down() -> None:
    """A margin of 7 is in the step 0 to 9; −7, the other bot's margin, is in the step −10 to −1."""
    index = GameIndex()
    made = record(0, ("magpie", "wren"), (17, 10), Verdict.FINISHED, 0)
    index.add(made, result_of(made))
    assert index.margins == {"magpie": {0: 1}, "wren": {-1: 1}}


def test_thinking_times_are_counted_by_a_bots_own_moves() -> None:
    """The player behind moves, maybe twice in a row: wren's only move is its first."""
    plies = (Ply(0, "advance", 5), Ply(0, "advance", 7), Ply(1, "advance", 11))
    scores = (10, 4)
    made = Game(("magpie", "wren"), "original", DEALT, (1, 2), plies, Verdict.FINISHED, 0, scores)
    index = GameIndex()
    index.add(made, result_of(made))
    index.add(made, result_of(made))
    magpie, wren = index.thinking["magpie"], index.thinking["wren"]
    assert (magpie.micros[:3], magpie.moves[:3]) == ([10, 14, 0], [2, 2, 0])
    assert (wren.micros[:2], wren.moves[:2]) == ([22, 0], [2, 0])


def test_line_of_a_game_has_its_facts() -> None:
    """Its faults are seats and verdicts, and its plies are counted."""
    made = record(3, ("magpie", "wren"), (10, 4), Verdict.CRASH, 1)
    assert ListedGame.of(made) == ListedGame(
        1, 1, ("magpie", "wren"), (10, 4), 1, "crash", 1, ((0, "crash"),)
    )
    index = GameIndex()
    index.add(made, result_of(made))
    assert [*index.listed] == [ListedGame.of(made)]
    assert index.margins == {}, "it was not played to its end"
    assert index.faults.count == 1
    assert [kind.message for kind in index.careers.find("magpie").faults] == ["why"]
    assert index.history.count_before(2) == 1


def test_times_are_kept_of_the_first_forty_moves() -> None:
    """A game of 41 moves adds to 40 numbers, and its last move is left out."""
    plies = tuple(Ply(0, "advance", move) for move in range(1, 42))
    made = record(0, ("magpie", "wren"), (9, 4), Verdict.FINISHED, 0)._replace(plies=plies)
    index = GameIndex()
    index.add(made, result_of(made))
    assert index.thinking["magpie"] == Thinking([*range(1, 41)], [1] * 40)
    assert index.thinking["wren"] == Thinking([0] * 40, [0] * 40)


def test_games_without_plies_cannot_be_replayed() -> None:
    """A game is kept once, whatever the reasons, and games are in the order of the schedule."""
    index = GameIndex()
    for number, margin in ((3, 5), (2, -5), (0, 0)):
        made = record(number, ("magpie", "wren"), (9 + margin, 9), Verdict.FINISHED, 0)
        made = made._replace(plies=made.plies if number else ())
        index.add(made, result_of(made))
    assert [2 * game.pair + game.game for game in index.replayable_games()] == [2, 3]


def make_history(*pairs: tuple[float | None, float | None]) -> History:
    """Return the history of mirrored pairs of a and b, by the points of a in both games."""
    history = History()
    for result in make_results(*pairs):
        history.add(result)
    return history


def make_results(*pairs: tuple[float | None, float | None]) -> list[Result]:
    """Return the results of such pairs, each on a deal of its own."""
    return [
        result
        for number, (first, second) in enumerate(pairs)
        for result in (
            Result("a", "b", first, f"d{number}", None, str(number)),
            Result(
                "b", "a", None if second is None else 1 - second, f"d{number}", None, str(number)
            ),
        )
    ]


THREE_QUARTERS = ((1.0, 1.0), (1.0, 1.0), (1.0, 0.0), (0.0, 1.0))
"""In each seat, bot a wins three of four games, so the seats are even."""

HALF_LEAD = 200 * math.log10(3)
"""A share of ¾ is 400 · log10(3) Elo: half of it above, and half below the mean."""


def test_points_of_the_curve_end_with_whole_pairs() -> None:
    """A bot that has won everything has no rating yet; the last point has all games."""
    points = make_history(*THREE_QUARTERS).points(4)
    assert [point.games for point in points] == [2, 4, 6, 8]
    assert "a" not in points[0].elos
    assert "a" not in points[1].elos
    assert {bot: elo for bot, (elo, _) in points[-1].elos.items()} == pytest.approx(
        {"a": HALF_LEAD, "b": -HALF_LEAD}, abs=0.01
    )
    assert [point.games for point in make_history(*THREE_QUARTERS).points(3)] == [2, 4, 8]
    assert [point.games for point in make_history(*THREE_QUARTERS).points(1)] == [8]
    assert [point.games for point in make_history((1.0, 0.0)).points(9)] == [2]
    assert History().points(9) == []


def test_curve_has_the_options_and_the_level_of_its_table() -> None:
    """B is fixed at 1000; Student's t of 3 degrees of freedom is 3.182 and, at 99 %, 5.841."""
    history = make_history(*THREE_QUARTERS)
    options = RatingOptions((Anchor("b", 1000.0),))
    for point in (history.points(1, options)[0], history.points_at([8], options)[0]):
        assert point.elos["b"] == (1000.0, None)
        assert point.elos["a"][0] == pytest.approx(1000 + 2 * HALF_LEAD, abs=0.01)
    for usual, strict, unknown in (
        (
            history.points(1),
            history.points(1, level=0.99),
            history.points(1, paired_by_results=True),
        ),
        (
            history.points_at([8]),
            history.points_at([8], level=0.99),
            history.points_at([8], paired_by_results=True),
        ),
    ):
        reach, wide, none = (point.elos["a"][1] for (point,) in (usual, strict, unknown))
        assert reach is not None
        assert wide is not None
        assert wide / reach == pytest.approx(5.841 / 3.182, rel=1e-3)
        assert none is None


def test_void_and_drawn_games_of_the_curve_count_as_in_the_table() -> None:
    """Half points are half; a bot with void games alone has no point."""
    results = make_results(*THREE_QUARTERS, (0.5, None), (None, 0.5))
    results.append(Result("a", "c", None, "x", None, "9"))
    history = History()
    for result in results:
        history.add(result)
    (point,) = history.points(1)
    assert point.games == 13
    (pool, *_) = standings(None, results).pools
    assert {bot: elo for bot, (elo, _) in point.elos.items()} == pytest.approx(
        {row.bot: row.elo for row in pool.rows}
    )
    # 7 of 10 points from even seats
    assert point.elos["a"][0] == pytest.approx(200 * math.log10(7 / 3), abs=0.01)


def test_of_repeated_games_the_curve_keeps_the_one_that_the_table_keeps() -> None:
    """Pairs 9 and 10 repeat the moves of pair 1; shared deals are one observation each."""
    results = [
        result._replace(moves=number)
        for number, result in enumerate(
            make_results((1.0, 0.0), (0.0, 1.0), (1.0, 1.0), (0.0, 0.0), (1.0, 1.0))
        )
    ]
    again = [
        result._replace(pair=pair, points=points)
        for pair, points in (("9", 1.0), ("10", 0.0))
        for result in results[2:4]
    ]
    played = [*results[:2], *results[4:], *again]
    table = standings(None, played)
    assert table.repeated == 2
    history = History()
    for result in played:
        history.add(result)
    (point,) = history.points(1)
    shown = {row.bot: (row.elo, row.plus_minus) for row in table.pools[0].rows}
    assert {bot: elo for bot, (elo, _) in point.elos.items()} == pytest.approx(
        {bot: elo for bot, (elo, _) in shown.items()}
    )
    assert {bot: half for bot, (_, half) in point.elos.items()} == pytest.approx(
        {bot: half for bot, (_, half) in shown.items()}
    )


def test_games_before_a_pair_are_counted() -> None:
    """Two for each pair before it."""
    history = make_history(*THREE_QUARTERS)
    assert [history.count_before(pair) for pair in (0, 1, 3, 99)] == [0, 2, 6, 8]


MET = HeadToHead("magpie", "wren", 4, 3.0, 40, 0.05, None)
SIXTH = 0.05 ** (1 / 6)
"""The share of pairs at which six of six are won with a chance of 5 %."""


@pytest.mark.parametrize(
    ("met", "cells"),
    [
        # 1.96 errors of 0.05, over a slope of ¾ · ¼ · ln(10) / 400
        (
            MET,
            (
                "4",
                "3",
                "75.0%",
                f"+191 ± {1.96 * 0.05 / (0.1875 * math.log(10) / 400):.0f}",
                "–",
                "–",
            ),
        ),
        (MET._replace(points=2.5, error=0.0), ("4", "2.5", "62.5%", "+89", "–", "–")),
        (MET._replace(points=4.0), ("4", "4", "100.0%", "–", "–", "–")),
        # one pair of one is won with a chance of 5 % by a bot that is 512 Elo weaker
        (
            MET._replace(points=0.0, pairs=(1, 0, 0, 0, 0)),
            ("4", "0", "0.0%", "–", "1–0–0–0–0", "–"),
        ),
        (
            MET._replace(points=4.0, pairs=(0, 0, 0, 0, 1)),
            ("4", "4", "100.0%", "–", "0–0–0–0–1", "–"),
        ),
        (
            MET._replace(games=12, points=0.0, pairs=(6, 0, 0, 0, 0)),
            (
                "12",
                "0",
                "0.0%",
                f"< -{400 * math.log10(SIXTH / (1 - SIXTH)):.0f}",
                "6–0–0–0–0",
                "–",
            ),
        ),
        (
            MET._replace(games=12, points=12.0, pairs=(0, 0, 0, 0, 6)),
            (
                "12",
                "12",
                "100.0%",
                f"> +{400 * math.log10(SIXTH / (1 - SIXTH)):.0f}",
                "0–0–0–0–6",
                "–",
            ),
        ),
        # shares of ½ and 1 have a mean of ¾ and a deviation of ¼; their skewness is 0, and their
        # kurtosis 1, so the error of the number of deviations is √(1 / 40)
        (
            MET._replace(games=80, points=60.0, error=0.0, pairs=(0, 0, 20, 0, 20)),
            (
                "80",
                "60",
                "75.0%",
                "+191",
                "0–0–20–0–20",
                f"+246 ± {1.96 / math.sqrt(40) * 800 / math.log(10) / math.sqrt(2):.0f}",
            ),
        ),
    ],
    ids=range(8),
)
def test_games_of_two_bots_are_formatted(met: HeadToHead, cells: tuple[str, ...]) -> None:
    """Their number, the points and their share, both differences, and the pairs between them."""
    assert format_meeting(met, 0.95) == cells
    assert len(OPPONENT_HEADINGS) == 1 + len(cells)


def test_level_of_two_bots_changes_intervals_and_bounds() -> None:
    """At 90 % the bound of six pairs is a share of 0.681, and 1.645 errors half an interval."""
    won = MET._replace(games=12, points=12.0, pairs=(0, 0, 0, 0, 6))
    share = 0.1 ** (1 / 6)
    assert format_meeting(won, 0.9)[3] == f"> +{400 * math.log10(share / (1 - share)):.0f}"
    reach = 1.645 * 0.05 / (0.1875 * math.log(10) / 400)
    assert format_meeting(MET, 0.9)[3] == f"+191 ± {reach:.0f}"
    many = MET._replace(games=80, points=60.0, error=0.0, pairs=(0, 0, 20, 0, 20))
    nelo = 1.645 / math.sqrt(40) * 800 / math.log(10) / math.sqrt(2)
    assert format_meeting(many, 0.9)[5] == f"+246 ± {nelo:.0f}"


def test_opponents_of_a_bot_are_seen_from_its_side() -> None:
    """Games of others are left out; a bot that plays no more is marked, and one unknown refused."""
    rows = [make_row(bot) for bot in ("magpie", "wren", "crow")]
    meetings = (
        MET,
        HeadToHead("crow", "magpie", 2, 1.5, 1, 0.25, None),
        HeadToHead("crow", "wren", 2, 1.5, 1, 0.25, None),
    )
    table = Standings((make_pool(*rows, meetings=meetings, level=0.9),), 8, 0)
    assert find_meetings(table, "magpie") == {
        "wren": MET,
        "crow": HeadToHead("magpie", "crow", 2, 0.5, 1, 0.25, None),
    }
    season = Season({"wren": Member("wren", "wren", "removed", None, None)})
    opponents = list_opponents(table, "magpie", season)
    assert opponents.title == title_opponents("magpie", 0.9) == "magpie by opponent (± at 90 %)"
    assert opponents.headings == OPPONENT_COLUMNS
    assert [row[:4] for row in opponents.rows] == [
        ("wren (removed)", "4", "3", "75.0%"),
        ("crow", "2", "0.5", "25.0%"),
    ]
    assert opponents.rows[0][4] == format_meeting(MET, 0.9)[3]
    with pytest.raises(LookupError, match="jay has not played"):
        list_opponents(table, "jay")


def test_tables_of_a_bot_have_titles_and_headings() -> None:
    """If both bots fail nobody wins; of six games the five best and the five worst are listed."""
    depth = Depth("magpie")
    done = Verdict.FINISHED
    games = [record(k, ("magpie", "wren"), (10 + k, 12), done, int(k < 2)) for k in range(6)]
    games.append(record(6, ("wren", "magpie"), (5, 5), Verdict.CRASH, None))
    games.append(record(7, ("wren", "crow"), (5, 50), done, 1))
    for game in games:
        depth.add(game, result_of(game))
    season = Season({"wren": Member("wren", "wren", "old", None, None)})
    tables = depth.tables(standings(None, map(result_of, games), level=0.9), season)
    opponents, seats, verdicts, best, worst = tables
    counted = ("Games", "Points", "Score", "Margin", "Void")
    assert opponents.title == "magpie by opponent (± at 90 %)"
    assert opponents.headings == ("Against", *counted, "Elo", "0–½–1–1½–2", "nElo")
    # margins of −2 to 3, and four wins and half a point of seven
    assert [row[:6] for row in opponents.rows] == [("wren (old)", "7", "4.5", "64.3%", "+0.5", "0")]
    assert (seats.title, seats.headings) == ("By seat", ("Seat", *counted))
    assert seats.rows == (
        ("first", "6", "4", "66.7%", "+0.5", "0"),
        ("second", "1", "0.5", "50.0%", "–", "0"),
    )
    assert (verdicts.title, verdicts.headings) == ("By verdict", ("Verdict", "Outcome", "Games"))
    assert verdicts.rows == (
        ("crash", "nobody won", "1"),
        ("finished", "lost", "2"),
        ("finished", "won", "4"),
    )
    headings = ("Game", "Against", "Score", "Margin")
    assert (best.title, best.headings) == ("Best games", headings)
    assert (worst.title, worst.headings) == ("Worst games", headings)
    lines = [(f"{k // 2}.{k % 2}", "wren (old)", f"{10 + k}:12", f"{k - 2:+d}") for k in range(6)]
    assert best.rows == tuple(lines[:0:-1])
    assert worst.rows == tuple(lines[:5])


def test_bot_that_had_one_seat_only_has_one_line_of_seats() -> None:
    """A game of other bots adds nothing, and a void one has neither points nor a margin."""
    depth = Depth("magpie")
    void = record(0, ("wren", "magpie"), (9, 4), Verdict.RUNNER_ERROR, None)
    for game in (void, record(1, ("wren", "crow"), (9, 4), Verdict.FINISHED, 0)):
        depth.add(game, result_of(game))
    table = standings(["magpie", "wren", "crow"], [result_of(void)])
    opponents, seats, verdicts, best, _ = depth.tables(table)
    assert opponents.rows == (("wren", "0", "0", "–", "–", "1", "–", "–", "–"),)
    assert seats.rows == (("second", "0", "0", "–", "–", "1"),)
    assert verdicts.rows == (("runner-error", "void", "1"),)
    assert best.rows == ()


def test_widest_and_closest_games_are_kept_whatever_came_before() -> None:
    """A hundred others came first, and 700 after; a bot's own page has only five of each kind."""
    index = GameIndex(newest=600)
    margins = [20] * 120 + [70] * 6 + [-70] * 6 + [0] + [20] * 700
    for number, margin in enumerate(margins):
        scores = (100 + margin, 100)
        made = record(number, ("magpie", "wren"), scores, Verdict.FINISHED, int(margin < 0))
        index.add(made, result_of(made))
    kept = {2 * game.pair + game.game for game in index.replayable_games()}
    assert kept >= {*range(120, 133)}
