"""Evaluations of whole games that are kept next to the games of people."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from pwtourney.arena.analyse.evaluations import KeptEvaluations, identify_game
from pwtourney.errors import StoreError
from pwtourney.notation.game_text import parse_record
from tests.arena.test_study import GAME

NAME = "a" * 32


def evaluate(bot: str, *, made: int = 1, **limit: int) -> dict[str, Any]:
    """Return an evaluation without plies."""
    return {"bot": bot, "limit": limit, "plies": [], "players": [], "made": made}


def list_bots(kept: KeptEvaluations) -> list[tuple[str, int]]:
    """Return the bot and the time of each evaluation."""
    return [(evaluation["bot"], evaluation["made"]) for evaluation in kept.read(NAME)]


def test_evaluation_replaces_the_one_of_the_same_bot_and_limit(tmp_path: Path) -> None:
    """Others stay, the oldest first."""
    kept = KeptEvaluations(tmp_path / "new" / "folder")
    assert list_bots(kept) == []
    kept.keep(NAME, evaluate("ant", made=1, ms=1000))
    kept.keep(NAME, evaluate("bee", made=2, ms=1000))
    kept.keep(NAME, evaluate("ant", made=3, ms=500))
    kept.keep(NAME, evaluate("ant", made=4, ms=1000))
    assert list_bots(kept) == [("bee", 2), ("ant", 3), ("ant", 4)]
    assert KeptEvaluations(tmp_path / "new" / "folder").read(NAME) == kept.read(NAME)


def test_eight_evaluations_of_a_game_are_kept(tmp_path: Path) -> None:
    """The oldest of nine is dropped."""
    kept = KeptEvaluations(tmp_path)
    for made in range(9):
        kept.keep(NAME, evaluate("ant", made=made, ms=made))
    assert [made for _, made in list_bots(kept)] == list(range(1, 9))


def test_evaluations_of_2000_games_are_kept(tmp_path: Path) -> None:
    """The file that changed least recently goes; other files stay."""
    kept = KeptEvaluations(tmp_path)
    (tmp_path / "note.txt").touch()
    for number in range(2000):
        path = tmp_path / f"{number}.json"
        path.touch()
        os.utime(path, (number + 1, number + 1))
    kept.keep(NAME, evaluate("ant"))
    names = {path.name for path in tmp_path.iterdir()}
    assert len(names) == 2001
    assert "0.json" not in names
    assert {"1.json", f"{NAME}.json", "note.txt"} <= names


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"{}",
        b"[1]",
        b"\xff",
        json.dumps([evaluate("ant") | {"plies": None}]).encode(),
        json.dumps([{"bot": "ant"}]).encode(),
        b"[" * 100_000,
    ],
)
def test_damaged_file_counts_as_none_and_is_replaced(tmp_path: Path, content: bytes) -> None:
    """Nobody loses a new evaluation because an old one cannot be read."""
    kept = KeptEvaluations(tmp_path)
    (tmp_path / f"{NAME}.json").write_bytes(content)
    assert kept.read(NAME) == []
    kept.keep(NAME, evaluate("ant"))
    assert list_bots(kept) == [("ant", 1)]


def test_folder_that_cannot_be_made_is_an_error(tmp_path: Path) -> None:
    """A file stands in its place."""
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match="file/below"):
        KeptEvaluations(tmp_path / "file" / "below").keep(NAME, evaluate("ant"))


def test_games_that_differ_have_different_names() -> None:
    """By a ply, or by a player; the same game has the same name again."""
    game, edition = parse_record(GAME)
    name = identify_game(game, edition)
    assert name == identify_game(game._replace(pair=9), edition)
    assert len(name) == 32
    for other in (game._replace(bots=("x", "y")), game._replace(plies=game.plies[:-1])):
        assert identify_game(other, edition) != name
