"""From the text of a tournament file to the model, or to all of its problems at once."""

from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from pwtourney.config.model import BotConfig, BotEntry, ClockConfig, TournamentConfig
from pwtourney.config.source import Source, read_source
from pwtourney.errors import ConfigError, EditionError, UsageError
from pwtourney.rules import edition_names, find_edition

__all__ = ["TournamentFile", "bot_entry", "json_schema", "load_config"]

_MODELS: dict[str, type[BaseModel]] = {"clock": ClockConfig, "bots": BotConfig}
_EXPECTED = {
    "int_type": "a whole number",
    "string_type": "a text (put it in quotes)",
    "bool_type": "true or false",
    "dict_type": "keys and values",
    "model_type": "keys and values",
    "list_type": "a list",
    "tuple_type": "a list",
    "model_attributes_type": "keys and values",
}


class TournamentFile(NamedTuple):
    """A tournament file that was read: the model, and where everything stands."""

    config: TournamentConfig
    source: Source
    path: Path

    def problem(self, path: tuple[int | str, ...], what: str) -> str:
        """Write a problem of a key as ``file:line:column: key.path: what``."""
        place = self.source.place(path)
        return f"{self.source.name}:{place.line}:{place.column}: {_key_path(path)}{what}"


def load_config(path: Path) -> TournamentFile:
    """Read and check a tournament file; raises `ConfigError` with every problem found."""
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise ConfigError([f"{path}: the file is not UTF-8 text (byte {error.start})"]) from error
    except OSError as error:
        raise ConfigError([f"{path}: cannot read the tournament file: {error.strerror}"]) from error
    source = read_source(text, str(path))
    if not isinstance(source.data, dict):
        raise ConfigError([f"{path}:1:1: expected keys and values, such as `bots:` and a list"])
    try:
        config = TournamentConfig.model_validate(source.data)
    except ValidationError as error:
        raise ConfigError([_problem(each, source) for each in _ordered(error, source)]) from error
    file = TournamentFile(config, source, path)
    problems = [*_edition_problems(file), *_id_problems(file)]
    if problems:
        raise ConfigError(problems)
    return file


def bot_entry(text: str) -> BotConfig:
    """Read a bot from one text, as in a list of bots; raises `UsageError`."""
    try:
        return TypeAdapter(BotEntry).validate_python(text)
    except ValidationError as error:
        details = error.errors()[0]
        raise UsageError(f"{text!r} is no bot: {_what(details)}") from error


def json_schema() -> dict[str, Any]:
    """Return the JSON Schema of a tournament file, for editors."""
    schema = TournamentConfig.model_json_schema()
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    schema["title"] = "pwtourney tournament"
    bots = schema["properties"]["bots"]
    bots["items"] = {"anyOf": [{"type": "string"}, bots["items"]]}  # a bot may be one text
    return schema


def _ordered(error: ValidationError, source: Source) -> list[ErrorDetails]:
    return sorted(error.errors(), key=lambda each: source.place(each["loc"]))


def _problem(details: ErrorDetails, source: Source) -> str:
    """Write one problem as ``file:line:column: key.path: what was expected``."""
    path = details["loc"]
    unknown = details["type"] == "extra_forbidden"
    place = source.place(path, key=unknown)
    return f"{source.name}:{place.line}:{place.column}: {_key_path(path)}{_what(details)}"


def _key_path(path: tuple[int | str, ...]) -> str:
    text = "".join(f"[{each}]" if isinstance(each, int) else f".{each}" for each in path)
    return f"{text.lstrip('.')}: " if path else ""


def _what(details: ErrorDetails) -> str:
    kind, given = details["type"], details["input"]
    if kind == "extra_forbidden":
        key = str(details["loc"][-1])
        return f"there is no such key{_did_you_mean(key, _known_keys(details['loc']))}"
    if kind == "missing":
        return "this key is missing"
    if kind == "literal_error":
        expected = str(details["ctx"]["expected"]).replace("'", "")
        return f"expected {expected}, not {_shown(given)}{_did_you_mean(str(given), [expected])}"
    if kind == "value_error":
        return f"{details['ctx']['error']}{_got(given)}"
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
        return f" (write {int(given[:18])} without quotes or leading zeros)"
    return ""


def _known_keys(path: tuple[int | str, ...]) -> list[str]:
    model: type[BaseModel] = TournamentConfig
    for part in path[:-1]:
        model = _MODELS.get(str(part), model)
    return list(model.model_fields)


def _did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return `` (did you mean …?)`` if a known word is close, an empty text if none is."""
    close = get_close_matches(word, list(known), 1)
    return f" (did you mean {close[0]!r}?)" if close else ""


def _edition_problems(file: TournamentFile) -> list[str]:
    edition = file.config.edition
    try:
        find_edition(str(file.path.parent / edition) if edition.endswith(".toml") else edition)
    except EditionError as error:
        return [file.problem(("edition",), f"{error}{_did_you_mean(edition, edition_names())}")]
    return []


def _id_problems(file: TournamentFile) -> list[str]:
    """Ids become file names, so no two may be the same."""
    problems = []
    seen: set[str] = set()
    for index, bot in enumerate(file.config.bots):
        if bot.name in seen:
            what = f"a second bot is called {bot.name!r}; give it an `id` of its own"
            problems.append(file.problem(("bots", index), what))
        seen.add(bot.name)
    return problems
