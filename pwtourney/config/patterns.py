"""Bots by pattern: an entry such as ``bots/*.py`` stands for one bot for each file that fits.

`*`, `?` and `[…]` mean what they mean in a shell, within one step of a path. The last step with
such a sign gives each bot its id: the name of a file without its ending, or that of a folder.
"""

import os
import re
import shlex
from collections.abc import Iterator, Sequence
from contextlib import suppress
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, NamedTuple

from pwtourney.bots.naming import name_bot
from pwtourney.config.confinement import leads_inside
from pwtourney.config.problems import Problem, write_problems
from pwtourney.config.source import Path as KeyPath
from pwtourney.config.source import Source
from pwtourney.errors import ConfigError

__all__ = ["expand_bots"]

_BOTS = "bots"
_SIGNS = re.compile(r"[*?[]")
_MOST_BOTS = 10_000
"""The most bots that patterns may stand for; nobody reads a table that long."""


def expand_bots(source: Source, folder: Path, *, confined: bool) -> Source:
    """Return the values of a file with an entry for each bot that its patterns stand for.

    Paths start from `folder`, and a `confined` file finds nothing outside of it. Raises
    `ConfigError` for each pattern that no file fits, and for one with an id of its own that several
    fit.
    """
    listed = source.data.get(_BOTS)
    entries = [listed] if isinstance(listed, str) else listed
    if not isinstance(entries, list) or not any(map(_find_pattern, entries)):
        return source
    problems: list[Problem] = []
    origins: list[int] = []
    expanded: list[Any] = []
    for place, entry in enumerate(entries):
        path: KeyPath = (_BOTS,) if isinstance(listed, str) else (_BOTS, place)
        found = [entry]
        if pattern := _find_pattern(entry):
            found = [*_expand(entry, pattern, folder, confined=confined)]
            if not found and _is_plain(folder, pattern, confined=confined):
                found = [entry]
            if problem := _find_problem(entry, pattern, len(found)):
                problems.append((path, problem))
        expanded += found
        origins += [place] * len(found)
    if problems:
        raise ConfigError(write_problems(problems, source))
    return _replace(source, expanded, origins, is_list=entries is listed)


class _Pattern(NamedTuple):
    """The word of an entry that is a pattern, such as ``bots/*.py`` in ``bots/*.py:Careful``."""

    word: str

    @property
    def steps(self) -> list[str]:
        return self.word.split("/")

    @property
    def naming_step(self) -> int:
        """The index of the last step with a sign."""
        return max(k for k, step in enumerate(self.steps) if _SIGNS.search(step))


def _find_pattern(entry: object) -> _Pattern | None:
    """Return the pattern of an entry: in a text, in `file`, or in the words of a command."""
    for word in _list_words(entry):
        path = f"{word.partition('.py:')[0]}.py" if ".py:" in word else word
        # a sign elsewhere is an argument of a program: `'a*b'`, or `lib/*` in its class path
        is_path = ":" not in path and ("/" in path or path.endswith(".py"))
        if is_path and _SIGNS.search(path) and path.rpartition("/")[2] != "*":
            return _Pattern(path)
    return None


def _list_words(entry: object) -> list[str]:
    """Return the words of an entry that may be paths; none of one that is not well-formed."""
    if isinstance(entry, dict):
        file = entry.get("file")
        return [file] if isinstance(file, str) else _list_words(entry.get("command"))
    if isinstance(entry, list):
        return [word for word in entry if isinstance(word, str)]
    if isinstance(entry, str) and _SIGNS.search(entry):  # few do, and splitting is slow
        with suppress(ValueError):  # an open quote, which is reported elsewhere
            return shlex.split(entry)
    return []


def _is_plain(folder: Path, pattern: _Pattern, *, confined: bool) -> bool:
    """Return True if a file has the pattern itself as its name."""
    path = folder / pattern.word
    return (not confined or leads_inside(folder, path)) and path.is_file()


def _find_problem(entry: object, pattern: _Pattern, count: int) -> str:
    if count == 0:
        return f"no file fits {pattern.word}"
    if count > _MOST_BOTS:
        return f"more than {_MOST_BOTS:,} files fit {pattern.word}"
    if count > 1 and isinstance(entry, dict) and "id" in entry:
        return f"{count} files fit {pattern.word}, and `id` is the name of one; leave it out"
    return ""


def _expand(entry: Any, pattern: _Pattern, folder: Path, *, confined: bool) -> Iterator[Any]:
    """Yield an entry for each file that fits, in the order of their names."""
    for count, path in enumerate(_walk(folder, pattern.steps, confined=confined)):
        if count > _MOST_BOTS:
            return
        table = dict(entry) if isinstance(entry, dict) else _make_table(entry)
        for key in ("file", "command"):
            if key in table:
                table[key] = _put(table[key], pattern.word, path)
        yield {"id": _name(path, pattern), **table}


def _make_table(text: str) -> dict[str, Any]:
    words = shlex.split(text)
    is_file = len(words) == 1 and (words[0].endswith(".py") or ".py:" in words[0])
    return {"file": words[0]} if is_file else {"command": words}


def _put(value: str | list[str], word: str, path: str) -> str | list[str]:
    """Return a file, or the words of a command, with a path in place of the pattern."""
    if isinstance(value, str) and value.startswith(word):
        return value.replace(word, path, 1)
    words = shlex.split(value) if isinstance(value, str) else value
    return [path if each == word else each for each in words]


def _name(path: str, pattern: _Pattern) -> str:
    """Return the id of the bot in a file that fits a pattern."""
    return name_bot(path.split("/")[pattern.naming_step].partition(".")[0])


def _walk(folder: Path, steps: Sequence[str], *, confined: bool, above: str = "") -> Iterator[str]:
    """Yield the files that fit the steps of a pattern, sorted step by step.

    Hidden names and those that begin with ``_`` are left out, as helpers of the others are called.
    """
    step, *rest = steps
    names = [step]
    if _SIGNS.search(step):
        names = []
        with suppress(OSError):
            names = sorted(os.listdir(folder / above))
        names = [name for name in names if name[0] not in "._" and fnmatchcase(name, step)]
    for name in names:
        path = f"{above}{name}"
        whole = folder / path
        if confined and not leads_inside(folder, whole):
            continue
        if rest and whole.is_dir():
            yield from _walk(folder, rest, confined=confined, above=f"{path}/")
        elif not rest and whole.is_file():
            yield path


def _replace(source: Source, entries: list[Any], origins: list[int], *, is_list: bool) -> Source:
    """Return a source with other entries, each with the positions of the one that it came from."""
    keys, values = (
        {path: at for path, at in places.items() if path[:1] != (_BOTS,) or len(path) == 1}
        for places in (source.keys, source.values)
    )
    for place, (entry, origin) in enumerate(zip(entries, origins, strict=True)):
        at: KeyPath = (_BOTS, origin) if is_list else (_BOTS,)
        for old, new in ((source.keys, keys), (source.values, values)):
            new |= {
                (_BOTS, place, *path[2:]): where
                for path, where in old.items()
                if is_list and path[:2] == at
            }
        values.setdefault((_BOTS, place), source.place(at))
        if isinstance(entry, dict):  # what a pattern or a text says has its position
            for key in entry:
                values.setdefault((_BOTS, place, key), source.place(at))
    return Source(source.name, {**source.data, _BOTS: entries}, keys, values)
