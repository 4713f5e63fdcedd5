"""From the text of a tournament file to the model, or to all of its problems at once.

A file may lie on top of another one, and settings from the command line on top of both.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from pydantic import TypeAdapter, ValidationError

from pwtourney.config.bot import BotConfig, BotEntry, bot_table
from pwtourney.config.model import AFFINITIES, EXECUTORS, TournamentConfig
from pwtourney.config.problems import (
    CheckBot,
    Problem,
    bot_problems,
    describe_error,
    edition_problems,
    format_problems,
    solo_problems,
    write_key_path,
    write_problems,
)
from pwtourney.config.source import MAX_BYTES, Place, Source, read_source, source_of
from pwtourney.config.source import Path as KeyPath
from pwtourney.errors import ConfigError, UsageError

__all__ = [
    "TournamentFile",
    "bot_entry",
    "json_schema",
    "load_config",
    "read_config",
    "unwritten_file",
]


class TournamentFile(NamedTuple):
    """A tournament file that was read: the model, and where everything stands.

    `built` are the folders in which its bots were built, by their place, None for those that are
    not; empty as long as nothing was. `unbuilt` says why some could not be, by their place.
    """

    config: TournamentConfig
    source: Source
    path: Path
    built: tuple[Path | None, ...] = ()
    unbuilt: Mapping[int, str] = MappingProxyType({})

    def built_at(self, place: int) -> Path | None:
        """Return the folder in which a bot was built, if it was."""
        return self.built[place] if self.built else None

    def problem(self, path: KeyPath, what: str) -> str:
        """Write a problem of a key as ``file:line:column: key.path: what``."""
        return f"{self.source.place(path)}: {write_key_path(path)}{what}"


_UNWRITTEN = "unwritten.yaml"
"""Stands for the file where there is none: paths start from its folder."""

_COMMAND_LINE = Source("command line", {}, {}, {})

_BY_KEY = frozenset({"limits", "defaults"})
"""Keys whose tables are merged key by key; every other key is replaced as a whole."""

_STEP = re.compile(r"\.?([a-z_][a-z0-9_]*)|\[([0-9]{1,6})\]", re.ASCII)


def load_config(
    path: Path, check_bot: CheckBot = lambda *_: None, settings: Sequence[str] = ()
) -> TournamentFile:
    """Read and check a tournament file; raises `ConfigError` with every problem found.

    `check_bot` is asked about each bot that is well described; `settings` are ``KEY.PATH=VALUE``
    and go through the same checks as what stands in the file.
    """
    source = _extend(read_source(_read_text(path), str(path)), path, ())
    for setting in settings:
        source = _set_value(source, setting)
    return _check(source, path, check_bot)


def read_config(
    data: Mapping[str, Any] | TournamentConfig,
    folder: Path,
    check_bot: CheckBot = lambda *_: None,
) -> TournamentFile:
    """Check what a tournament file in a folder would say; raises `ConfigError` like `load_config`.

    A model that was checked before stays as it is.
    """
    path = folder / _UNWRITTEN
    if isinstance(data, TournamentConfig):
        own = {"edition": data.edition, "bots": [*data.bots]}
        return _check(source_of(own, "config"), path, check_bot, data)
    return _check(_extend(source_of(data, "config"), path, ()), path, check_bot)


def _check(
    source: Source, path: Path, check_bot: CheckBot, config: TournamentConfig | None = None
) -> TournamentFile:
    """Validate the values, unless there is a model of them, and all that goes beyond the model."""
    problems: list[Problem] = []
    try:
        config = config or TournamentConfig.model_validate(source.data)
    except ValidationError as error:
        problems += [(details["loc"], describe_error(details)) for details in error.errors()]
    # Whatever can be looked at without a whole model is, so that a file is put right in one go.
    problems += edition_problems(source.data.get("edition"), path.parent)
    problems += bot_problems(source.data.get("bots"), path.parent, check_bot)
    if config is not None:
        problems += format_problems(config)
        problems += solo_problems(config, path.parent)
    if config is None or problems:
        raise ConfigError(write_problems(problems, source))
    return TournamentFile(config, source, path)


def _extend(source: Source, path: Path, seen: tuple[Path, ...]) -> Source:
    """Put what was read from a file on top of the one that it extends."""
    if not isinstance(source.data, dict):
        raise ConfigError([f"{path}:1:1: expected keys and values, such as `bots:` and a list"])
    base = source.data.get("extends")
    if base is None or not isinstance(base, str):
        return source
    where = f"{source.place(('extends',))}: extends:"
    # Relative paths in either file start from its folder, which must therefore be the same.
    if Path(base).name != base:
        raise ConfigError([f"{where} name a file in the same folder: paths in it start from there"])
    below = path.parent / base
    if below in (*seen, path):
        raise ConfigError([f"{where} {base} extends this file in turn"])
    if not below.is_file():
        raise ConfigError([f"{where} there is no file {below}"])
    lower = read_source(_read_text(below), str(below))
    return _merge(_extend(lower, below, (*seen, path)), source)


def _read_text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            # One byte more than is allowed tells that there are more, however large the file is.
            return file.read(MAX_BYTES + 1).decode("utf-8")
    except UnicodeDecodeError as error:
        raise ConfigError([f"{path}: the file is not UTF-8 text (byte {error.start})"]) from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ConfigError([f"{path}: cannot read the tournament file: {reason}"]) from error


def _merge(base: Source, over: Source) -> Source:
    """Return a file's values on top of those of the file that it extends."""
    # Places move along with values: a problem is told where it was written, in whichever file.
    data, keys, values = dict(base.data), dict(base.keys), dict(base.values)
    for key, value in over.data.items():
        path: KeyPath = (key,)
        both = isinstance(value, dict) and isinstance(data.get(key), dict)
        if key in _BY_KEY and both:
            data[key] = {**data[key], **value}
            replaced: list[KeyPath] = [(key, subkey) for subkey in value]
        else:
            data[key] = value
            replaced = [path]
        # What stood below a value that is replaced, and is not in the new one, stands nowhere now.
        for old_path in replaced:
            _forget(old_path, keys, values)
        keys |= {k: v for k, v in over.keys.items() if k[:1] == path}
        values |= {k: v for k, v in over.values.items() if k[:1] == path}
    # What concerns the whole, such as a key that is missing, is told of the file that was named.
    values[()] = over.values[()]
    return Source(over.name, data, keys, values)


def _set_value(source: Source, setting: str) -> Source:
    """Return values with one ``KEY.PATH=VALUE`` put in; the value is read as in the file."""
    path_text, sign, value_text = setting.partition("=")
    path = _parse_path(path_text)
    if not sign or not path:
        raise UsageError(f"--set {setting}: expected KEY=VALUE, such as bots[0].clock.move=2s")
    name = f"--set {path_text}"
    value = read_source(value_text, name).data
    keys, values = dict(source.keys), dict(source.values)
    _forget(path, keys, values)
    place = Place(name, 1, 1)  # problems name the option, and not a line of a file
    data = _put(source.data, path, value, name)
    # Tables that were made on the way stand where the setting does; others stay where they were.
    for depth in range(1, len(path) + 1):
        if path[:depth] not in values or depth == len(path):
            keys[path[:depth]] = values[path[:depth]] = place
    return Source(source.name, data, keys, values)


def _parse_path(text: str) -> KeyPath:
    """Read a path such as ``bots[0].clock.move``; empty if it is none."""
    path: list[str | int] = []
    start = 0
    while start < len(text):
        step = _STEP.match(text, start)
        if step is None:
            return ()
        path.append(step[1] or int(step[2]))
        start = step.end()
    return tuple(path)


def _put(data: Any, path: KeyPath, value: Any, name: str) -> Any:
    """Return data with a value in it; tables on the way are made where there are none."""
    if not path:
        return value
    step, *rest = path
    if isinstance(step, int):
        if not isinstance(data, list) or step >= len(data):
            # None is added: a list with one entry more is another list, and can be given whole.
            count = len(data) if isinstance(data, list) else 0
            raise ConfigError([f"{name}: there is no entry {step}; there are {count}"])
        return [
            _put(entry, tuple(rest), value, name) if k == step else entry
            for k, entry in enumerate(data)
        ]
    if isinstance(data, str):
        data = bot_table(data)  # `greedy` has a clock to be set as much as `{bot: greedy}` has
    table = data if isinstance(data, dict) else {}
    return {**table, step: _put(table.get(step), tuple(rest), value, name)}


def _forget(path: KeyPath, keys: dict[KeyPath, Place], values: dict[KeyPath, Place]) -> None:
    for table in (keys, values):
        for below in [known for known in table if known[: len(path)] == path]:
            del table[below]


def bot_entry(text: str) -> BotConfig:
    """Read a bot from one text, as in a list of bots; raises `UsageError`."""
    try:
        return TypeAdapter(BotEntry).validate_python(text)
    except ValidationError as error:
        details = error.errors()[0]
        raise UsageError(f"{text!r} is not a bot: {describe_error(details)}") from error


def unwritten_file(data: dict[str, Any]) -> TournamentFile:
    """Return what a tournament file would be that says this; raises `UsageError`."""
    try:
        config = TournamentConfig.model_validate(data)
    except ValidationError as error:
        details = error.errors()[0]
        raise UsageError(f"{write_key_path(details['loc'])}{describe_error(details)}") from error
    # The first is enough: there is no file in which several could be put right at once.
    for key, problem in edition_problems(data.get("edition"), Path.cwd()):
        raise UsageError(f"{write_key_path(key)}{problem}")
    return TournamentFile(config, _COMMAND_LINE, Path.cwd() / _UNWRITTEN)


def json_schema() -> dict[str, Any]:
    """Return the JSON Schema of a tournament file, for editors."""
    schema = TournamentConfig.model_json_schema()
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    schema["title"] = "pwtourney tournament"
    bots = schema["properties"]["bots"]
    bots["items"] = {"anyOf": [{"type": "string"}, bots["items"]]}  # a bot may be one text
    # One word is taken before the model sees the value, so the model's own schema does not know it.
    for key, words in (("affinity", [*AFFINITIES]), ("executor", [*EXECUTORS])):
        described = schema["properties"][key]
        tables = [kind for kind in described["anyOf"] if kind != {"type": "null"}]
        schema["properties"][key] = described | {
            "anyOf": [{"enum": words}, *tables],
            "default": words[0],
        }
    return schema
