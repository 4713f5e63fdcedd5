"""Bots by pattern: an entry such as ``bots/*.py`` stands for one bot for each file that fits.

`*`, `?` and `[…]` mean what they mean in a shell, within one step of a path. The last step with
such a sign gives each bot its id: the name of a file without its ending, or that of a folder. As in
a shell, a word of a command that no file fits stays as it is. A file that another entry names is
not taken, so that one of many bots can have other settings.
"""

import os
import re
import shlex
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from fnmatch import fnmatchcase
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from pwtourney.bots.naming import CODE, name_bot
from pwtourney.bots.places import expects_path
from pwtourney.config.bot_table import bot_table
from pwtourney.config.confinement import leads_inside
from pwtourney.config.problems import Problem, write_problems
from pwtourney.config.source import Path as KeyPath
from pwtourney.config.source import Source
from pwtourney.errors import ConfigError

__all__ = ["expand_bots"]

_BOTS = "bots"
_SIGNS = re.compile(r"[*?[]")
_PATH = re.compile(r"[^\s\"'`$(){}<>|;&=:\\,]+")
"""A text that may be a path in a command: without characters that programs and shells need."""

_MOST_BOTS = 10_000
"""The most bots that a pattern may stand for; nobody reads a table that long."""

_MOST_LOOKS = 20_000
"""The most files and folders that a file's patterns may look at; links can lead to more."""


def expand_bots(source: Source, folder: Path, *, confined: bool) -> Source:
    """Return the values of a file with an entry for each bot that its patterns stand for.

    Paths start from `folder`, and a `confined` file finds nothing outside of it. Raises
    `ConfigError` for each pattern that is not valid or fits no file, and for each that fits several
    files although its entry has an `id` or two of the files have the same name.
    """
    listed = source.data.get(_BOTS)
    entries = [listed] if isinstance(listed, str) else listed
    if not isinstance(entries, list) or not any(any(_find_patterns(entry)) for entry in entries):
        return source
    walk = _Walk(folder, named=_list_named(entries), confined=confined)
    problems: list[Problem] = []
    expanded: list[tuple[KeyPath, Any]] = []
    for index, entry in enumerate(entries):
        at: KeyPath = (_BOTS,) if isinstance(listed, str) else (_BOTS, index)
        bots, problem = _expand(entry, walk)
        problems += [(at, problem)] if problem else []
        expanded += [(at, bot) for bot in bots]
    if problems:
        raise ConfigError(write_problems(problems, source))
    return source.replace_list(_BOTS, expanded)


class _Pattern(NamedTuple):
    """The word of an entry that is a pattern: of a `file` or a program, or of a longer command.

    `after` is what follows it in its word, such as ``:Careful``.
    """

    word: str
    after: str = ""
    is_command: bool = False

    @property
    def steps(self) -> list[str]:
        """The steps of the path."""
        return self.word.split("/")

    @property
    def naming_step(self) -> int:
        """The index of the last step with a sign."""
        return max(k for k, step in enumerate(self.steps) if _SIGNS.search(step))


class _Walk:
    """Looks for files below a folder, at most so many in all, and for none of those `named`."""

    def __init__(self, folder: Path, *, named: Collection[str], confined: bool) -> None:
        self._folder = folder
        self._named = named
        self._confined = confined
        self._looks = 0

    @property
    def is_lost(self) -> bool:
        """True if there was too much to look at."""
        return self._looks > _MOST_LOOKS

    def has(self, path: str) -> bool:
        """Return True if there is a file with this path, signs included."""
        return self._may_see(path) and (self._folder / path).is_file()

    def find(
        self, steps: Sequence[str], above: str = "", around: frozenset[str] = frozenset()
    ) -> Iterator[str]:
        """Yield the files that fit the steps of a pattern, sorted step by step.

        Hidden names and those that begin with ``_`` are left out, as helpers of the others are
        called. Links to the folders `around` lead in circles.
        """
        step, *rest = steps
        if _SIGNS.search(step):  # other steps lead on, such as `.`
            here = os.path.realpath(self._folder / above)
            if here in around:
                return
            around |= {here}
        names = [step]
        if _SIGNS.search(step):
            names = []
            with suppress(OSError):
                names = sorted(os.listdir(self._folder / above))
            names = [name for name in names if name[0] not in "._" and fnmatchcase(name, step)]
        for name in names:
            self._looks += 1
            path = f"{above}{name}"
            if self.is_lost or not self._may_see(path):
                continue
            if rest and (self._folder / path).is_dir():
                yield from self.find(rest, f"{path}/", around)
            elif not rest and (self._folder / path).is_file() and not self._is_named(path):
                yield path

    def _is_named(self, path: str) -> bool:
        return os.path.normpath(path) in self._named

    def _may_see(self, path: str) -> bool:
        return not self._confined or leads_inside(self._folder, self._folder / path)


def _find_patterns(entry: object) -> Iterator[_Pattern]:
    """Yield the patterns of an entry: in a text, in `file`, or in the words of a command."""
    table = _read_table(entry)
    words = _list_words(table)
    is_command = len(words) > 1
    for before, word in zip(["", *words], words, strict=False):
        path, ending, name = word.partition(".py:")
        path, after = (f"{path}.py", f":{name}") if ending else (word, "")
        if is_command and (expects_path(before, words[0]) or not _may_be_path(path, before)):
            continue
        # a word with signs is a path if it has a slash, with something after each
        is_path = "file" in table or "/" in path
        if _SIGNS.search(path) and is_path and all(path.split("/")[1:]):
            yield _Pattern(path, after, is_command)


def _list_named(entries: Iterable[object]) -> set[str]:
    """Return the words of the entries that are no patterns, as paths; one may be that of a file."""
    words = (
        word.partition(".py:")
        for entry in entries
        if not any(_find_patterns(entry))
        for word in _list_words(_read_any_table(entry))
    )
    return {os.path.normpath(f"{stem}.py" if sign else stem) for stem, sign, _ in words if stem}


def _read_any_table(entry: object) -> Mapping[str, Any]:
    """Return the table of an entry, which may be a text; an empty one if it is not well-formed."""
    if isinstance(entry, str):
        with suppress(ValueError):  # an open quote, which is reported elsewhere
            return bot_table(entry)
    return entry if isinstance(entry, dict) else {}


def _read_table(entry: object) -> Mapping[str, Any]:
    """Return the table of an entry that may have a pattern, like `_read_any_table`."""
    if isinstance(entry, str) and not _SIGNS.search(entry):  # most of them, and splitting is slow
        return {}
    return _read_any_table(entry)


def _list_words(table: Mapping[str, Any]) -> list[str]:
    """Return the words of an entry that may be paths."""
    given = [table["file"]] if "file" in table else table.get("command")
    if isinstance(given, str):
        with suppress(ValueError):
            return shlex.split(given)
    return [word for word in given if isinstance(word, str)] if isinstance(given, list) else []


def _may_be_path(word: str, before: str) -> bool:
    """Return True if a word of a command may be a path, and not an option, code or a class path."""
    is_option = before in CODE or word[:1] == "-"
    return not is_option and word[-2:] != "/*" and bool(_PATH.fullmatch(word))


def _expand(entry: Any, walk: _Walk) -> tuple[list[Any], str]:
    """Return an entry for each file that fits its pattern, and a problem; empty if there is none.

    An entry without a pattern stays as it is, and so does one with a problem.
    """
    patterns = list(dict.fromkeys(_find_patterns(entry)))
    for pattern in patterns[:1]:
        paths, problem = _find_files(pattern, walk)
        if paths and len(patterns) > 1:
            problem = (
                f"{' and '.join(candidate.word for candidate in patterns)}: write one pattern only"
            )
        problem = problem or _find_clash(entry, pattern, paths)
        if paths and not problem:
            return [_fill_in(entry, pattern, path) for path in paths], ""
        return [entry], problem
    return [entry], ""


def _find_files(pattern: _Pattern, walk: _Walk) -> tuple[list[str], str]:
    """Return the files that fit a pattern, and why the search is in vain; empty if it is not."""
    if "**" in pattern.word:
        return [], f"{pattern.word}: `*` stands for one step of a path; write it for each"
    paths = [*islice(walk.find(pattern.steps), _MOST_BOTS + 1)]
    if len(paths) > _MOST_BOTS:
        return [], f"more than {_MOST_BOTS:,} files fit {pattern.word}"
    if walk.is_lost:
        return [], f"{pattern.word} has to look at over {_MOST_LOOKS:,} files and folders"
    if not paths and not pattern.is_command and not walk.has(pattern.word):
        return [], f"no file fits {pattern.word}"
    return paths, ""


def _find_clash(entry: Any, pattern: _Pattern, paths: Sequence[str]) -> str:
    """Return why some files would give two bots one name; empty if they do not."""
    if len(paths) > 1 and isinstance(entry, dict) and "id" in entry:
        what = f"{len(paths)} files fit {pattern.word}, and `id` is the name of one"
        return f"{what}; leave it out"
    names: dict[str, str] = {}
    for path in paths:
        other = names.setdefault(_name(path, pattern), path)
        if other != path:
            return f"{other} and {path} are both called {_name(path, pattern)!r}"
    return ""


def _fill_in(entry: Any, pattern: _Pattern, path: str) -> dict[str, Any]:
    """Return the entry of the bot in a file that fits a pattern."""
    table = dict(_read_table(entry))
    word, filled = f"{pattern.word}{pattern.after}", f"{path}{pattern.after}"
    if "file" in table:
        table["file"] = filled
    else:
        table["command"] = [filled if part == word else part for part in _list_words(table)]
    return {"id": _name(path, pattern), **table}


def _name(path: str, pattern: _Pattern) -> str:
    """Return the id of the bot in a file that fits a pattern."""
    steps = path.split("/")
    name = steps[pattern.naming_step]
    is_file = pattern.naming_step == len(steps) - 1
    return name_bot(os.path.splitext(name)[0] if is_file else name)
