"""Commands around the engine: editions, perft, replay, verify, and games against the Automa."""

import re
import sqlite3
from pathlib import Path

import pytest

from pwtourney.notation.game_text import parse_record, replay
from tests.program import pwtourney
from tests.rules.test_many_games import LATE, TINY
from tests.sharing import Once


@pytest.fixture(scope="module")
def results(once: Once) -> Path:
    """Return the results of a small tournament in a custom edition."""
    return once("engine", play) / "r"


def play(folder: Path) -> None:
    """Play the tournament, then delete the edition file."""
    (folder / "mine.toml").write_text(Path(TINY).read_text())
    (folder / "a.yaml").write_text(
        "bots: [random, greedy]\npairs: 2\nedition: mine.toml\nseed: 3\nworkers: 1\n"
        "processes: persistent\n"
    )
    pwtourney("run", str(folder / "a.yaml"), "--results", str(folder / "r"))
    (folder / "mine.toml").unlink()


@pytest.mark.slow
def test_editions_are_listed_and_shown() -> None:
    """`editions` shows the board, track, marks, patch shapes, flags, totals and sources."""
    listed = pwtourney("editions").stdout
    assert [line.split()[0] for line in listed.splitlines()] == [
        "anniversary",
        "express",
        "halloween",
        "original",
    ]
    shown = pwtourney("editions", "original").stdout
    for text in (
        "9 rows, 9 columns",
        "0 to 53",
        "5 11 17 23 29 35 41 47 53",
        "20 26 32 44 50",
        "33 patches with 166 squares; together they cost 133 buttons and 107 time, and earn 38:",
        "#33",
        "Sources:",
    ):
        assert text in " ".join(shown.split())
    assert "NOT shipped" in pwtourney("editions", "halloween").stdout
    assert "ONE public implementation" in " ".join(pwtourney("editions", "express").stdout.split())
    assert "when 2 are left in the circle" in pwtourney("editions", LATE).stdout
    assert max(map(len, shown.splitlines())) <= 80


@pytest.mark.slow
def test_perft_counts_from_deals_and_positions() -> None:
    """The count is the corpus's, from a deal, from a position, and divided by action."""
    from_deal = pwtourney("perft", "--deal", "0", "--depth", "2", "--edition", "express").stdout
    assert from_deal.splitlines()[-1] == "perft 2 67201"
    position = from_deal.splitlines()[0].removeprefix("position ")
    # with the byte order mark and carriage return of a Windows file
    arguments = ("--position", f"\ufeff{position}\r", "--edition", "express")
    assert pwtourney("perft", *arguments, "--depth", "2").stdout == from_deal
    divided = pwtourney("perft", *arguments, "--depth", "1", "--divide").stdout.splitlines()
    assert len(divided) - 2 == int(divided[-1].split()[2])
    for wrong in (("--depth", "1"), ("--depth", "1", "--deal", "1", "--position", position)):
        assert "give either --deal or --position" in pwtourney("perft", *wrong, code=2).stderr
    assert "14 fields" in pwtourney("perft", "--position", "x", "--depth", "1", code=2).stderr


@pytest.mark.slow
def test_replay_works_without_the_edition_file(results: Path, tmp_path: Path) -> None:
    """The store has all that is needed; `--at` shows one position, `--save` writes the game."""
    whole = pwtourney("replay", f"{results}:1.0").stdout
    assert "  1. " in whole
    assert whole.strip().endswith("(finished)")
    position = pwtourney("replay", f"{results}:1.0", "--at", "2").stdout
    assert "  2. " in position
    assert "  1. " not in position
    refused = pwtourney("replay", f"{results}:1.0", "--at", "999", code=2)
    assert re.search(r"--at 999: the game has \d+ plies", refused.stderr)
    saved = tmp_path / "game.txt"
    pwtourney("replay", f"{results}:1.0", "--save", str(saved))
    *_, final = replay(*parse_record(saved.read_text()))
    assert final.is_over
    assert pwtourney("replay", str(saved)).stdout == whole


@pytest.mark.slow
def test_played_game_can_be_saved_and_replayed(tmp_path: Path) -> None:
    """The replay shows every line that was shown during the game."""
    path = tmp_path / "game.txt"
    played = pwtourney(
        "play", "greedy", "random", "--edition", LATE, "--deal", "4", "--save", str(path)
    )
    again = pwtourney("replay", str(path)).stdout
    for line in played.stdout.splitlines()[:-1]:
        assert line in again
    assert (
        "no does not exist"
        in pwtourney(
            "play",
            "greedy",
            "random",
            "--edition",
            LATE,
            "--save",
            str(tmp_path / "no" / "x"),
            code=2,
        ).stderr
    )


@pytest.mark.parametrize(
    ("name", "code", "message"),
    [
        ("nowhere.txt", 2, "cannot read a game"),
        ("nowhere:1.0", 3, "nowhere: there is no such results folder"),
        ("{results}:9.0", 3, "there is no game 9.0"),
        ("{results}:1.0 --at 999", 2, "the game has"),
        (__file__, 2, "line 1: a game begins with"),
    ],
)
@pytest.mark.slow
def test_replay_of_a_missing_game_is_an_error(
    results: Path, name: str, code: int, message: str
) -> None:
    """Covers missing files, folders, game numbers and plies."""
    arguments = name.format(results=results).split(" ")
    assert message in pwtourney("replay", *arguments, code=code).stderr


@pytest.mark.slow
def test_verify_reports_what_it_checked_and_what_differs(results: Path, tmp_path: Path) -> None:
    """The exit code is 0 with one line, or 1 with a line for each difference."""
    assert "✓ 4 games replayed" in pwtourney("verify", str(results)).stdout
    copy = tmp_path / "r"
    copy.mkdir()
    for name in ("games.sqlite", "standings.json", "report.md"):
        (copy / name).write_bytes((results / name).read_bytes())
    (copy / "report.md").write_text("something else")
    assert "report.md differs from the stored games" in (
        pwtourney("verify", str(copy), code=1).stdout
    )
    with sqlite3.connect(copy / "games.sqlite") as connection:
        connection.execute("DELETE FROM games WHERE number = 2")
    assert "✗ " in pwtourney("verify", str(copy), code=1).stdout


@pytest.mark.thorough
@pytest.mark.slow(3)
def test_play_against_the_automa_logs_every_card(tmp_path: Path) -> None:
    """Levels work by number and by name, with both decks; the same seed gives the same game."""
    log = pwtourney("play", "greedy", "automa:5", "--deal", "3").stdout
    assert "automa card" in log
    assert "affordable" in log
    assert log == pwtourney("play", "greedy", "automa:legend", "--deal", "3").stdout
    saved = tmp_path / "solo.game"
    play = ("play", "greedy", "automa:1:tactical", "--deal", "3", "--show", "--save", str(saved))
    tactical = pwtourney(*play).stdout
    assert pwtourney("replay", str(saved)).stdout.splitlines()[-1].endswith("(finished)")
    assert "(intern): " in tactical
    numbers = {
        int(line.split("card ")[1].split()[0]) for line in tactical.splitlines() if "card " in line
    }
    assert numbers <= set(range(13, 25))
    for name, message in (("automa:9", "has no level '9'"), ("automa:1:x", "write automa:LEVEL")):
        assert message in pwtourney("play", "greedy", name, code=2).stderr
    assert (
        "no special tile"
        in pwtourney("play", "greedy", "automa:1", "--edition", "express", code=2).stderr
    )


@pytest.mark.slow
def test_failing_bot_loses_to_the_automa() -> None:
    """Its verdict is shown, and the exit code is 1."""
    done = pwtourney("play", "sh -c 'exit 3'", "automa:1", code=1)
    assert "sh: start: exited with code 3" in done.stdout
    assert "automa wins" in done.stdout
