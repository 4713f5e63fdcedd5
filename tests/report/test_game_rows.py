"""Games as rows: which ones are meant, their numbers, and what a spreadsheet reads."""

import csv
import json
from io import StringIO
from pathlib import Path

import pytest

from pwtourney.notation.game import Fault, Game, Ply, Verdict
from pwtourney.report.text.game_rows import Wish, games_csv, list_wanted, tabulate_games
from pwtourney.rules import deal, find_edition
from pwtourney.store import GameNumbers
from tests.program import pwtourney
from tests.report.conftest import read_games

DEALT = deal(find_edition("original"), 1)
PLIES = (Ply(0, "advance", 1_500_000), Ply(1, "advance", 250_000), Ply(0, "advance", 500_000))


def played(
    pair: int, game: int, bots: tuple[str, str], scores: tuple[int, int], *faults: Fault
) -> Game:
    """Return a game with three plies, won by the higher score unless a bot failed."""
    verdict = faults[0].verdict if faults else Verdict.FINISHED
    winner = 1 - faults[0].seat if faults else int(scores[1] > scores[0])
    record = Game(bots, "original", DEALT, (1, 2), PLIES, verdict, winner, scores, faults)
    return record._replace(pair=pair, game=game)


TWO = GameNumbers(2)
LATE = Fault(1, Verdict.TIMEOUT, "=did not answer in time")
GAMES = (
    played(0, 0, ("wren", "crow"), (20, 5)),
    played(0, 1, ("crow", "wren"), (7, 9)),
    played(1, 0, ("wren", "tit"), (30, 30)),
    played(1, 1, ("tit", "wren"), (-90, -80), LATE),
)


@pytest.mark.parametrize(
    ("wish", "expected"),
    [
        (Wish(), ["0.0", "0.1", "1.0", "1.1"]),
        (Wish(("crow",)), ["0.0", "0.1"]),
        (Wish(("tit", "wren")), ["1.0", "1.1"]),
        (Wish(("tit", "crow")), []),
        (Wish(verdict="finished"), ["0.0", "0.1", "1.0"]),
        (Wish(verdict="timeout"), ["1.1"]),
        (Wish(verdict="fault"), ["1.1"]),
        (Wish(verdict="crash"), []),
        (Wish(("wren",), "fault"), ["1.1"]),
        (Wish(("tit",), "fault"), []),
        (Wish(least=2), ["0.0", "0.1"]),
        (Wish(least=3), ["0.0"]),
        (Wish(most=2), ["0.1", "1.0"]),
        (Wish(least=0), ["0.0", "0.1", "1.0"]),
        (Wish(("crow",), "finished", 3, 15), ["0.0"]),
    ],
)
def test_wish_chooses_games(wish: Wish, expected: list[str]) -> None:
    """A game that a fault ended has no margin, so it is never close or one-sided."""
    games = list_wanted(GAMES, wish, None)
    assert [f"{game.pair}.{game.game}" for game in games] == expected
    assert list_wanted(GAMES, wish, 1) == games[:1]


def test_row_has_number_score_and_winner() -> None:
    """Pair 1 begins with game 3, or with game 2 where a pair is one game."""
    table = tabulate_games(GAMES, TWO, "all")
    assert table.title == "all"
    assert table.rows == (
        ("1", "0.0", "wren", "crow", "20:5", "wren", "15", "finished"),
        ("2", "0.1", "crow", "wren", "7:9", "wren", "2", "finished"),
        ("3", "1.0", "wren", "tit", "30:30", "wren", "0", "finished"),
        ("4", "1.1", "tit", "wren", "-90:-80", "tit", "–", "timeout"),
    )
    assert tabulate_games(GAMES[2:3], GameNumbers(1), "").rows[0][0] == "2"
    void = GAMES[0].disqualify("two faults")
    assert tabulate_games([void], TWO, "").rows[0][5:] == ("–", "–", "disqualified")


def test_csv_has_a_row_for_each_game() -> None:
    """Times are seconds of each seat, and no spreadsheet takes a message for a formula."""
    rows = list(csv.DictReader(StringIO(games_csv(GAMES, TWO, "swiss"))))
    deal = rows[0].pop("deal")
    assert deal
    assert rows[0] == {
        "number": "1",
        "game": "0.0",
        "first": "wren",
        "second": "crow",
        "score": "1",
        "pair": "0",
        "margin": "15",
        "format": "swiss",
        "edition": "original",
        "first_points": "20",
        "second_points": "5",
        "verdict": "finished",
        "why": "",
        "plies": "3",
        "first_seconds": "2.000",
        "second_seconds": "0.250",
    }
    assert [row["margin"] for row in rows] == ["15", "-2", "0", ""]
    assert (rows[3]["score"], rows[3]["why"]) == ("1", "'=did not answer in time")
    headings = games_csv(GAMES, TWO, "swiss").splitlines()[:1]
    assert games_csv([], TWO, "swiss").splitlines() == headings


def test_csv_of_games_gives_the_same_ratings(league: Path, tmp_path: Path) -> None:
    """`rate` reads it like the folder that it comes from."""
    table = tmp_path / "games.csv"
    table.write_text(pwtourney("games", str(league), "--all", "--format", "csv").stdout)
    rated = [
        json.loads(pwtourney("rate", str(source), "--json").stdout)["tables"][0]["bots"]
        for source in (table, league)
    ]
    first, second = ([(row["bot"], row["elo"], row["games"]) for row in rows] for rows in rated)
    assert first == second


def test_command_lists_the_newest_games(league: Path) -> None:
    """As many as asked for; with a bot and its opponent, only theirs."""
    games = read_games(league)
    listed = pwtourney("games", str(league), "--most", "3", "--format", "csv").stdout
    rows = list(csv.DictReader(StringIO(listed)))
    assert len(rows) == 3
    whole = pwtourney("games", str(league), "--all", "--format", "csv").stdout
    assert whole.splitlines()[1:4] == listed.splitlines()[1:]
    assert sorted(row["game"] for row in csv.DictReader(StringIO(whole))) == sorted(
        f"{game.pair}.{game.game}" for game in games
    )
    both = pwtourney("games", str(league), "--bot", "greedy", "--opponent", "frugal", "--all")
    expected = sum({"greedy", "frugal"} == set(game.bots) for game in games)
    assert both.stdout.startswith(f"{expected} games, the newest first\n")


def test_number_and_name_are_the_same_game(league: Path) -> None:
    """Game 3 is the first of pair 1."""
    by_number = pwtourney("replay", f"{league}:3", "--at", "0").stdout
    assert by_number == pwtourney("replay", f"{league}:1.0", "--at", "0").stdout
    for number, message in (("0", "games are counted from 1"), ("99999", "there is no game")):
        done = pwtourney("replay", f"{league}:{number}", code=None)
        assert message in done.stderr
        assert done.returncode in (2, 3)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--bot", "gredy"), "there is no bot 'gredy' (did you mean 'greedy'?); the bots are "),
        (("--min-margin", "9", "--max-margin", "3"), "--min-margin is above --max-margin"),
        (("--opponent", "greedy"), "--opponent goes with --bot"),
        (
            ("--verdict", "time-out"),
            "is not a verdict (did you mean 'timeout'?); choose one of fault",
        ),
        (("--all", "--most", "3"), "--all lists every game"),
    ],
)
def test_wrong_wish_says_what_there_is(league: Path, words: tuple[str, ...], message: str) -> None:
    """Nothing is listed."""
    done = pwtourney("games", str(league), *words, code=2)
    assert message in done.stderr
    assert done.stdout == ""
