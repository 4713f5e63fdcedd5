"""A folder that holds several results folders."""

import os
from pathlib import Path

from pwtourney.arena.shelf import Shelf
from tests.arena.test_wall import play, stored


def fill(folder: Path, *names: str) -> None:
    """Put a tournament of one pair into a folder of each name; a later one was changed later."""
    for seconds, name in enumerate(names, 1_000_000_000):
        (folder / name).mkdir()
        with stored(folder / name, play(0), play(0, 1)):
            pass
        os.utime(folder / name / "games.sqlite", (seconds, seconds))


def list_names(shelf: Shelf) -> list[str]:
    """Return the names of the listed tournaments."""
    return [folder.path.name for folder in shelf.list_folders()]


def test_latest_tournament_comes_first(tmp_path: Path) -> None:
    """Folders without results are no tournaments."""
    fill(tmp_path, "autumn", "winter")
    (tmp_path / "empty").mkdir()
    (tmp_path / "games.sqlite").write_text("no folder")
    shelf = Shelf(tmp_path)
    assert list_names(shelf) == ["winter", "autumn"]
    os.utime(tmp_path / "autumn" / "games.sqlite")
    assert list_names(shelf) == ["autumn", "winter"]


def test_links_on_a_shelf_are_not_followed(tmp_path: Path) -> None:
    """A user who can write to the folder must not make us read another one."""
    (tmp_path / "shelf" / "cup").mkdir(parents=True)
    fill(tmp_path, "other")
    (tmp_path / "shelf" / "linked").symlink_to(tmp_path / "other")
    (tmp_path / "shelf" / "cup" / "games.sqlite").symlink_to(tmp_path / "other" / "games.sqlite")
    shelf = Shelf(tmp_path / "shelf")
    assert list_names(shelf) == []
    assert shelf.find("linked") is None


def test_tournament_is_found_by_its_name_only(tmp_path: Path) -> None:
    """A tournament that began later is found as well; no name leads out of the folder."""
    (tmp_path / "shelf").mkdir()
    shelf = Shelf(tmp_path / "shelf")
    assert shelf.find("cup") is None
    fill(tmp_path / "shelf", "cup")
    fill(tmp_path, "secret")
    folder = shelf.find("cup")
    assert folder is not None
    assert folder.path == tmp_path / "shelf" / "cup"
    assert shelf.find("cup") is folder
    for name in ("../secret", "../shelf/cup", ".", "", "/"):
        assert shelf.find(name) is None


def test_shelf_that_is_removed_is_empty(tmp_path: Path) -> None:
    """It may come back."""
    assert list_names(Shelf(tmp_path / "nowhere")) == []


def test_at_most_sixty_tournaments_are_listed(tmp_path: Path) -> None:
    """The oldest ones are left out."""
    for number in range(62):
        (tmp_path / f"{number:02}").mkdir()
        (tmp_path / f"{number:02}" / "games.sqlite").touch()
        os.utime(tmp_path / f"{number:02}" / "games.sqlite", (number, number))
    names = list_names(Shelf(tmp_path))
    assert (len(names), names[0], names[-1]) == (60, "61", "02")
