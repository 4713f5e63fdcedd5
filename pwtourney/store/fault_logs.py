"""The logs of faults in a results folder."""

import shlex
from collections.abc import Iterable
from pathlib import Path

from pwtourney.errors import StoreError
from pwtourney.sanitize import sanitize

__all__ = ["AGAIN", "FaultLogs", "read_tournament_file"]

AGAIN = "to play it again: "
"""The beginning of the second line of a log, before a command."""

_MOST_LOG_BYTES = 256 * 1024
_MOST_LOGS = 100


class FaultLogs:
    """Writes one file per fault into a folder; the first hundred of each bot are kept."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def copy(self, path: Path) -> None:
        """Copy a log of another folder, cut to 256 KiB, unless it exists or this bot has a hundred.

        Raises OSError.
        """
        copy = self._folder / path.parent.name / path.name
        copy.parent.mkdir(parents=True, exist_ok=True)
        if not copy.exists() and self._has_room(copy.parent):
            with path.open("rb") as file:
                copy.write_bytes(file.read(_MOST_LOG_BYTES))

    def find(self, game: str, names: Iterable[str]) -> Path | None:
        """Return the path of the log of a ``PAIR.GAME``; None if it was not written, or is gone.

        `names` are those that the bot may have had in this game.
        """
        paths = (self._name(game, bot) for bot in names)
        return next((path for path in paths if path.is_file()), None)

    def write(self, pair: int, game: int, bot: str, lines: list[str]) -> Path | None:
        """Write a log and return its path; None if this bot has a hundred logs."""
        path = self._name(f"{pair}.{game}", bot)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            if not self._has_room(path.parent):
                return None
            text = "\n".join(sanitize(line) for line in lines) + "\n"
            path.write_bytes(text.encode()[:_MOST_LOG_BYTES])
        except OSError as error:
            raise StoreError(f"{path}: cannot write: {error.strerror}") from error
        return path

    def _name(self, game: str, bot: str) -> Path:
        return self._folder / bot / f"{game}.log"

    def _has_room(self, folder: Path) -> bool:
        return sum(1 for _ in folder.iterdir()) < _MOST_LOGS


def read_tournament_file(log: Path) -> str:
    """Return the tournament file that a log names in its command; empty if it names none."""
    try:
        with log.open(encoding="utf-8", errors="replace") as file:
            _, second = file.readline(), file.readline()
        words = shlex.split(second.removeprefix(AGAIN)) if second.startswith(AGAIN) else []
    except (OSError, ValueError):  # it cannot be read, or has an open quote
        return ""
    return words[-1] if words[-2:-1] == ["--file"] else ""
