"""The files of a bot: walked in a fixed order, without caches and results, and read with limits."""

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import islice
from typing import NamedTuple

from pwtourney.constants import LOCK, RESULTS_DATABASE
from pwtourney.text_files import clean_text

__all__ = [
    "FileState",
    "LEFT_OUT",
    "MOST_FILES",
    "is_class",
    "is_left_out",
    "list_below",
    "list_classes",
    "list_left_out",
    "read_chunks",
    "read_first_line",
    "read_shebang",
    "read_text",
    "walk_folder",
]

LEFT_OUT = (
    ".git",
    ".hg",
    ".venv",
    ".tox",
    ".nox",
    "__pycache__",
    ".mypy_cache",
    ".ruff_cache",
    ".pytest_cache",
    ".hypothesis",
)
"""Folders that hold nothing of a bot, or that tools create again."""

_MARKS = (RESULTS_DATABASE, LOCK, "pyvenv.cfg", "conda-meta")
"""A folder that contains one of these holds a tournament's results, or will, or is an environment.

In a virtual environment of Python or conda others' packages are installed, as in ``.venv``.
"""

MOST_FILES = 200_000
"""The most files and folders of a place that count; a larger place does not belong to one bot."""

_LONGEST_LINE = 256


class FileState(NamedTuple):
    """A value that differs whenever the file's content may have changed."""

    inode: int
    size: int
    modified_ns: int
    changed_ns: int

    @classmethod
    def of(cls, status: os.stat_result) -> "FileState":
        """Return the state of a file, given its stat result."""
        return cls(status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)


def read_first_line(path: str) -> str:
    """Return the first line of a file, or its first 256 bytes; empty if it cannot be read."""
    line = b""
    # O_NONBLOCK, because it may be a pipe without a writer.
    flags = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC
    with suppress(OSError), open(os.open(path, flags), "rb") as file:
        line = file.readline(_LONGEST_LINE)
    return line.decode("utf-8", "surrogateescape")


def read_shebang(path: str) -> str:
    """Return what follows ``#!`` in the first line of a script; empty if it is no script."""
    line = read_first_line(path)
    return line[2:] if line.startswith("#!") else ""


def walk_folder(root: str, left_out: Sequence[str] = (), *, folders: bool = True) -> Iterator[str]:
    """Yield all files and `folders` below a folder in a fixed order, each before its content.

    Caches and results of tournaments are left out, and so is every path in `left_out`, even if a
    link leads to its folder.
    """
    hidden = set()
    for path in left_out:
        parent, name = os.path.split(path)
        # The file or link itself, and its target.
        hidden |= {os.path.join(os.path.realpath(parent), name), os.path.realpath(path)}
    for folder, below, names in os.walk(root):
        real = os.path.realpath(folder)
        # In place: `os.walk` continues with what is left in the list, in its order.
        below[:] = sorted(
            name
            for name in below
            if not is_left_out(folder, name) and os.path.join(real, name) not in hidden
        )
        shown = sorted(name for name in names if os.path.join(real, name) not in hidden)
        for name in (*below, *shown) if folders else shown:
            yield os.path.join(folder, name)


def is_class(path: str) -> bool:
    """Return True if a file is a compiled class of Java, by its name."""
    return path.endswith(".class")


def list_classes(folder: str) -> list[str]:
    """Return the compiled classes of Java that lie in a folder, but not below it, sorted."""
    with suppress(OSError), os.scandir(folder) as entries:
        return sorted(entry.path for entry in islice(entries, MOST_FILES) if is_class(entry.name))
    return []


def list_left_out(root: str) -> Iterator[str]:
    """Yield the folders below a folder that hold nothing of a bot."""
    for folder, below, _ in os.walk(root):
        left_out = [name for name in below if is_left_out(folder, name)]
        yield from (os.path.join(folder, name) for name in sorted(left_out))
        below[:] = [name for name in below if name not in left_out]


def is_left_out(folder: str, name: str) -> bool:
    """Return True if a folder holds caches, results of tournaments, or installed packages."""
    marks = (os.path.join(folder, name, mark) for mark in _MARKS)
    return name in LEFT_OUT or any(map(os.path.exists, marks))


def read_chunks(path: str, state: FileState) -> Iterator[bytes]:
    """Yield a file's content up to the size in `state`, because some special files never end."""
    size = state.size
    # O_NONBLOCK, because it may have become a pipe without a writer since the stat.
    with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
        while size > 0 and (chunk := file.read(min(size, 1 << 20))):
            yield chunk
            size -= len(chunk)


def read_text(path: str, state: FileState) -> str:
    """Return a bot's file as text with newlines as line ends; empty if it cannot be read."""
    content = b""
    with suppress(OSError):
        content = b"".join(read_chunks(path, state))
    return clean_text(content.decode("utf-8", "surrogateescape"))


def list_below(folder: str, name: str) -> Iterator[tuple[str, str]]:
    """Yield a file, or all files in a folder, with their names relative to the outer folder."""
    path = os.path.join(folder, name)
    if not os.path.isdir(path):
        yield name, path
        return
    for file in islice(walk_folder(path, folders=False), MOST_FILES):
        yield os.path.relpath(file, folder), file
