"""What a bot is: a hash of all files that can change how it plays, as far as they can be found.

Nothing is run for it. Modules are found by the statements that import them, other files next to a
bot's by their names, where these are written out in it. A name that is put together while the bot
runs is not seen; `read_paths` of a tournament file counts whole.
"""

import os
import re
import stat
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from hashlib import sha256
from importlib.machinery import all_suffixes
from itertools import chain, islice
from typing import NamedTuple

from pwtourney.errors import BotNotFoundError

__all__ = [
    "LEFT_OUT",
    "MOST_BYTES",
    "TOURNAMENTS",
    "find_companions",
    "find_imported",
    "identify",
    "is_python",
    "list_left_out",
    "list_outer",
    "read_first_line",
    "walk_folder",
]

LEFT_OUT = (
    *(".git", ".hg", ".venv", ".tox", ".nox", "__pycache__"),
    *(".mypy_cache", ".ruff_cache", ".pytest_cache", ".hypothesis"),
)
"""Folders that hold nothing of a bot, or what is made again."""

MOST_BYTES = 1 << 30
"""How much of a bot is read: weights of a network fit in. What is larger counts by its size."""

_RESULTS = ("games.sqlite", "run.lock")
"""In a folder that holds one of these are the results of a tournament, or will be."""

TOURNAMENTS = (".yaml", ".yml")
"""What tournament files end with: a bot may lie next to them, and they are no part of it."""

_MOST_SOURCE = 32 << 20
"""How much Python is looked through, and how much else."""

_MOST_FILES = 200_000
"""How many files and folders of a place count; what has more is no bot's own."""

_MOST_NAMES = 1_000
"""How many names in a folder are looked for; what has more is no bot's own."""

_BY_PRODUCTS = (".d", ".log", ".o", ".rlib", *TOURNAMENTS)
"""What compilers and bots leave behind, and what belongs to all bots of a folder."""

_QUOTES = frozenset("\"'/\\")
_LONGEST_LINE = 256
_TOO_LONG = (
    f"{{}}: a bot of over {_MOST_SOURCE >> 20} MiB of Python is too large to be looked through for"
    " what it imports; keep data in files of another kind"
)
_DIGITS = 32
_IMPORT = re.compile(
    r"(?:^|[;:])[ \t]*(?:from[ \t]+([\w.]+)[ \t]+import\b|import[ \t]+([\w.]+[^;#\n]*))"
    r"|\b(?:import_module|__import__)\([ \t]*[\"']([\w.]+)",
    re.MULTILINE,
)
"""A statement that imports, or a call with a name written out. A parser would know more, but not
the syntax of later versions, and long sources take it minutes."""

_PART = re.compile(r"[\"'/\\]([^\"'/\\\n]{1,255})(?=[\"'/\\])")
"""What may be the name of a file in Python: a text, or what stands between slashes in one."""


class _State(NamedTuple):
    """What is another after each change of a file."""

    inode: int
    size: int
    modified_ns: int
    changed_ns: int

    @classmethod
    def of(cls, status: os.stat_result) -> "_State":
        return cls(status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)


class _Modules(NamedTuple):
    """What can be imported from a folder: by its word, the names that it may have there."""

    folder: str
    words: Mapping[str, Sequence[str]]

    @classmethod
    def of(cls, folder: str) -> "_Modules":
        """Read a folder, once for all that is imported from it."""
        words: dict[str, list[str]] = {}
        with suppress(OSError), os.scandir(folder) as entries:
            for entry in sorted(islice(entries, _MOST_FILES), key=lambda entry: entry.name):
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
                    yield from _list_below(self.folder, name)


def identify(
    words: str,
    named: Iterable[str],
    found: Iterable[tuple[str, str]] = (),
    places: Iterable[str] = (),
    left_out: Sequence[str] = (),
) -> str:
    """Return ``sha256`` and 32 hex digits that change with the words and the content of files.

    Files that are `named` count in their order and not by their names, those that were `found` by
    the names that come with them. What is in `places`, files or folders, but is not `left_out`,
    counts by its names below them, so that a bot is the same wherever it lies; links count by
    where they lead. Raises `BotNotFoundError` if a named file cannot be read.
    """
    total = sha256(words.encode("utf-8", "surrogateescape"))
    room = MOST_BYTES
    for name, path in chain(
        (("", path) for path in named), found, _list_in_places(places, left_out)
    ):
        try:
            status = os.stat(path)
            # nothing is read of what has no room, or is no file
            if not stat.S_ISREG(status.st_mode) or status.st_size > room:
                digest = sha256(b"size %d" % status.st_size).digest()
            else:
                digest = _hash_content(path, _State.of(status))
                room -= status.st_size
        except OSError as error:
            if not name:
                raise BotNotFoundError(f"{path} cannot be read: {error.strerror}") from error
            digest = sha256(b"closed").digest()  # the bot cannot read it either
        # by hashes of one length: a byte cannot move from one file to the next unseen
        total.update((sha256(os.fsencode(name)).digest() if name else b"") + digest)
    return f"sha256 {total.hexdigest()[:_DIGITS]}"


def find_imported(files: Iterable[str], folders: Iterable[str]) -> list[tuple[str, str]]:
    """Return what Python files import from some folders, and what that imports, in one order.

    Each file comes with its name below the folder. A package counts with every file in it.
    """
    return _follow(files, folders, lambda _path, _state: ())


def find_companions(files: Iterable[str], folders: Iterable[str]) -> list[tuple[str, str]]:
    """Return what files import or name from some folders, and what that does, in one order.

    A file next to them is named where its name is written: in Python as a text of its own or as
    part of a path, in other files, programs among them, anywhere. A folder counts with every file
    in it. Tournament files do not count, nor what compilers and bots leave behind.
    """
    folders = list(dict.fromkeys(folders))
    names = [(folder, name) for folder in folders for name in _list_names(folder)]

    def find_written(path: str, state: _State) -> Iterator[tuple[str, str]]:
        written = _list_written(path, tuple(sorted({name for _, name in names})), state)
        found = [each for each in names if each[1] in written]
        # each counts once, however many files name it
        names[:] = [each for each in names if each[1] not in written]
        for folder, name in found:
            yield from _list_below(folder, name)

    return _follow(files, folders, find_written)


_Find = Callable[[str, _State], Iterable[tuple[str, str]]]


def _follow(files: Iterable[str], folders: Iterable[str], find: _Find) -> list[tuple[str, str]]:
    """Return what files import, and what else one finds in each of them, and so on.

    Raises `BotNotFoundError` for more Python than is looked through.
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
        if is_source and status.st_size > room[is_source]:
            raise BotNotFoundError(_TOO_LONG.format(path))
        # nothing is read of what is no file; and what is too long holds weights, and no names
        if not stat.S_ISREG(status.st_mode) or status.st_size > room[is_source]:
            continue
        room[is_source] -= status.st_size
        state = _State.of(status)
        words = _read_imports(path, state) - looked_up if is_source else frozenset()
        looked_up |= words
        imported = chain.from_iterable(each.find(words) for each in modules)
        for name, each in chain(imported, find(path, state)):
            if each not in begun and each not in found:
                found[each] = name
                waiting.append(each)
    return sorted((name, path) for path, name in found.items())


def is_python(path: str) -> bool:
    """Tell whether a file is Python's, by its name or by its first line."""
    first = "" if path.endswith(".py") else read_first_line(path)
    return path.endswith(".py") or (first.startswith("#!") and "python" in first)


def read_first_line(path: str) -> str:
    """Return the first line of a file, or its first 256 bytes; empty if it cannot be read."""
    line = b""
    # it may be a pipe, whose writer never comes
    flags = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC
    with suppress(OSError), open(os.open(path, flags), "rb") as file:
        line = file.readline(_LONGEST_LINE)
    return line.decode("utf-8", "surrogateescape")


def list_outer(files: Iterable[str], found: Iterable[tuple[str, str]]) -> frozenset[str]:
    """Return the modules that Python files import and that were not `found` next to them.

    Python's own are not among them.
    """
    found = list(found)
    own = {re.split("[/.]", name, maxsplit=1)[0] for name, _ in found}
    words = set[str]()
    for path in (*files, *(path for _, path in found if path.endswith(".py"))):
        with suppress(OSError):
            words |= _read_imports(path, _State.of(os.stat(path)))
    return frozenset(words - own - sys.stdlib_module_names)


def walk_folder(root: str, left_out: Sequence[str] = (), *, folders: bool = True) -> Iterator[str]:
    """Yield all files and `folders` below a folder in a fixed order, each before what is in it.

    Left out is what others made on the way (caches, results of tournaments), and what is named, by
    whatever way its folder is come to.
    """
    hidden = set()
    for path in left_out:
        parent, name = os.path.split(path)
        # the file or link itself, and what it leads to
        hidden |= {os.path.join(os.path.realpath(parent), name), os.path.realpath(path)}
    for folder, below, names in os.walk(root):
        real = os.path.realpath(folder)
        # in place: `os.walk` goes on with what is left in the list, in its order
        below[:] = sorted(
            name
            for name in below
            if not _is_left_out(folder, name) and os.path.join(real, name) not in hidden
        )
        shown = sorted(name for name in names if os.path.join(real, name) not in hidden)
        for name in (*below, *shown) if folders else shown:
            yield os.path.join(folder, name)


def list_left_out(root: str) -> Iterator[str]:
    """Yield the folders below a folder that hold nothing of a bot, whatever is in them."""
    for folder, below, _ in os.walk(root):
        left_out = [name for name in below if _is_left_out(folder, name)]
        yield from (os.path.join(folder, name) for name in sorted(left_out))
        below[:] = [name for name in below if name not in left_out]


def _is_left_out(folder: str, name: str) -> bool:
    """Tell whether a folder holds what others made on the way: caches, results of tournaments."""
    marks = (os.path.join(folder, name, mark) for mark in _RESULTS)
    return name in LEFT_OUT or any(map(os.path.exists, marks))


def _list_in_places(places: Iterable[str], left_out: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield all files in some places with names that tell the places apart."""
    for number, place in enumerate(places):
        if not os.path.isdir(place):
            yield f"{number}/{os.path.basename(place)}", place
        for path in islice(walk_folder(place, left_out), _MOST_FILES):
            name = f"{number}/{os.path.relpath(path, place)}"
            if os.path.islink(path):
                target = ""
                with suppress(OSError):  # it may be gone meanwhile
                    target = os.readlink(path)
                # what it leads to is counted where it lies, or is not the bot's
                yield f"{name} -> {target}", os.devnull
            elif not os.path.isdir(path):
                yield name, path


@lru_cache(maxsize=1 << 16)
def _hash_content(path: str, state: _State) -> bytes:
    """Hash a file, once for each state of it: a run asks several times for every bot."""
    digest = sha256()
    for chunk in _read_chunks(path, state):
        digest.update(chunk)
    return digest.digest()


def _read_chunks(path: str, state: _State) -> Iterator[bytes]:
    """Yield as much of a file as it is said to hold: some files of the system never end."""
    size = state.size
    # it may have become a pipe since it was looked at, whose writer never comes
    with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
        while size > 0 and (chunk := file.read(min(size, 1 << 20))):
            yield chunk
            size -= len(chunk)


def _read_text(path: str, state: _State) -> str:
    """Return a file as text; empty if it cannot be read."""
    content = b""
    with suppress(OSError):
        content = b"".join(_read_chunks(path, state))
    return content.decode("utf-8", "surrogateescape")


def _list_names(folder: str) -> list[str]:
    """Return what lies in a folder that can be a bot's data, by names in order."""
    inside = f"{os.path.realpath(folder)}/"
    names = []
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.startswith(".") or entry.name.endswith(_BY_PRODUCTS):
                continue
            # what a link leads to elsewhere is none of the bot's, and in a sandbox not there
            leaves = entry.is_symlink() and not os.path.realpath(entry.path).startswith(inside)
            if leaves or (entry.is_dir() and _is_left_out(folder, entry.name)):
                continue
            names.append(entry.name)
    return sorted(names) if len(names) <= _MOST_NAMES else []


@lru_cache(maxsize=1 << 12)
def _list_written(path: str, names: tuple[str, ...], state: _State) -> frozenset[str]:
    """Return which of the names are written in a file."""
    text = _read_text(path, state)
    if path.endswith(".py"):
        quoting = (name for name in names if _QUOTES.intersection(name) and name in text)
        return frozenset(_PART.findall(text)).intersection(names).union(quoting)
    # Compilers put texts next to each other, with nothing between them. Without a dot a name could
    # be any word.
    return frozenset(name for name in names if "." in name and name in text)


def _list_below(folder: str, name: str) -> Iterator[tuple[str, str]]:
    """Yield a file, or all files in a folder, with the names below the outer folder."""
    path = os.path.join(folder, name)
    if not os.path.isdir(path):
        yield name, path
        return
    for each in islice(walk_folder(path, folders=False), _MOST_FILES):
        yield os.path.relpath(each, folder), each


@lru_cache(maxsize=1 << 12)
def _read_imports(path: str, state: _State) -> frozenset[str]:
    """Return the first word of each module that a Python file names where it imports."""
    text = _read_text(path, state).replace("\\\n", " ")
    # few lines have the word at all, and to look for it is ten times as fast as the pattern
    text = "\n".join(line for line in text.splitlines() if "import" in line)
    words: set[str] = set()
    for one, many, called in _IMPORT.findall(text):
        words |= {name.strip().partition(" ")[0] for name in (one, called, *many.split(","))}
    return frozenset(word.partition(".")[0] for word in words) - {""}
