"""The names that a tournament file gives to bots of stored results: renamed bots, merged bots.

Both are lines that stay in the file. A line that was carried out before changes nothing.
"""

from collections.abc import Collection, Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple

from pwtourney.errors import UsageError
from pwtourney.schedule.bot_names import apply_renames, base_name, version_name
from pwtourney.store import Meta

__all__ = ["Naming", "find_former_names"]


class Naming(NamedTuple):
    """The changes of names that a file asks for.

    `renames` maps the name of a bot to another one, which all of its versions get. `merges` maps
    a bot, with all versions, or one version of it, to the bot whose games are its own too: to the
    version that plays, or to the one that is named.
    """

    renames: Mapping[str, str] = MappingProxyType({})
    merges: Mapping[str, str] = MappingProxyType({})

    def resolve(self, meta: Meta) -> dict[str, str]:
        """Return the new name of each bot of stored results whose name changes, by its present one.

        Lines may follow each other, in any order. Raises `UsageError` for a new name that another
        bot has or had, for a bot to merge with that never played, and for a circle.
        """
        present = list(dict.fromkeys(meta.names.values()))
        steps = {
            bot: target
            for old, new in self.renames.items()
            if not _is_carried_out(old, new, meta)
            for bot, target in _rename(old, new, meta)
        }
        names = [*present, *steps.values()]
        playing = {steps.get(bot, bot) for bot in meta.generations[-1].bots}
        for bot, other in self.merges.items():
            steps |= _merge(bot, other, names, playing, meta)
        ends = {bot: _follow(bot, steps) for bot in present}
        return {bot: end for bot, end in ends.items() if bot != end}

    def list_idle(self, meta: Meta) -> Iterator[str]:
        """Yield a warning for each line that names a bot without games here."""
        known = {name for bot in meta.names for name in (bot, base_name(bot))}
        known |= {*self.renames.values()}
        for key, names in (("renames", self.renames), ("merges", self.merges)):
            for old in names:
                if old not in known and base_name(old) not in known:
                    yield f"{key}: no bot {old} has played here, so this line changes nothing"


def find_former_names(meta: Meta, renames: Mapping[str, str]) -> dict[str, str]:
    """Return the present name of each name that no bot has any more, after `renames`.

    Versions are left out of both.
    """
    names = apply_renames(meta.names, renames)
    present = {*map(base_name, names.values())}
    return {
        base_name(old): base_name(now)
        for old, now in names.items()
        if base_name(old) not in present
    }


def _is_carried_out(old: str, new: str, meta: Meta) -> bool:
    """Return True if a rename was carried out, and not undone since.

    A bot that has the old name now is another one.
    """
    done = False
    for generation in meta.generations:
        for before, now in generation.renames.items():
            pair = base_name(before), base_name(now)
            if pair in ((old, new), (new, old)):
                done = pair == (old, new)
    return done


def _rename(old: str, new: str, meta: Meta) -> Iterator[tuple[str, str]]:
    """Yield each version of a bot, and its name after a rename."""
    names = meta.names
    present = {*names.values()}
    for bot in dict.fromkeys(names.values()):
        if base_name(bot) != old:
            continue
        target = f"{new}{bot.removeprefix(old)}"
        if names.get(target, bot) != bot or target in present:
            raise UsageError(
                f"renames: {new} has games of its own, so {bot} cannot get this name; to count"
                " both as one bot, use `merges`"
            )
        yield bot, target


def _merge(
    bot: str, other: str, names: Collection[str], playing: Collection[str], meta: Meta
) -> dict[str, str]:
    """Return the name that each version of a bot gets by a line of `merges`.

    `names` are the present ones and those that renames give, and `playing` those of bots that play.
    """
    is_version = bot != base_name(bot)
    stored_name = _get_stored_name(bot)
    merged = [
        name for name in names if (name == stored_name if is_version else base_name(name) == bot)
    ]
    if not merged:
        return {}
    if other == base_name(other) and base_name(bot) != other:
        same = [name for name in names if base_name(name) == other]
        same += [now for old, now in meta.names.items() if base_name(old) == other and not same]
        target = next((name for name in same if name in playing), same[-1] if same else "")
    else:  # a version of the same bot, or one that is named
        target = _get_stored_name(other)
        target = target if target in names else meta.names.get(target, "")
    if not target:
        raise UsageError(
            f"merges: {other} has no games here; to give {bot} this name, use `renames`"
        )
    return {name: target for name in merged if name != target}


def _get_stored_name(bot: str) -> str:
    """Return the name of a version in the store, where the first one has no number."""
    name = base_name(bot)
    return name if bot == version_name(name, 1) else bot


def _follow(bot: str, steps: Mapping[str, str]) -> str:
    """Return the name at the end of all steps from a bot; raises `UsageError` for a circle."""
    way = [bot]
    while (bot := steps.get(bot, bot)) != way[-1]:
        if bot in way:
            raise UsageError(f"merges: {' → '.join([*way, bot])} leads in a circle")
        way.append(bot)
    return bot
