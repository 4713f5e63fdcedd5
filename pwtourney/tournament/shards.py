"""Parts of a schedule played apart: which tournaments can be split, and what makes a whole."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pwtourney.errors import StoreError, UsageError
from pwtourney.schedule.pairing import Shard
from pwtourney.tournament.plan import Plan

__all__ = ["check_whole", "shard_of", "split"]

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
