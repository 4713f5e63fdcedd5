"""Everything a report says, worked out once."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from pwtourney.errors import StoreError
from pwtourney.ratings import Result
from pwtourney.report.conditions import Conditions
from pwtourney.schedule import FormatTable, make_format, make_scheduler, replay
from pwtourney.schedule.league import all_facts, everyone
from pwtourney.standings import RatingOptions, Standings, standings
from pwtourney.standings.gates import Checked, parse_gate
from pwtourney.store import GameHash, GameRecord, Store

__all__ = ["Listener", "Summary", "summarise", "rating_options_of"]


class Summary(NamedTuple):
    """A tournament as it stands.

    `planned` counts pairs at most, `stored` those that are there, and `over` tells whether
    everything was played. `game_hash` names the outcome of all games, `chain_head` the last record
    of the store. `table` is what the format says beside the ratings, `gates` what was asked of
    them. `shard` says which part of its schedule this is, empty for the whole.
    """

    name: str
    bots: tuple[str, ...]
    edition: str
    seed: int
    version: str
    planned: int
    stored: int
    over: bool
    game_hash: str
    chain_head: str
    standings: Standings
    conditions: Conditions
    table: FormatTable | None = None
    gates: tuple[Checked, ...] = ()
    shard: str = ""


Listener = Callable[[GameRecord, Result], None]
"""Shown each game on the way, and what it says to the ratings."""


def summarise(store: Store, *listeners: Listener) -> Summary:
    """Read a store, as it is at one moment, and rate its bots."""
    with store.as_one():
        return _summary(store, *listeners)


def _summary(store: Store, *listeners: Listener) -> Summary:
    meta: dict[str, Any] = store.meta()
    bots = everyone(meta)
    conditions = Conditions.of(all_facts(meta), bots)
    hashed = GameHash()
    every = (lambda record, _: conditions.add(record), lambda record, _: hashed.add(record))
    rated = standings(bots, _results(store, bots, *every, *listeners), rating_options_of(meta))
    # they are for the whole of a tournament: a part may pass what the whole does not
    gates = () if meta.get("shard") else meta.get("gates", ())
    return Summary(
        name=meta["name"],
        bots=bots,
        edition=str(meta["facts"]["edition"]).split(" ")[0],
        seed=meta["facts"]["seed"],
        version=meta["version"],
        planned=meta["pairs"],
        stored=store.count(),
        over=meta["over"],
        game_hash=hashed.digits(),
        chain_head=store.head(),
        standings=rated,
        conditions=conditions,
        table=_format_table(store, meta),
        gates=tuple(parse_gate(text).check(rated) for text in gates),
        shard=str(meta.get("shard", "")),
    )


def rating_options_of(meta: dict[str, Any]) -> RatingOptions:
    """Return how the ratings of a tournament are to be told."""
    stored = meta["ratings"]
    anchor = stored.get("anchor")
    return RatingOptions(
        (str(anchor[0]), float(anchor[1])) if anchor else None, float(stored["prior"])
    )


def _format_table(store: Store, meta: dict[str, Any]) -> FormatTable | None:
    """Let the format say how the tournament stands, as far as whole waves are stored."""
    if meta["league_versions"]:
        return None  # the formats that can be extended have no tables
    scheduler = make_scheduler(meta["schedule"], meta["bots"])
    if not scheduler.needs_results:
        return None
    history = replay(scheduler, store.outcomes()).history
    return make_format(meta["schedule"], meta["bots"]).table(history)


def _results(store: Store, bots: Sequence[str], *listeners: Listener) -> Iterator[Result]:
    """Yield the results; a game of bots that do not play here is none."""
    known = set(bots)
    for record in store.records():
        if not known.issuperset(record.bots):
            raise StoreError(
                f"game {record.pair}.{record.game} is one of other bots: {record.bots}"
            )
        result = record.result()
        for listener in listeners:
            listener(record, result)
        yield result
