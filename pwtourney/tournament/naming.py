"""The names that a tournament file gives to bots of stored results: renamed bots, merged bots.

Both are lines that stay in the file. A line whose bot has its new name already changes nothing.
"""

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple

from pwtourney.errors import UsageError
from pwtourney.schedule.season import base_name
from pwtourney.store import Meta

__all__ = ["Naming"]


class Naming(NamedTuple):
    """The changes of names that a file asks for.

    `renames` maps the name of a bot to another one, which all of its versions get. `merges` maps
    a bot, or one version of it, to the bot or version whose games are its own too.
    """

    renames: Mapping[str, str] = MappingProxyType({})
    merges: Mapping[str, str] = MappingProxyType({})

    def resolve(self, meta: Meta) -> dict[str, str]:
        """Return the new name of each bot of stored results whose name changes, by its present one.

        Raises `UsageError` for a new name that another bot has or had, and for a bot to merge with
        that never played.
        """
        played = meta.names
        present = dict.fromkeys(played.values())
        renamed: dict[str, str] = {}
        for bot in present:
            name = base_name(bot)
            if name not in self.renames:
                continue
            renamed[bot] = new = f"{self.renames[name]}{bot.removeprefix(name)}"
            if played.get(new, bot) != bot or (new in present and new != bot):
                raise UsageError(
                    f"renames: {new} has games of its own, so {bot} cannot get this name; to count"
                    " both as one bot, use `merges`"
                )
        for bot, other in self.merges.items():
            if bot not in present:
                continue
            target = renamed.get(other, other)
            if target not in (*present, *renamed.values()):
                raise UsageError(
                    f"merges: {other} has no games here; to give {bot} this name, use `renames`"
                )
            renamed[bot] = target
        return renamed

    def list_idle(self, meta: Meta) -> Iterator[str]:
        """Yield a warning for each line that names a bot without games here."""
        known = {name for bot in meta.names for name in (bot, base_name(bot))}
        for key, names in (("renames", self.renames), ("merges", self.merges)):
            for old in names:
                if old not in known:
                    yield f"{key}: no bot {old} has played here, so this line changes nothing"
