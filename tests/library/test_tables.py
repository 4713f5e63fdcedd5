"""Ratings of tables, and the verification of folders, for programs."""

import json
import math
import pickle
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

import pwtourney
from tests.library.small import play_small
from tests.program import pwtourney as command
from tests.sharing import Once

GAMES = [("a", "b", score) for score in (1, 1, 1, 0)]


def test_three_of_four_points_are_191_elo() -> None:
    """400·log10(3) = 190.85, by the definition of Elo; both seats are balanced."""
    both_seats = [*GAMES, *(("b", "a", 1 - score) for _, _, score in GAMES)]
    (pool,) = pwtourney.rate(both_seats).pools
    assert [line.bot for line in pool.rows] == ["a", "b"]
    gap = pool.rows[0].elo - pool.rows[1].elo
    assert math.isclose(gap, 400 * math.log10(3), abs_tol=0.01)


def test_tuples_mappings_and_results_give_the_same_table() -> None:
    """Missing fields have the same defaults in each form."""
    rows = [("a", "b", 1, "p", "d", 12), ("b", "a", 0.5, "p", "d", 0), ("a", "b", None)]
    names = ("first", "second", "score", "pair", "deal", "margin")
    mappings = [dict(zip(names, row, strict=False)) for row in rows]
    results = [
        pwtourney.Result("a", "b", 1.0, "d", 12, "p"),
        pwtourney.Result("b", "a", 0.5, "d", 0, "p"),
        pwtourney.Result("a", "b", None, "g3"),
    ]
    from_rows, from_mappings, from_results = (
        str(pwtourney.rate(table)) for table in (rows, mappings, results)
    )
    assert from_rows == from_mappings == from_results


def test_files_and_folders_are_rated_as_by_the_command(tmp_path: Path) -> None:
    """A path is a file or a results folder; several tables are rated as one."""
    (tmp_path / "games.csv").write_text("first,second,score\na,b,1\nb,a,0.5\n")
    table = pwtourney.rate(tmp_path / "games.csv", GAMES, anchor=("a", 1000.0))
    assert (table.games, table.pools[0].rows[0].elo) == (6, 1000.0)
    said = json.loads(command("rate", "--json", str(tmp_path / "games.csv")).stdout)
    (pool,) = pwtourney.rate(tmp_path / "games.csv").pools
    assert [bot["elo"] for bot in said["tables"][0]["bots"]] == [
        pytest.approx(line.elo, abs=0.1) for line in pool.rows
    ]


def test_several_anchors_are_a_mapping() -> None:
    """A rating is exact, or a tuple of a rating and its standard error."""
    (pool,) = pwtourney.rate(GAMES, anchor={"a": 5.0, "b": (9.0, 2.0)}).pools
    assert pool.anchors == (("a", 5.0, 0.0), ("b", 9.0, 2.0))
    assert {row.bot: row.elo for row in pool.rows}["a"] == 5.0


@pytest.mark.parametrize(
    ("games", "options", "message"),
    [
        ([("a", "b", 1), ("a", "b", 7)], {}, "row 2: the score '7' is not 1"),
        ([("a", "a", 1)], {}, "row 1: 'a' against 'a'"),
        ([{"first": "a", "score": 1}], {}, "row 1: there is no second"),
        ([pwtourney.Result("a", "", 1.0, "x")], {}, "row 1: a bot has no name"),
        ([("a", "b")], {}, r"row 1: \('a', 'b'\) is no row"),
        (GAMES, {"prior": -1.0}, "prior: expected 0, or a number from 0.01 to 1000, not -1"),
        (GAMES, {"anchor": ("a", math.inf)}, "anchor: expected a rating within ±100000, not inf"),
        (GAMES, {"anchor": {"a": (0.0, math.nan)}}, "anchor: expected an error of 0, or from 0.01"),
        (GAMES, {"anchor": {"a": (0, 5)}, "prior": 1.0}, "prior: several or loose anchors fix"),
        (GAMES, {"level": 0.4}, "level: 0.4 is not from 0.5 to 0.999"),
        (GAMES, {"level": 95.0}, "level: 95 is not"),
        (GAMES, {"anchor": ("c", 0.0)}, "anchor: c has no rating"),
        ("games.xml", {}, "games.xml: games are read from"),
    ],
)
def test_invalid_table_is_an_error_that_names_the_row(
    games: list[pwtourney.Result] | str, options: dict[str, float], message: str
) -> None:
    """Invalid options are errors, too."""
    with pytest.raises(pwtourney.UsageError, match=message):
        pwtourney.rate(games, **options)  # type: ignore[arg-type]


@pytest.mark.slow
def test_stored_games_yields_the_games_that_were_played(once: Once) -> None:
    """There are two mirrored pairs; a folder without results is an error at once."""
    results = once("library", play_small) / "r"
    games = list(pwtourney.stored_games(results))
    assert [(game.pair, game.game) for game in games] == [(0, 0), (0, 1), (1, 0), (1, 1)]
    assert [set(game.bots) for game in games] == [{"random", "frugal"}] * 4
    lines = (results / "games.jsonl").read_text().splitlines()
    assert [[*game.scores] for game in games] == [json.loads(line)["scores"] for line in lines]
    with pytest.raises(pwtourney.StoreError):
        pwtourney.stored_games(results / "nowhere")


@pytest.mark.slow
def test_verify_detects_changed_results(tmp_path: Path, once: Once) -> None:
    """An empty list means that no difference was found; a missing folder is an error."""
    results = shutil.copytree(once("library", play_small) / "r", tmp_path / "r")
    assert pwtourney.verify(results) == []
    with closing(sqlite3.connect(results / "games.sqlite")) as connection:
        connection.execute("UPDATE games SET record = replace(record, 'advance', 'retreat')")
        connection.commit()
    assert pwtourney.verify(results)
    with pytest.raises(pwtourney.StoreError):
        pwtourney.verify(tmp_path / "nowhere")


def test_errors_can_be_pickled() -> None:
    """An error with several problems keeps each of them."""
    error = pickle.loads(pickle.dumps(pwtourney.ConfigError(["one", "two"])))
    assert (error.problems, str(error)) == (["one", "two"], "one\ntwo")
