"""What determines the outcome of a preparation, as a hash."""

import os
import platform
import stat
import sys
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path

__all__ = ["MOST_BYTES", "MOST_FILES", "all_below", "content_of", "files_below", "machine"]

MOST_BYTES = 64 << 20
"""How much is read. What goes beyond it is known by its size and the time of its last change."""

MOST_FILES = 50_000
"""More files than these are not looked through: what they hold is taken for new in each run."""

_LEFT_OUT = (
    *(".git", ".hg", ".venv", ".tox", ".nox", "__pycache__"),
    *(".mypy_cache", ".ruff_cache", ".pytest_cache", ".hypothesis"),
)
"""Folders that hold nothing of the bot, or what is made anew."""

_RESULTS = "games.sqlite"
"""In a folder that holds this are the results of a tournament."""

_OWN = (
    *("errors.py", "sanitize.py", "clock.py", "rules", "notation", "protocol"),
    *("sdk", "simulate"),
)
"""What of this package runs in the process of a Python bot."""


def content_of(places: Iterable[str], left_out: Iterable[str] = (), *, dated: bool = False) -> str:
    """Hash files, and all files in folders, with their names below those.

    With `dated` the full paths and the times of the last change count too, for those who keep
    things by them, as numba does.
    """
    total, size, number = sha256(), 0, 0
    left_out = tuple(left_out)
    for root in sorted(set(places)):
        for path in files_below(root, left_out):
            number += 1
            if number > MOST_FILES:
                return f"{total.hexdigest()}-{_this_run()}"
            name = path if dated else os.path.relpath(path, root)
            described, more = _describe_file(path, name, dated=dated, read=size <= MOST_BYTES)
            total.update(described.encode("utf-8", "surrogateescape"))
            size += more
    return total.hexdigest()


@cache
def _this_run() -> str:
    """Return what stands for too many files: in this process always the same, in others never."""
    return os.urandom(8).hex()


def _describe_file(path: str, name: str, *, dated: bool, read: bool) -> tuple[str, int]:
    """Return what is known of a file, and how large it is."""
    try:
        status = os.stat(path)
        if not stat.S_ISREG(status.st_mode):
            return "", 0
        read = read and status.st_size <= MOST_BYTES
        inside = sha256(Path(path).read_bytes()).hexdigest() if read else ""
    except OSError:  # a bot cannot read it either
        return "", 0
    when = status.st_mtime_ns if dated or not read else 0
    runs = bool(status.st_mode & stat.S_IXUSR)
    return repr((name, status.st_size, runs, when, inside)), status.st_size


def files_below(root: str, left_out: Sequence[str] = ()) -> Iterator[str]:
    """Yield the files of a folder, or the one file that a place is, in a fixed order.

    Left out is what others made on the way (caches, results of tournaments), and what is named, by
    whatever way its folder is come to.
    """
    if not os.path.isdir(root):
        yield root
        return
    for folder, _, names in _walk(root, left_out):
        yield from (os.path.join(folder, name) for name in names)


def all_below(root: str, left_out: Sequence[str] = ()) -> Iterator[str]:
    """Yield the same files, and the folders, each before what is in it."""
    for folder, below, names in _walk(root, left_out):
        yield from (os.path.join(folder, name) for name in (*below, *names))


def _walk(root: str, left_out: Sequence[str]) -> Iterator[tuple[str, list[str], list[str]]]:
    hidden = {way for path in left_out for way in _ways(path)}
    for folder, below, names in os.walk(root):
        real = os.path.realpath(folder)
        # in place: `os.walk` goes on with what is left in the list, in its order
        below[:] = sorted(
            name
            for name in below
            if name not in _LEFT_OUT
            and os.path.join(real, name) not in hidden
            and not os.path.exists(os.path.join(folder, name, _RESULTS))
        )
        shown = sorted(name for name in names if os.path.join(real, name) not in hidden)
        yield folder, below, shown


def _ways(path: str) -> tuple[str, str]:
    """Return the place of a file or link itself, and of what it leads to."""
    folder, name = os.path.split(path)
    return os.path.join(os.path.realpath(folder), name), os.path.realpath(path)


@cache
def machine() -> str:
    """Hash what else a preparation depends on.

    The interpreter, the processor, what is installed by name and version, and what of this package
    a bot runs.
    """
    package = Path(__file__).parents[1]
    parts = (
        *(sys.version, sys.prefix, str(sys.implementation.cache_tag), platform.machine()),
        *(_processor(), *_installed_packages()),
        content_of((str(package / name) for name in _OWN), dated=True),
    )
    return sha256("\n".join(parts).encode("utf-8", "surrogateescape")).hexdigest()


def _processor() -> str:
    """Return what compilers look at; code for one processor may not run on another."""
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return platform.processor()
    first = text.partition("\n\n")[0].splitlines()
    return "\n".join(line for line in first if line.startswith(("model name", "flags", "Features")))


def _installed_packages() -> Iterator[str]:
    """Yield name and version of what is installed, as the names of its metadata tell them."""
    for folder in sys.path:
        try:
            names = os.listdir(folder or ".")
        except OSError:
            continue
        yield from sorted(name for name in names if name.endswith((".dist-info", ".egg-info")))
