"""What the files of a bot use from next to them: modules that they import, files that they name.

Nothing is run for it. Modules are found by the statements that import them, other files by their
names, where these are written out. A name that is put together while the bot runs is not seen.
"""

import os
import re
import stat
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from importlib.machinery import all_suffixes
from itertools import chain, islice
from typing import NamedTuple

from pwtourney.bots.files import (
    MOST_FILES,
    FileState,
    is_left_out,
    list_below,
    read_first_line,
    read_text,
)
from pwtourney.errors import BotNotFoundError

__all__ = ["find_dependencies", "find_imported", "is_python", "list_outer"]

_MOST_SOURCE = 32 << 20
"""How much Python is looked through, and how much else."""

_MOST_NAMES = 1_000
"""How many names in a folder are looked for; a larger folder does not belong to one bot."""

_BY_PRODUCTS = (".d", ".log", ".o", ".rlib")
"""What compilers and bots leave behind."""

_RESULTS = "results"
"""Where tournaments keep their results by default."""

_LONGEST_LINE = 256
_LONGEST_HEAD = 8192
"""In so much of a program stands a byte that no text has."""

_TOO_LONG = (
    f"{{}}: a bot of over {_MOST_SOURCE >> 20} MiB of Python is too large to be looked through for"
    " what it imports; keep data in files of another kind"
)
_IMPORT = re.compile(
    r"(?:^|[;:])[ \t]*(?:from[ \t]+([\w.]+)[ \t]+import\b|import[ \t]+([\w.]+[^;#\n]*))"
    r"|\b(?:import_module|__import__)\(\s*(?:name\s*=\s*)?[\"']([\w.]+)",
    re.MULTILINE,
)
"""A statement that imports, or a call with a name written out. A parser would know more, but not
the syntax of later versions, and long sources take it minutes."""

_PART = re.compile(r"[\"'/\\]([^\"'/\\\n]{1,255})(?=[\"'/\\])")
"""What may be the name of a file in Python: a text, or what stands between slashes in one."""

_BROKEN = re.compile(r"\b(import_module|__import__)\(\s*\n\s*")
"""The beginning of a call that goes on in the next line."""

_WORD = re.compile(r"[^\s\"'`/\\()<>{}\[\],;:=|&$#]{1,255}")
"""What may be the name of a file in a text of another kind: scripts need no quotes."""

_FAMILIES = (
    (".js", ".cjs", ".mjs", ".json", ".node"),
    (".ts", ".mts", ".cts", ".json"),
    (".lua", ".so"),
    (".rb", ".so"),
    (".pl", ".pm"),
)
"""How files end that a script, whose own name ends in the first, may name without their end."""

_IMPLIED = {"package.json"}
"""What is read without being named, by scripts of the first of these families."""


class _Modules(NamedTuple):
    """What can be imported from a folder: by its word, the names that it may have there."""

    folder: str
    words: Mapping[str, Sequence[str]]

    @classmethod
    def of(cls, folder: str) -> "_Modules":
        """Read a folder, once for all that is imported from it."""
        words: dict[str, list[str]] = {}
        with suppress(OSError), os.scandir(folder) as entries:
            for entry in sorted(islice(entries, MOST_FILES), key=lambda entry: entry.name):
                if entry.is_dir():
                    words.setdefault(entry.name, []).append(entry.name)
                for suffix in all_suffixes():
                    if entry.name.endswith(suffix) and entry.is_file():
                        words.setdefault(entry.name.removesuffix(suffix), []).append(entry.name)
        return cls(folder, words)

    def find(self, words: frozenset[str]) -> Iterator[tuple[str, str]]:
        """Yield the files of modules and packages, by the first words of their names."""
        for word in sorted(self.words.keys() & words):
            for name in self.words[word]:
                # Python takes its own module before a mere folder of that name
                is_mere = name == word and word in sys.stdlib_module_names
                if not is_mere or os.path.isfile(os.path.join(self.folder, word, "__init__.py")):
                    yield from list_below(self.folder, name)


def find_imported(files: Iterable[str], folders: Iterable[str]) -> list[tuple[str, str]]:
    """Return what Python files import from some folders, and what that imports, in one order.

    Each file comes with its name below the folder. A package counts with every file in it.
    """
    return _follow(files, folders, None)


def find_dependencies(
    files: Iterable[str], folders: Iterable[str], left_out: Iterable[str] = ()
) -> list[tuple[str, str]]:
    """Return what files import or name from some folders, and what that does, in one order.

    A file next to them is named where its name is written: in Python as a text of its own or as
    part of a path, in other files, programs among them, anywhere. A folder counts with every file
    in it. What is `left_out` does not count, nor results, and what compilers and bots leave behind.
    """
    others = frozenset(map(os.path.realpath, left_out))
    folders = dict.fromkeys(folders)
    places: dict[str, list[str]] = {}
    for folder in folders:
        for name in _list_names(folder, others):
            places.setdefault(name, []).append(folder)

    def find_written(path: str, state: FileState) -> Iterator[tuple[str, str]]:
        for name in sorted(_list_written(path, tuple(places), state)):
            # each counts once, however many files name it
            for folder in places.pop(name):
                yield from list_below(folder, name)

    return _follow(files, folders, find_written)


_Find = Callable[[str, FileState], Iterable[tuple[str, str]]]


def _follow(
    files: Iterable[str], folders: Iterable[str], find: _Find | None
) -> list[tuple[str, str]]:
    """Return what files import, and what else one finds in each of them, and so on.

    Raises `BotNotFoundError` for more Python than is looked through, if what is not found counts.
    """
    modules = [_Modules.of(folder) for folder in dict.fromkeys(folders)]
    begun = set(files)
    scripts = set(filter(is_python, begun))
    found: dict[str, str] = {}
    waiting, looked_up = sorted(begun), frozenset[str]()
    room = {True: _MOST_SOURCE, False: _MOST_SOURCE}
    while waiting:
        path = waiting.pop()
        is_source = path.endswith(".py") or path in scripts
        try:
            status = os.stat(path)
        except OSError:  # it is gone meanwhile
            continue
        if find is not None and is_source and status.st_size > room[is_source]:
            raise BotNotFoundError(_TOO_LONG.format(path))
        # only regular files are read; a file that is too long holds weights, not names
        if not stat.S_ISREG(status.st_mode) or status.st_size > room[is_source]:
            continue
        room[is_source] -= status.st_size
        state = FileState.of(status)
        words = _read_imports(path, state) - looked_up if is_source else frozenset()
        looked_up |= words
        imported = chain.from_iterable(each.find(words) for each in modules)
        for name, each in chain(imported, find(path, state) if find else ()):
            if each not in begun and each not in found:
                found[each] = name
                waiting.append(each)
    return sorted((name, path) for path, name in found.items())


def is_python(path: str) -> bool:
    """Tell whether a file is Python's, by its name or by its first line."""
    if path.endswith(".py"):
        return True
    first = read_first_line(path)
    return first.startswith("#!") and "python" in first


def list_outer(files: Iterable[str], found: Iterable[tuple[str, str]]) -> frozenset[str]:
    """Return the modules that Python files import and that were not `found` next to them.

    Python's own are not among them.
    """
    found = list(found)
    own = {re.split("[/.]", name, maxsplit=1)[0] for name, _ in found}
    words = set[str]()
    for path in (*files, *(path for _, path in found if path.endswith(".py"))):
        with suppress(OSError):
            words |= _read_imports(path, FileState.of(os.stat(path)))
    return frozenset(words - own - sys.stdlib_module_names)


def _list_names(folder: str, left_out: frozenset[str]) -> list[str]:
    """Return what lies in a folder that can be a bot's data, by names in order."""
    inside = f"{os.path.realpath(folder)}/"
    names = []
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.startswith(".") or entry.name.endswith(_BY_PRODUCTS):
                continue
            # what a link leads to elsewhere is none of the bot's, and in a sandbox not there
            leads_to = f"{inside}{entry.name}"
            if entry.is_symlink():
                leads_to = os.path.realpath(entry.path)
            if not leads_to.startswith(inside) or leads_to in left_out:
                continue
            is_made = entry.name == _RESULTS or is_left_out(folder, entry.name)
            if entry.is_dir() and is_made:
                continue
            names.append(entry.name)
    return sorted(names) if len(names) <= _MOST_NAMES else []


@lru_cache(maxsize=1 << 12)
def _list_written(path: str, names: tuple[str, ...], state: FileState) -> frozenset[str]:
    """Return which of the names are written in a file."""
    text = read_text(path, state)
    first = text[:_LONGEST_LINE].partition("\n")[0] if text.startswith("#!") else ""
    # where a name ends that has a quote or a blank in it would have to be known
    odd = {name for name in names if not _WORD.fullmatch(name) and name in text}
    if path.endswith(".py") or "python" in first:
        return frozenset(odd.union(set(names).intersection(_PART.findall(text))))
    if "\0" in text[:_LONGEST_HEAD]:
        # Compilers put texts next to each other, with nothing between them. Without a dot or a
        # slash a name could be any word.
        return frozenset(name for name in names if (name if "." in name else f"{name}/") in text)
    ending = ".js" if "node" in first else os.path.splitext(path)[1]
    family = next((each for each in _FAMILIES if ending in each), ())
    words = set(_WORD.findall(text))
    short = {
        name
        for name in names
        for end in family
        if name.endswith(end) and name.removesuffix(end) in words
    }
    implied = _IMPLIED.intersection(names) if family == _FAMILIES[0] else set()
    return frozenset(words.intersection(names) | odd | short | implied)


@lru_cache(maxsize=1 << 12)
def _read_imports(path: str, state: FileState) -> frozenset[str]:
    """Return the first word of each module that a Python file names where it imports."""
    text = _BROKEN.sub(r"\1(", read_text(path, state).replace("\\\n", " "))
    # few lines have the word at all, and to look for it is ten times as fast as the pattern
    text = "\n".join(line for line in text.splitlines() if "import" in line)
    words: set[str] = set()
    for one, many, called in _IMPORT.findall(text):
        words |= {name.strip().partition(" ")[0] for name in (one, called, *many.split(","))}
    return frozenset(word.partition(".")[0] for word in words) - {""}
