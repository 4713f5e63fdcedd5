"""Data collected from games: the rating curve, one bot in depth, and games to replay."""

import math
import random

import pytest

from pwtourney.notation.game import Fault, Game, Ply, Verdict
from pwtourney.ratings import Result
from pwtourney.report.collectors import Depth, GameIndex, History
from pwtourney.rules import deal, find_edition
from pwtourney.standings.rate import standings
from pwtourney.store import result_of

DEALT = deal(find_edition("original"), 1)


@pytest.mark.slow
def test_last_point_of_the_curve_equals_the_leaderboard() -> None:
    """With shared deals, repeated games, void games, and two tables."""
    rng = random.Random(3)
    results = []
    for number in range(600):
        one, two = rng.sample("abc", 2) if number % 3 else rng.sample("xy", 2)
        points = rng.choice([0.0, 1.0, 1.0, None])
        name, moves = str(number % 20), None if points is None else rng.randrange(3)
        results.append(Result(one, two, points, name, 5, str(number // 2), moves))
    history = History()
    for result in results:
        history.add(result)
    found = standings(None, results)
    assert found.repeated > 50
    assert len(found.pools) == 2
    last = history.points(5)[-1]
    assert last.games == 600
    shown = {line.bot: line.elo for pool in found.pools for line in pool.rows}
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
    for each in games:
        depth.add(each, result_of(each))
    found = depth.tables(standings(None, map(result_of, games)))[0]
    (*_, crow, none, _), (*_, wren, pairs, nelo) = found.rows
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
    """Five games of magpie, one of others, one void; computed by hand."""
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
    for each in games:
        depth.add(each, result_of(each))
    opponents, seats, verdicts, best, worst = depth.tables(standings(None, map(result_of, games)))
    assert opponents.rows == (
        ("crow", "2", "0", "0.0%", "-23.0", "1", "–", "–", "–"),
        ("wren", "2", "2", "100.0%", "+4.0", "0", "> -512", "0–0–0–0–1", "–"),
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
    index = GameIndex()
    for number in range(2000):
        scores = {3: (90, 0), 5: (20, 20)}.get(number, (30, 10))
        made = record(number, ("magpie", "wren"), scores, Verdict.FINISHED, 0)
        index.add(made, result_of(made))
    kept = [2 * game.pair + game.game for game in index.replayable_games()]
    assert kept == sorted(set(kept))
    assert set(kept) >= {3, 5, *range(1400, 2000)}
    assert len(kept) <= 600 + 2 * 100
    assert index.count == 2000


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
