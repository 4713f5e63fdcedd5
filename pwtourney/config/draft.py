"""The usable values of a tournament file, whatever is wrong with the others.

The values are read once: into the model, or into a draft with the well-formed values and a list of
problems.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple, get_origin

from pydantic import Field, ValidationError
from pydantic_core import ErrorDetails

from pwtourney.config.bot_table import BOT_ID, BotConfig, BotEntry
from pwtourney.config.model import TournamentConfig
from pwtourney.config.source import Path as KeyPath

__all__ = ["Draft", "draft_of", "find_name", "read_draft"]

_LISTS = tuple(
    key
    for key, field in TournamentConfig.model_fields.items()
    if get_origin(field.annotation) is list
)
"""Lists whose entries are validated one by one."""

_TABLE = "anchor"
"""The table whose entries are validated one by one."""

_NAMING = ("id", "bot", "file", "command")
"""The keys from which a bot's name is made."""


class Draft(NamedTuple):
    """The well-formed parts of a tournament file.

    `config` contains no `broken` keys, and no broken entries of its lists. `entries` maps each list
    to its well-formed entries, by their index in the file. `names` are the names of all bots in the
    file, None for a name that is not known. `anchors` are the bots that `anchor` names, whatever
    their ratings. `file_keys` are all keys of the file. The bots of a `confined` file run in a
    sandbox, whatever the file says.
    """

    config: TournamentConfig
    entries: Mapping[str, Mapping[int, Any]]
    anchors: Sequence[str]
    names: Sequence[str | None]
    file_keys: Collection[str]
    broken: Collection[str] = ()
    confined: bool = False

    @property
    def bots(self) -> Mapping[int, BotConfig]:
        """The well-formed bots, by their index."""
        return self.entries["bots"]

    @property
    def all_names(self) -> list[str]:
        """The names of all bots; empty if any of them is not known."""
        known = [name for name in self.names if name is not None]
        return known if len(known) == len(self.names) else []


class _Rest(TournamentConfig):
    """The rest of a file, which may have no bots at all."""

    bots: list[BotEntry] = Field(default_factory=list)


def draft_of(config: TournamentConfig) -> Draft:
    """Return the draft of a model, in which nothing is broken."""
    names = [bot.name for bot in config.bots]
    entries = {key: dict(enumerate(getattr(config, key))) for key in _LISTS}
    return Draft(config, entries, [*config.anchor], names, config.model_fields_set)


def read_draft(values: Mapping[str, Any]) -> tuple[Draft, list[ErrorDetails]]:
    """Read the values of a file; return the draft of all usable ones, and the errors."""
    try:
        return draft_of(TournamentConfig.model_validate(values)), []
    except ValidationError as error:
        wrong = error.errors()
    return _keep_rest(values, [details["loc"] for details in wrong]), wrong


def _keep_rest(values: Mapping[str, Any], wrong: Sequence[KeyPath]) -> Draft:
    """Return a draft of the values, without those at the paths in `wrong`."""
    entries = {path[:2] for path in wrong if path[0] in _LISTS and len(path) > 1}
    # the last word of a path tells a key that is not a string
    entries |= {
        path[:2] for path in wrong if path[0] == _TABLE and len(path) > 1 and path[-1] != "[key]"
    }
    broken = {str(path[0]) for path in wrong if path[:2] not in entries}
    rest = {key: value for key, value in values.items() if str(key) not in broken}
    places = {
        key: [k for k in range(len(rest.get(key, ()))) if (key, k) not in entries] for key in _LISTS
    }
    described = rest.get("bots", ())
    rest |= {key: [rest[key][k] for k in kept] for key, kept in places.items() if key in rest}
    anchors = rest.get(_TABLE, {})
    if anchors:
        rest[_TABLE] = {bot: elo for bot, elo in anchors.items() if (_TABLE, bot) not in entries}
    config = _Rest.model_validate(rest)
    kept = {key: dict(zip(places[key], getattr(config, key), strict=True)) for key in _LISTS}
    bots = kept["bots"]
    names = [bots[k].name if k in bots else find_name(bot) for k, bot in enumerate(described)]
    return Draft(config, kept, [*anchors], names, values.keys(), broken)


def find_name(bot: object) -> str | None:
    """Return the name of a bot that may not be well-formed; None if it cannot be known."""
    given = bot if isinstance(bot, dict) else {}
    name = given.get("id")
    if isinstance(name, str) and BOT_ID.fullmatch(name):
        return name
    try:
        return BotConfig.model_validate({key: given[key] for key in _NAMING if key in given}).name
    except ValidationError:
        return None
