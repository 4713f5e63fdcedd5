"""Read a strict subset of YAML: plain values with their positions, layered on top of each other.

Only ``true`` and ``false`` are booleans (``no`` and ``on`` are strings). Only numbers without
leading zeros are numbers (``010`` is a string). Keys must be unique. Aliases, tags and multiple
documents are refused. Values keep their line and column, also when they override those of another
file, or come from the command line.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import yaml
from yaml.reader import Reader as YamlReader

from pwtourney.config.bot_table import bot_table
from pwtourney.errors import ConfigError, UsageError
from pwtourney.sanitize import CONTROLS

__all__ = ["MAX_BYTES", "Path", "Place", "Source", "read_source", "source_of"]

MAX_BYTES = 1 << 20
_MAX_DEPTH = 20
_INT = re.compile(r"-?(0|[1-9][0-9]{0,18})", re.ASCII)
_FLOAT = re.compile(r"-?(0|[1-9][0-9]*)\.[0-9]+([eE][-+]?[0-9]{1,3})?", re.ASCII)
_CONSTANTS = {"true": True, "false": False, "null": None, "~": None, "": None}
_STEP = re.compile(r"\.?([a-z_][a-z0-9_]*)|\[([0-9]{1,6})\]", re.ASCII)

_BY_KEY = frozenset({"limits", "defaults"})
"""Keys whose tables are merged key by key; every other key is replaced as a whole."""

Path = tuple[str | int, ...]


class Place(NamedTuple):
    """A position in a file: line and column are counted from 1; line 0 means no file."""

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}" if self.line else self.file


class Source(NamedTuple):
    """The values of a file, and the positions of keys and values, by their path.

    If it extends a file or has settings from the command line, positions may point there.
    """

    name: str
    data: Any
    keys: dict[Path, Place]
    values: dict[Path, Place]

    def locate(self, path: Path, *, key: bool = False) -> Place:
        """Return the position of a value (or its key), or of the nearest table around it."""
        table = self.keys if key else self.values
        while path and path not in table:
            path, table = path[:-1], self.values
        return table.get(path, Place(self.name, 1, 1))

    def lay_over(self, base: "Source") -> "Source":
        """Return these values on top of those of the file that this one extends."""
        # Positions move along with values: a problem is reported where the value was written.
        data, keys, values = dict(base.data), dict(base.keys), dict(base.values)
        for key, value in self.data.items():
            path: Path = (key,)
            both = isinstance(value, dict) and isinstance(data.get(key), dict)
            if key in _BY_KEY and both:
                data[key] = {**data[key], **value}
                replaced: list[Path] = [(key, subkey) for subkey in value]
            else:
                data[key] = value
                replaced = [path]
            # Values below a replaced one that are not in the new one have no position any more.
            for old_path in replaced:
                _forget(old_path, keys, values)
            keys |= {at: position for at, position in self.keys.items() if at[:1] == path}
            values |= {at: position for at, position in self.values.items() if at[:1] == path}
        # A problem of the whole file, such as a missing key, is reported for the file that the user
        # named.
        values[()] = self.values[()]
        return Source(self.name, data, keys, values)

    def replace_list(self, key: str, entries: Sequence[tuple[Path, Any]]) -> "Source":
        """Return the values with other entries in a list.

        Each comes with the path of the entry that it stands for, whose positions it keeps.
        """
        keys, values = dict(self.keys), dict(self.values)
        for below in [path for path in {*keys, *values} if path[:1] == (key,) and path != (key,)]:
            keys.pop(below, None)
            values.pop(below, None)
        for index, (origin, entry) in enumerate(entries):
            at: Path = (key, index)
            if len(origin) > 1:  # else the whole list was one text
                depth = len(origin)
                moved = ((self.keys, keys), (self.values, values))
                for old, new in moved:
                    new |= {
                        (*at, *path[depth:]): where
                        for path, where in old.items()
                        if path[:depth] == origin
                    }
            values.setdefault(at, self.locate(origin))
            for name in entry if isinstance(entry, dict) else ():
                values.setdefault((*at, name), self.locate(origin))
        return Source(self.name, {**self.data, key: [entry for _, entry in entries]}, keys, values)

    def set_value(self, setting: str) -> "Source":
        """Return the values with one ``KEY.PATH=VALUE`` added; VALUE is parsed as in the file."""
        path_text, sign, value_text = setting.partition("=")
        steps: list[str | int] = []
        end = 0
        while step := _STEP.match(path_text, end):
            steps.append(step[1] or int(step[2]))
            end = step.end()
        if not sign or not steps or end < len(path_text):
            raise UsageError(f"--set {setting}: expected KEY=VALUE, such as bots[0].clock.move=2s")
        if steps[0] == "extends":
            raise UsageError(f"--set {setting}: `extends` can only be set in the file")
        path = tuple(steps)
        name = f"--set {path_text}"
        value = read_source(value_text, name).data
        keys, values = dict(self.keys), dict(self.values)
        _forget(path, keys, values)
        position = Place(name, 0, 0)  # problems name the option instead of a line in a file
        data = _put(self.data, path, value, name)
        # Tables that were created for the setting have its position; others keep theirs.
        for depth in range(1, len(path) + 1):
            if path[:depth] not in values or depth == len(path):
                keys[path[:depth]] = values[path[:depth]] = position
        return Source(self.name, data, keys, values)

    def origin(self, path: Path) -> Place | None:
        """Return the position of a value, or of the string it was made from; None for a default."""
        for length in range(len(path), 0, -1):
            above = path[:length]
            if above in self.values:
                value = self.data
                for step in above if length < len(path) else ():
                    value = value[step]
                # a written table does not set the missing key, but a string such as `1s` sets all
                is_silent = length < len(path) and isinstance(value, dict | list)
                return None if is_silent else self.values[above]
        return None


def read_source(text: str, name: str) -> Source:
    """Read YAML text; `name` is the file in messages. Raises `ConfigError`."""
    reader = _Reader(name)
    # Check here too, for text that is not from a file, such as a setting.
    if len(text.encode("utf-8", "replace")) > MAX_BYTES:
        raise ConfigError([f"{name}: the file is larger than {MAX_BYTES // 1024} KiB"])
    # Search for them here, because libyaml reports no line for these, and fails at half of a
    # surrogate pair.
    if odd := YamlReader.NON_PRINTABLE.search(text):
        *above, last = text[: odd.start()].split("\n")
        where = f"{name}:{len(above) + 1}:{len(last) + 1}"
        raise ConfigError([f"{where}: not YAML: the character {odd[0]!a} may not stand in it"])
    # Why not ruamel.yaml, which also keeps lines and reads `no` as a string? Measured: for 100 bots
    # it takes 80 ms where this takes 9 ms, and for a file of nearly the maximum size 7 to 9 s where
    # this takes 2 s. Its import is no faster than PyYAML's. And its results for 010, 1e3, dates,
    # aliases and tags would still have to be refused, node by node.
    try:
        # Check before nodes are created: a few nested aliases can expand to more than fits into
        # memory.
        reader.check_events(text)
        node = yaml.compose(text, Loader=yaml.CSafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f"{name}:{mark.line + 1}:{mark.column + 1}" if mark else name
        is_tab = mark is not None and _is_tab(text, mark.line, mark.column)
        problem = "a tab; indent with blanks" if is_tab else error.problem or error.context
        raise ConfigError([f"{where}: not YAML: {problem}"]) from error
    data = reader.value(node, ()) if node else None
    if reader.problems:
        raise ConfigError(reader.problems)
    return Source(name, data, reader.keys, reader.values)


def _is_tab(text: str, line: int, column: int) -> bool:
    """Return True if there is a tab in this place; the place may be behind the last line."""
    lines = text.split("\n")
    return line < len(lines) and lines[line].startswith("\t", column)


def source_of(data: Mapping[str, Any], name: str) -> Source:
    """Return values that are not from a file; messages show `name` as their position."""
    return Source(name, dict(data), {}, {(): Place(name, 0, 0)})


class _Reader:
    """Converts nodes to values and collects problems."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.problems: list[str] = []
        self.keys: dict[Path, Place] = {}
        self.values: dict[Path, Place] = {}

    def check_events(self, text: str) -> None:
        """Refuse aliases, tags, several documents and deep nesting before nodes are created."""
        depth = documents = 0
        for event in yaml.parse(text, Loader=yaml.CSafeLoader):
            depth += isinstance(event, yaml.CollectionStartEvent)
            depth -= isinstance(event, yaml.CollectionEndEvent)
            documents += isinstance(event, yaml.DocumentStartEvent)
            if depth > _MAX_DEPTH:
                self._refuse(event, f"nested more than {_MAX_DEPTH} deep")
            if documents > 1:
                self._refuse(event, "second document; write one document per file")
            if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
                self._refuse(
                    event, "anchors and aliases are not supported; write the value in full"
                )
            if tag := getattr(event, "tag", None):
                self._refuse(event, f"tags are not supported: {tag!a}")

    def _refuse(self, event: Any, what: str) -> None:
        mark = event.start_mark
        raise ConfigError([f"{self.name}:{mark.line + 1}:{mark.column + 1}: {what}"])

    def value(self, node: yaml.Node, path: Path) -> Any:
        """Return the value of a node, and record its position."""
        self.values[path] = _find_position(self.name, node)
        if isinstance(node, yaml.MappingNode):
            table: dict[str, Any] = {}
            for key_node, value_node in node.value:
                if not isinstance(key_node, yaml.ScalarNode):
                    self._problem(key_node, "a key must be a plain word")
                    continue
                key = key_node.value
                if not CONTROLS.isdisjoint(key):
                    self._problem(key_node, f"control character in a key: {key!a}")
                    continue
                if key in table:
                    self._problem(key_node, f"the key {key!r} is given twice")
                    continue
                self.keys[*path, key] = _find_position(self.name, key_node)
                table[key] = self.value(value_node, (*path, key))
            return table
        if isinstance(node, yaml.SequenceNode):
            return [self.value(child, (*path, k)) for k, child in enumerate(node.value)]
        assert isinstance(node, yaml.ScalarNode), "nodes are mappings, sequences or scalars"
        # Values appear in messages on a terminal, which would obey control characters.
        if not (CONTROLS - {"\n", "\t"}).isdisjoint(node.value):
            self._problem(node, f"control character in {node.value[:60]!a}")
        return node.value if node.style in ("'", '"', "|", ">") else _read_plain(node.value)

    def _problem(self, node: yaml.Node, what: str) -> None:
        self.problems.append(f"{_find_position(self.name, node)}: {what}")


def _read_plain(text: str) -> Any:
    # Much stricter than YAML 1.1, where `no` is false, `1:30` is ninety, and `1e3` is a string.
    if text in _CONSTANTS:
        return _CONSTANTS[text]
    if _INT.fullmatch(text):
        return int(text)
    if _FLOAT.fullmatch(text):
        return float(text)
    return text


def _find_position(name: str, node: yaml.Node) -> Place:
    return Place(name, node.start_mark.line + 1, node.start_mark.column + 1)


def _put(data: Any, path: Path, value: Any, name: str) -> Any:
    """Return data with a value at a path; missing tables on the way are created."""
    if not path:
        return value
    step, *rest = path
    if isinstance(step, int):
        if not isinstance(data, list) or step >= len(data):
            # Do not append: the list with one more entry is a different list, and can be set as a
            # whole.
            count = len(data) if isinstance(data, list) else 0
            raise ConfigError([f"{name}: there is no entry {step}; there are {count}"])
        return [
            _put(entry, tuple(rest), value, name) if k == step else entry
            for k, entry in enumerate(data)
        ]
    if isinstance(data, list):
        raise ConfigError([f"{name}: this is a list; name an entry, such as [0], before {step!r}"])
    if isinstance(data, str):
        data = bot_table(data)  # `greedy` may get a clock just as `{bot: greedy}` may
    table = data if isinstance(data, dict) else {}
    return {**table, step: _put(table.get(step), tuple(rest), value, name)}


def _forget(path: Path, keys: dict[Path, Place], values: dict[Path, Place]) -> None:
    for table in (keys, values):
        for below in [known for known in table if known[: len(path)] == path]:
            del table[below]
