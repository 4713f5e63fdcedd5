"""The settings of an arena: paths that browsers must not see, and the folder for games."""

from pathlib import Path

import pytest

from pwtourney.arena.setting import Arena, find_games
from pwtourney.errors import UsageError
from pwtourney.store import ResultsFolder


def test_folders_of_an_arena_are_removed_from_a_text(tmp_path: Path) -> None:
    """Names of files stay; a folder that is named itself keeps its own name only."""
    arena = Arena(ResultsFolder(Path("/srv/league/r")), games=Path("/home/ann/games"))
    hide = arena.hide_paths
    assert hide("/srv/league/r/games.sqlite: locked") == "games.sqlite: locked"
    assert hide("/home/ann/games/a.game, /home/ann/games/b.game") == "a.game, b.game"
    assert hide("/srv/league/r: no results in /home/ann/games") == "r: no results in games"
    assert hide("/home/ann is not shown") == "/home/ann is not shown"
    # one of the folders is enough
    assert Arena(games=Path("/home/ann/games")).hide_paths("/home/ann/games/x") == "x"
    assert Arena(ResultsFolder(Path("/srv/league/r"))).hide_paths("/srv/league/r/x") == "x"
    assert Arena().hide_paths("/srv/x") == "/srv/x"


def test_target_of_a_linked_folder_is_hidden_like_the_link(tmp_path: Path) -> None:
    """Errors may name either of them."""
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    arena = Arena(games=tmp_path / "link")
    assert arena.hide_paths(f"{tmp_path}/real/x and {tmp_path}/link/y") == "x and y"


def test_relative_folder_is_hidden_as_the_absolute_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The relative name itself may be an ordinary word of the text."""
    monkeypatch.chdir(tmp_path)
    hidden = Arena(games=Path("games")).hide_paths(f"games in {tmp_path}/games/x.game")
    assert hidden == "games in x.game"


def test_command_for_a_run_names_its_folder_without_folders_of_the_user(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is relative to where the arena was started, as a word of a shell, or a placeholder."""
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    own = Arena(ResultsFolder(tmp_path / "here" / "results" / "my cup"))
    assert own.describe_folder() == "'results/my cup'"
    assert Arena(ResultsFolder(tmp_path / "there")).describe_folder() == "FOLDER"
    assert Arena().describe_folder() == "FOLDER"


def test_path_of_an_edition_becomes_its_file_name() -> None:
    """An edition that comes with pwtourney has a name, which stays."""
    arena = Arena(editions={"original": "original", "mine": "/home/ann/mine.yaml"})
    shown = arena.hide_paths("/home/ann/mine.yaml: no board; original is fine")
    assert shown == "mine.yaml: no board; original is fine"


def test_games_are_kept_in_the_folder_for_data(monkeypatch: pytest.MonkeyPatch) -> None:
    """By the XDG base directory specification: $XDG_DATA_HOME, or else ~/.local/share."""
    monkeypatch.setenv("HOME", "/home/ann")
    monkeypatch.setenv("XDG_DATA_HOME", "/data")
    assert find_games() == Path("/data/pwtourney/games")
    monkeypatch.delenv("XDG_DATA_HOME")
    assert find_games() == Path("/home/ann/.local/share/pwtourney/games")
    # a user without a home can keep games if the folder for data is set
    monkeypatch.setenv("HOME", "~")
    monkeypatch.setenv("XDG_DATA_HOME", "/data")
    assert find_games() == Path("/data/pwtourney/games")
    monkeypatch.setenv("XDG_DATA_HOME", "")
    with pytest.raises(UsageError) as error:
        find_games()
    problem = "you have no home directory to keep games in; name a folder with --games"
    assert str(error.value) == problem
