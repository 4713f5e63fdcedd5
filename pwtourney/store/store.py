"""The database of one tournament."""

import json
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from pwtourney.errors import StoreError
from pwtourney.store.chain import GENESIS, record_hash
from pwtourney.store.record import GameRecord

__all__ = ["FORMAT", "Store"]

FORMAT = 1
"""The version of the schema."""


class Store:
    """Reads and writes one database; every failure is a `StoreError` that names the file.

    Each pair is one transaction: after a crash or a ``kill -9`` it is there whole or not at all.
    """

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self._path = path
        self._connection = connection

    @classmethod
    def create(cls, path: Path, meta: dict[str, Any]) -> "Store":
        """Make a new database with the facts about its tournament."""
        store = cls._connect(path, "rwc")
        schema = (Path(__file__).parent / "schema.sql").read_text()
        with store._guarded() as connection:
            connection.executescript(f"BEGIN;{schema}")
            rows = [(key, json.dumps(value)) for key, value in (meta | {"format": FORMAT}).items()]
            connection.executemany("INSERT INTO meta VALUES (?, ?)", rows)
            connection.commit()
        return store

    @classmethod
    def open(cls, path: Path, *, write: bool = False) -> "Store":
        """Open a database that exists."""
        if not path.is_file():
            raise StoreError(f"{path}: there are no results here")
        store = cls._connect(path, "rw" if write else "ro")
        version = store.meta().get("format")
        if version != FORMAT:
            raise StoreError(
                f"{path}: written in format {version}, and this version reads {FORMAT}"
            )
        return store

    @classmethod
    def _connect(cls, path: Path, mode: str) -> "Store":
        from urllib.parse import quote

        try:
            uri = f"file:{quote(str(path))}?mode={mode}"
            connection = sqlite3.connect(uri, uri=True, isolation_level=None)
            store = cls(path, connection)
            with store._guarded():
                if mode != "ro":
                    connection.execute("PRAGMA journal_mode = WAL")
                connection.execute("PRAGMA synchronous = NORMAL")
        except sqlite3.Error as error:
            raise StoreError(f"{path}: cannot open the results: {error}") from error
        return store

    def close(self) -> None:
        """Close the database."""
        self._connection.close()

    def meta(self) -> dict[str, Any]:
        """Return the facts about the tournament."""
        with self._guarded() as connection:
            rows = connection.execute("SELECT key, value FROM meta").fetchall()
        return {key: json.loads(value) for key, value in rows}

    def set_meta(self, key: str, value: Any) -> None:
        """Change one fact about the tournament."""
        with self._guarded() as connection:
            _keep(connection, key, value)

    def add(self, records: Sequence[GameRecord]) -> None:
        """Store the games of a pair, all or none, chained to what was stored before."""
        with self._guarded() as connection, _transaction(connection):
            last = connection.execute(
                "SELECT number, hash FROM games ORDER BY number DESC LIMIT 1"
            ).fetchone()
            number, head = last or (0, GENESIS)
            for record in records:
                text = record.text()
                head = record_hash(head, text)
                connection.execute(
                    "INSERT INTO games (pair, game, record, hash) VALUES (?, ?, ?, ?)",
                    (record.pair, record.game, text, head),
                )
            _keep(connection, "chain", {"head": head, "records": number + len(records)})

    def pairs(self) -> set[int]:
        """Return the numbers of the pairs that are stored."""
        with self._guarded() as connection:
            return {pair for (pair,) in connection.execute("SELECT DISTINCT pair FROM games")}

    def records(self) -> Iterator[GameRecord]:
        """Yield all games in schedule order, one at a time."""
        with self._guarded() as connection:
            cursor = connection.execute("SELECT record FROM games ORDER BY pair, game")
            with closing(cursor):
                for (text,) in cursor:
                    yield self._parsed(text)

    def game(self, pair: int, game: int) -> GameRecord:
        """Return one game."""
        with self._guarded() as connection:
            row = connection.execute(
                "SELECT record FROM games WHERE pair = ? AND game = ?", (pair, game)
            ).fetchone()
        if row is None:
            raise StoreError(f"{self._path}: there is no game {pair}.{game}")
        return self._parsed(row[0])

    def head(self) -> str:
        """Return the hash of the record stored last, which stands for all before it."""
        with self._guarded() as connection:
            row = connection.execute("SELECT hash FROM games ORDER BY number DESC LIMIT 1")
            last = row.fetchone()
        return last[0] if last else GENESIS

    def raw(self) -> Iterator[tuple[int, int, int, str, str]]:
        """Yield number, pair, game, text and hash of each record in the order of the chain."""
        with self._guarded() as connection:
            yield from connection.execute(
                "SELECT number, pair, game, record, hash FROM games ORDER BY number"
            )

    def _parsed(self, text: str) -> GameRecord:
        try:
            return GameRecord.parse(text)
        except (ValueError, KeyError, TypeError) as error:
            raise StoreError(f"{self._path}: a record cannot be read: {text[:80]!r}") from error

    @contextmanager
    def _guarded(self) -> Iterator[sqlite3.Connection]:
        try:
            yield self._connection
        except sqlite3.Error as error:
            raise StoreError(f"{self._path}: {error}") from error


def _keep(connection: sqlite3.Connection, key: str, value: Any) -> None:
    connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, json.dumps(value)))


@contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[None]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")
