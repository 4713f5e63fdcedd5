"""What is looked at before anything in a database is read, for it may come from anybody.

A view, a trigger, or pages that lead to one page again and again would keep us busy for as long as
the author of the file likes, and a value of some hundred megabytes takes gigabytes to read.
"""

import sqlite3
from contextlib import closing
from functools import cache

__all__ = ["bound_values", "find_damage", "own_catalogue", "read_catalogue"]

_LONGEST_VALUE = 34 << 20
"""Bytes: both bots of a game may write 16 MiB each, and more is in no value of ours."""

_FEWEST_STEPS, _BYTES_A_STEP = 10_000, 100
"""Of a thousand instructions of SQLite each: it takes a few for each byte to look at all rows."""


def bound_values(connection: sqlite3.Connection) -> None:
    """Let no value be read or written that is longer than any of ours."""
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST_VALUE)


@cache
def own_catalogue(schema: str) -> frozenset[tuple[str, ...]]:
    """Return what the catalogue of each of our databases says."""
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(schema)
        return read_catalogue(connection)


def find_damage(connection: sqlite3.Connection, size: int) -> str | None:
    """Return what is wrong with the pages of a database, if anything is.

    Each page must be in one place, so that no more can be read than the file has bytes. Until that
    is known, SQLite may take a number of steps in proportion to the size.
    """
    patience = iter(range(_FEWEST_STEPS + size // _BYTES_A_STEP))
    # a number other than 0 ends what is going on; the last of the steps does
    connection.set_progress_handler(lambda: next(patience, None) is None, 1000)
    try:
        (verdict,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    finally:
        connection.set_progress_handler(None, 0)
    return None if verdict == "ok" else f"the database is damaged: {verdict.splitlines()[-1]}"


def read_catalogue(connection: sqlite3.Connection) -> frozenset[tuple[str, ...]]:
    """Return type, name and statement of everything that a database is made of."""
    return frozenset(connection.execute("SELECT type, name, sql FROM sqlite_master"))
