"""The end of the chain of records, which is looked for with every pair and rarely unknown."""

import sqlite3
from collections.abc import Callable
from typing import NamedTuple

from pwtourney.store.meta import Meta
from pwtourney.store.record import genesis, head_after

__all__ = ["ChainEnd", "EndFinder", "find_end"]


class ChainEnd(NamedTuple):
    """How many records there are, and what the next one is chained to."""

    records: int
    head: str


class EndFinder:
    """Finds the end of the chain in a database, and remembers the one that it has written."""

    def __init__(self) -> None:
        self._version = 0
        self._noted: ChainEnd | None = None

    def find(self, connection: sqlite3.Connection, read_meta: Callable[[], Meta]) -> ChainEnd:
        """Return the end; call it within a transaction that writes."""
        # A number for this connection only, which changes when another one has written.
        (version,) = connection.execute("PRAGMA data_version").fetchone()
        if self._noted is None or version != self._version:
            self._noted, self._version = find_end(connection, read_meta()), version
        return self._noted

    def note(self, end: ChainEnd) -> None:
        """Remember an end that was written by this connection just now."""
        self._noted = end

    def forget(self) -> None:
        """Look into the database the next time: what was noted may not be there."""
        self._noted = None


def find_end(connection: sqlite3.Connection, meta: Meta) -> ChainEnd:
    """Read the end of the chain."""
    query = "SELECT number, hash FROM games ORDER BY number DESC LIMIT 1"
    number, head = connection.execute(query).fetchone() or (0, genesis(meta))
    return ChainEnd(number, head_after(head, number, meta.league_versions))
