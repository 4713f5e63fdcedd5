"""What a bot is: a hash of all files that can change how it plays, as far as they can be found.

Python is read and not run. What is loaded in another way than by naming a module is not seen, nor
what a bot reads next to its file; `read_paths` of a tournament file counts whole.
"""

import os
import re
import stat
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from hashlib import sha256
from importlib.machinery import all_suffixes
from itertools import chain, islice
from pathlib import Path

from pwtourney.errors import BotNotFoundError

__all__ = [
    "LEFT_OUT",
    "MOST_BYTES",
    "find_imported",
    "identify",
    "list_left_out",
    "list_outer",
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

_MOST_SOURCE = 32 << 20
"""How much Python is looked through for what it imports."""

_MOST_FILES = 200_000
"""How many files and folders of a place count; what has more is no bot's own."""

_DIGITS = 32
_IMPORT = re.compile(
    r"(?:^|[;:])[ \t]*(?:from[ \t]+([\w.]+)[ \t]+import\b|import[ \t]+([\w.]+[^;#\n]*))"
    r"|\b(?:import_module|__import__)\([ \t]*[\"']([\w.]+)",
    re.MULTILINE,
)
"""A statement that imports, or a call with a name written out. A parser would know more, but not
the syntax of later versions, and long sources take it minutes."""


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
                digest = _hash_content(path, status.st_size, _name_state(status))
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
    folders = list(dict.fromkeys(folders))
    begun = set(files)
    found: dict[str, str] = {}
    waiting, looked_up, room = sorted(begun), set[str](), _MOST_SOURCE
    while waiting:
        path = waiting.pop()
        try:
            status = os.stat(path)
        except OSError:  # it is gone meanwhile
            continue
        # more than is ever read for what is no file
        room -= status.st_size if stat.S_ISREG(status.st_mode) else _MOST_SOURCE
        if room <= 0:
            break
        for word in sorted(_read_imports(path, _name_state(status)) - looked_up):
            looked_up.add(word)
            for name, each in _find_module(word, folders):
                if each not in begun and each not in found:
                    found[each] = name
                    waiting += [each] if each.endswith(".py") else []
    return sorted((name, path) for path, name in found.items())


def list_outer(files: Iterable[str], found: Iterable[tuple[str, str]]) -> frozenset[str]:
    """Return the modules that Python files import and that were not `found` next to them.

    Python's own are not among them.
    """
    found = list(found)
    own = {re.split("[/.]", name, maxsplit=1)[0] for name, _ in found}
    words = set[str]()
    for path in (*files, *(path for _, path in found if path.endswith(".py"))):
        with suppress(OSError):
            words |= _read_imports(path, _name_state(os.stat(path)))
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
def _hash_content(path: str, size: int, _: tuple[int, ...]) -> bytes:
    """Hash as much of a file as it is said to hold, once for each state of it.

    A run asks several times for every bot, and some files of the system never end.
    """
    digest = sha256()
    # it may have become a pipe since it was looked at, whose writer never comes
    with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
        while size > 0 and (chunk := file.read(min(size, 1 << 20))):
            digest.update(chunk)
            size -= len(chunk)
    return digest.digest()


def _find_module(word: str, folders: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield the files of a module or package, by the first word of its name, in some folders."""
    for folder in folders:
        for suffix in all_suffixes():
            path = os.path.join(folder, f"{word}{suffix}")
            if os.path.isfile(path):
                yield f"{word}{suffix}", path
        package = os.path.join(folder, word)
        # Python takes its own module before a mere folder of that name
        is_one = word not in sys.stdlib_module_names or os.path.isfile(f"{package}/__init__.py")
        if is_one and os.path.isdir(package):
            for path in walk_folder(package, folders=False):
                yield os.path.relpath(path, folder), path


@lru_cache(maxsize=1 << 12)
def _read_imports(path: str, _: tuple[int, ...]) -> frozenset[str]:
    """Return the first word of each module that a Python file names where it imports."""
    try:
        text = Path(path).read_text(encoding="utf-8", errors="replace").replace("\\\n", " ")
    except OSError:
        return frozenset()
    # few lines have the word at all, and to look for it is ten times as fast as the pattern
    text = "\n".join(line for line in text.splitlines() if "import" in line)
    words: set[str] = set()
    for one, many, called in _IMPORT.findall(text):
        words |= {name.strip().partition(" ")[0] for name in (one, called, *many.split(","))}
    return frozenset(word.partition(".")[0] for word in words) - {""}


def _name_state(status: os.stat_result) -> tuple[int, ...]:
    """Return what is another after each change of a file."""
    return (status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
