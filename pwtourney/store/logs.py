"""The logs of faults, in files beside the store, for the authors of bots."""

from pathlib import Path

from pwtourney.errors import StoreError
from pwtourney.sanitize import sanitize

__all__ = ["FaultLogs"]

_MOST_BYTES = 256 * 1024
_MOST_FILES = 100


class FaultLogs:
    """Writes one file a fault into a folder; of each bot the first hundred are kept."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def write(self, pair: int, game: int, bot: str, lines: list[str]) -> Path | None:
        """Write a log; None if this bot has enough of them."""
        path = self._folder / bot / f"{pair}.{game}.log"
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            if sum(1 for _ in path.parent.iterdir()) >= _MOST_FILES:
                return None
            text = "\n".join(sanitize(line) for line in lines) + "\n"
            path.write_bytes(text.encode()[:_MOST_BYTES])
        except OSError as error:
            raise StoreError(f"{path}: cannot write: {error.strerror}") from error
        return path
