"""What a bot is: a hash of all files that can change how it plays, as far as they can be found.

Python is read and not run. What is imported in another way than by a statement is not seen, nor
what a bot reads next to its file; `read_paths` of a tournament file counts whole.
"""

import ast
import os
import stat
from collections.abc import Iterable, Iterator
from functools import lru_cache
from hashlib import sha256
from itertools import chain
from pathlib import Path

from pwtourney.errors import BotNotFoundError

__all__ = ["MOST_BYTES", "NOT_CONTENT", "find_imported", "identify", "list_files"]

NOT_CONTENT = ("__pycache__", ".git", ".venv")
"""Folders that are no part of a bot: what is in them is made anew, or has another author."""

_MADE = (".pyc", ".nbi", ".nbc")
"""How files end that Python and numba make of others."""

MOST_BYTES = 1 << 30
"""How much of a bot is read: a second's work, and weights of a network fit in."""

_MOST_SOURCES = 2_000
_LONGEST_SOURCE = 1 << 20
_DIGITS = 16


def identify(words: str, files: Iterable[str], places: Iterable[str] = ()) -> str:
    """Return ``sha256`` and 16 hex digits that change with the words and the content of files.

    Files count in their order and not by their names; what is in `places`, files or folders, counts
    by its names below them, so that a bot is the same wherever it lies. Beyond `MOST_BYTES` files
    count by their sizes only. Raises `BotNotFoundError` for what cannot be read.
    """
    total = sha256(words.encode("utf-8", "surrogateescape"))
    room = MOST_BYTES
    named = chain((("", file) for file in files), *map(list_files, places))
    for name, file in named:
        try:
            status = os.stat(file)
            room -= status.st_size
            digest = _hash_file(file, status) if room >= 0 else _hash_size(status)
        except OSError as error:
            raise BotNotFoundError(f"{file} cannot be read: {error.strerror}") from error
        # by hashes of one length: a byte cannot move from one file to the next unseen
        total.update((sha256(os.fsencode(name)).digest() if name else b"") + digest)
    return f"sha256 {total.hexdigest()[:_DIGITS]}"


def list_files(place: str) -> Iterator[tuple[str, str]]:
    """Yield the name below it and the path of each file in a folder, in one order everywhere.

    A file is yielded by its own name. What is made of other files is left out.
    """
    if not os.path.isdir(place):
        yield os.path.basename(place), place
    for folder, below, names in os.walk(place):
        below[:] = sorted(name for name in below if name not in NOT_CONTENT)
        for name in sorted(names):
            if not name.endswith(_MADE):
                path = os.path.join(folder, name)
                yield os.path.relpath(path, place), path


def find_imported(file: str) -> list[str]:
    """Return the Python files next to one that it imports, and all that those import, sorted.

    A package next to it counts with every file in it.
    """
    folder = os.path.dirname(file)
    found: set[str] = set()
    waiting = [file]
    while waiting:
        for name in _read_imports(waiting.pop()):
            module, package = os.path.join(folder, f"{name}.py"), os.path.join(folder, name)
            files = [path for _, path in list_files(package)] if os.path.isdir(package) else []
            files += [module] if os.path.isfile(module) else []
            fresh = set(files) - found - {file}
            found |= fresh
            waiting += sorted(path for path in fresh if path.endswith(".py"))
            del waiting[_MOST_SOURCES:]  # a folder may hold anything
    return sorted(found)


def _read_imports(file: str) -> set[str]:
    """Return the first word of each module that a Python file names in an import statement."""
    try:
        if os.path.getsize(file) > _LONGEST_SOURCE:
            return set()
        tree = ast.parse(Path(file).read_bytes())
    # what is no Python imports nothing; deep nesting ends the parser with any of the others
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return set()
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module)
    return {name.partition(".")[0] for name in names}


def _hash_file(file: str, status: os.stat_result) -> bytes:
    """Hash what is in a file; what is no file, such as a pipe, counts by its size."""
    if not stat.S_ISREG(status.st_mode):
        return _hash_size(status)
    key = (status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
    return _hash_content(file, key)


def _hash_size(status: os.stat_result) -> bytes:
    return sha256(b"size %d" % status.st_size).digest()


@lru_cache(maxsize=4096)
def _hash_content(file: str, _: tuple[int, ...]) -> bytes:
    """Hash a file once for each state of it: a run asks several times for every bot."""
    digest = sha256()
    with open(file, "rb") as content:
        while chunk := content.read(1 << 20):
            digest.update(chunk)
    return digest.digest()
