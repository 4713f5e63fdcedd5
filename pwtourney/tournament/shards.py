"""Parts of one tournament that are played separately: split it, and merge the results."""

from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from typing import NamedTuple

from pwtourney.errors import StoreError, UsageError
from pwtourney.schedule import Pairing, make_format, make_scheduler, replay
from pwtourney.schedule.league import Generation, count_share, gather_earlier, max_pairs
from pwtourney.schedule.pairing import Shard
from pwtourney.store import FaultLogs, Meta, ResultsFolder, Store, StoredBan, dump_outcome
from pwtourney.store.folder import prepare_draft, remove_database
from pwtourney.tournament.differences import list_differences, list_runtime_changes
from pwtourney.tournament.monitors import FaultLimit
from pwtourney.tournament.plan import Plan

__all__ = ["MergeResult", "merge", "split"]

_PLAY_COPIES = (
    "to play a version of a league on several machines, copy one folder and play its parts with"
    " `pwtourney run --extend --shard K/N`"
)


_NOBODY_ABSENT: dict[str, object] = {"withdrawn": (), "bans": ()}
"""Settings without absent bots, because those that left later may not have played yet."""


class MergeResult(NamedTuple):
    """The number of pairs after a merge, and how many pairs were in more than one part.

    `runtime_changes` lists how the runtimes of other parts differ from those of the first.
    """

    pairs: int
    duplicates: int
    runtime_changes: tuple[str, ...]


class _Part(NamedTuple):
    path: Path
    store: Store
    meta: Meta


def split(plan: Plan, shard: Shard, *, seed_given: bool) -> Plan:
    """Return the plan of one part; raises `UsageError` if a tournament cannot be played in parts.

    Parts are played without knowledge of each other, so no pair may depend on results, and all
    parts must have the same seed. A part of an extended league is played in a copy of its folder.
    """
    reason = None
    if make_format(plan.schedule, plan.bots).lag:
        reason = plan.schedule.spec.depends
    if reason is None and plan.schedule.until:
        reason = "when it ends (`until`) depends on results"
    if reason is not None:
        raise UsageError(
            f"--shard {shard}: {reason}, and a part does not know the results of the others"
        )
    if not seed_given and plan.earlier is None:  # a copied league has its seed
        raise UsageError(
            f"--shard {shard}: all parts need the same seed; give `seed` in the file, or with"
            " --set seed=NUMBER"
        )
    return plan._replace(shard=shard)


def merge(parts: Sequence[Path], target: ResultsFolder) -> MergeResult:
    """Merge the pairs and logs of several results folders into a new one, which must be locked.

    A pair that is in several parts is taken once if its games were the same. Parts of a league must
    have the same versions, and the same games before the last version. Raises `StoreError` if they
    do not, if the games of a pair differ, if a part was modified or is of another tournament, or if
    the schedules followed from each part's own results. A failed merge leaves nothing behind.
    """
    if target.database.exists():
        raise StoreError(f"{target.path}: there are results here already; name a new folder")
    with ExitStack() as last:
        opened = [
            _Part(path, store, store.meta())
            for path in parts
            for store in [last.enter_context(closing(Store.open(ResultsFolder(path).database)))]
        ]
        for part in opened:
            _check_part(part, opened[0])
            _check_earlier(part, opened[0])
        _check_whole(opened)
        holders, duplicates = _find_pairs(opened)
        # under another name until it is complete: a merge that is killed leaves no results
        draft = prepare_draft(target.database)
        try:
            _fill(draft, opened, holders)
            draft.replace(target.database)
        finally:
            remove_database(draft)
    _copy_logs(parts, target)
    changes = (
        f"{part.path}: other versions than in {opened[0].path}: {change}"
        for part in opened
        for change in list_runtime_changes(opened[0].meta.all_facts, part.meta.all_facts)
    )
    return MergeResult(len(holders), duplicates, tuple(changes))


def _copy_logs(parts: Sequence[Path], target: ResultsFolder) -> None:
    """Copy the logs of faults."""
    kept = FaultLogs(target.logs)
    try:
        for logs in (ResultsFolder(part).logs for part in parts):
            for path in sorted(logs.glob("*/*.log")):
                # a part may come from somebody else: a link in it could lead to any file of ours
                if path.is_file() and path.resolve() == path:
                    kept.copy(path)
    except OSError as error:
        raise StoreError(f"{target.logs}: cannot copy the logs: {error.strerror}") from error


def _check_part(part: _Part, first: _Part) -> None:
    """Raise `StoreError` if a part does not belong together with the first part."""
    last = part.meta.generations[-1]
    scheduler = make_scheduler(last.schedule, last.bots)
    if scheduler.needs_results:
        raise StoreError(
            f"{part.path}: who plays whom followed from results"
            f" ({part.meta.schedule.format}, or `until`), so parts that were played apart"
            " are not one tournament"
        )
    if not part.store.is_chained():  # the merged store has a new chain, which would hide it
        raise StoreError(
            f"{part.path}: its records are not what was played; `pwtourney verify` says more"
        )
    leagues = [
        [meta.facts, *(version.facts for version in meta.league_versions)]
        for meta in (first.meta, part.meta)
    ]
    for number, (first_facts, part_facts) in enumerate(zip(*leagues, strict=False), 1):
        if differences := list_differences(first_facts, part_facts, "there it is"):
            lines = "\n".join(f"  {line}" for line in differences)
            version = f" in version {number} of the league" if number > 1 else ""
            raise StoreError(
                f"{part.path} is a part of another tournament than {first.path}{version}:\n{lines}"
            )
    first_version, part_version = map(len, leagues)
    if first_version != part_version:
        raise StoreError(
            f"{first.path} is in version {first_version} of the league, and {part.path} in version"
            f" {part_version}; {_PLAY_COPIES}"
        )


def _check_earlier(part: _Part, first: _Part) -> None:
    """Raise `StoreError` if a part of a league had other results or another schedule when extended.

    Which pairs a version adds, and their numbers, follow from those that were stored before.
    """
    first_pairs, part_pairs = (
        {pair for pair in store.outcomes() if pair < meta.generations[-1].first}
        for _, store, meta in (first, part)
    )
    for pair in sorted(first_pairs ^ part_pairs)[:1]:
        without, holder = (part, first) if pair in first_pairs else (first, part)
        raise StoreError(
            f"{without.path} was extended without pair {pair}, which is in {holder.path};"
            f" {_PLAY_COPIES}"
        )
    part_meta, first_meta = part.meta, first.meta
    for what, read in (
        ("from different schedules", lambda version: (version.first, version.closed)),
        ("with other names of bots", lambda version: version.renames),
    ):
        if [*map(read, part_meta.league_versions)] != [*map(read, first_meta.league_versions)]:
            raise StoreError(f"{part.path} and {first.path} were extended {what}; {_PLAY_COPIES}")
    if (part_meta.withdrawn, _list_bans(part_meta)) != (
        first_meta.withdrawn,
        _list_bans(first_meta),
    ):
        raise StoreError(
            f"{part.path} and {first.path} have other bots that are withdrawn or banned;"
            f" {_PLAY_COPIES}"
        )


def _list_bans(meta: Meta) -> list[tuple[str, str, bool]]:
    """Return the bans without their dates, which differ between parts."""
    return [(ban.bot, ban.reason, ban.keeps_games) for ban in meta.bans]


def _check_whole(parts: Sequence[_Part]) -> None:
    """Raise `StoreError` unless the parts are all those of one tournament, each once and finished.

    Results that were not played as parts (`run` without ``--shard``) are accepted as long as no
    parts are among them.
    """
    # Nothing else would reveal that a part was forgotten: stopped runs may be merged, too.
    shards = {part.path: part.meta.shard for part in parts}
    marked = {path: shard for path, shard in shards.items() if shard is not None}
    if not marked:
        return
    first_path, first = next(iter(marked.items()))
    seen: dict[int, Path] = {}
    for path, store, meta in parts:
        shard = shards[path]
        if shard is None:
            raise StoreError(f"{path} is not a part, and {first_path} is part {first}")
        if shard.of != first.of:
            raise StoreError(f"{path} is part {shard}, and {first_path} is part {first}")
        if shard.number in seen:
            raise StoreError(f"part {shard} is there twice: {seen[shard.number]} and {path}")
        seen[shard.number] = path
        *past, last = meta.generations
        earlier = gather_earlier(past, last.first, store.outcomes(), last.renames)
        share, stored = count_share(shard, meta.pairs, earlier), store.count()
        if stored != share:
            raise StoreError(
                f"{path}: part {shard} is not finished: {stored} of its {share} pairs are played"
            )
    missing = [str(Shard(k, first.of)) for k in range(1, first.of + 1) if k not in seen]
    if missing:
        raise StoreError(f"these parts are missing: {', '.join(missing)}")


def _find_pairs(parts: Sequence[_Part]) -> tuple[dict[int, _Part], int]:
    """Return a part for each pair, and how many pairs are in several parts."""
    holders: dict[int, _Part] = {}
    duplicates = 0
    for part in parts:
        for pair in part.store.outcomes():
            other = holders.setdefault(pair, part)
            if other is part:
                continue
            # compare what was played, not the records: their times always differ
            outcomes = [
                [dump_outcome(game) for game in holder.store.pair_as_played(pair)]
                for holder in (part, other)
            ]
            if outcomes[0] != outcomes[1]:
                raise StoreError(
                    f"pair {pair} went otherwise in {part.path} than in {other.path}: it was"
                    " played twice, and one of the two must be chosen; leave one part out"
                )
            duplicates += 1
    return holders, duplicates


def _fill(path: Path, parts: Sequence[_Part], holders: Mapping[int, _Part]) -> None:
    """Write the merged store: the longest schedule, the earliest dates."""
    metas = [part.meta for part in parts]
    longest = max(metas, key=lambda meta: meta.schedule.pairs)
    league = longest.generations
    changes = {
        "created": min(filter(None, (meta.created for meta in metas)), default=None),
        "over": False,
        "shard": None,
        "schedule": league[0].schedule,
        "league_versions": (),
        **_NOBODY_ABSENT,
    }
    fault_limit = FaultLimit(longest.max_faults)
    with closing(Store.create(path, longest.model_copy(update=changes))) as store:
        # In the order of the schedule, as one run would have decided disqualifications: it knows
        # the faults of all parts. No part disqualified a bot too early, because it knew fewer
        # faults.
        later = deque(enumerate(league[1:]))
        for pair in sorted(holders):
            while later and pair >= later[0][1].first:
                number, generation = later.popleft()
                _extend(store, metas, number, generation)
                fault_limit.rename(generation.renames)
            records = holders[pair].store.pair_as_played(pair)
            pairing = Pairing(pair, *records[0].bots, 0)
            if bot := fault_limit.find_disqualified(pairing):
                records = [record.disqualify(fault_limit.explain(bot)) for record in records]
            failed = [game.bots[fault.seat] for game in records for fault in game.faults]
            fault_limit.take_in(pairing, failed)
            store.add(records)
        for number, generation in later:  # these added no pairs
            _extend(store, metas, number, generation)
        *past, last = league
        outcomes = store.outcomes()
        earlier = gather_earlier(past, last.first, outcomes, last.renames)
        pairs = max_pairs(last.schedule, last.bots, earlier)
        bans = _date_bans(metas, longest.bans)
        store.set_settings(longest.model_copy(update={"pairs": pairs, "bans": bans}))
        scheduler = replay(make_scheduler(last.schedule, last.bots, earlier), outcomes)
        store.mark(over=scheduler.over)


def _date_bans(metas: Sequence[Meta], bans: Sequence[StoredBan]) -> tuple[StoredBan, ...]:
    """Return the bans, which all parts have, each with its earliest date."""
    dates = [(ban.bot, ban.since) for meta in metas for ban in meta.bans]
    return tuple(
        ban.model_copy(update={"since": min(since for bot, since in dates if bot == ban.bot)})
        for ban in bans
    )


def _extend(store: Store, metas: Sequence[Meta], number: int, generation: Generation) -> None:
    """Begin the next version of a league, dated at the earliest start among the parts."""
    versions = [meta.league_versions[number] for meta in metas]
    update = {"schedule": generation.schedule, **_NOBODY_ABSENT}
    settings = metas[0].model_copy(update=update)
    began = min(filter(None, (version.began for version in versions)), default=None)
    store.extend(generation.bots, versions[0].facts, settings, began, renames=generation.renames)
