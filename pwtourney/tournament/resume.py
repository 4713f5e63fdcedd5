"""Results that are there already: the same tournament, a league that goes on, or another one."""

import platform
import secrets
import time
from collections.abc import Iterator, Mapping
from contextlib import closing
from typing import Any

from pwtourney.errors import StoreError
from pwtourney.notation import edition_lines
from pwtourney.notation.record import deals_text
from pwtourney.schedule import replay
from pwtourney.schedule.league import EXTENDABLE, all_facts, everyone, gather_earlier, generations
from pwtourney.standings.gates import rename_bots
from pwtourney.store import ResultsFolder, Store
from pwtourney.tournament.entrants import Entrant
from pwtourney.tournament.plan import Plan
from pwtourney.version import __version__

__all__ = [
    "current_facts",
    "differences",
    "in_league",
    "is_complete",
    "is_new_version",
    "may_be_extended",
    "named_as_stored",
    "open_results",
    "refusal",
    "tournament_seed",
    "versions",
]

_SEED_BITS = 63


def tournament_seed(folder: ResultsFolder) -> int:
    """Return the seed of the tournament that is stored here, or a new one from the system."""
    if not folder.database.exists():
        return secrets.randbits(_SEED_BITS)
    store = Store.open(folder.database)
    try:
        return int(store.meta()["facts"]["seed"])
    finally:
        store.close()


def is_complete(folder: ResultsFolder, plan: Plan) -> bool:
    """Tell whether every pair of a plan is stored already."""
    if not folder.database.exists():
        return False
    store = Store.open(folder.database)
    try:
        scheduler = plan.scheduler()
        if not scheduler.needs_results and store.count() < plan.share:
            return False
        if plan.shard is not None:  # and nothing that is stored can be of another part
            return not list(refusal(folder, store.meta(), plan, extend=False))
        return replay(scheduler, store.outcomes()).over
    finally:
        store.close()


def open_results(folder: ResultsFolder, plan: Plan, *, extend: bool = False) -> Store:
    """Open the store for a plan, making it if there is none.

    If only bots differ the league that is stored may be extended. Raises `StoreError`, naming every
    difference, if another tournament is stored here.
    """
    if not folder.database.exists():
        return Store.create(folder.database, _new_meta(plan))
    store = Store.open(folder.database, write=True)
    meta = store.meta()
    wide = _widened(plan, meta["schedule"])
    if extend and is_new_version(meta, plan):
        store.extend(plan.bots, plan.facts(), **_changeable(wide), over=False)
    elif refused := list(refusal(folder, meta, plan, extend=extend)):
        store.close()
        raise StoreError("\n".join(refused))
    else:
        store.set_meta(**_changeable(wide))
    return store


def _widened(plan: Plan, stored: dict[str, Any]) -> Plan:
    """Return a plan with as many pairs as ever were to be played: those are what was played."""
    if stored["format"] != plan.schedule["format"]:
        return plan
    pairs = max(plan.schedule["pairs"], stored["pairs"])
    return plan._replace(schedule={**plan.schedule, "pairs": pairs})


def refusal(
    folder: ResultsFolder, meta: dict[str, Any], plan: Plan, *, extend: bool
) -> Iterator[str]:
    """Yield why a plan cannot go on with what is stored, a line each; nothing if it can."""
    stored, asked = meta.get("shard") or "the whole", str(plan.shard or "the whole")
    if stored != asked:
        yield (
            f"{folder.path}: {stored} is stored here, and {asked} is to be played; name another"
            " folder with --results."
        )
        return
    may = is_new_version(meta, plan)
    found = differences(current_facts(meta), plan.facts())
    if not found or (extend and may):
        return
    yield f"{folder.path}: another tournament is stored here; what differs:"
    if extend:
        found = [each for each in found if not may_be_extended(each.partition(":")[0])] or found
    yield from (f"  {each}" for each in found)
    if extend and plan.schedule["format"] not in EXTENDABLE:
        yield f"--extend goes with the formats {' and '.join(EXTENDABLE)}."
    elif extend:
        yield "--extend continues with other bots; nothing else may change."
    elif may:
        yield "To continue with these bots and keep the games of the others, use --extend."
    yield "To start again, use --fresh (the old results are kept) or another folder with --results."


def _new_meta(plan: Plan) -> dict[str, Any]:
    return {
        "name": plan.name,
        "bots": list(plan.bots),
        "facts": plan.facts(),
        "edition": {"name": plan.edition.name, "lines": list(edition_lines(plan.edition))},
        **_changeable(plan),
        "league_versions": [],
        "shard": str(plan.shard or ""),
        "over": False,
        "created": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "version": __version__,
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
    }


def _changeable(plan: Plan) -> dict[str, Any]:
    """Return what may be said otherwise without changing a game that was played."""
    return {
        "schedule": plan.schedule,
        "ratings": plan.rating_options._asdict(),
        "gates": list(plan.gates),
        "deals": deals_text(plan.deals),
        "pairs": plan.pairs,
    }


def differences(stored: dict[str, Any], wanted: dict[str, Any]) -> list[str]:
    """Return what a tournament file says otherwise than the stored facts, a line each."""
    return [
        f"{key}: stored is {stored.get(key, 'nothing')!r},"
        f" the file says {wanted.get(key, 'nothing')!r}"
        for key in [*wanted, *(key for key in stored if key not in wanted)]
        if stored.get(key) != wanted.get(key)
    ]


_VERSION = "#"


def in_league(plan: Plan, folder: ResultsFolder, *, extend: bool) -> Plan:
    """Return a plan with its bots called as in the store, playing only what is missing there.

    Bots that are not known get names if the league is to be extended.
    """
    if not folder.database.exists():
        return plan
    with closing(Store.open(folder.database)) as store:
        meta = store.meta()
        plan = named_as_stored(plan, meta, extend=extend)
        past = generations(meta)
        if extend and is_new_version(meta, plan):
            first = max(store.outcomes(), default=-1) + 1
        elif len(past) > 1:
            first = past.pop().first
        else:
            return plan
        until = bool(plan.schedule["until"])
        return plan._replace(earlier=gather_earlier(past, first, store.outcomes(), until=until))


def current_facts(meta: Mapping[str, Any]) -> dict[str, Any]:
    """Return what determines the games that are yet to be played."""
    facts: dict[str, Any] = (meta["league_versions"] or [meta])[-1]["facts"]
    return facts


def is_new_version(meta: Mapping[str, Any], plan: Plan) -> bool:
    """Tell whether a plan differs from what is stored, and only in what may be extended."""
    if plan.schedule["format"] not in EXTENDABLE:
        return False
    stored, wanted = current_facts(meta), plan.facts()
    keys = {key for key in stored | wanted if stored.get(key) != wanted.get(key)}
    return bool(keys) and all(map(may_be_extended, keys))


def may_be_extended(key: str) -> bool:
    """Tell whether a fact may differ when a league is extended."""
    return key in ("bots", "format.challengers") or key.startswith("bots.")


def named_as_stored(plan: Plan, meta: Mapping[str, Any], *, extend: bool = False) -> Plan:
    """Return a plan with each bot called as in the store.

    One that is not known there is called as the latest of its name, or, if the league is to be
    extended, by a name of its own.
    """
    known, facts = everyone(meta), all_facts(meta)
    latest = {bot.partition(_VERSION)[0]: bot for bot in known}
    latest |= {bot.partition(_VERSION)[0]: bot for bot in generations(meta)[-1].bots}
    taken = set(known)
    ids: dict[str, str] = {}
    for entrant in plan.entrants:
        name = entrant.spec.id
        same = [
            bot
            for bot in known
            if bot.partition(_VERSION)[0] == name and _is_same(entrant, bot, facts)
        ]
        ids[name] = same[-1] if same else latest.get(name, name)
        if not same and extend:
            ids[name] = _new_name(name, taken)
    return _renamed(plan, ids)


def versions(plan: Plan, bot: str) -> list[Entrant]:
    """Return the bots of a plan that are a stored bot, or else another version of it."""
    same = [each for each in plan.entrants if each.spec.id == bot]
    name = bot.partition(_VERSION)[0]
    return same or [each for each in plan.entrants if each.spec.id.partition(_VERSION)[0] == name]


def _is_same(entrant: Entrant, bot: str, facts: Mapping[str, Any]) -> bool:
    return all(facts.get(f"bots.{bot}.{key}") == value for key, value in entrant.facts().items())


def _new_name(name: str, taken: set[str]) -> str:
    number = 1
    found = name
    while found in taken:
        number += 1
        found = f"{name}{_VERSION}{number}"
    return found


def _renamed(plan: Plan, ids: Mapping[str, str]) -> Plan:
    """Return a plan in which bots have other names wherever they are named."""
    if all(name == stored for name, stored in ids.items()):
        return plan
    schedule, options = dict(plan.schedule), plan.rating_options
    if "challengers" in schedule:
        schedule["challengers"] = [ids[bot] for bot in schedule["challengers"]]
    if options.anchor:
        options = options._replace(
            anchor=(ids.get(options.anchor[0], options.anchor[0]), options.anchor[1])
        )
    if schedule["until"].get("anchor"):
        bot, elo = schedule["until"]["anchor"]
        schedule["until"] = {**schedule["until"], "anchor": [ids.get(bot, bot), elo]}
    return plan._replace(
        entrants=tuple(
            each._replace(spec=each.spec._replace(id=ids[each.spec.id])) for each in plan.entrants
        ),
        schedule=schedule,
        rating_options=options,
        gates=tuple(rename_bots(gate, ids) for gate in plan.gates),
    )
