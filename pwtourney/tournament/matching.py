"""Match the bots of a plan with those of stored results, by their content.

A bot of a league is identified by its content. When the content changes, the games of the old
version stay under the old version's name, and the new version is stored as ``magpie#2``, the next
one as ``magpie#3``, and so on.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping
from itertools import count
from typing import Any

from pwtourney.errors import UsageError
from pwtourney.ratings.anchors import rename_anchors
from pwtourney.schedule.bot_names import apply_renames, base_name, version_name
from pwtourney.standings.gates import rename_bots
from pwtourney.store import Meta
from pwtourney.store.meta import rename_facts
from pwtourney.tournament.entrants import Entrant
from pwtourney.tournament.plan import Plan
from pwtourney.tournament.renames import find_former_names

__all__ = ["CONTENT", "find_versions", "list_known", "name_as_stored", "rename_stored"]

CONTENT = ".content"
"""The end of the name of a fact that is a hash of a bot's files and command."""


def name_as_stored(plan: Plan, meta: Meta, *, extend: bool = False) -> Plan:
    """Return a plan with each bot named as in the store, after the renames of its file.

    A bot that the store does not know gets the name of the latest version or, if the league is to
    be extended, a new version's name. Raises what `Naming.resolve` raises, and `UsageError` for a
    withdrawn or banned bot that is named by a former name.
    """
    renames = plan.naming.resolve(meta)
    plan = plan._replace(renames=renames)
    _refuse_former_names(plan, meta)
    names = apply_renames(meta.names, renames)
    versions: defaultdict[str, list[str]] = defaultdict(list)
    for old, now in names.items():
        versions[base_name(now)].append(old)
    latest = {base_name(now): now for now in names.values()}
    # an old version that plays again is the latest, even if newer ones were played since
    latest |= {base_name(bot): bot for bot in (names[bot] for bot in meta.generations[-1].bots)}
    used_names = {*names, *names.values(), *renames}
    facts = meta.facts_as_played
    ids: dict[str, str] = {}
    for entrant in plan.entrants:
        name = entrant.spec.id
        same = [names[old] for old in versions[name] if _is_content(entrant, old, facts)]
        ids[name] = same[-1] if same else latest.get(name, name)
        if not same and extend and name in used_names:
            ids[name] = _find_next_version(name, used_names)
    return _rename_bots(plan, ids)


def _find_next_version(name: str, used_names: Collection[str]) -> str:
    """Return the name of the first version of a bot, from the second on, that is not in use."""
    return next(bot for bot in (version_name(name, k) for k in count(2)) if bot not in used_names)


def _refuse_former_names(plan: Plan, meta: Meta) -> None:
    """Raise `UsageError` for a withdrawn or banned bot that has another name by now."""
    former = find_former_names(meta, plan.renames)
    for bot, key in plan.absent_bots.items():
        if bot in former:
            raise UsageError(f"{key}: {bot} is called {former[bot]} now; write that name")


def _is_content(entrant: Entrant, bot: str, facts: Mapping[str, Any]) -> bool:
    """Return True if an entrant has a bot's stored facts, with its present or former content."""
    candidates = [entrant.facts()]
    if entrant.former:
        candidates.append(candidates[0] | {"content": entrant.former})
    return any(
        all(facts.get(f"bots.{bot}.{key}") == fact for key, fact in candidate.items())
        for candidate in candidates
    )


def _rename_bots(plan: Plan, ids: Mapping[str, str]) -> Plan:
    """Return a plan in which bots are renamed wherever they are named."""
    if all(name == stored for name, stored in ids.items()):
        return plan
    options = plan.rating_options
    options = options._replace(anchors=rename_anchors(options.anchors, ids))
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


def rename_stored(
    facts: Mapping[str, Any], plan: Plan, renames: Mapping[str, str]
) -> dict[str, Any]:
    """Return stored facts after renames, also of the files of the bots of a plan.

    A bot whose file was renamed with it has its new content.
    """
    renamed = rename_facts(facts, renames)
    for entrant in plan.entrants:
        if not entrant.former:
            continue
        for key, value in renamed.items():
            bot = key.removeprefix("bots.").removesuffix(CONTENT)
            is_bots = key.endswith(CONTENT) and base_name(bot) == base_name(entrant.spec.id)
            if is_bots and value == entrant.former:
                renamed[key] = entrant.identity
    return renamed


def list_known(meta: Meta, plan: Plan) -> set[str]:
    """Return the names of the bots that have played, after the renames of a plan."""
    return {base_name(plan.renames.get(bot, bot)) for bot in meta.names.values()}
