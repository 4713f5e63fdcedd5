"""Continue with stored results: the same tournament, an extended league, or a refusal."""

import platform
import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import closing

from pwtourney.config import TournamentFile
from pwtourney.config.model import MOST_PAIRS
from pwtourney.errors import StoreError, UsageError
from pwtourney.notation import edition_lines
from pwtourney.notation.game_text import deals_text
from pwtourney.schedule import find_format, list_formats, replay
from pwtourney.schedule.league import gather_earlier
from pwtourney.store import Meta, ResultsFolder, Settings, Store, StoredBan, StoredEdition
from pwtourney.tournament.differences import compare, describe_runtime_changes
from pwtourney.tournament.matching import list_known, name_as_stored
from pwtourney.tournament.plan import Plan, is_replaceable
from pwtourney.version import __version__

__all__ = [
    "choose_seed",
    "explain_refusal",
    "find_runtime_changes",
    "fit_into_league",
    "is_complete",
    "list_idle_names",
    "open_results",
    "raise_pairs",
]

_SEED_BITS = 63


def choose_seed(folder: ResultsFolder) -> int:
    """Return the seed of the tournament that is stored here, or a new random one."""
    if not folder.database.exists():
        return secrets.randbits(_SEED_BITS)
    with closing(Store.open_in(folder)) as store:
        return store.meta().seed


def raise_pairs(
    file: TournamentFile, folder: ResultsFolder, more: int | None = None
) -> TournamentFile:
    """Return a tournament with `more` pairs for each two bots than its stored games have.

    The default of `more` is the key ``add_pairs``; without either, and before the first run,
    nothing changes. A run that was interrupted is completed before more is played. Raises
    `UsageError` for a format whose pairs stay as they are.
    """
    more = more or file.config.add_pairs
    if more is None or not folder.database.exists():
        return file
    with closing(Store.open_in(folder)) as store:
        meta = store.meta()
    if find_format(meta.schedule.format).paired_by_results:
        raise UsageError(f"the pairs of format {meta.schedule.format} stay as they are")
    target = meta.schedule.pairs + (more if meta.over else 0)
    pairs = min(max(target, file.config.pairs), MOST_PAIRS)
    return file._replace(config=file.config.model_copy(update={"pairs": pairs}))


def is_complete(folder: ResultsFolder, plan: Plan) -> bool:
    """Return True if every pair of a plan is stored already."""
    if not folder.database.exists():
        return False
    with closing(Store.open_in(folder)) as store:
        scheduler = plan.scheduler()
        # a quick check that almost always decides, before replaying the whole schedule
        if not scheduler.needs_results and store.count() < plan.share:
            return False
        if plan.shard is not None:  # what is stored must be of this part
            return not list(explain_refusal(folder, store.meta(), plan, extend=False))
        return replay(scheduler, store.outcomes()).over


def open_results(
    folder: ResultsFolder,
    plan: Plan,
    *,
    extend: bool = False,
    now: Callable[[], float] = time.time,
) -> Store:
    """Open the store for a plan, creating it if it does not exist.

    If only bots differ, the stored league may be extended. `now` returns seconds since 1970, for
    the stored dates. Raises `StoreError`, naming every difference, if another tournament is stored
    here.
    """
    today = _format_date(now())
    if not folder.database.exists():
        edition = plan.edition
        meta = Meta(
            name=plan.name,
            bots=plan.bots,
            facts=plan.facts(),
            edition=StoredEdition(name=edition.name, lines=tuple(edition_lines(edition))),
            league_versions=(),
            shard=plan.shard,
            over=False,
            created=today,
            version=__version__,
            untrusted=plan.untrusted,
            python=None if plan.untrusted else platform.python_version(),
            system=None if plan.untrusted else f"{platform.system()} {platform.machine()}",
            **dict(_make_settings(plan, today)),
        )
        return Store.create(folder.database, meta)
    store = Store.open_in(folder, write=True)
    meta = store.meta()
    wide, stored = plan, meta.schedule
    if stored.format == plan.schedule.format:
        # A tournament that is made shorter keeps the pairs that were played; with fewer pairs in
        # its schedule they would belong to no schedule.
        pairs = max(plan.schedule.pairs, stored.pairs)
        wide = plan._replace(schedule=plan.schedule.model_copy(update={"pairs": pairs}))
    if refused := list(explain_refusal(folder, meta, plan, extend=extend)):
        store.close()
        raise StoreError("\n".join(refused))
    settings = _make_settings(wide, today, meta)
    if extend and _is_new_version(meta, plan):
        store.extend(plan.bots, plan.facts(), settings, today, plan.shard, renames=plan.renames)
    else:
        store.set_settings(settings)
    return store


def _format_date(seconds: float) -> str:
    """Return seconds since 1970 as date and time in UTC."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


def _make_settings(plan: Plan, today: str, meta: Meta | None = None) -> Settings:
    """Return the settings to store on top of those in `meta`, if there are any.

    Bots that have not played are not kept among the absent ones. A ban that is new begins `today`.
    """
    known = list_known(meta, plan) if meta else set()
    before = meta.bans if meta else ()
    since = {plan.renames.get(ban.bot, ban.bot): ban.since for ban in before}
    bans = (
        StoredBan(**ban._asdict() | {"since": since.get(ban.bot, today)})
        for ban in plan.bans
        if ban.bot in known
    )
    return Settings(
        schedule=plan.schedule,
        ratings=plan.rating_options,
        gates=plan.gates,
        deals=deals_text(plan.deals),
        pairs=plan.pairs,
        withdrawn=tuple(bot for bot in plan.withdrawn if bot in known),
        bans=tuple(bans),
    )


def explain_refusal(
    folder: ResultsFolder, meta: Meta, plan: Plan, *, extend: bool
) -> Iterator[str]:
    """Yield why a plan cannot continue the stored results, one line each; nothing if it can."""
    may_extend = _is_new_version(meta, plan)
    if extend and may_extend:
        if meta.shard:  # a whole league may continue in parts
            yield (
                f"{folder.path}: part {meta.shard} is stored here; merge the parts with `pwtourney"
                " merge`, and extend the whole."
            )
        return
    if meta.shard != plan.shard:
        part, other = meta.shard or "the whole", plan.shard or "the whole"
        yield (
            f"{folder.path}: {part} is stored here, and {other} is to be played; name another"
            " folder with --results."
        )
        return
    differences = compare(meta, plan)
    if not differences.keys and not differences.renames:
        return
    yield f"{folder.path}: another tournament is stored here; what differs:"
    if extend:  # leave out differences that --extend allows
        fixed = [key for key in differences.keys if not is_replaceable(key, plan.schedule.spec)]
        differences = differences._replace(keys=fixed or differences.keys)
    yield from (f"  {line}" for line in differences.describe(plan))
    if extend and not plan.schedule.spec.extendable:
        extendable = (spec.name for spec in list_formats() if spec.extendable)
        yield f"--extend goes with the formats {' and '.join(extendable)}."
    elif extend:
        yield "--extend continues with other bots; nothing else may change."
    elif may_extend:
        yield "To continue with these bots and keep the games of the others, use --extend."
    yield "To start again, use --fresh (the old results are kept) or another folder with --results."


def find_runtime_changes(folder: ResultsFolder, plan: Plan) -> list[str]:
    """Return warnings about runtimes that differ from those of stored games, if any are stored."""
    if not folder.database.exists():
        return []
    with closing(Store.open_in(folder)) as store:
        return describe_runtime_changes(store.meta().all_facts, plan.facts())


def list_idle_names(folder: ResultsFolder, plan: Plan) -> list[str]:
    """Return a warning for each name in a plan that no bot of the stored results has or had."""
    names_somebody = any(plan.naming) or plan.absent_bots
    if not names_somebody or not folder.database.exists():
        return []
    with closing(Store.open_in(folder)) as store:
        meta = store.meta()
    known = list_known(meta, plan)
    unknown = [
        f"{key}: no bot {bot} has played here; is the name right?"
        for bot, key in plan.absent_bots.items()
        if bot not in known
    ]
    return [*plan.naming.list_idle(meta), *unknown]


def fit_into_league(plan: Plan, folder: ResultsFolder, *, extend: bool) -> Plan:
    """Return a plan with its bots named as in the store, playing only what is missing there.

    If the league is to be extended, bots that the store does not know get new names.
    """
    if not folder.database.exists():
        return plan
    with closing(Store.open_in(folder)) as store:
        meta = store.meta()
        plan = name_as_stored(plan, meta, extend=extend)
        past = meta.generations
        if extend and _is_new_version(meta, plan):
            first, renames = max(store.outcomes(), default=-1) + 1, plan.renames
        elif len(past) > 1:
            last = past.pop()  # the one that continues
            first, renames = last.first, last.renames
        else:
            return plan
        until = plan.schedule.until is not None
        earlier = gather_earlier(past, first, store.outcomes(), renames, until=until)
        return plan._replace(earlier=earlier)


def _is_new_version(meta: Meta, plan: Plan) -> bool:
    """Return True if a plan differs from the stored results only in what may be extended."""
    spec = plan.schedule.spec
    if not spec.extendable:
        return False
    differences = compare(meta, plan)
    replaceable = all(is_replaceable(key, spec) for key in differences.keys)
    return replaceable and bool(differences.keys or differences.renames)
