"""Hashes that make changes visible: the chain of records, and the hash of all games."""

from collections.abc import Iterable
from hashlib import sha256

from pwtourney.store.record import GameRecord

__all__ = ["GENESIS", "game_hash", "record_hash"]

GENESIS = "0" * 64
"""What the first record of a store is chained to."""


def record_hash(previous: str, record: str) -> str:
    """Return the hash of a record's text, chained to the hash of the record stored before it."""
    return sha256(f"{previous}\n{record}".encode()).hexdigest()


def game_hash(records: Iterable[GameRecord]) -> str:
    """Return 16 hex digits over all games in schedule order: who played what, and the outcome.

    Times, logs and the order in which games ended do not count, so for deterministic bots it is
    the same however the tournament was run.
    """
    total = sha256()
    for record in records:
        total.update(record.outcome_text().encode() + b"\n")
    return total.hexdigest()[:16]
