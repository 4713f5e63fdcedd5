"""Opening a database to write or read it, also where files cannot be locked."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pwtourney.errors import StoreError
from pwtourney.store import caution
from pwtourney.store.filesystem import can_lock

__all__ = ["HINT", "choose_reading_mode", "connect", "connect_reader", "translate_errors"]

HINT = "; put a copy in its place, or start again with --fresh"
"""The advice for a database that is broken."""

_BROKEN = ("malformed", "no such table", "not a database", "interrupted")
_PATIENCE = 5.0
"""The seconds to wait for another process's lock, which it holds for milliseconds."""


@contextmanager
def translate_errors(path: Path) -> Iterator[None]:
    """Raise errors of SQLite as `StoreError` that names the database."""
    try:
        yield
    except (sqlite3.Error, UnicodeDecodeError) as error:
        broken = any(words in str(error) for words in _BROKEN)
        hint = HINT if broken else ""
        raise StoreError(f"{path}: {error}{hint}") from error


def choose_reading_mode(path: Path) -> str:
    """Return SQLite's mode for reading: read-only, or immutable if we cannot write to the folder.

    A reader of a database in WAL mode needs to write next to it, unless no other process uses it.
    With a log that is not empty, the mode is read-only in every case.
    """
    log = path.with_name(f"{path.name}-wal")
    writable = os.access(path.parent, os.W_OK) and os.access(path, os.W_OK)
    busy = log.exists() and log.stat().st_size > 0
    return "mode=ro" if writable or busy else "immutable=1"


def connect_reader(path: Path) -> sqlite3.Connection:
    """Open a database to read it; where files cannot be locked, without locks but with its log."""
    mode = choose_reading_mode(path)
    try:
        connection = connect(path, mode, patience=0.0)
    except StoreError:
        # SQLite says "database is locked" in both cases.
        if can_lock(path.parent):
            return connect(path, mode)
        # No run writes here, so there is no one to lock out. In exclusive mode SQLite keeps the
        # index of the log in its own memory; otherwise it would be shared, and so locked.
        unlocked = f"{mode}&vfs=unix-none"
        connection = connect(path, unlocked, "PRAGMA locking_mode = EXCLUSIVE", patience=0.0)
    connection.execute(f"PRAGMA busy_timeout = {1000 * _PATIENCE:.0f}")
    return connection


def connect(
    path: Path, mode: str, *statements: str, patience: float = _PATIENCE
) -> sqlite3.Connection:
    """Open a database with the mode of an SQLite URI, and first execute `statements`.

    `patience` is how many seconds to wait for another process's lock. Raises `StoreError`.
    """
    from urllib.parse import quote

    try:
        # Quoted as bytes: a path may not be UTF-8, and a "?" in it would start the options.
        uri = f"file:{quote(os.fsencode(path))}?{mode}"
        # No isolation level, or the module would start transactions of its own.
        connection = sqlite3.connect(uri, patience, uri=True, isolation_level=None)
    except sqlite3.Error as error:
        raise StoreError(f"{path}: cannot open the results: {error}") from error
    try:
        with translate_errors(path), caution.bound_steps(connection, path):
            for statement in statements:
                connection.execute(statement)
            # A power cut may lose the last pairs, which are then played again. With the write-ahead
            # log it does not break the database, and no pair waits for the disk.
            connection.execute("PRAGMA synchronous = NORMAL")
            caution.bound_values(connection)
    except BaseException:
        connection.close()
        raise
    return connection
