"""Read the text of a tournament file into the model, or report all of its problems at once.

A file may extend another file. Settings from the command line override both.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from pydantic import TypeAdapter, ValidationError

from pwtourney.config.bot_table import BotConfig, BotEntry, bot_table
from pwtourney.config.confinement import excess_problems, leads_inside, way_out_problems
from pwtourney.config.cross_checks import cross_problems
from pwtourney.config.draft import draft_of, find_name, read_draft
from pwtourney.config.model import AFFINITIES, EXECUTORS, TournamentConfig
from pwtourney.config.patterns import expand_bots
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
    """A tournament file that was read: the model, and the position of each value.

    `built` are the folders in which its bots were built, by index, None for bots without a build;
    empty before the build. `unbuilt` says why builds failed, by index. The bots of an `untrusted`
    file see only the paths that it names, not the folders around them. `space` are the tuned
    options with the ranges that the bot declares; None until the bot was asked.
    """

    config: TournamentConfig
    source: Source
    path: Path
    built: tuple[Path | None, ...] = ()
    unbuilt: Mapping[int, str] = MappingProxyType({})
    untrusted: bool = False
    space: tuple[Dimension, ...] | None = None

    def built_at(self, index: int) -> Path | None:
        """Return the folder in which a bot was built; None if it was not built."""
        return self.built[index] if self.built else None

    def files(self) -> list[Path]:
        """Return the files that its values come from: itself, and those that it extends."""
        names = dict.fromkeys(position.file for position in self.source.values.values())
        return [self.path, *(Path(name) for name in names if Path(name) != self.path)]

    def problem(self, path: KeyPath, what: str) -> str:
        """Return the problem of a key as ``file:line:column: key.path: what``."""
        return f"{self.source.locate(path)}: {write_key_path(path)}{what}"


_UNWRITTEN = "unwritten.yaml"
"""The file name for values that are not from a file; relative paths start from its folder."""

_MOST_EXTENDED = 20
"""The maximum length of a chain of files that extend each other, so that it can be followed."""

_COMMAND_LINE = source_of({}, "command line")


def load_config(
    path: Path,
    check_bot: CheckBot = lambda *_: None,
    settings: Sequence[str] = (),
    *,
    confined: bool = False,
    most_workers: int = 1,
    everybody: bool = False,
) -> TournamentFile:
    """Read and check a tournament file; raises `ConfigError` with all problems.

    `check_bot` is called for each well-formed bot. `settings` are ``KEY.PATH=VALUE`` and go through
    the same checks as the values in the file. A `confined` file may not make this process read
    files outside of its folder, and may set at most `most_workers` workers. Bots that are withdrawn
    or banned are left out, unless `everybody` is wanted.
    """
    text = _read_text(path, confined=confined)
    source = _extend(read_source(text, str(path)), path, (), confined=confined)
    for setting in settings:
        source = source.set_value(setting)
    return _check(
        source,
        path,
        check_bot,
        confined=confined,
        most_workers=most_workers,
        everybody=everybody,
    )


def read_config(
    data: Mapping[str, Any] | TournamentConfig,
    folder: Path,
    check_bot: CheckBot = lambda *_: None,
) -> TournamentFile:
    """Check the values of a tournament file in a folder; raises `ConfigError` like `load_config`.

    A model is used as it is, without a second validation.
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
    everybody: bool = False,
) -> TournamentFile:
    """Validate the values, unless `config` is given, and run all checks beyond the model."""
    folder = path.parent
    if config is None:
        source = expand_bots(source, folder, confined=confined)
        source = source if everybody else _leave_out_absent(source)
    else:
        absent = config.absent_bots
        playing = [bot for bot in config.bots if bot.name not in absent]
        if playing != config.bots:
            config = config.model_copy(update={"bots": playing})
    draft, wrong = (draft_of(config), []) if config else read_draft(source.data)
    problems = [(details["loc"], describe_error(details)) for details in wrong]
    ways_out: list[Problem] = []
    draft = draft._replace(confined=confined)
    if confined:
        problems += excess_problems(draft, most_workers)
        ways_out += way_out_problems(draft, folder)
    # Run every check that does not need a complete model, so that all problems can be fixed at
    # once. But read no file that the tournament file names if any of these paths leads elsewhere.
    readable = None if ways_out else folder
    problems += [
        *ways_out,
        *bot_problems(draft, readable, check_bot),
        *cross_problems(draft, readable),
    ]
    if problems:
        raise ConfigError(write_problems(problems, source))
    return TournamentFile(draft.config, source, path)


def _leave_out_absent(source: Source) -> Source:
    """Return the values of a file without the bots that are withdrawn or banned."""
    absent: set[object] = set()
    for key in ("withdrawn", "bans"):
        named = source.data.get(key)
        if isinstance(named, list | dict):  # anything else is reported later
            absent |= {name for name in named if isinstance(name, str)}
    entries = source.data.get("bots")
    if not absent or not isinstance(entries, list):
        return source
    kept = [
        (("bots", index), entry)
        for index, entry in enumerate(entries)
        if _find_name(entry) not in absent
    ]
    return source if len(kept) == len(entries) else source.replace_list("bots", kept)


def _find_name(entry: object) -> str | None:
    """Return the name of the bot of an entry, which may be anything; None if it has none."""
    try:
        return find_name(bot_table(entry) if isinstance(entry, str) else entry)
    except ValueError:
        return None


def _extend(source: Source, path: Path, seen: tuple[Path, ...], *, confined: bool) -> Source:
    """Return the values of a file on top of those of the file that it extends."""
    if not isinstance(source.data, dict):
        raise ConfigError([f"{path}:1:1: expected keys and values, such as `bots:` and a list"])
    base = source.data.get("extends")
    if base is None or not isinstance(base, str):
        return source
    where = f"{source.locate(('extends',))}: extends:"
    # Relative paths in either file start from its folder, so both must be in the same folder.
    if Path(base).name != base:
        raise ConfigError([f"{where} name a file in the same folder: paths in it start from there"])
    below = path.parent / base
    if below in (*seen, path):
        raise ConfigError([f"{where} {base} extends this file in turn"])
    if len(seen) >= _MOST_EXTENDED:
        raise ConfigError([f"{where} a file extends more than {_MOST_EXTENDED} others; merge some"])
    # the answer may not reveal whether a link leads to an existing file
    is_ours = not confined or leads_inside(path.parent, below)
    if is_ours and not below.is_file():
        raise ConfigError([f"{where} there is no file {below}"])
    lower = read_source(_read_text(below, confined=confined), str(below))
    return source.lay_over(_extend(lower, below, (*seen, path), confined=confined))


def _read_text(path: Path, *, confined: bool) -> str:
    if confined and not leads_inside(path.parent, path):
        raise ConfigError([f"{path}: with --untrusted this must not be a link to another folder"])
    try:
        # to open a named pipe would block
        if confined and path.exists() and not path.is_file():
            raise ConfigError([f"{path}: with --untrusted this must be a regular file"])
        with path.open("rb") as file:
            # One extra byte shows that the file is too large, however large it is.
            data = file.read(MAX_BYTES + 1)
        # a file that is too large is refused later, and a cut can split a character
        return data.decode(errors="replace") if len(data) > MAX_BYTES else decode_text(data)
    except TextError as error:
        where = f"{path}:{error.line}:{error.column}"
        raise ConfigError([f"{where}: {error.what}"]) from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ConfigError([f"{path}: cannot read the tournament file: {reason}"]) from error


def bot_entry(text: str) -> BotConfig:
    """Read a bot from one string, as in a list of bots; raises `UsageError`."""
    try:
        return TypeAdapter(BotEntry).validate_python(text)
    except ValidationError as error:
        details = error.errors()[0]
        if not text.strip():
            raise UsageError("a bot is missing: its text is empty") from error
        raise UsageError(f"{text!r} is not a bot: {describe_error(details)}") from error


def unwritten_file(data: dict[str, Any]) -> TournamentFile:
    """Return the tournament file for values from the command line; raises `UsageError`."""
    try:
        config = TournamentConfig.model_validate(data)
    except ValidationError as error:
        # The first problem is enough: there is no file in which several could be fixed at once.
        details = error.errors()[0]
        raise UsageError(f"{write_key_path(details['loc'])}{describe_error(details)}") from error
    try:
        find_file_edition(config.edition, Path.cwd())
    except EditionError as error:
        raise UsageError(f"edition: {error}") from error
    return TournamentFile(config, _COMMAND_LINE, Path.cwd() / _UNWRITTEN)


def list_values(file: TournamentFile) -> list[tuple[str, str]]:
    """Return every effective value, in the syntax of the file, and its origin."""
    values = file.config.model_dump(mode="json", exclude_none=True)
    values["pairs"] = file.config.max_pairs  # the default of `pairs` depends on `until`
    return [
        (
            f"{write_key_path(path)}{json.dumps(value, ensure_ascii=False)}",
            str(file.source.origin(path) or "default"),
        )
        for path, value in _list_leaves(values, ())
    ]


def _list_leaves(value: Any, path: KeyPath) -> list[tuple[KeyPath, Any]]:
    """Return each value that is not a table or list, or is an empty one, with its path."""
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
    bots["items"] = {"anyOf": [{"type": "string"}, bots["items"]]}  # a bot may be a string
    # or all of them one pattern
    schema["properties"]["bots"] = {
        "anyOf": [{"type": "string", "pattern": "[*?[]"}, bots],
        "description": bots.pop("description"),
    }
    # A word is expanded before validation, so the model's own schema does not contain it.
    for key, words in (("affinity", [*AFFINITIES]), ("executor", [*EXECUTORS])):
        described = schema["properties"][key]
        tables = [kind for kind in described["anyOf"] if kind != {"type": "null"}]
        schema["properties"][key] = described | {
            "anyOf": [{"enum": words}, *tables],
            "default": words[0],
        }
    anchors = schema["properties"]["anchor"]
    anchors["additionalProperties"] = {
        "anyOf": [{"type": "number"}, anchors["additionalProperties"]]
    }
    return schema
