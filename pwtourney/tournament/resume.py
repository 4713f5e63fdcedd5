"""Continue with stored results: the same tournament, an extended league, or a refusal.

A bot of a league is identified by its content. When the content changes, the games of the old
version stay under the old version's name, and the new version is stored as ``magpie#2``, the next
one as ``magpie#3``, and so on.
"""

import platform
import secrets
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from types import MappingProxyType
from typing import Any

from pwtourney.config import TournamentFile
from pwtourney.config.model import MOST_PAIRS
from pwtourney.errors import StoreError, UsageError
from pwtourney.notation import edition_lines
from pwtourney.notation.game_text import deals_text
from pwtourney.schedule import find_format, list_formats, replay
from pwtourney.schedule.league import gather_earlier
from pwtourney.schedule.season import base_name, version_name
from pwtourney.standings.gates import rename_bots
from pwtourney.store import Meta, ResultsFolder, Settings, Store, StoredBan, StoredEdition
from pwtourney.store.meta import rename_facts
from pwtourney.tournament.entrants import Entrant
from pwtourney.tournament.plan import RUNTIME, Plan, is_replaceable
from pwtourney.version import __version__

__all__ = [
    "adopt_files",
    "choose_seed",
    "describe_runtime_changes",
    "explain_refusal",
    "find_runtime_changes",
    "find_versions",
    "fit_into_league",
    "is_complete",
    "list_differences",
    "list_idle_names",
    "list_runtime_changes",
    "name_as_stored",
    "open_results",
    "raise_pairs",
]

_SEED_BITS = 63
_CONTENT = ".content"
"""The end of the name of a fact that is a hash of a bot's files and command."""


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
    wanted = meta.schedule.pairs + (more if meta.over else 0)
    pairs = min(max(wanted, file.config.pairs), MOST_PAIRS)
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
    settings = _make_settings(wide, today, meta.bans)
    if extend and _is_new_version(meta, plan):
        store.extend(plan.bots, plan.facts(), settings, today, plan.shard, renames=plan.renames)
    else:
        store.set_settings(settings)
    return store


def _format_date(seconds: float) -> str:
    """Return seconds since 1970 as date and time in UTC."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


def _make_settings(plan: Plan, today: str, known: Sequence[StoredBan] = ()) -> Settings:
    """Return the settings to store; a ban that is not `known` begins `today`."""
    since = {ban.bot: ban.since for ban in known}
    bans = (StoredBan(**ban._asdict() | {"since": since.get(ban.bot, today)}) for ban in plan.bans)
    return Settings(
        schedule=plan.schedule,
        ratings=plan.rating_options,
        gates=plan.gates,
        deals=deals_text(plan.deals),
        pairs=plan.pairs,
        withdrawn=plan.withdrawn,
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
    renames = _list_pending(meta, plan)
    stored, wanted = _rename_stored(meta.current_facts, plan, renames), plan.facts()
    differing = _list_differing(stored, wanted)
    if not differing and not renames:
        return
    yield f"{folder.path}: another tournament is stored here; what differs:"
    if extend:  # leave out differences that --extend allows
        differing = [
            key for key in differing if not is_replaceable(key, plan.schedule.spec)
        ] or differing
    yield from (f"  {old} is called {new} now" for old, new in renames.items())
    absent = dict.fromkeys(plan.withdrawn, "withdrawn")
    absent |= dict.fromkeys((ban.bot for ban in plan.bans), "banned")
    lines = _describe_differences(differing, stored, wanted, absent)
    yield from (f"  {line}" for line in lines)
    if extend and not plan.schedule.spec.extendable:
        extendable = (spec.name for spec in list_formats() if spec.extendable)
        yield f"--extend goes with the formats {' and '.join(extendable)}."
    elif extend:
        yield "--extend continues with other bots; nothing else may change."
    elif may_extend:
        yield "To continue with these bots and keep the games of the others, use --extend."
    yield "To start again, use --fresh (the old results are kept) or another folder with --results."


def list_differences(stored: Mapping[str, Any], wanted: Mapping[str, Any]) -> list[str]:
    """Return how a tournament file differs from the stored facts, a line per difference."""
    return [*_describe_differences(_list_differing(stored, wanted), stored, wanted)]


def _describe_differences(
    keys: Iterable[str],
    stored: Mapping[str, Any],
    wanted: Mapping[str, Any],
    absent: Mapping[str, str] = MappingProxyType({}),
) -> Iterator[str]:
    """Yield a line for each fact that differs; bots that came or went are only named.

    `absent` says of bots, without their versions, how they left.
    """
    before, now = _list_bots(stored), _list_bots(wanted)
    came = [bot for bot in now if bot not in before]
    gone = [bot for bot in before if bot not in now]
    others = tuple(f"bots.{bot}." for bot in (*came, *gone))
    for key in keys:
        if key == "bots" and others:
            left = {bot: absent.get(base_name(bot), "went") for bot in gone}
            verbs = {**dict.fromkeys(came, "came"), **left}
            yield "; ".join(
                f"{', '.join(bot for bot in verbs if verbs[bot] == verb)} {verb}"
                for verb in dict.fromkeys(verbs.values())
            )
        elif key == "bots" and {*before} == {*now}:
            yield "the bots are in another order"
        elif key.endswith(_CONTENT) and not key.startswith(others):
            bot = key.removeprefix("bots.").removesuffix(_CONTENT)
            yield f"{bot} has changed: its content is not what played"
        elif not key.startswith(others):
            yield (
                f"{key}: stored is {stored.get(key, 'nothing')!r},"
                f" the file says {wanted.get(key, 'nothing')!r}"
            )


def _list_bots(facts: Mapping[str, Any]) -> list[str]:
    """Return the bots that facts name; a store may come from anybody, and name anything."""
    bots = facts.get("bots")
    return [bot for bot in bots if isinstance(bot, str)] if isinstance(bots, list | tuple) else []


def list_runtime_changes(stored: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """Return how the runtimes of bots differ from those of stored games, a line per change.

    Bots with the same change share a line. A changed runtime does not make a new version of a bot.
    Bots without a known runtime are left out.
    """
    bots: dict[str, list[str]] = {}
    for key in (key for key in now if key.endswith(RUNTIME)):
        before, after = stored.get(key), now[key]
        # the content of a store may come from anybody
        if not (isinstance(before, dict) and isinstance(after, dict)) or before == after:
            continue
        changes = (
            f"{name} {after.get(name, 'nothing')} instead of {before.get(name, 'nothing')}"
            for name in {**after, **before}
            if after.get(name) != before.get(name)
        )
        bot = key.removeprefix("bots.").removesuffix(RUNTIME)
        bots.setdefault("; ".join(changes), []).append(bot)
    return [f"{', '.join(names)}: {change}" for change, names in bots.items()]


def describe_runtime_changes(stored: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """Return warnings about runtimes that differ from the stored games, a line per change."""
    changes = list_runtime_changes(stored, now)
    return [f"other versions than in the stored games: {change}" for change in changes]


def find_runtime_changes(folder: ResultsFolder, plan: Plan) -> list[str]:
    """Return warnings about runtimes that differ from those of stored games, if any are stored."""
    if not folder.database.exists():
        return []
    with closing(Store.open_in(folder)) as store:
        return describe_runtime_changes(store.meta().all_facts, plan.facts())


def list_idle_names(folder: ResultsFolder, plan: Plan) -> list[str]:
    """Return a warning for each name in a plan that no bot of the stored results has or had."""
    if not folder.database.exists():
        return []
    with closing(Store.open_in(folder)) as store:
        meta = store.meta()
    known = {base_name(bot) for bot in meta.names}
    absent = (("withdrawn", plan.withdrawn), ("bans", [ban.bot for ban in plan.bans]))
    return [
        *plan.naming.list_idle(meta),
        *(
            f"{key}: no bot {bot} has played here; is the name right?"
            for key, bots in absent
            for bot in bots
            if bot not in known
        ),
    ]


def _list_differing(stored: Mapping[str, Any], wanted: Mapping[str, Any]) -> list[str]:
    """Return the facts whose difference makes another tournament."""
    keys = [*wanted, *(key for key in stored if key not in wanted)]
    return [key for key in keys if stored.get(key) != wanted.get(key) and not key.endswith(RUNTIME)]


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
    renames = _list_pending(meta, plan)
    keys = _list_differing(_rename_stored(meta.current_facts, plan, renames), plan.facts())
    return bool(keys or renames) and all(is_replaceable(key, spec) for key in keys)


def _rename_stored(
    facts: Mapping[str, Any], plan: Plan, renames: Mapping[str, str]
) -> dict[str, Any]:
    """Return the facts of one version of a league after the renames of a plan."""
    return adopt_files(rename_facts(facts, renames), plan, renames)


def adopt_files(facts: dict[str, Any], plan: Plan, renames: Mapping[str, str]) -> dict[str, Any]:
    """Return facts in which renamed bots whose files were renamed too have their new content."""
    adopted = dict(facts)
    for entrant in plan.entrants:
        if not entrant.former:
            continue
        name = base_name(entrant.spec.id)
        for bot in renames.values():
            key = f"bots.{bot}{_CONTENT}"
            if base_name(bot) == name and facts.get(key) == entrant.former:
                adopted[key] = entrant.identity
    return adopted


def _list_pending(meta: Meta, plan: Plan) -> dict[str, str]:
    """Return the renames of a plan that the stored results do not have yet."""
    present = {*meta.names.values()}
    return {old: new for old, new in plan.renames.items() if old in present}


def name_as_stored(plan: Plan, meta: Meta, *, extend: bool = False) -> Plan:
    """Return a plan with each bot named as in the store, after the renames of its file.

    A bot that the store does not know gets the name of the latest version or, if the league is to
    be extended, a new version's name. Raises what `Naming.resolve` raises.
    """
    renames = plan.naming.resolve(meta)
    plan = plan._replace(renames=renames)
    known = [*dict.fromkeys(renames.get(bot, bot) for bot in meta.everyone)]
    facts = adopt_files(meta.gather_facts(renames), plan, renames)
    latest = {base_name(bot): bot for bot in known}
    # an old version that plays again is the latest, even if newer ones were played since
    playing = (renames.get(bot, bot) for bot in meta.generations[-1].bots)
    latest |= {base_name(bot): bot for bot in playing}
    taken = {*known, *meta.names, *renames}
    ids: dict[str, str] = {}
    for entrant in plan.entrants:
        name = entrant.spec.id
        same = [
            bot
            for bot in known
            if base_name(bot) == name
            and all(facts.get(f"bots.{bot}.{key}") == fact for key, fact in entrant.facts().items())
        ]
        ids[name] = same[-1] if same else latest.get(name, name)
        if not same and extend and name in taken:
            number = 2
            while version_name(name, number) in taken:
                number += 1
            ids[name] = version_name(name, number)
    return _rename_bots(plan, ids)


def _rename_bots(plan: Plan, ids: Mapping[str, str]) -> Plan:
    """Return a plan in which bots are renamed wherever they are named."""
    if all(name == stored for name, stored in ids.items()):
        return plan
    options = plan.rating_options
    if options.anchor:
        bot, elo = options.anchor
        options = options._replace(anchor=(ids.get(bot, bot), elo))
    return plan._replace(
        entrants=tuple(
            entrant._replace(spec=entrant.spec._replace(id=ids[entrant.spec.id]))
            for entrant in plan.entrants
        ),
        schedule=plan.schedule.rename_bots(ids),
        rating_options=options,
        gates=tuple(rename_bots(gate, ids) for gate in plan.gates),
    )


def find_versions(plan: Plan, bot: str) -> list[Entrant]:
    """Return the bots of a plan that are a stored bot, or else other versions of it."""
    same = [entrant for entrant in plan.entrants if entrant.spec.id == bot]
    name = base_name(bot)
    return same or [entrant for entrant in plan.entrants if base_name(entrant.spec.id) == name]
