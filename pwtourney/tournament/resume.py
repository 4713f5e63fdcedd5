"""Results that are there already: the same tournament or another, and the seed it was given."""

import platform
import secrets
import time
from collections.abc import Iterator
from typing import Any

from pwtourney.errors import StoreError
from pwtourney.notation import edition_lines
from pwtourney.notation.deals import deals_text
from pwtourney.schedule import replay
from pwtourney.schedule.league import EXTENDABLE
from pwtourney.store import ResultsFolder, Store
from pwtourney.tournament.league import current_facts, is_new_version, may_be_extended
from pwtourney.tournament.plan import Plan
from pwtourney.version import __version__

__all__ = [
    "differences",
    "is_complete",
    "open_results",
    "refusal",
    "tournament_seed",
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
