"""The decision what a folder holds: a tournament, several, or one that has not begun."""

from pathlib import Path

import pytest

from pwtourney.arena.folders import find_sample, open_folder
from pwtourney.arena.setting import Arena
from pwtourney.arena.shelf import Shelf
from pwtourney.cli.arena import _say_content
from pwtourney.errors import StoreError
from pwtourney.store import ResultsFolder
from tests.arena.test_shelf import fill


def test_folder_with_results_is_a_tournament(tmp_path: Path) -> None:
    """It is opened, so that an unreadable one is an error at once."""
    fill(tmp_path, "cup")
    folder, shelf = open_folder(tmp_path / "cup")
    assert folder is not None
    assert (folder.path, shelf) == (tmp_path / "cup", None)
    (tmp_path / "cup" / "games.sqlite").write_bytes(b"no database, whatever its name is")
    with pytest.raises(StoreError, match="not a database"):
        open_folder(tmp_path / "cup")


@pytest.mark.parametrize("names", [(), ("run.lock", "running.json", "paused", ".draft")])
def test_folder_without_results_waits_for_its_run(tmp_path: Path, names: tuple[str, ...]) -> None:
    """A run locks its folder long before it has a result; a missing folder is made by the run."""
    for name in names:
        (tmp_path / name).touch()
    for path in (tmp_path, tmp_path / "missing"):
        folder, shelf = open_folder(path)
        assert folder is not None
        assert (folder.path, shelf, folder.is_used()) == (path, None, False)


def test_missing_name_is_one_that_a_run_makes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`pwtourney run cup.yaml` writes to results/cup; a path means itself."""
    monkeypatch.chdir(tmp_path)
    for name, meant in (("cup", "results/cup"), ("here/cup", "here/cup"), ("./x", "results/x")):
        folder, _ = open_folder(Path(name))
        assert folder is not None
        assert folder.path == tmp_path / meant
    (tmp_path / "cup").mkdir()
    folder, _ = open_folder(Path("cup"))
    assert folder is not None
    assert folder.path == tmp_path / "cup"


def test_folder_of_results_folders_is_a_shelf(tmp_path: Path) -> None:
    """A folder with a results folder in it is a shelf, whatever else it contains."""
    fill(tmp_path, "cup")
    (tmp_path / "notes.txt").touch()
    folder, shelf = open_folder(tmp_path)
    assert folder is None
    assert shelf is not None
    assert [results.path.name for results in shelf.list_folders()] == ["cup"]


def test_other_folder_is_one_clear_error(tmp_path: Path) -> None:
    """It names the folder, what is in it, and what could be named instead."""
    (tmp_path / "b\n.txt").touch()
    with pytest.raises(StoreError) as error:
        open_folder(tmp_path)
    assert str(error.value) == (
        f"{tmp_path}: there are no results here, but other files, such as 'b\\n.txt'; name the"
        " folder of a run, a new one for a run to come, or one that holds several"
    )


def test_file_is_one_clear_error(tmp_path: Path) -> None:
    """The same as of other commands."""
    (tmp_path / "cup").touch()
    with pytest.raises(StoreError, match="cup is a file; name the results folder"):
        open_folder(tmp_path / "cup")


def test_sample_is_found() -> None:
    """It comes with a checkout, and with an installed package."""
    sample = find_sample()
    assert sample is not None
    assert sample.is_used()


def test_terminal_says_what_the_arena_shows(tmp_path: Path) -> None:
    """With the whole path, which no browser is sent."""
    fill(tmp_path, "cup")
    shown, coming = ResultsFolder(tmp_path / "cup"), ResultsFolder(tmp_path / "new")
    for arena, sentence in (
        (Arena(shown), f"shows {tmp_path}/cup"),
        (Arena(coming), f"waits for a run that writes to {tmp_path}/new"),
        (Arena(shelf=Shelf(tmp_path)), f"shows the tournaments in {tmp_path}"),
        (Arena(shown, is_sample=True), "is the arena"),
        (Arena(), "is the arena"),
    ):
        assert _say_content(arena) == sentence
