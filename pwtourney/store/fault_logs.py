"""The logs of faults in a results folder."""

from pathlib import Path

from pwtourney.errors import StoreError
from pwtourney.sanitize import sanitize

__all__ = ["FaultLogs"]

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

    def write(self, pair: int, game: int, bot: str, lines: list[str]) -> Path | None:
        """Write a log and return its path; None if this bot has a hundred logs."""
        path = self._folder / bot / f"{pair}.{game}.log"
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            if not self._has_room(path.parent):
                return None
            text = "\n".join(sanitize(line) for line in lines) + "\n"
            path.write_bytes(text.encode()[:_MOST_LOG_BYTES])
        except OSError as error:
            raise StoreError(f"{path}: cannot write: {error.strerror}") from error
        return path

    def _has_room(self, folder: Path) -> bool:
        return sum(1 for _ in folder.iterdir()) < _MOST_LOGS
