"""Finding what a bot's files use from the folders around them: imported modules and named files.

Nothing is run for this. Modules are found by the statements that import them, other files by their
names, where these are written out. A name that is put together while the bot runs is not found.
"""

import os
import re
import stat
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from importlib.machinery import all_suffixes
from itertools import islice
from typing import NamedTuple

from pwtourney.bots.bot_files import (
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
"""The most bytes of Python that are searched, and the most of other files."""

_MOST_NAMES = 1_000
"""The most names in a folder that are searched for; a larger folder does not belong to one bot."""

_BY_PRODUCTS = (".d", ".log", ".o", ".rlib")
"""Suffixes of files that compilers and bots produce."""

_RESULTS = "results"
"""The default name of the folder for a tournament's results."""

_LONGEST_LINE = 256
_LONGEST_HEAD = 8192
"""Binary files contain a NUL byte in their first 8 KiB; text files do not."""

_TOO_LONG = (
    f"{{}}: a bot of over {_MOST_SOURCE >> 20} MiB of Python is too large to be looked through for"
    " what it imports; keep data in files of another kind{}"
)
_IMPORT = re.compile(
    r"(?:^|[;:])[ \t]*(?:from[ \t]+([\w.]+)[ \t]+import\b|import[ \t]+([\w.]+[^;#\n]*))"
    r"|\b(?:import_module|__import__)\(\s*(?:name\s*=\s*)?[\"']([\w.]+)",
    re.MULTILINE,
)
"""A statement that imports, or a call with a module's name written out.

A parser would be more exact, but does not know the syntax of later Python versions, and takes
minutes for long sources.
"""

_PART = re.compile(r"[\"'/\\]([^\"'/\\\n]{1,255})(?=[\"'/\\])")
"""A text in Python that may name a file: a string, or a part between slashes in one."""

_BROKEN = re.compile(r"\b(import_module|__import__)\(\s*\n\s*")
"""The beginning of a call that continues on the next line."""

_WORD = re.compile(r"[^\s\"'`/\\()<>{}\[\],;:=|&$#]{1,255}")
"""A text in a file of another kind that may name a file; names need no quotes there."""

_FAMILIES = (
    (".js", ".cjs", ".mjs", ".json", ".node"),
    (".ts", ".mts", ".cts", ".json"),
    (".lua", ".so"),
    (".rb", ".so"),
    (".pl", ".pm"),
)
"""Groups of suffixes. A script whose suffix is in a group may omit the suffixes of that group."""

_IMPLIED = {"package.json"}
"""Files that JavaScript (the first of these groups) reads without naming them."""


class _Modules(NamedTuple):
    """Maps the first word of each module that a folder offers to its entries there."""

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
        """Yield the files of modules and packages, given the first words of their names."""
        for word in sorted(self.words.keys() & words):
            for name in self.words[word]:
                # Python prefers its own module to a folder of that name without __init__.py.
                is_mere = name == word and word in sys.stdlib_module_names
                if not is_mere or os.path.isfile(os.path.join(self.folder, word, "__init__.py")):
                    yield from list_below(self.folder, name)


def find_imported(files: Iterable[str], folders: Iterable[str]) -> list[tuple[str, str]]:
    """Return what Python files import from some folders, and what that imports in turn, sorted.

    Each file comes with its name relative to the folder. A package counts with every file in it.
    """
    return _follow(files, folders, None)


def find_dependencies(
    files: Iterable[str], folders: Iterable[str], left_out: Iterable[str] = ()
) -> list[tuple[str, str]]:
    """Return what files import or name from some folders, and what that does in turn, sorted.

    A file in the folders counts as named where its name is written: in Python as a whole string or
    as a part of a path, in other files, including binaries, anywhere. A folder counts with every
    file in it. Files that are `left_out`, results, and what compilers and bots produce do not
    count.
    """
    others = frozenset(map(os.path.realpath, left_out))
    folders = dict.fromkeys(folders)
    places: dict[str, list[str]] = {}
    for folder in folders:
        for name in _list_names(folder, others):
            places.setdefault(name, []).append(folder)

    def find_written(path: str, state: FileState) -> Iterator[tuple[str, str]]:
        for name in sorted(_list_written(path, tuple(places), state)):
            # Each name counts once, however many files contain it.
            for folder in places.pop(name):
                yield from list_below(folder, name)

    return _follow(files, folders, find_written)


_Find = Callable[[str, FileState], Iterable[tuple[str, str]]]


def _follow(
    files: Iterable[str], folders: Iterable[str], find: _Find | None
) -> list[tuple[str, str]]:
    """Return what files import, and what else `find` finds in each of them, recursively.

    Raises `BotNotFoundError` if there is more Python than is searched, and `find` is given. Only
    what a folder holds whose name is written somewhere may be larger: it counts as content, but a
    name can be that of something else, and the folder may be one of installed packages.
    """
    modules = [_Modules.of(folder) for folder in dict.fromkeys(folders)]
    begun = set(files)
    scripts = set(filter(is_python, begun))
    names: dict[str, str] = {}
    sources: dict[str, str] = {}  # which file names or imports another
    below = set[str]()  # what named folders hold, and what that imports
    waiting, looked_up = sorted(begun), frozenset[str]()
    room = {True: _MOST_SOURCE, False: _MOST_SOURCE}
    while waiting:
        path = waiting.pop()
        is_source = path.endswith(".py") or path in scripts
        try:
            status = os.stat(path)
        except OSError:  # the file is gone meanwhile
            continue
        is_excess = status.st_size > room[is_source] and path not in below
        if find is not None and is_source and is_excess:
            raise BotNotFoundError(_TOO_LONG.format(path, _describe_chain(path, sources)))
        # Only regular files are read. A file that is too long holds weights, not names.
        if not stat.S_ISREG(status.st_mode) or status.st_size > room[is_source]:
            continue
        room[is_source] -= status.st_size
        state = FileState.of(status)
        words = _read_imports(path, state) - looked_up if is_source else frozenset()
        looked_up |= words
        inside = path in below
        used = [(*pair, inside) for index in modules for pair in index.find(words)]
        written = find(path, state) if find else ()
        used += [(name, file, inside or "/" in name) for name, file in written]
        for name, file, is_below in used:
            if file not in begun and file not in names:
                names[file], sources[file] = name, path
                waiting.append(file)
                if is_below:
                    below.add(file)
    return sorted((name, path) for path, name in names.items())


def _describe_chain(path: str, sources: Mapping[str, str]) -> str:
    """Return which file of a bot leads to another, and through which files; empty for its own."""
    chain = list[str]()
    while path in sources:
        path = sources[path]
        chain.append(os.path.basename(path))
    return f" (it is used by {', which is used by '.join(chain)})" if chain else ""


def is_python(path: str) -> bool:
    """Return True if a file is Python by its suffix or its first line."""
    if path.endswith(".py"):
        return True
    first = read_first_line(path)
    return first.startswith("#!") and "python" in first


def list_outer(files: Iterable[str], neighbours: Iterable[tuple[str, str]]) -> frozenset[str]:
    """Return the modules that Python files import and that are not among their `neighbours`.

    Modules of the standard library are left out.
    """
    neighbours = list(neighbours)
    own = {re.split("[/.]", name, maxsplit=1)[0] for name, _ in neighbours}
    words = set[str]()
    sources = [path for _, path in neighbours if path.endswith(".py")]
    for path in [*files, *sources]:
        with suppress(OSError):
            words |= _read_imports(path, FileState.of(os.stat(path)))
    return frozenset(words - own - sys.stdlib_module_names)


def _list_names(folder: str, left_out: frozenset[str]) -> list[str]:
    """Return the sorted names of entries of a folder that can be a bot's data."""
    inside = f"{os.path.realpath(folder)}/"
    names = []
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.startswith(".") or entry.name.endswith(_BY_PRODUCTS):
                continue
            # The target of a link that leads out of the folder is not the bot's, and missing in a
            # sandbox.
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
    """Return those of the names that are written in a file."""
    text = read_text(path, state)
    first = text[:_LONGEST_LINE].partition("\n")[0] if text.startswith("#!") else ""
    # Names with quotes or blanks are searched for as they are: no pattern knows where they end.
    odd = {name for name in names if not _WORD.fullmatch(name) and name in text}
    if path.endswith(".py") or "python" in first:
        return frozenset(odd.union(set(names).intersection(_PART.findall(text))))
    if "\0" in text[:_LONGEST_HEAD]:
        # Compilers put strings next to each other without separators. A name without a dot or a
        # slash could be part of any word.
        return frozenset(name for name in names if (name if "." in name else f"{name}/") in text)
    ending = ".js" if "node" in first else os.path.splitext(path)[1]
    family = next((suffixes for suffixes in _FAMILIES if ending in suffixes), ())
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
    """Return the first word of each module that a Python file imports."""
    text = _BROKEN.sub(r"\1(", read_text(path, state).replace("\\\n", " "))
    # Few lines contain the word "import", and searching for it is ten times as fast as the pattern.
    text = "\n".join(line for line in text.splitlines() if "import" in line)
    words: set[str] = set()
    for module, modules, called in _IMPORT.findall(text):
        words |= {name.strip().partition(" ")[0] for name in (module, called, *modules.split(","))}
    return frozenset(word.partition(".")[0] for word in words) - {""}
