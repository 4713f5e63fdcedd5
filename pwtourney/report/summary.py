"""Everything a report says, worked out once."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from pwtourney.errors import StoreError
from pwtourney.ratings import Result, Standings, standings
from pwtourney.report.conditions import Conditions
from pwtourney.store import Store, game_hash

__all__ = ["Summary", "summarise"]


class Summary(NamedTuple):
    """A tournament as it stands.

    `planned` and `stored` count pairs; `game_hash` names the outcome of all games, `chain_head`
    the last record of the store.
    """

    name: str
    edition: str
    seed: int
    version: str
    planned: int
    stored: int
    game_hash: str
    chain_head: str
    standings: Standings
    conditions: Conditions


def summarise(store: Store) -> Summary:
    """Read a store and rate its bots."""
    meta: dict[str, Any] = store.meta()
    conditions = Conditions.of(meta["facts"], meta["bots"])
    return Summary(
        name=meta["name"],
        edition=str(meta["facts"]["edition"]).split(" ")[0],
        seed=meta["facts"]["seed"],
        version=meta["version"],
        planned=meta["pairs"],
        stored=len(store.pairs()),
        game_hash=game_hash(store.records()),
        chain_head=store.head(),
        standings=standings(meta["bots"], _results(store, meta["bots"], conditions)),
        conditions=conditions,
    )


def _results(store: Store, bots: list[str], conditions: Conditions) -> Iterator[Result]:
    """Yield the results; a game of bots that do not play here is none."""
    known = set(bots)
    for record in conditions.count(store.records()):
        if not known.issuperset(record.bots):
            raise StoreError(
                f"game {record.pair}.{record.game} is one of other bots: {record.bots}"
            )
        yield record.result()
