"""The problems of a tournament file, in the vocabulary of its author."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import get_args

from pydantic import BaseModel
from pydantic_core import ErrorDetails

from pwtourney.bots.places import resolve_read_path
from pwtourney.config.bot_table import BOT_ID, BotConfig, parse_duration, parse_size
from pwtourney.config.draft import Draft
from pwtourney.config.model import TournamentConfig
from pwtourney.config.source import Path as KeyPath
from pwtourney.config.source import Place, Source
from pwtourney.errors import BotNotFoundError, did_you_mean
from pwtourney.notation.game_text import read_deals
from pwtourney.ratings.order import FEWEST_DEALS
from pwtourney.ratings.uncertainty import parse_level
from pwtourney.rules import Deal, Edition, find_edition
from pwtourney.schedule.format_spec import Problem
from pwtourney.schedule.league import MOST_BOTS
from pwtourney.text_files import read_text

__all__ = [
    "CheckBot",
    "Problem",
    "bot_problems",
    "describe_error",
    "find_file_edition",
    "read_file_deals",
    "read_path_problems",
    "write_key_path",
    "write_problems",
]

CheckBot = Callable[[BotConfig, Path], str | None]
"""Return what is wrong with a bot, given the folder of the file; None if it can be found."""

_OTHER_WORDS = {
    "bench": "max_faults",
    "idle": "pondering",
    "judge": "measure",
    "reads": "read_paths",
    "restart": "processes",
}
"""Keys that users may know under other names, too different for a close match."""

_TOO_LARGE = f": it is larger than {2**63 - 1}"
_NO_SUCH_KEY = "unknown key"
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

_TABLES: Mapping[str, tuple[str, Callable[[str], object]]] = {
    "anchor": ("{}: 0", BOT_ID.fullmatch),
    "clock": ("move: {}", parse_duration),
    "limits": ("memory: {}", parse_size),
    "until": ("best: {}", parse_level),
}
"""Keys whose value is a table, with the entry that a single value probably meant, and its parser.

A parser returns None, or raises ValueError, for a value that does not fit.
"""

_LIMITS = {
    "greater_than_equal": ("at least", "ge"),
    "greater_than": ("more than", "gt"),
    "less_than_equal": ("at most", "le"),
    "less_than": ("less than", "lt"),
}


def find_file_edition(name: str, folder: Path) -> Edition:
    """Return the edition that a file in a folder names; raises `EditionError`."""
    return find_edition(str(folder / name) if name.endswith(".toml") else name)


def bot_problems(draft: Draft, folder: Path | None, check_bot: CheckBot) -> Iterator[Problem]:
    """Yield problems of the well-formed bots, whatever is wrong with the rest of the file.

    Ids become file names, so they must be unique. Without a folder, bots are not searched for.
    """
    # to search for each of a hundred thousand bots takes minutes, and their number is refused
    # anyway
    if len(draft.names) > MOST_BOTS:
        return
    seen: set[str | None] = set()
    for index, name in enumerate(draft.names):
        if name is not None and name in seen:
            yield ("bots", index), f"a second bot is called {name!r}; give it an `id` of its own"
        seen.add(name)
        bot = draft.bots.get(index)
        if bot is None or folder is None:
            continue
        yield from read_path_problems(bot.read_paths, folder, ("bots", index))
        # its read paths were checked one by one above
        if problem := check_bot(bot.model_copy(update={"read_paths": []}), folder):
            yield ("bots", index), problem


def read_path_problems(paths: Sequence[str], folder: Path, table: KeyPath) -> Iterator[Problem]:
    """Yield problems of the paths that a bot, or every bot, may read; `table` is their key path."""
    for index, path in enumerate(paths):
        try:
            resolve_read_path(path, folder)
        except BotNotFoundError as error:
            yield (*table, "read_paths", index), str(error)


def read_file_deals(
    config: TournamentConfig, folder: Path, edition: Edition
) -> tuple[tuple[Deal, ...], list[str]]:
    """Return the deals of the file that `deals` names, empty if it names none, and its problems."""
    name = config.deals
    if not name.endswith(".txt"):
        return (), []
    try:
        deals, problems = read_deals(read_text(folder / name), edition)
    except (OSError, ValueError) as error:  # ValueError: not UTF-8, or a NUL in the path
        return (), [f"{name}: {getattr(error, 'strerror', None) or error}"]
    if config.until and not problems and len(deals) < FEWEST_DEALS:
        problems = [f"`until` needs at least {FEWEST_DEALS} deals, and there are {len(deals)}"]
    return deals, [f"{name}: {problem}" for problem in problems]


def write_problems(problems: Iterable[Problem], source: Source) -> list[str]:
    """Return problems as ``file:line:column: key.path: what``, in the order of the file."""
    lines: list[tuple[Place, str]] = []
    for path, what in problems:
        # An unknown key is itself the problem, so point at the key; otherwise point at the value.
        position = source.locate(path, key=what.startswith(_NO_SUCH_KEY))
        where, key = f"{position}: ", write_key_path(path)
        # the position of a setting from the command line contains its key already
        lines.append(
            (position, f"{where}{what}" if where == f"--set {key}" else f"{where}{key}{what}")
        )
    return [line for _, line in sorted(lines, key=lambda entry: entry[0])]


def write_key_path(path: KeyPath) -> str:
    """Return the beginning of a message, such as ``bots[0].clock: ``; empty for the whole file."""
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return f"{text.lstrip('.')}: " if path else ""


def describe_error(details: ErrorDetails) -> str:
    """Return what was expected and what was found, without pydantic's vocabulary."""
    kind, given = details["type"], details["input"]
    if kind == "extra_forbidden":
        *path, key = details["loc"]
        return f"{_NO_SUCH_KEY}{_did_you_mean(str(key), _find_table(path).model_fields)}"
    if kind == "missing":
        return "this key is missing"
    if kind == "literal_error":
        expected = str(details["ctx"]["expected"]).replace("'", "")
        words = re.findall(r"[\w-]+", expected)
        return f"expected {expected}, not {_quote(given)}{_did_you_mean(str(given), words)}"
    if kind == "value_error":
        # Some messages name the single wrong value in a table; to print the whole table is less
        # useful.
        message = str(details["ctx"]["error"])
        return message if ", not " in message else f"{message}{_quote_scalar(given)}"
    if kind == "too_short":
        return f"expected {_EXPECTED[kind]}"
    if kind == "too_long":
        return f"expected at most {details['ctx']['max_length']:,} entries"
    if kind in _EXPECTED:
        remedy = ""
        if kind == "int_type" and isinstance(given, str) and given.isdigit() and given.isascii():
            # A number became a string because of leading zeros, octal in other YAML, or because it
            # is too large for 64 bits; only the first can be written differently.
            digits = given.lstrip("0") or "0"
            remedy = f" (write {digits}, without quotes)" if len(digits) < 20 else _TOO_LARGE
        remedy = remedy or _spell_table(details["loc"], given)
        return f"expected {_EXPECTED[kind]}, not {_quote(given)}{remedy}"
    if kind in _LIMITS:
        bound, name = _LIMITS[kind]
        limit = details["ctx"][name]
        limit = int(limit) if limit == int(limit) else limit
        return f"expected {bound} {limit:,}, not {_quote(given)}"
    message = details["msg"]
    return f"{message[0].lower()}{message[1:]}{_quote_scalar(given)}"


def _spell_table(path: Sequence[str | int], given: object) -> str:
    """Return how to write a table of which only a value was given; empty if that is not known."""
    key = str(path[-1]) if path else ""
    entry, parse = _TABLES.get(key, ("", None))
    with suppress(ValueError):
        if parse and isinstance(given, str) and parse(given) is not None:
            return f" (write {key}: {{{entry.format(given)}}})"
    return ""


def _find_table(path: Sequence[str | int]) -> type[BaseModel]:
    """Return the model of the innermost table on a path."""
    model: type[BaseModel] = TournamentConfig
    for part in path:
        field = model.model_fields.get(str(part))
        model = (field and _find_model(field.annotation)) or model
    return model


def _find_model(annotation: object) -> type[BaseModel] | None:
    """Return the first model in a type such as ``list[BotConfig]`` or ``UntilConfig | None``."""
    if parts := get_args(annotation):
        return next(filter(None, map(_find_model, parts)), None)
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return None


def _quote_scalar(given: object) -> str:
    # A whole table would fill the screen, and the message contains its position in the file anyway.
    return "" if isinstance(given, dict | list) else f", not {_quote(given)}"


def _quote(given: object) -> str:
    if isinstance(given, bool):
        return str(given).lower()
    if given is None:
        return "nothing"
    # The value may contain anything and is printed to a terminal: escape control sequences.
    text = ascii(given)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return `` (did you mean …?)`` if a known word is close, or a known synonym; else nothing."""
    # Suggest only a word that is valid here: `measure` is a key of a clock, not of a bot.
    words = list(known)
    other = _OTHER_WORDS.get(word)
    return f" (did you mean {other!r}?)" if other in words else did_you_mean(word, words)
