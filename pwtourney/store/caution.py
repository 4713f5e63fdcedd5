"""Checks before anything in a database is read, because the file may come from anybody.

A view, a trigger, or pages that lead to one page again and again could keep us busy for as long as
the author of the file likes, and reading a value of some hundred megabytes takes gigabytes.
"""

import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import cache
from pathlib import Path

__all__ = ["bound_steps", "bound_values", "find_damage", "own_catalogue", "read_catalogue"]

_LONGEST_VALUE = 34 << 20
"""The most bytes of a value: both bots of a game may write 16 MiB each."""

_FEWEST_STEPS, _BYTES_A_STEP = 10_000, 100
"""The fewest steps, each of 1000 SQLite instructions, and the bytes of a file that add one.

Visiting all rows takes a few instructions per byte.
"""

_MOST_ENTRIES = 9
"""The most entries of a catalogue that are read. It may be endless or huge; ours has fewer."""


def bound_values(connection: sqlite3.Connection) -> None:
    """Refuse to read or write values that are longer than any of ours."""
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST_VALUE)


@contextmanager
def bound_steps(connection: sqlite3.Connection, path: Path) -> Iterator[None]:
    """Limit the steps of SQLite in proportion to the size of the file.

    Until its pages are known to be sound, a few of them may hold endless rows. A signal that ends a
    program raises `KeyboardInterrupt` here, as everywhere.
    """
    size = path.stat().st_size if path.exists() else 0
    left = _FEWEST_STEPS + size // _BYTES_A_STEP

    def count() -> bool:
        """Count a step; True interrupts SQLite."""
        nonlocal left
        left -= 1
        return left < 0

    connection.set_progress_handler(count, 1000)
    try:
        yield
    except sqlite3.OperationalError as error:
        # An exception in `count` interrupts SQLite as well, which does not say which one it was.
        if "interrupted" in str(error) and left >= 0:
            raise KeyboardInterrupt from error
        raise
    finally:
        connection.set_progress_handler(None, 0)


@cache
def own_catalogue(schema: str) -> Counter[tuple[str, ...]]:
    """Return the catalogue of a database with this schema."""
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(schema)
        return read_catalogue(connection)


def find_damage(connection: sqlite3.Connection, path: Path) -> str | None:
    """Return what is wrong with the pages of a database, or None.

    Each page must be in one place, so that no more can be read than the file has bytes. Call this
    only for a catalogue like ours: the check computes columns and conditions, which may take hours.
    """
    with bound_steps(connection, path):
        (verdict,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    return None if verdict == "ok" else f"the database is damaged: {verdict.splitlines()[-1]}"


def read_catalogue(connection: sqlite3.Connection) -> Counter[tuple[str, ...]]:
    """Return type, name and SQL of the entries of the catalogue, or of the first few of many."""
    query = f"SELECT type, name, sql FROM sqlite_master LIMIT {_MOST_ENTRIES}"
    return Counter(connection.execute(query))
