"""Hashes that make changes visible: the chain of records, and the hash of all games."""

import json
from collections.abc import Sequence
from hashlib import sha256
from typing import Any

from pwtourney.store.record import GameRecord

__all__ = ["GameHash", "genesis", "head_after", "record_hash"]

_FIXED = ("name", "bots", "facts", "edition", "created", "version")


def genesis(meta: dict[str, Any]) -> str:
    """Return what the first record is chained to: a hash of what the store says of itself.

    The number of pairs is not in it, because a tournament can be made longer.
    """
    text = json.dumps({key: meta.get(key) for key in _FIXED}, sort_keys=True)
    return sha256(text.encode()).hexdigest()


def record_hash(previous: str, record: str) -> str:
    """Return the hash of a record's text, chained to the hash of the record stored before it."""
    return sha256(f"{previous}\n{record}".encode()).hexdigest()


def head_after(head: str, records: int, versions: Sequence[dict[str, Any]]) -> str:
    """Return what the next record is chained to after so many records.

    That is the last one's hash, or, where the tournament was extended in between, a hash of that
    and of what the new version of the league says.
    """
    # All of them that begin here, and not the last one only: a league may be extended again before
    # the next game is played.
    for version in versions:
        if version["records"] == records:
            head = record_hash(head, json.dumps(version, sort_keys=True))
    return head


class GameHash:
    """A hash over all games in schedule order: who played what, and the outcome.

    Times, logs and the order in which games ended do not count, so for deterministic bots it is
    the same however the tournament was run.
    """

    def __init__(self) -> None:
        self._total = sha256()

    def add(self, record: GameRecord) -> None:
        """Take in the next game."""
        self._total.update(record.outcome_text().encode() + b"\n")

    def digits(self) -> str:
        """Return 16 hex digits."""
        return self._total.hexdigest()[:16]
