"""One tournament file on top of another, and settings from the command line on top of both."""

import re
from collections.abc import Sequence
from typing import Any

from pwtourney.config.source import Path as KeyPath
from pwtourney.config.source import Place, Source, read_source
from pwtourney.errors import ConfigError, UsageError

__all__ = ["merged", "with_settings"]

_BY_KEY = frozenset({"limits", "defaults"})
"""Keys whose tables are merged key by key; every other key is replaced as a whole."""

_STEP = re.compile(r"\.?([a-z_][a-z0-9_]*)|\[([0-9]{1,6})\]", re.ASCII)


def merged(base: Source, over: Source) -> Source:
    """Return a file's values on top of those of the file that it extends."""
    data, keys, values = dict(base.data), dict(base.keys), dict(base.values)
    for key, value in over.data.items():
        path: KeyPath = (key,)
        both = isinstance(value, dict) and isinstance(data.get(key), dict)
        if key in _BY_KEY and both:
            data[key] = {**data[key], **value}
            replaced: list[KeyPath] = [(key, each) for each in value]
        else:
            data[key] = value
            replaced = [path]
        for each in replaced:
            _forget(each, keys, values)
        keys |= {k: v for k, v in over.keys.items() if k[:1] == path}
        values |= {k: v for k, v in over.values.items() if k[:1] == path}
    values[()] = over.values[()]
    return Source(over.name, data, keys, values)


def with_settings(source: Source, settings: Sequence[str]) -> Source:
    """Return values with each ``KEY.PATH=VALUE`` put in; a value is read as in the file."""
    for setting in settings:
        source = _with(source, setting)
    return source


def _with(source: Source, setting: str) -> Source:
    path_text, sign, value_text = setting.partition("=")
    path = _steps(path_text)
    if not sign or not path:
        raise UsageError(f"--set {setting}: expected KEY=VALUE, such as bots[0].clock.move=2s")
    name = f"--set {path_text}"
    value = read_source(value_text, name).data
    keys, values = dict(source.keys), dict(source.values)
    _forget(path, keys, values)
    place = Place(name, 1, 1)
    data = _put(source.data, path, value, name)
    for depth in range(1, len(path) + 1):
        if path[:depth] not in values or depth == len(path):
            keys[path[:depth]] = values[path[:depth]] = place
    return Source(source.name, data, keys, values)


def _steps(text: str) -> KeyPath:
    """Read a path such as ``bots[0].clock.move``; empty if it is none."""
    found: list[str | int] = []
    place = 0
    while place < len(text):
        step = _STEP.match(text, place)
        if step is None:
            return ()
        found.append(step[1] or int(step[2]))
        place = step.end()
    return tuple(found)


def _put(data: Any, path: KeyPath, value: Any, name: str) -> Any:
    """Return data with a value in it; tables on the way are made where there are none."""
    if not path:
        return value
    step, *rest = path
    if isinstance(step, int):
        if not isinstance(data, list) or step >= len(data):
            there = len(data) if isinstance(data, list) else 0
            raise ConfigError([f"{name}: there is no entry {step}; there are {there}"])
        return [
            _put(each, tuple(rest), value, name) if k == step else each
            for k, each in enumerate(data)
        ]
    if isinstance(data, str):
        from pwtourney.config.bot import bot_table  # a bot may be one text

        data = bot_table(data)
    table = data if isinstance(data, dict) else {}
    return {**table, step: _put(table.get(step), tuple(rest), value, name)}


def _forget(path: KeyPath, keys: dict[KeyPath, Place], values: dict[KeyPath, Place]) -> None:
    for table in (keys, values):
        for each in [known for known in table if known[: len(path)] == path]:
            del table[each]
