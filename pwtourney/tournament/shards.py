"""Parts of one tournament that are played apart: split from it, and put together again."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any, NamedTuple

from pwtourney.errors import StoreError, UsageError
from pwtourney.schedule import Pairing, make_scheduler, replay
from pwtourney.schedule.league import max_pairs
from pwtourney.schedule.pairing import Shard
from pwtourney.store import GameRecord, ResultsFolder, Store, genesis, record_hash
from pwtourney.tournament.monitors import FaultLimit
from pwtourney.tournament.plan import Plan
from pwtourney.tournament.resume import differences

__all__ = [
    "Merged",
    "check_whole",
    "merge",
    "shard_of",
    "split",
]

_FOLLOWS = {
    "swiss": "whom a bot meets depends on its points",
    "knockout": "who advances depends on results",
    "sprt": "when the test ends depends on results",
    "focus": "who plays most depends on results",
}


def split(plan: Plan, shard: Shard, *, seed_given: bool) -> Plan:
    """Return the plan of one part; raises `UsageError` if a tournament cannot be played in parts.

    Parts are played without knowledge of each other, so nothing may follow from results, and all
    must have the same seed.
    """
    form = plan.schedule["format"]
    reason = _FOLLOWS.get(form)
    if reason is None and plan.schedule["until"]:
        reason = "when it ends (`until`) depends on results"
    if reason is not None:
        raise UsageError(
            f"--shard {shard}: {reason}, and a part does not know the results of the others"
        )
    if not seed_given:
        raise UsageError(
            f"--shard {shard}: all parts need the same seed; give `seed` in the file, or with"
            " --set seed=NUMBER"
        )
    if plan.earlier is not None:
        raise UsageError(f"--shard {shard}: a league that was extended cannot be split")
    return plan._replace(shard=shard)


def shard_of(meta: Mapping[str, Any]) -> Shard | None:
    """Return which part of its tournament a store holds; None if it is no part."""
    text = meta.get("shard")
    try:
        return Shard.parse(str(text)) if text else None
    except ValueError as error:
        raise StoreError(f"what is stored of its part: {error}") from error


def check_whole(parts: Sequence[tuple[Path, Mapping[str, Any], int]]) -> None:
    """Raise `StoreError` unless parts are all those of one tournament, each once and finished.

    Each part is its place, its meta, and how many pairs are stored. Parts that were not played as
    such (`run` without ``--shard``) are let through as long as no others are among them.
    """
    shards = {place: shard_of(meta) for place, meta, _ in parts}
    split_up = {place: shard for place, shard in shards.items() if shard is not None}
    if not split_up:
        return
    first_place, first = next(iter(split_up.items()))
    seen: dict[int, Path] = {}
    for place, meta, stored in parts:
        shard = shards[place]
        if shard is None:
            raise StoreError(f"{place} is not a part, and {first_place} is part {first}")
        if shard.of != first.of:
            raise StoreError(f"{place} is part {shard}, and {first_place} is part {first}")
        if shard.number in seen:
            raise StoreError(f"part {shard} is there twice: {seen[shard.number]} and {place}")
        seen[shard.number] = place
        share = shard.share(int(meta["pairs"]))
        if stored != share:
            raise StoreError(
                f"{place}: part {shard} is not finished: {stored} of its {share} pairs are played"
            )
    missing = [str(Shard(k, first.of)) for k in range(1, first.of + 1) if k not in seen]
    if missing:
        raise StoreError(f"these parts are missing: {', '.join(missing)}")


class Merged(NamedTuple):
    """How many pairs there are now, and how many of the parts' pairs were there more than once."""

    pairs: int
    duplicates: int


class _Part(NamedTuple):
    place: Path
    store: Store
    meta: dict[str, Any]


def merge(parts: Sequence[Path], target: ResultsFolder) -> Merged:
    """Put the pairs of several results folders into a new one; the caller holds its lock.

    A pair that is in several parts is taken once if its games went alike. Raises `StoreError` if
    they did not, if a part was changed or is of another tournament, or if parts do not belong
    together because each schedule followed from its own results. Nothing is left of what failed.
    """
    if target.database.exists():
        raise StoreError(f"{target.path}: there are results here already; name a new folder")
    with ExitStack() as last:
        opened = [
            _Part(place, store, store.meta())
            for place in parts
            for store in [last.enter_context(closing(Store.open(ResultsFolder(place).database)))]
        ]
        _check(opened)
        check_whole([(part.place, part.meta, part.store.count()) for part in opened])
        where, duplicates = _places(opened)
        draft = target.database.with_name(".merged.sqlite")
        try:
            _fill(draft, opened, where)
            draft.replace(target.database)
        finally:
            draft.unlink(missing_ok=True)
    return Merged(len(where), duplicates)


def _fill(path: Path, parts: Sequence[_Part], where: dict[int, int]) -> None:
    """Write the whole into a database of its own."""
    meta = _meta(parts)
    with closing(Store.create(path, meta)) as store:
        for records in _as_at_once(_pairs(parts, where), meta):
            store.add(records)
        scheduler = replay(make_scheduler(meta["schedule"], meta["bots"]), store.outcomes())
        store.set_meta(over=scheduler.over)


def _check(parts: Sequence[_Part]) -> None:
    """Refuse what does not belong together."""
    first = parts[0]
    for part in parts:
        if part.meta["league_versions"]:
            raise StoreError(
                f"{part.place}: a league that was extended is one whole; merge its parts before"
            )
        scheduler = make_scheduler(part.meta["schedule"], part.meta["bots"])
        if scheduler.needs_results:
            raise StoreError(
                f"{part.place}: who plays whom followed from results"
                f" ({part.meta['schedule']['format']}, or `until`), so parts that were played apart"
                " are not one tournament"
            )
        if not _is_chained(part):
            raise StoreError(
                f"{part.place}: its records are not what was played; `pwtourney verify` says more"
            )
        found = differences(first.meta["facts"], part.meta["facts"])
        if found:
            told = "\n".join(f"  {each}" for each in found).replace("the file says", "there it is")
            raise StoreError(
                f"{part.place} is a part of another tournament than {first.place}:\n{told}"
            )


def _is_chained(part: _Part) -> bool:
    """Tell whether no record of a part was changed: the new chain would hide it."""
    head, count = genesis(part.meta), 0
    for raw in part.store.raw_records():
        if raw.digest != record_hash(head, raw.text):
            return False
        head, count = raw.digest, count + 1
    return (head, count) == (part.meta["chain"]["head"], part.meta["chain"]["records"])


def _places(parts: Sequence[_Part]) -> tuple[dict[int, int], int]:
    """Return in which part each pair is, and how many are in several."""
    where: dict[int, int] = {}
    duplicates = 0
    for place, part in enumerate(parts):
        for pair in part.store.outcomes():
            if pair not in where:
                where[pair] = place
                continue
            other = parts[where[pair]]
            if _outcome(part.store, pair) != _outcome(other.store, pair):
                raise StoreError(
                    f"pair {pair} went otherwise in {part.place} than in {other.place}: it was"
                    " played twice, and one of the two must be chosen; leave one part out"
                )
            duplicates += 1
    return where, duplicates


def _outcome(store: Store, pair: int) -> list[str]:
    return [record.outcome_text() for record in store.pair(pair)]


def _meta(parts: Sequence[_Part]) -> dict[str, Any]:
    """Return what the whole says of itself: the longest schedule, the earliest beginning."""
    longest = max(parts, key=lambda part: int(part.meta["schedule"]["pairs"])).meta
    created = min(str(part.meta.get("created", "")) for part in parts)
    whole = {**longest, "created": created, "over": False, "shard": ""}
    whole["pairs"] = max_pairs(whole["schedule"], whole["bots"], None)
    return {key: value for key, value in whole.items() if key not in ("chain", "format")}


def _pairs(parts: Sequence[_Part], where: dict[int, int]) -> Iterator[list[GameRecord]]:
    """Yield the games of each pair in the order of the schedule."""
    return (parts[where[pair]].store.pair(pair) for pair in sorted(where))


def _as_at_once(
    pairs: Iterable[list[GameRecord]], meta: dict[str, Any]
) -> Iterator[list[GameRecord]]:
    """Yield pairs as one run would have played them, which knows the faults in all parts.

    A part has disqualified no bot too early: it knew of fewer faults than one run.
    """
    limit = meta["facts"].get("max_faults")
    fault_limit = FaultLimit(limit if isinstance(limit, int) else None)
    for records in pairs:
        number, (first, second) = records[0].pair, records[0].bots
        pairing = Pairing(number, first, second, 0)
        if bot := fault_limit.find_disqualified(pairing):
            records = [record.disqualify(fault_limit.explain(bot)) for record in records]
        fault_limit.take_in(pairing, [r.bots[fault["seat"]] for r in records for fault in r.faults])
        yield records
