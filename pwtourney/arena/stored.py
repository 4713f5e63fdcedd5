"""The stored games of an arena: those of its tournament and those of people."""

import re
from collections.abc import Iterator
from contextlib import closing
from itertools import islice
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple

from pwtourney.arena.setting import Arena
from pwtourney.errors import NotationError, PwtourneyError, UsageError
from pwtourney.notation.game import Game
from pwtourney.notation.game_text import parse_record
from pwtourney.rules import Edition
from pwtourney.sanitize import sanitize
from pwtourney.store import GAME_NAME, ResultsFolder, Store
from pwtourney.text_files import TextError, read_text

__all__ = ["StoredGames"]

_PAGE = 50
_MOST_LISTED = 20_000
_ID = re.compile(rf"(?:(?P<name>[^/]+):)?(?P<game>{GAME_NAME})", re.ASCII)
"""The id of a game; that of a tournament on a shelf has its name in front, as in ``cup:12.0``."""

_ENDING = ".game"
_MOST_TEXT = 1 << 20


class _Row(NamedTuple):
    """One game in a list."""

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
    """The games of an arena; a browser refers to a game by its id, never by a path."""

    def __init__(self, arena: Arena) -> None:
        self._arena = arena
        self._lock = Lock()
        self._rows: dict[str, tuple[str, list[_Row]]] = {}

    def list_tournament(self, words: str, begin: int) -> dict[str, Any]:
        """Return one page of games whose id or bot names contain all words, from index `begin`.

        The newest game of each tournament comes first.
        ``rows`` has at most 50 games and ``count`` is the number of all matches. ``next`` is the
        index where the next page begins, None on the last page.
        """
        terms = words.lower().split()
        rows = [
            row
            for row in self._read_rows()
            if all(word in " ".join([row.id, *row.names]).lower() for word in terms)
        ]
        page = rows[begin : begin + _PAGE]
        following = begin + _PAGE if begin + _PAGE < len(rows) else None
        return {"rows": [row._asdict() for row in page], "count": len(rows), "next": following}

    def read_tournament(self, key: str) -> tuple[Game, Edition]:
        """Return a game of the tournament by its id, such as ``12.0`` or its number ``25``.

        Raises `UsageError` if the id is malformed or the arena has no tournament, and `StoreError`
        if the game cannot be read.
        """
        match = _ID.fullmatch(key)
        folder = self._find_folder(match["name"] or "") if match else None
        if match is None or folder is None:
            raise UsageError(f"there is no game {key[:40]!a} in a tournament of this arena")
        with closing(Store.open_in(folder)) as store:
            return store.game(*store.numbers().locate(match["game"])), store.edition()

    def list_tables(self) -> list[dict[str, Any]]:
        """Return the newest 50 games of people, the newest first; skip files that are no games."""
        rows = []
        for path in self._paths()[:_PAGE]:
            try:
                game, _ = _read_file(path)
            except (PwtourneyError, OSError):
                continue  # the file is being written, or is not one of ours
            rows.append(_Row.of(path.name.removesuffix(_ENDING), game)._asdict())
        return rows

    def read_table(self, key: str) -> tuple[Game, Edition]:
        """Return a game of people by its id; raise `UsageError` if there is none."""
        # compare with the listed names: an id from a browser must never become part of a path
        for path in self._paths():
            if path.name == key + _ENDING:
                return _read_file(path)
        raise UsageError(f"there is no game {key[:40]!a} of people in this arena")

    def _paths(self) -> list[Path]:
        if self._arena.games is None or not self._arena.games.is_dir():
            return []
        paths = [path for path in self._arena.games.glob(f"*{_ENDING}") if path.is_file()]
        return sorted(paths, key=lambda path: path.stat().st_mtime, reverse=True)

    def _find_folder(self, name: str) -> ResultsFolder | None:
        """Return the tournament of this name on the shelf, or without a name the arena's own."""
        if not name:
            return self._arena.folder
        return self._arena.shelf.find(name) if self._arena.shelf else None

    def _list_folders(self) -> Iterator[tuple[str, ResultsFolder]]:
        """Yield the tournaments that have begun, with what precedes the ids of their games."""
        if self._arena.folder and self._arena.folder.is_used():
            yield "", self._arena.folder
        if self._arena.shelf:
            for folder in self._arena.shelf.list_folders():
                yield f"{folder.path.name}:", folder

    def _read_rows(self) -> list[_Row]:
        """Return a row for each game of the tournaments, at most 20 000; of each the newest first.

        The rows of a tournament are read again only if the head of its hash chain has changed.
        """
        rows: list[_Row] = []
        with self._lock:
            for prefix, folder in self._list_folders():
                with closing(Store.open_in(folder)) as store:
                    head = store.head()
                    if self._rows.get(prefix, ("", []))[0] != head:
                        self._rows[prefix] = head, _list_rows(store, prefix)
                rows += self._rows[prefix][1]
        return rows[:_MOST_LISTED]


def _list_rows(store: Store, prefix: str) -> list[_Row]:
    newest = islice(store.newest_records(), _MOST_LISTED)
    return [_Row.of(f"{prefix}{game.pair}.{game.game}", game) for game in newest]


def _read_file(path: Path) -> tuple[Game, Edition]:
    try:
        return parse_record(read_text(path, _MOST_TEXT))
    except TextError as error:
        raise NotationError(f"{path.name}: {error}") from error
