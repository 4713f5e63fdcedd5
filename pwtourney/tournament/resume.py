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
from typing import Any, NamedTuple

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
from pwtourney.tournament.naming import find_former_names
from pwtourney.tournament.plan import RUNTIME, Plan, is_replaceable
from pwtourney.version import __version__

__all__ = [
    "choose_seed",
    "compare_plan",
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
    known = _list_known(meta, plan) if meta else set()
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
    found = _compare(meta, plan)
    if not found.keys and not found.renames:
        return
    yield f"{folder.path}: another tournament is stored here; what differs:"
    if extend:  # leave out differences that --extend allows
        fixed = [key for key in found.keys if not is_replaceable(key, plan.schedule.spec)]
        found = found._replace(keys=fixed or found.keys)
    yield from (f"  {line}" for line in found.describe(plan))
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


def compare_plan(meta: Meta, plan: Plan) -> list[str]:
    """Return how a plan differs from the last version of stored results, a line per difference."""
    return [*_compare(meta, plan).describe(plan)]


class _Differences(NamedTuple):
    """What differs between the last version of stored results and a plan.

    `renames` are those that the results do not have yet, `stored` and `wanted` all facts after
    them, and `keys` the names of those that differ.
    """

    renames: Mapping[str, str]
    stored: Mapping[str, Any]
    wanted: Mapping[str, Any]
    keys: Sequence[str]

    def describe(self, plan: Plan) -> Iterator[str]:
        """Yield a line for each difference."""
        yield from (f"{old} is called {new} now" for old, new in self.renames.items())
        yield from _describe_differences(self.keys, self.stored, self.wanted, plan)


def _compare(meta: Meta, plan: Plan) -> _Differences:
    """Return how a plan differs from the last version of stored results."""
    present = {*meta.names.values()}
    renames = {old: new for old, new in plan.renames.items() if old in present}
    stored, wanted = _rename_stored(meta.current_facts, plan, renames), plan.facts()
    return _Differences(renames, stored, wanted, _list_differing(stored, wanted))


def _describe_differences(
    keys: Iterable[str],
    stored: Mapping[str, Any],
    wanted: Mapping[str, Any],
    plan: Plan | None = None,
) -> Iterator[str]:
    """Yield a line for each fact that differs; bots that came or went are only named.

    A `plan` says which bots are withdrawn or banned, and which were renamed.
    """
    before, now = _list_bots(stored), _list_bots(wanted)
    came = [bot for bot in now if bot not in before]
    gone = [bot for bot in before if bot not in now]
    others = tuple(f"bots.{bot}." for bot in (*came, *gone))
    for key in keys:
        if key == "bots" and others:
            left = _explain_absence(gone, plan)
            verbs = {**dict.fromkeys(came, "came"), **left}
            yield "; ".join(
                f"{', '.join(bot for bot in verbs if verbs[bot] == verb)} {verb}"
                for verb in dict.fromkeys(verbs.values())
            )
        elif key == "bots" and {*before} == {*now}:
            if not (plan and plan.renames):  # their new names put them into another order
                yield "the bots are in another order"
        elif key.endswith(_CONTENT) and not key.startswith(others):
            bot = key.removeprefix("bots.").removesuffix(_CONTENT)
            yield f"{bot} has changed: its content is not what played"
        elif not key.startswith(others):
            yield (
                f"{key}: stored is {stored.get(key, 'nothing')!r},"
                f" the file says {wanted.get(key, 'nothing')!r}"
            )


def _explain_absence(bots: Iterable[str], plan: Plan | None) -> dict[str, str]:
    """Return how each of the bots left."""
    how = dict.fromkeys(plan.withdrawn, "withdrawn") if plan else {}
    how |= dict.fromkeys((ban.bot for ban in plan.bans), "banned") if plan else {}
    return {bot: how.get(base_name(bot), "went") for bot in bots}


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
    known = _list_known(meta, plan)
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


def _list_known(meta: Meta, plan: Plan) -> set[str]:
    """Return the names of the bots that have played, after the renames of a plan."""
    return {base_name(plan.renames.get(bot, bot)) for bot in meta.names.values()}


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
    found = _compare(meta, plan)
    replaceable = all(is_replaceable(key, spec) for key in found.keys)
    return replaceable and bool(found.keys or found.renames)


def _rename_stored(
    facts: Mapping[str, Any], plan: Plan, renames: Mapping[str, str]
) -> dict[str, Any]:
    """Return stored facts after renames, also of the files of the bots of a plan.

    A bot whose file was renamed with it has its new content.
    """
    renamed = rename_facts(facts, renames)
    for entrant in plan.entrants:
        for key, value in renamed.items():
            bot = key.removeprefix("bots.").removesuffix(_CONTENT)
            is_same = entrant.former and value == entrant.former
            if is_same and key.endswith(_CONTENT) and base_name(bot) == base_name(entrant.spec.id):
                renamed[key] = entrant.identity
    return renamed


def name_as_stored(plan: Plan, meta: Meta, *, extend: bool = False) -> Plan:
    """Return a plan with each bot named as in the store, after the renames of its file.

    A bot that the store does not know gets the name of the latest version or, if the league is to
    be extended, a new version's name. Raises what `Naming.resolve` raises, and `UsageError` for a
    withdrawn or banned bot that is named by a former name.
    """
    renames = plan.naming.resolve(meta)
    plan = plan._replace(renames=renames)
    _refuse_former_names(plan, meta)
    names = {old: renames.get(now, now) for old, now in meta.names.items()}
    latest = {base_name(bot): bot for bot in names.values()}
    # an old version that plays again is the latest, even if newer ones were played since
    latest |= {base_name(bot): bot for bot in (names[bot] for bot in meta.generations[-1].bots)}
    taken = {*names, *names.values(), *renames}
    facts = meta.facts_as_played
    ids: dict[str, str] = {}
    for entrant in plan.entrants:
        name = entrant.spec.id
        same = [
            now
            for old, now in names.items()
            if base_name(now) == name and _is_content(entrant, old, facts)
        ]
        ids[name] = same[-1] if same else latest.get(name, name)
        if not same and extend and name in taken:
            number = 2
            while version_name(name, number) in taken:
                number += 1
            ids[name] = version_name(name, number)
    return _rename_bots(plan, ids)


def _refuse_former_names(plan: Plan, meta: Meta) -> None:
    """Raise `UsageError` for a withdrawn or banned bot that has another name by now."""
    former = find_former_names(meta, plan.renames)
    named = [("withdrawn", bot) for bot in plan.withdrawn]
    for key, bot in (*named, *(("bans", ban.bot) for ban in plan.bans)):
        if bot in former:
            raise UsageError(f"{key}: {bot} is called {former[bot]} now; write that name")


def _is_content(entrant: Entrant, bot: str, facts: Mapping[str, Any]) -> bool:
    """Return True if a bot is what played under a name, by the facts as they were stored then."""
    wanted = entrant.facts()
    former = wanted | {"content": entrant.former} if entrant.former else wanted
    return any(
        all(facts.get(f"bots.{bot}.{key}") == fact for key, fact in each.items())
        for each in (wanted, former)
    )


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
