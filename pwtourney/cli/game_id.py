"""Games as people name them: a file, or FOLDER:PAIR.GAME."""

import re
from contextlib import closing
from pathlib import Path

from pwtourney.errors import NotationError, StoreError, UsageError
from pwtourney.notation.record import RecordedGame, parse_record, record_text
from pwtourney.store import ResultsFolder, Store
from pwtourney.tournament import restore_game

__all__ = ["find_game", "game_place", "write_game"]

_ID = re.compile(r"(.+):([0-9]{1,9})\.([01])", re.ASCII)


def find_game(name: str) -> RecordedGame:
    """Return the game in a file, or ``FOLDER:PAIR.GAME`` from a results folder.

    FOLDER may be a path, or the name of a folder under ``results``.
    """
    if _ID.fullmatch(name) is None or Path(name).is_file():
        return _from_file(Path(name))
    folder, pair, game = game_place(name)
    with closing(Store.open(ResultsFolder(folder).database)) as store:
        return restore_game(store.game(pair, game), store.edition())


def game_place(name: str) -> tuple[Path, int, int]:
    """Return results folder, pair and number of the game that ``FOLDER:PAIR.GAME`` names."""
    found = _ID.fullmatch(name)
    if found is None:
        raise UsageError(f"{name!r} is not a game; write FOLDER:PAIR.GAME, such as quickstart:12.0")
    place, pair, game = found.groups()
    folder = Path(place) if Path(place).is_dir() else Path("results") / place
    if not folder.is_dir():
        raise StoreError(f"there is no results folder {place}, nor results/{place}")
    return folder, int(pair), int(game)


def write_game(path: Path, game: RecordedGame) -> None:
    """Write a game to a file of its own; raises `UsageError`."""
    try:
        path.write_text(record_text(game), encoding="utf-8", errors="backslashreplace")
    except OSError as error:
        raise UsageError(f"{path}: cannot write: {error.strerror}") from error


def _from_file(path: Path) -> RecordedGame:
    try:
        return parse_record(path.read_text(encoding="utf-8"))
    except OSError as error:
        hint = "give a file, or FOLDER:PAIR.GAME such as quickstart:12.0"
        raise UsageError(f"{path}: cannot read a game: {error.strerror}; {hint}") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: a game is UTF-8 text") from error
    except NotationError as error:
        raise NotationError(f"{path}: {error}") from error
