"""Statistics in terms of the game, from hand-counted games, and the sentences about them."""

import json
import pickle
from pathlib import Path

import pytest

import pwtourney as library
from pwtourney.notation.game import Game, Ply, Verdict
from pwtourney.report.game_statistics import (
    NO_STATISTICS,
    Averages,
    BotStatistics,
    Expectation,
    GameStatistics,
    StatisticsCollector,
    WorstGame,
)
from pwtourney.report.game_statistics.expectations import (
    Fall,
    Statement,
    change_by_quarter,
    find_largest_fall,
    list_statements,
)
from pwtourney.report.page.addresses import game_address, games_address
from pwtourney.report.page.bot_statistics import describe_statistics
from pwtourney.report.text.field_comparison import describe_differences, describe_expectation
from pwtourney.report.text.statistic_rows import list_statistics, tabulate_statistics
from pwtourney.rules.automa import Automa
from tests.notation.games import play_solo
from tests.notation.test_record import played
from tests.program import pwtourney
from tests.report.handcount import GAME, TINY
from tests.rules.positions import EXPRESS, ORIGINAL

MIRROR = GAME._replace(bots=GAME.bots[::-1], game=1)
"""The same plies with the seats swapped, so that magpie wins by 4 points."""

HABITS = (
    "It takes 2.0 patches (the field: 3.0) and collects 4.0 buttons of income (the field: 6.0)."
)
"""How magpie plays differently in GAME."""

EXPECTED = {1: "score 3", 2: "score 1", 7: "depth 3 score 2", 11: "score -1", 15: "score -1.5"}
"""What magpie says in GAME, by ply; its token is then on the spaces 0, 3, 5, 5 and 9 of 12."""


def collect(*games: Game) -> GameStatistics:
    """Return the statistics of games on the small board."""
    collector = StatisticsCollector(TINY)
    for game in games:
        collector.add(game)
    return collector.conclude()


def say(game: Game, infos: dict[int, str]) -> Game:
    """Return a game in which plies have these infos."""
    plies = [ply._replace(info=infos.get(number, "")) for number, ply in enumerate(game.plies, 1)]
    return game._replace(plies=tuple(plies))


def test_averages_of_a_pair_are_those_counted_by_hand() -> None:
    """Of 7 advances and 6 patches, 8 buttons and 11 spaces for 14 squares; 17 plies in 153 ms."""
    statistics = collect(GAME, MIRROR)
    magpie = statistics.find("magpie")
    assert magpie is not None
    assert magpie.own == Averages(
        games=2,
        won=0.5,
        score=14,
        margin=0,
        margin_first=-4,
        margin_second=4,
        empty_squares=0,
        buttons=12.5,
        tile=0.5,
        special_patches=2,
        income=2,
        income_collected=6,
        income_at_marks=(1, 1, 2, 2),
        advance_buttons=6.5,
        advances=3.5,
        advance_share=7 / 13,
        patches=3,
        patch_cost=8 / 6,
        patch_time=11 / 6,
        cost_per_square=8 / 14,
        time_per_square=11 / 14,
        ms_per_move=9,
        seconds_per_game=0.0765,
    )
    # both bots have played both seats
    assert magpie.opponents == magpie.own
    assert statistics.field == magpie.own._replace(games=4)
    assert (statistics.games, statistics.income_marks) == (2, (3, 4, 8, 12))
    assert (statistics.last_space, statistics.tile_points) == (12, 3)


def test_opponents_are_those_of_the_same_games() -> None:
    """Magpie has 12 points, crow 16 and the field, of both, 14."""
    statistics = collect(GAME)
    magpie, crow = statistics.bots
    assert (magpie.bot, crow.bot) == ("magpie", "crow")
    assert (magpie.own.score, magpie.opponents.score, statistics.field.score) == (12, 16, 14)
    assert crow.opponents == magpie.own
    assert (magpie.own.margin_first, magpie.own.margin_second) == (-4, None)


def test_worst_game_of_each_average_is_the_first_of_equal_ones() -> None:
    """Magpie's first seat has fewer buttons and patches, and its second more advances."""
    magpie = collect(GAME, MIRROR, GAME._replace(pair=9)).find("magpie")
    assert magpie is not None
    assert magpie.worst == (
        WorstGame("score", "7.0", 12),
        WorstGame("empty_squares", "7.0", 0),
        WorstGame("buttons", "7.0", 9),
        WorstGame("special_patches", "7.0", 2),
        WorstGame("income", "7.0", 2),
        WorstGame("income_collected", "7.0", 4),
        WorstGame("advance_buttons", "7.0", 5),
        WorstGame("advances", "7.1", 4),
        WorstGame("patches", "7.0", 2),
        WorstGame("seconds_per_game", "7.1", 0.094),
    )


def test_three_worst_games_of_each_average_are_kept() -> None:
    """Magpie has 12 points and 3 advances in each game but the first, in which it has 16 and 4."""
    games = (GAME._replace(pair=pair) for pair in (3, 4, 5, 6))
    magpie = collect(MIRROR, *games).find("magpie")
    assert magpie is not None
    assert [game for game in magpie.worst if game.key == "score"] == [WorstGame("score", "3.0", 12)]
    assert [game for game in magpie.next_worst if game.key == "score"] == [
        WorstGame("score", "4.0", 12),
        WorstGame("score", "5.0", 12),
    ]
    assert [game.game for game in magpie.next_worst if game.key == "advances"] == ["3.0", "4.0"]


def test_only_games_played_to_their_end_count() -> None:
    """A crash and a void game are left out; without any game all averages are unknown."""
    crash = GAME._replace(verdict=Verdict.CRASH, pair=8)
    void = GAME._replace(verdict=Verdict.RUNNER_ERROR, winner=None, pair=9)
    assert collect(GAME, crash, void) == collect(GAME)
    nothing = collect(crash)
    assert nothing.bots == ()
    assert nothing.field == NO_STATISTICS.field == Averages()
    assert nothing.find("magpie") is None
    assert tabulate_statistics(nothing, "magpie") == []
    assert describe_statistics(nothing, "magpie") is None


def test_edition_without_the_tile_and_plies_without_times_have_unknown_averages() -> None:
    """Express has no special tile; a table of games from elsewhere may have no times."""
    game = played(EXPRESS, 3)
    untimed = game._replace(plies=tuple(Ply(ply.seat, ply.action) for ply in game.plies))
    collector = StatisticsCollector(EXPRESS)
    collector.add(untimed)
    statistics = collector.conclude()
    own = statistics.bots[0].own
    assert (own.tile, own.ms_per_move, own.seconds_per_game) == (None, None, None)
    assert "seconds_per_game" not in {worst.key for worst in statistics.bots[0].worst}
    labels = {row.measure.key for row in list_statistics(statistics.bots[0], statistics.field)}
    assert labels.isdisjoint({"tile", "ms_per_move", "seconds_per_game"})


def test_automa_has_no_statistics() -> None:
    """It has no quilt board; its opponent has its own averages, and no opponents."""
    collector = StatisticsCollector(ORIGINAL)
    collector.add(play_solo(ORIGINAL, Automa("fellow"), 4))
    (statistics,) = collector.conclude().bots
    assert (statistics.bot, statistics.own.games, statistics.opponents) == ("one", 1, Averages())


def test_statistics_can_be_pickled_and_hashed() -> None:
    """They are tuples of values."""
    statistics = collect(say(GAME, EXPECTED), MIRROR)
    assert pickle.loads(pickle.dumps(statistics)) == statistics
    assert hash(statistics) == hash(collect(say(GAME, EXPECTED), MIRROR))


def test_expectation_changes_in_the_quarter_in_which_it_was_said() -> None:
    """By hand: −2, +1 and −3 from space 3 on; −0.5 from space 9 on, and −2.5 to the result."""
    game = say(GAME, EXPECTED)
    statements = list_statements(game, 0)
    assert statements == [
        Statement(1, 3.0),
        Statement(2, 1.0),
        Statement(7, 2.0),
        Statement(11, -1.0),
        Statement(15, -1.5),
    ]
    spaces = (0, 3, 0, 2, 3, 3, 5, 4, 5, 6, 5, 6, 6, 10, 9, 10, 11)
    assert change_by_quarter(statements, spaces, 12, -4) == [0, -4, 0, -3]
    magpie = collect(game, MIRROR).find("magpie")
    assert magpie is not None
    assert magpie.expectation == Expectation(1, 3.0, (0.0, -4.0, 0.0, -3.0))
    assert magpie.expectation.steps == (3, 3, -1, -1, -4)
    assert find_largest_fall(game, 0) == Fall(11, 2.0, -1.0)
    assert list_statements(game, 1) == []


def test_expectation_is_the_mean_of_lost_games() -> None:
    """Games that the bot won, or in which it said nothing, do not count."""
    once = {1: "score 1"}
    games = (say(GAME, EXPECTED), say(GAME, once)._replace(pair=8), say(MIRROR, {3: "score 9"}))
    magpie = collect(*games, GAME._replace(pair=9)).find("magpie")
    assert magpie is not None
    # (3 + 1) / 2 at first; −4 / 2 in the second quarter, (−3 − 5) / 2 in the last
    assert magpie.expectation == Expectation(2, 2.0, (0.0, -2.0, 0.0, -4.0))


def test_statement_on_the_last_space_belongs_to_the_last_quarter() -> None:
    """A special patch may be placed there."""
    statements = [Statement(1, 2.0), Statement(2, 1.0)]
    assert change_by_quarter(statements, (0, 12), 12, 1) == [0, 0, 0, -1]


def test_expectation_that_never_fell_has_no_largest_fall() -> None:
    """A loss by 4 points was expected from the beginning, or nothing was."""
    assert find_largest_fall(say(GAME, {1: "score -4"}), 0) is None
    assert find_largest_fall(GAME, 0) is None


def test_sentences_name_the_parts_of_the_score_that_differ() -> None:
    """By hand: 3.5 buttons less and the tile in half a game more are the 2 points of the score."""
    statistics = collect(GAME)
    magpie, crow = statistics.bots
    assert [*describe_differences(magpie, statistics)] == [
        "magpie scores 12.0 points a game in 1 game, 2.0 less than the field.",
        "It has 9.0 buttons at the end, 3.5 fewer than the field: 3.5 points a game less.",
        "It gets the special tile in 100% of its games, the field in 50%: 1.5 points a game more.",
        HABITS,
    ]
    first, *_ = describe_differences(crow, statistics)
    assert first == "crow scores 16.0 points a game in 1 game, 2.0 more than the field."


def test_sentences_on_empty_squares_come_first_if_they_cost_most() -> None:
    """Nine more squares than the field's 22 cost 18 points."""
    statistics = collect(GAME)
    field = statistics.field._replace(score=0.0, empty_squares=22.0)
    own = statistics.bots[0].own._replace(score=-18.0, empty_squares=31.0)
    bot = statistics.bots[0]._replace(own=own)
    _, worst, *_ = describe_differences(bot, statistics._replace(field=field))
    assert worst == (
        "It leaves 31.0 squares empty, 9.0 more than the field: 18.0 points a game less."
    )


def test_bot_that_plays_like_the_field_has_one_sentence() -> None:
    """With the same averages, nothing differs; without games there is none."""
    statistics = collect(GAME, MIRROR)
    assert [*describe_differences(statistics.bots[0], statistics)] == [
        "magpie scores 14.0 points a game in 2 games, as many as the field."
    ]
    empty = statistics.bots[0]._replace(own=Averages())
    assert [*describe_differences(empty, statistics)] == []


@pytest.mark.parametrize(
    ("changes", "end"),
    [
        ((0.0, -4.0, 0.0, -3.0), "fell most in the second quarter of the track, by 4.0."),
        ((-1.0, 0.0, 0.0, -3.0), "fell most in the last quarter of the track, by 3.0."),
        ((0.0, 1.0, 0.0, 0.0), "fell in no quarter of the track."),
    ],
)
def test_sentence_names_the_quarter_of_the_largest_fall(
    changes: tuple[float, ...], end: str
) -> None:
    """The number is how much it fell there."""
    sentence = describe_expectation("magpie", Expectation(3, 1.5, changes))
    assert sentence.startswith("In 3 lost games magpie expected +1.5 points at first")
    assert sentence.endswith(f"its expectation {end}")


def test_tables_of_a_terminal_show_own_opponents_and_field() -> None:
    """By hand; one table of averages, one of income marks, and one of the expectation."""
    averages, income, expected = tabulate_statistics(collect(say(GAME, EXPECTED)), "magpie")
    assert averages.title == "magpie in terms of the game, in 1 game played to the end"
    assert averages.headings == ("Statistic", "Own", "Opponents", "Field", "Worst", "Game")
    rows = {row[0]: row[1:] for row in averages.rows}
    assert rows["Score"] == ("12.0", "16.0", "14.0", "12", "7.0")
    assert rows["Turns that advance"] == ("60%", "50%", "54%", "–", "–")
    assert rows["Margin, second seat"] == ("–", "+4.0", "+4.0", "–", "–")
    assert rows["Seconds a game"] == ("0.06", "0.09", "0.08", "0.06", "7.0")
    assert income.rows == (
        ("3", "0.0", "2.0", "1.0"),
        ("4", "0.0", "2.0", "1.0"),
        ("8", "2.0", "2.0", "2.0"),
        ("12", "2.0", "2.0", "2.0"),
    )
    assert expected.rows == (
        ("start", "+3.0"),
        ("¼ of the track", "+3.0"),
        ("½ of the track", "-1.0"),
        ("¾ of the track", "-1.0"),
        ("result", "-4.0"),
    )


@pytest.mark.parametrize(
    ("averages", "verdicts"),
    [
        ({"score": 12.0, "empty_squares": 3.0, "advances": 4.0}, ("better", "better", "")),
        ({"score": 8.0, "empty_squares": 7.0, "advances": 6.0}, ("worse", "worse", "")),
        # they are the same as the field's in the table
        ({"score": 10.01, "empty_squares": 4.99, "advances": 5.0}, ("", "", "")),
    ],
)
def test_value_is_better_or_worse_only_if_that_is_clear(
    averages: dict[str, float], verdicts: tuple[str, ...]
) -> None:
    """More points and fewer empty squares are better; how often to advance is a matter of style."""
    own = Averages(games=2, **averages)  # type: ignore[arg-type]
    field = Averages(games=4, score=10.0, empty_squares=5.0, advances=5.0)
    statistics = GameStatistics(2, field, (BotStatistics("magpie", own, field),))
    described = describe_statistics(statistics, "magpie")
    assert described is not None
    rows = {row["label"]: row["verdict"] for row in described["rows"]}
    assert (rows["Score"], rows["Empty squares"], rows["Advances"]) == verdicts


def test_page_draws_bars_and_curves_of_a_bot() -> None:
    """12 points are 2/14 less than the field has; 40 % would cover the left half, 36 wide."""
    described = describe_statistics(collect(say(GAME, EXPECTED)), "magpie")
    assert described is not None
    rows = {row["label"]: row for row in described["rows"]}
    bar = rows["Score"]["bar"]
    assert bar == (23.1, 12.9)
    assert rows["Score"]["worst"] == [
        {"text": "12", "game": "7.0", "address": "#game=7.0&ply=9999"}
    ]
    assert rows["Games won"]["own_address"] == "#bot=magpie&result=won"
    assert rows["Score"]["own_address"] == ""
    # −4, like the first seats of the field
    assert rows["Margin, first seat"]["bar"] == (38.0, 0.0)
    # nobody has an empty square
    assert rows["Empty squares"]["bar"] == (38.0, 0.0)
    income = described["income"]
    assert [curve.bot for curve in income.curves] == ["magpie", "its opponents", "the field"]
    assert [text for _, text in income.across.ticks] == ["3", "4", "8", "12"]
    assert income.text == "Buttons collected by magpie: 0.0 at 3, 0.0 at 4, 2.0 at 8, 2.0 at 12"
    assert [text for _, text in described["expected"].across.ticks] == [
        "start",
        "¼",
        "½",
        "¾",
        "result",
    ]


@pytest.mark.slow(2)
def test_report_prints_the_statistics_of_a_bot(league: Path) -> None:
    """Those of the library are in the table and in the JSON, which also names their field."""
    statistics = library.game_statistics(league)
    greedy = statistics.find("greedy")
    assert greedy is not None
    printed = pwtourney("report", str(league), "--bot", "greedy").stdout
    assert f"greedy in terms of the game, in {greedy.own.games} games played to the end" in printed
    assert f"It leaves {greedy.own.empty_squares:.1f} squares empty" in printed
    assert "Margin that greedy expected in lost games" in printed
    data = json.loads(pwtourney("report", str(league), "--format", "json").stdout)
    bots = {bot["bot"]: bot["statistics"] for table in data["tables"] for bot in table["bots"]}
    own = bots["greedy"]["own"]
    assert own["empty_squares"] == pytest.approx(greedy.own.empty_squares, abs=1e-4)
    assert data["field"]["games"] == statistics.field.games == 2 * statistics.games
    assert bots["slow"] is None
    assert data == json.loads((league / "standings.json").read_text())


def test_addresses_of_the_page_have_the_filters_that_are_set() -> None:
    """Names may have any characters; the fragment has them escaped."""
    assert games_address("a#2") == "#tab=games&bot=a%232"
    assert games_address("a", against="b c", result="lost") == "#bot=a&against=b%20c&result=lost"
    assert games_address("a", result="fault", verdict="crash") == (
        "#bot=a&result=fault&verdict=crash"
    )
    assert game_address("12.0", 30) == "#game=12.0&ply=30"
