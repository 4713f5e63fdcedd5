"""Say how a plan, or another part of a tournament, differs from stored results."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from pwtourney.schedule.bot_names import base_name
from pwtourney.store import Meta
from pwtourney.tournament.matching import CONTENT, rename_stored
from pwtourney.tournament.plan import RUNTIME, Plan

__all__ = [
    "Differences",
    "compare",
    "describe_runtime_changes",
    "list_differences",
    "list_runtime_changes",
]

_HOW = {"withdrawn": "withdrawn", "bans": "banned"}
"""The words for a bot that left, by the key of the file under which it is listed."""


def list_differences(
    stored: Mapping[str, Any], others: Mapping[str, Any], says: str = "the file says"
) -> list[str]:
    """Return how other facts differ from the stored ones, a line per difference.

    `says` introduces a value of the others, which are those of a tournament file or a part.
    """
    keys = _list_differing(stored, others)
    return [*_describe_differences(keys, stored, others, says=says)]


class Differences(NamedTuple):
    """The differences between the last version of stored results and a plan.

    `renames` are those that the results do not have yet, `stored` and `new_facts` all facts after
    them, and `keys` the names of those that differ.
    """

    renames: Mapping[str, str]
    stored: Mapping[str, Any]
    new_facts: Mapping[str, Any]
    keys: Sequence[str]

    def describe(self, plan: Plan) -> Iterator[str]:
        """Yield a line for each difference."""
        yield from (f"{old} is called {new} now" for old, new in self.renames.items())
        yield from _describe_differences(self.keys, self.stored, self.new_facts, plan)


def compare(meta: Meta, plan: Plan) -> Differences:
    """Return how a plan differs from the last version of stored results."""
    present = {*meta.names.values()}
    renames = {old: new for old, new in plan.renames.items() if old in present}
    stored, new_facts = rename_stored(meta.current_facts, plan, renames), plan.facts()
    return Differences(renames, stored, new_facts, _list_differing(stored, new_facts))


def _describe_differences(
    keys: Iterable[str],
    stored: Mapping[str, Any],
    new_facts: Mapping[str, Any],
    plan: Plan | None = None,
    says: str = "the file says",
) -> Iterator[str]:
    """Yield a line for each fact that differs; bots that came or went are only named.

    A `plan` says which bots are withdrawn or banned, and which were renamed.
    """
    before, now = _list_bots(stored), _list_bots(new_facts)
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
        elif key.endswith(CONTENT) and not key.startswith(others):
            bot = key.removeprefix("bots.").removesuffix(CONTENT)
            yield f"{bot} has changed: its content is not what played"
        elif not key.startswith(others):
            yield (
                f"{key}: stored is {stored.get(key, 'nothing')!r},"
                f" {says} {new_facts.get(key, 'nothing')!r}"
            )


def _explain_absence(bots: Iterable[str], plan: Plan | None) -> dict[str, str]:
    """Return how each of the bots left."""
    absent = plan.absent_bots if plan else {}
    return {bot: _HOW.get(absent.get(base_name(bot), ""), "went") for bot in bots}


def _list_bots(facts: Mapping[str, Any]) -> list[str]:
    """Return the bots that facts name; a store may come from anybody, and name anything."""
    bots = facts.get("bots")
    return [bot for bot in bots if isinstance(bot, str)] if isinstance(bots, list | tuple) else []


def _list_differing(stored: Mapping[str, Any], new_facts: Mapping[str, Any]) -> list[str]:
    """Return the facts whose difference makes another tournament."""
    keys = dict.fromkeys([*new_facts, *stored])
    return [
        key for key in keys if stored.get(key) != new_facts.get(key) and not key.endswith(RUNTIME)
    ]


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
