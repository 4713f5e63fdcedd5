"""The end of the chain of records, which is needed for every pair and cached."""

import sqlite3
from collections.abc import Callable
from typing import NamedTuple

from pwtourney.store.meta import Meta
from pwtourney.store.record import genesis, head_after

__all__ = ["ChainEnd", "EndFinder", "find_end"]


class ChainEnd(NamedTuple):
    """The number of records, and the hash that the next record is chained to."""

    records: int
    head: str


class EndFinder:
    """Finds the end of the chain in a database, and caches the end that it has written."""

    def __init__(self) -> None:
        self._version = 0
        self._noted: ChainEnd | None = None

    def find(self, connection: sqlite3.Connection, read_meta: Callable[[], Meta]) -> ChainEnd:
        """Return the end; call it within a write transaction."""
        # A number for this connection only; it changes when another connection has written.
        (version,) = connection.execute("PRAGMA data_version").fetchone()
        if self._noted is None or version != self._version:
            self._noted, self._version = find_end(connection, read_meta()), version
        return self._noted

    def note(self, end: ChainEnd) -> None:
        """Cache an end that this connection has just written."""
        self._noted = end

    def forget(self) -> None:
        """Drop the cached end, because it may not be in the database."""
        self._noted = None


def find_end(connection: sqlite3.Connection, meta: Meta) -> ChainEnd:
    """Read the end of the chain from the database."""
    query = "SELECT number, hash FROM games ORDER BY number DESC LIMIT 1"
    number, head = connection.execute(query).fetchone() or (0, genesis(meta))
    return ChainEnd(number, head_after(head, number, meta.league_versions))
