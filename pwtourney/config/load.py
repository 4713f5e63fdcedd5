"""From the text of a tournament file to the model, or to all of its problems at once."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from pwtourney.config.formats import SoloConfig, SprtConfig, UntilConfig, format_problems
from pwtourney.config.layers import merged, with_settings
from pwtourney.config.model import (
    BotConfig,
    BotEntry,
    ClockConfig,
    DefaultsConfig,
    LimitsConfig,
    TournamentConfig,
)
from pwtourney.config.slots import AFFINITIES, EXECUTORS
from pwtourney.config.source import MAX_BYTES, Place, Source, read_source, source_of
from pwtourney.errors import ConfigError, EditionError, UsageError
from pwtourney.rules import Edition, edition_names, find_edition

__all__ = [
    "TournamentFile",
    "bot_entry",
    "json_schema",
    "load_config",
    "read_config",
    "unwritten_file",
]

_MODELS: dict[str, type[BaseModel]] = {
    "clock": ClockConfig,
    "limits": LimitsConfig,
    "bots": BotConfig,
    "solo": SoloConfig,
    "sprt": SprtConfig,
    "until": UntilConfig,
    "defaults": DefaultsConfig,
}
_OTHER_WORDS = {
    "bench": "max_faults",
    "idle": "pondering",
    "judge": "measure",
    "reads": "read_paths",
    "restart": "processes",
}
"""Keys that somebody may look for under another word, too different for a close match."""

_TOO_LARGE = f": it is larger than {2**63 - 1}"
_NO_SUCH_KEY = "unknown key"
KeyPath = tuple[int | str, ...]
_EXPECTED = {
    "int_type": "a whole number",
    "string_type": "a text (put it in quotes)",
    "bool_type": "true or false",
    "dict_type": "keys and values",
    "model_type": "keys and values",
    "list_type": "a list",
    "tuple_type": "a list",
    "model_attributes_type": "keys and values",
    "float_type": "a number",
    "float_parsing": "a number",
    "too_short": "at least one entry",
}


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

    def problem(self, path: tuple[int | str, ...], what: str) -> str:
        """Write a problem of a key as ``file:line:column: key.path: what``."""
        return f"{self.source.place(path)}: {_key_path(path)}{what}"


_UNWRITTEN = "unwritten.yaml"
"""Stands for the file where there is none: paths start from its folder."""

_COMMAND_LINE = Source("command line", {}, {}, {})

CheckBot = Callable[[BotConfig, Path], str | None]
"""Says what is wrong with a bot, given the folder of the file; None if it can be found."""


def load_config(
    path: Path, check_bot: CheckBot = lambda *_: None, settings: Sequence[str] = ()
) -> TournamentFile:
    """Read and check a tournament file; raises `ConfigError` with every problem found.

    `check_bot` is asked about each bot that is well described; `settings` are ``KEY.PATH=VALUE``
    and go through the same checks as what stands in the file.
    """
    source = read_source(_read(path), str(path))
    return _checked(with_settings(_extended(source, path, ()), settings), path, check_bot)


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
        return _checked(source_of(own, "config"), path, check_bot, data)
    return _checked(_extended(source_of(data, "config"), path, ()), path, check_bot)


def _checked(
    source: Source, path: Path, check_bot: CheckBot, config: TournamentConfig | None = None
) -> TournamentFile:
    """Validate the values, unless there is a model of them, and all that goes beyond the model."""
    found: list[tuple[KeyPath, str]] = []
    try:
        config = config or TournamentConfig.model_validate(source.data)
    except ValidationError as error:
        found += [(each["loc"], _what(each)) for each in error.errors()]
    found += _edition_problems(source.data.get("edition"), path.parent)
    found += _bot_problems(source.data.get("bots"), path.parent, check_bot)
    if config is not None:
        found += format_problems(config)
        found += _solo_problems(config, path.parent)
    if config is None or found:
        raise ConfigError(_in_order(found, source))
    return TournamentFile(config, source, path)


def _extended(source: Source, path: Path, seen: tuple[Path, ...]) -> Source:
    """Put what was read from a file on top of the one that it extends."""
    if not isinstance(source.data, dict):
        raise ConfigError([f"{path}:1:1: expected keys and values, such as `bots:` and a list"])
    base = source.data.get("extends")
    if base is None or not isinstance(base, str):
        return source
    where = f"{source.place(('extends',))}: extends:"
    if Path(base).name != base:
        raise ConfigError([f"{where} name a file in the same folder: paths in it start from there"])
    below = path.parent / base
    if below in (*seen, path):
        raise ConfigError([f"{where} {base} extends this file in turn"])
    if not below.is_file():
        raise ConfigError([f"{where} there is no file {below}"])
    lower = read_source(_read(below), str(below))
    return merged(_extended(lower, below, (*seen, path)), source)


def _read(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return file.read(MAX_BYTES + 1).decode("utf-8")
    except UnicodeDecodeError as error:
        raise ConfigError([f"{path}: the file is not UTF-8 text (byte {error.start})"]) from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ConfigError([f"{path}: cannot read the tournament file: {reason}"]) from error


def bot_entry(text: str) -> BotConfig:
    """Read a bot from one text, as in a list of bots; raises `UsageError`."""
    try:
        return TypeAdapter(BotEntry).validate_python(text)
    except ValidationError as error:
        details = error.errors()[0]
        raise UsageError(f"{text!r} is not a bot: {_what(details)}") from error


def unwritten_file(data: dict[str, Any]) -> TournamentFile:
    """Return what a tournament file would be that says this; raises `UsageError`."""
    try:
        config = TournamentConfig.model_validate(data)
    except ValidationError as error:
        details = error.errors()[0]
        raise UsageError(f"{_key_path(details['loc'])}{_what(details)}") from error
    for key, problem in _edition_problems(data.get("edition"), Path.cwd()):
        raise UsageError(f"{_key_path(key)}{problem}")
    return TournamentFile(config, _COMMAND_LINE, Path.cwd() / _UNWRITTEN)


def json_schema() -> dict[str, Any]:
    """Return the JSON Schema of a tournament file, for editors."""
    schema = TournamentConfig.model_json_schema()
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    schema["title"] = "pwtourney tournament"
    bots = schema["properties"]["bots"]
    bots["items"] = {"anyOf": [{"type": "string"}, bots["items"]]}  # a bot may be one text
    for key, words in (("affinity", [*AFFINITIES]), ("executor", [*EXECUTORS])):
        described = schema["properties"][key]
        tables = [each for each in described["anyOf"] if each != {"type": "null"}]
        schema["properties"][key] = described | {
            "anyOf": [{"enum": words}, *tables],
            "default": words[0],
        }
    return schema


def _in_order(found: list[tuple[KeyPath, str]], source: Source) -> list[str]:
    """Write problems as ``file:line:column: key.path: what``, in the order of the file."""
    lines: list[tuple[Place, str]] = []
    for path, what in found:
        place = source.place(path, key=what.startswith(_NO_SUCH_KEY))
        lines.append((place, f"{place}: {_key_path(path)}{what}"))
    return [line for _, line in sorted(lines, key=lambda each: each[0])]


def _key_path(path: tuple[int | str, ...]) -> str:
    text = "".join(f"[{each}]" if isinstance(each, int) else f".{each}" for each in path)
    return f"{text.lstrip('.')}: " if path else ""


def _what(details: ErrorDetails) -> str:
    kind, given = details["type"], details["input"]
    if kind == "extra_forbidden":
        key = str(details["loc"][-1])
        return f"{_NO_SUCH_KEY}{_did_you_mean(key, _known_keys(details['loc']))}"
    if kind == "missing":
        return "this key is missing"
    if kind == "literal_error":
        expected = str(details["ctx"]["expected"]).replace("'", "")
        words = re.findall(r"[\w-]+", expected)
        return f"expected {expected}, not {_shown(given)}{_did_you_mean(str(given), words)}"
    if kind == "value_error":
        told = str(details["ctx"]["error"])
        return told if ", not " in told else f"{told}{_got(given)}"
    if kind == "too_short":
        return f"expected {_EXPECTED[kind]}"
    if kind in _EXPECTED:
        return f"expected {_EXPECTED[kind]}, not {_shown(given)}{_zeros(kind, given)}"
    message = details["msg"]
    return f"{message[0].lower()}{message[1:]}{_got(given)}"


def _got(given: object) -> str:
    return "" if isinstance(given, dict | list) else f", not {_shown(given)}"


def _shown(given: object) -> str:
    if isinstance(given, bool):
        return str(given).lower()
    if given is None:
        return "nothing"
    text = ascii(given)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _zeros(kind: str, given: object) -> str:
    if kind == "int_type" and isinstance(given, str) and given.isdigit() and given.isascii():
        fits = len(given.lstrip("0")) < 20
        return f" (write {given.lstrip('0') or '0'}, without quotes)" if fits else _TOO_LARGE
    return ""


def _known_keys(path: tuple[int | str, ...]) -> list[str]:
    model: type[BaseModel] = TournamentConfig
    for part in path[:-1]:
        model = _MODELS.get(str(part), model)
    return list(model.model_fields)


def _did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return `` (did you mean …?)`` if a known word is close, an empty text if none is."""
    words = list(known)
    other = _OTHER_WORDS.get(word)
    close = [other] if other in words else get_close_matches(word, words, 1)
    return f" (did you mean {close[0]!r}?)" if close else ""


def _edition_problems(edition: object, folder: Path) -> Iterator[tuple[KeyPath, str]]:
    if not isinstance(edition, str):
        return
    try:
        _edition(edition, folder)
    except EditionError as error:
        yield ("edition",), f"{error}{_did_you_mean(edition, edition_names())}"


def _solo_problems(config: TournamentConfig, folder: Path) -> Iterator[tuple[KeyPath, str]]:
    """Check that the Automa can play the edition; one that cannot be read is told already."""
    if config.format != "solo":
        return
    try:
        edition = _edition(config.edition, folder)
    except EditionError:
        return
    if edition.tile is None:
        yield ("edition",), f"the Automa cannot play {edition.name}: it has no special tile"


def _edition(name: str, folder: Path) -> Edition:
    return find_edition(str(folder / name) if name.endswith(".toml") else name)


def _bot_problems(
    entries: object, folder: Path, check_bot: CheckBot
) -> Iterator[tuple[KeyPath, str]]:
    """Check the bots that are well described, whatever is wrong with the rest of the file.

    Ids become file names, so no two may be the same.
    """
    seen: set[str] = set()
    for index, entry in enumerate(entries if isinstance(entries, list) else []):
        try:
            bot = TypeAdapter(BotEntry).validate_python(entry)
        except ValidationError:
            continue  # told already
        if bot.name in seen:
            yield (
                ("bots", index),
                f"a second bot is called {bot.name!r}; give it an `id` of its own",
            )
        seen.add(bot.name)
        problem = check_bot(bot, folder)
        if problem:
            yield ("bots", index), problem
