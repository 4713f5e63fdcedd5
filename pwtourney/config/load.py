"""From the text of a tournament file to the model, or to all of its problems at once.

A file may lie on top of another one, and settings from the command line on top of both.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from pydantic import TypeAdapter, ValidationError

from pwtourney.config.bot_table import BotConfig, BotEntry
from pwtourney.config.confinement import excess_problems, leads_inside, way_out_problems
from pwtourney.config.cross_checks import cross_problems
from pwtourney.config.draft import draft_of, read_draft
from pwtourney.config.model import AFFINITIES, EXECUTORS, TournamentConfig
from pwtourney.config.problems import (
    CheckBot,
    Problem,
    bot_problems,
    describe_error,
    find_file_edition,
    write_key_path,
    write_problems,
)
from pwtourney.config.source import MAX_BYTES, Source, read_source, source_of
from pwtourney.config.source import Path as KeyPath
from pwtourney.errors import ConfigError, EditionError, UsageError
from pwtourney.text_files import TextError, decode_text
from pwtourney.tuning import Dimension

__all__ = [
    "TournamentFile",
    "bot_entry",
    "json_schema",
    "list_values",
    "load_config",
    "read_config",
    "unwritten_file",
]


class TournamentFile(NamedTuple):
    """A tournament file that was read: the model, and where everything stands.

    `built` are the folders in which its bots were built, by their place, None for those that are
    not; empty as long as nothing was. `unbuilt` says why some could not be, by their place. Of an
    `untrusted` one the bots see what is named and no folder around it. `space` are the options that
    are tuned, with the ranges that the bot declares; None as long as it was not asked.
    """

    config: TournamentConfig
    source: Source
    path: Path
    built: tuple[Path | None, ...] = ()
    unbuilt: Mapping[int, str] = MappingProxyType({})
    untrusted: bool = False
    space: tuple[Dimension, ...] | None = None

    def built_at(self, place: int) -> Path | None:
        """Return the folder in which a bot was built, if it was."""
        return self.built[place] if self.built else None

    def files(self) -> list[Path]:
        """Return the files in which something of it stands: itself, and those that it extends."""
        names = dict.fromkeys(place.file for place in self.source.values.values())
        return [self.path, *(Path(name) for name in names if Path(name) != self.path)]

    def problem(self, path: KeyPath, what: str) -> str:
        """Write a problem of a key as ``file:line:column: key.path: what``."""
        return f"{self.source.place(path)}: {write_key_path(path)}{what}"


_UNWRITTEN = "unwritten.yaml"
"""Stands for the file where there is none: paths start from its folder."""

_MOST_EXTENDED = 20
"""How many files may lie below one another; nobody could say any more where a value is from."""

_COMMAND_LINE = source_of({}, "command line")


def load_config(
    path: Path,
    check_bot: CheckBot = lambda *_: None,
    settings: Sequence[str] = (),
    *,
    confined: bool = False,
    most_workers: int = 1,
) -> TournamentFile:
    """Read and check a tournament file; raises `ConfigError` with every problem found.

    `check_bot` is asked about each bot that is well described; `settings` are ``KEY.PATH=VALUE``
    and go through the same checks as what stands in the file. From a `confined` one nothing is read
    that lies outside of its folder, and it may ask for `most_workers` at most.
    """
    text = _read_text(path, confined=confined)
    source = _extend(read_source(text, str(path)), path, (), confined=confined)
    for setting in settings:
        source = source.set_value(setting)
    return _check(source, path, check_bot, confined=confined, most_workers=most_workers)


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
        return _check(source_of({}, "config"), path, check_bot, data)
    return _check(_extend(source_of(data, "config"), path, (), confined=False), path, check_bot)


def _check(
    source: Source,
    path: Path,
    check_bot: CheckBot,
    config: TournamentConfig | None = None,
    *,
    confined: bool = False,
    most_workers: int = 1,
) -> TournamentFile:
    """Validate the values, unless there is a model of them, and all that goes beyond the model."""
    draft, wrong = (draft_of(config), []) if config else read_draft(source.data)
    problems = [(details["loc"], describe_error(details)) for details in wrong]
    folder = path.parent
    ways_out: list[Problem] = []
    draft = draft._replace(confined=confined)
    if confined:
        problems += excess_problems(draft, most_workers)
        ways_out += way_out_problems(draft, folder)
    # Whatever can be looked at without a whole model is, so that a file is put right in one go. But
    # nothing that a file names is read as long as anything of it leads elsewhere.
    readable = None if ways_out else folder
    problems += [
        *ways_out,
        *bot_problems(draft, readable, check_bot),
        *cross_problems(draft, readable),
    ]
    if problems:
        raise ConfigError(write_problems(problems, source))
    return TournamentFile(draft.config, source, path)


def _extend(source: Source, path: Path, seen: tuple[Path, ...], *, confined: bool) -> Source:
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
    if len(seen) >= _MOST_EXTENDED:
        raise ConfigError([f"{where} a file extends more than {_MOST_EXTENDED} others; merge some"])
    # nor may the answer tell whether a link leads to something
    is_ours = not confined or leads_inside(path.parent, below)
    if is_ours and not below.is_file():
        raise ConfigError([f"{where} there is no file {below}"])
    lower = read_source(_read_text(below, confined=confined), str(below))
    return source.lay_over(_extend(lower, below, (*seen, path), confined=confined))


def _read_text(path: Path, *, confined: bool) -> str:
    if confined and not leads_inside(path.parent, path):
        raise ConfigError([f"{path}: with --untrusted this must not be a link to another folder"])
    try:
        # a pipe that somebody has left in its place would be waited for
        if confined and path.exists() and not path.is_file():
            raise ConfigError([f"{path}: with --untrusted this must be a regular file"])
        with path.open("rb") as file:
            # One byte more than is allowed tells that there are more, however large the file is.
            data = file.read(MAX_BYTES + 1)
        # such a file is refused, and what is cut off at its end need not be text
        return data.decode(errors="replace") if len(data) > MAX_BYTES else decode_text(data)
    except TextError as error:
        where = f"{path}:{error.line}:{error.column}"
        raise ConfigError([f"{where}: {error.what}"]) from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ConfigError([f"{path}: cannot read the tournament file: {reason}"]) from error


def bot_entry(text: str) -> BotConfig:
    """Read a bot from one text, as in a list of bots; raises `UsageError`."""
    try:
        return TypeAdapter(BotEntry).validate_python(text)
    except ValidationError as error:
        details = error.errors()[0]
        if not text.strip():
            raise UsageError("a bot is missing: its text is empty") from error
        raise UsageError(f"{text!r} is not a bot: {describe_error(details)}") from error


def unwritten_file(data: dict[str, Any]) -> TournamentFile:
    """Return what a tournament file would be that says this; raises `UsageError`."""
    try:
        config = TournamentConfig.model_validate(data)
    except ValidationError as error:
        # The first is enough: there is no file in which several could be put right at once.
        details = error.errors()[0]
        raise UsageError(f"{write_key_path(details['loc'])}{describe_error(details)}") from error
    try:
        find_file_edition(config.edition, Path.cwd())
    except EditionError as error:
        raise UsageError(f"edition: {error}") from error
    return TournamentFile(config, _COMMAND_LINE, Path.cwd() / _UNWRITTEN)


def list_values(file: TournamentFile) -> list[tuple[str, str]]:
    """Return every value that applies, as it could be written into the file, and its origin."""
    values = file.config.model_dump(mode="json", exclude_none=True)
    values["pairs"] = file.config.max_pairs  # which depends on `until` where nobody has set it
    return [
        (
            f"{write_key_path(path)}{json.dumps(value, ensure_ascii=False)}",
            str(file.source.origin(path) or "default"),
        )
        for path, value in _list_leaves(values, ())
    ]


def _list_leaves(value: Any, path: KeyPath) -> list[tuple[KeyPath, Any]]:
    """Return each value that is no table or list, or an empty one, with its path."""
    inner: list[tuple[str | int, Any]] = []
    if isinstance(value, dict):
        inner += value.items()
    elif isinstance(value, list):
        inner += enumerate(value)
    if not inner:
        return [(path, value)]
    return [leaf for key, child in inner for leaf in _list_leaves(child, (*path, key))]


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
