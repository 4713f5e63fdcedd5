"""What is looked at before anything in a database is read, for it may come from anybody.

A view, a trigger, or pages that lead to one page again and again would keep us busy for as long as
the author of the file likes, and a value of some hundred megabytes takes gigabytes to read.
"""

import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import cache
from pathlib import Path

__all__ = ["bound_steps", "bound_values", "find_damage", "own_catalogue", "read_catalogue"]

_LONGEST_VALUE = 34 << 20
"""Bytes: both bots of a game may write 16 MiB each, and more is in no value of ours."""

_FEWEST_STEPS, _BYTES_A_STEP = 10_000, 100
"""Of a thousand instructions of SQLite each: it takes a few for each byte to look at all rows."""

_MOST_ENTRIES = 9
"""Of a catalogue, which may be endless or huge; ours has fewer."""


def bound_values(connection: sqlite3.Connection) -> None:
    """Let no value be read or written that is longer than any of ours."""
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST_VALUE)


@contextmanager
def bound_steps(connection: sqlite3.Connection, path: Path) -> Iterator[None]:
    """Let SQLite take a number of steps in proportion to the size of the file, and no more.

    Until its pages are known to be sound, a few of them may hold rows without end.
    """
    size = path.stat().st_size if path.exists() else 0
    patience = iter(range(_FEWEST_STEPS + size // _BYTES_A_STEP))
    # a number other than 0 ends what is going on; the last of the steps does
    connection.set_progress_handler(lambda: next(patience, None) is None, 1000)
    try:
        yield
    finally:
        connection.set_progress_handler(None, 0)


@cache
def own_catalogue(schema: str) -> Counter[tuple[str, ...]]:
    """Return what the catalogue of each of our databases says."""
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(schema)
        return read_catalogue(connection)


def find_damage(connection: sqlite3.Connection, path: Path) -> str | None:
    """Return what is wrong with the pages of a database, if anything is.

    Each page must be in one place, so that no more can be read than the file has bytes. Only for a
    catalogue like ours: the check computes columns and conditions, which may take hours.
    """
    with bound_steps(connection, path):
        (verdict,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    return None if verdict == "ok" else f"the database is damaged: {verdict.splitlines()[-1]}"


def read_catalogue(connection: sqlite3.Connection) -> Counter[tuple[str, ...]]:
    """Return type, name and statement of what a database is made of, or more than ours has."""
    query = f"SELECT type, name, sql FROM sqlite_master LIMIT {_MOST_ENTRIES}"
    return Counter(connection.execute(query))
