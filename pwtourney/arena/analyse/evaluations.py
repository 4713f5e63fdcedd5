"""The evaluations of whole games, kept next to the games of people.

There is one file for each game, named by a hash of the game's text, so that a game that is pasted
finds them, too. A file has the latest evaluation of each bot at each limit.
"""

import json
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Any

from pwtourney.errors import StoreError
from pwtourney.notation.game import Game
from pwtourney.notation.game_text import record_text
from pwtourney.report.publishing import write_whole
from pwtourney.rules import Edition
from pwtourney.text_files import TextError, read_text

__all__ = ["KeptEvaluations", "identify_game"]

_MOST_OF_GAME = 8
"""The most evaluations of a game; the oldest one is dropped."""

_MOST_GAMES = 2000
"""The most games whose evaluations are kept; those that changed least recently are dropped."""

_MOST_TEXT = 1 << 20
_ENDING = ".json"


def identify_game(game: Game, edition: Edition) -> str:
    """Return the name of a game's file: it differs if a ply, the players or the edition differ."""
    return sha256(record_text(game, edition).encode()).hexdigest()[:32]


class KeptEvaluations:
    """The evaluations in a folder, which is created by the first of them.

    An evaluation is plain data: ``bot`` and ``limit`` as a page sent them, the ``plies`` and
    ``players`` of the examiner's answer, and ``made``, the time in seconds since 1970.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = Lock()

    def read(self, game: str) -> list[dict[str, Any]]:
        """Return the evaluations of a game, the oldest first; a damaged file counts as none."""
        try:
            kept = json.loads(read_text(self._path(game), _MOST_TEXT))
        except (OSError, TextError, ValueError, RecursionError):  # deeply nested
            return []
        return kept if isinstance(kept, list) and all(map(_is_whole, kept)) else []

    def keep(self, game: str, evaluation: Mapping[str, Any]) -> None:
        """Add an evaluation; it replaces an older one of the same bot with the same limit.

        Raises `StoreError` if it cannot be written.
        """
        with self._lock:
            key = (evaluation["bot"], evaluation["limit"])
            others = [other for other in self.read(game) if (other["bot"], other["limit"]) != key]
            kept = [*others, dict(evaluation)][-_MOST_OF_GAME:]
            try:
                self._folder.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise StoreError(f"{self._folder}: {error.strerror}") from error
            write_whole(self._path(game), json.dumps(kept))
            self._drop_oldest()

    def _path(self, game: str) -> Path:
        return self._folder / f"{game}{_ENDING}"

    def _drop_oldest(self) -> None:
        paths = list(self._folder.glob(f"*{_ENDING}"))
        if len(paths) > _MOST_GAMES:
            paths.sort(key=lambda path: path.stat().st_mtime)
            for path in paths[:-_MOST_GAMES]:
                path.unlink(missing_ok=True)


def _is_whole(kept: object) -> bool:
    """Return True if a kept value has the parts of an evaluation."""
    kinds = {"bot": str, "limit": dict, "plies": list, "players": list, "made": int}
    return isinstance(kept, dict) and all(
        isinstance(kept.get(key), kind) for key, kind in kinds.items()
    )
