"""Games that an arena has: those of its tournament and those of people, listed and read by name."""

import re
from contextlib import closing
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple

from pwtourney.arena.setting import Arena
from pwtourney.errors import NotationError, PwtourneyError, StoreError, UsageError
from pwtourney.notation.game import Game
from pwtourney.notation.game_text import parse_record
from pwtourney.rules import Edition
from pwtourney.sanitize import sanitize
from pwtourney.store import Store
from pwtourney.text_files import TextError, read_text

__all__ = ["StoredGames"]

_PAGE = 50
_MOST_LISTED = 20_000
_ID = re.compile(r"([0-9]{1,9})\.([01])", re.ASCII)
_ENDING = ".game"
_MOST_TEXT = 1 << 20


class _Row(NamedTuple):
    """What a list shows of a game."""

    id: str
    names: tuple[str, str]
    scores: tuple[int, int]
    winner: int | None
    verdict: str
    plies: int

    @classmethod
    def of(cls, key: str, game: Game) -> "_Row":
        first, second = map(sanitize, game.bots)
        verdict = str(game.verdict)
        return cls(key, (first, second), game.scores, game.winner, verdict, len(game.plies))


class StoredGames:
    """The games of an arena. A browser names one by its id, never by a path."""

    def __init__(self, arena: Arena) -> None:
        self._arena = arena
        self._lock = Lock()
        self._head = ""
        self._rows: list[_Row] = []

    def list_tournament(self, words: str, begin: int) -> dict[str, Any]:
        """Return rows of games whose id or names hold all words, from the `begin`-th on.

        ``next`` is where the next page begins, None at the end.
        """
        wanted = words.lower().split()
        rows = [
            row
            for row in self._read_rows()
            if all(word in " ".join([row.id, *row.names]).lower() for word in wanted)
        ]
        page = rows[begin : begin + _PAGE]
        following = begin + _PAGE if begin + _PAGE < len(rows) else None
        return {"rows": [row._asdict() for row in page], "count": len(rows), "next": following}

    def read_tournament(self, key: str) -> tuple[Game, Edition]:
        """Return a game of the tournament by its id, such as ``12.0``; raises `StoreError`."""
        found = _ID.fullmatch(key)
        if found is None or self._arena.folder is None:
            raise UsageError(f"there is no game {key[:40]!a} in a tournament of this arena")
        with closing(Store.open_in(self._arena.folder)) as store:
            return store.game(int(found[1]), int(found[2])), store.edition()

    def list_tables(self) -> list[dict[str, Any]]:
        """Return rows of the games of people, the newest first."""
        rows = []
        for path in self._paths()[:_PAGE]:
            try:
                game, _ = _read_file(path)
            except (PwtourneyError, OSError):
                continue  # it is being written, or somebody else's
            rows.append(_Row.of(path.name.removesuffix(_ENDING), game)._asdict())
        return rows

    def read_table(self, key: str) -> tuple[Game, Edition]:
        """Return a game of people by its id."""
        # by a look at what is there: an id from a browser is part of no path
        for path in self._paths():
            if path.name == key + _ENDING:
                return _read_file(path)
        raise UsageError(f"there is no game {key[:40]!a} of people in this arena")

    def _paths(self) -> list[Path]:
        if self._arena.games is None or not self._arena.games.is_dir():
            return []
        found = [path for path in self._arena.games.glob(f"*{_ENDING}") if path.is_file()]
        return sorted(found, key=lambda path: path.stat().st_mtime, reverse=True)

    def _read_rows(self) -> list[_Row]:
        """Return a row for each game of the tournament, read again only if there are more."""
        if self._arena.folder is None:
            return []
        with self._lock, closing(Store.open_in(self._arena.folder)) as store:
            try:
                head = store.head()
            except StoreError:
                head = ""
            if head != self._head or not head:
                self._rows = []
                for game in store.records():
                    self._rows.append(_Row.of(f"{game.pair}.{game.game}", game))
                    if len(self._rows) >= _MOST_LISTED:
                        break
                self._head = head
            return self._rows


def _read_file(path: Path) -> tuple[Game, Edition]:
    try:
        return parse_record(read_text(path, _MOST_TEXT))
    except TextError as error:
        raise NotationError(f"{path.name}: {error}") from error
