"""Decide what a folder holds: a tournament, several of them, or one that has not begun."""

from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from pwtourney.arena.shelf import Shelf
from pwtourney.constants import LOCK
from pwtourney.errors import StoreError
from pwtourney.store import ResultsFolder, Store
from pwtourney.store.folder import LIVE, PAUSED, RUNNING

__all__ = ["OpenedFolder", "find_sample", "open_folder"]

_OF_A_RUN = (LOCK, RUNNING, PAUSED, LIVE)
"""The entries of a folder in which a run is being prepared, apart from hidden files."""

_SAMPLES = (
    Path(__file__).parent / "sample",  # of an installed package
    Path(__file__).parents[2] / "results" / "sample",  # of a checkout
)


class OpenedFolder(NamedTuple):
    """The tournament in a folder, or the shelf that the folder is."""

    folder: ResultsFolder | None = None
    shelf: Shelf | None = None


def open_folder(path: Path) -> OpenedFolder:
    """Return what a folder holds; a folder that is empty or missing waits for its run.

    Raises `StoreError` if it is a file, has other content, or results that cannot be read.
    """
    folder = ResultsFolder(_choose_path(path))
    if folder.database.exists() or (folder.path.exists() and not folder.path.is_dir()):
        Store.open_in(folder).close()
        return OpenedFolder(folder)
    others = _list_others(folder.path)
    if not others:
        return OpenedFolder(folder)
    shelf = Shelf(folder.path)
    if shelf.list_folders():
        return OpenedFolder(shelf=shelf)
    raise StoreError(
        f"{folder.path}: there are no results here, but other files, such as {others[0]!a}; name"
        " the folder of a run, a new one for a run to come, or one that holds several"
    )


def _list_others(path: Path) -> list[str]:
    """Return the names in a folder that a run does not make before its first result."""
    if not path.exists():
        return []
    try:
        names = sorted(entry.name for entry in path.iterdir())
    except OSError as error:
        raise StoreError(f"{path}: cannot be read: {error.strerror}") from error
    return [name for name in names if name not in _OF_A_RUN and not name.startswith(".")]


def _choose_path(path: Path) -> Path:
    """Return the folder to open: `path`, or ``results/NAME`` if only a missing NAME is given."""
    if len(path.parts) == 1 and not path.is_absolute() and not path.exists():
        return Path("results") / path
    return path


def find_sample() -> ResultsFolder | None:
    """Return the sample tournament of the package; None if it was removed or cannot be read."""
    for path in _SAMPLES:
        folder = ResultsFolder(path)
        with suppress(StoreError):
            Store.open_in(folder).close()
            return folder
    return None
