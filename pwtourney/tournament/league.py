"""A tournament file and a league that is stored: which of its bots are known, and as what.

A bot is its content. Where that changes, the games of the old version stay under the old version's
name, and the new one is called ``magpie#2`` in the store, the next ``magpie#3``, and so on.
"""

from collections.abc import Mapping
from contextlib import closing
from typing import Any

from pwtourney.schedule.league import EXTENDABLE, all_facts, everyone, gather_earlier, generations
from pwtourney.standings.gates import rename_bots
from pwtourney.store import ResultsFolder, Store
from pwtourney.tournament.entrants import Entrant
from pwtourney.tournament.plan import Plan

__all__ = [
    "current_facts",
    "in_league",
    "is_new_version",
    "may_be_extended",
    "named_as_stored",
    "versions",
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
