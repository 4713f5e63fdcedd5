"""Taking back a folder that a bot has written to: nothing in it may do harm, or be changed later.

The bot's processes are gone when this begins, so nothing in the folder changes meanwhile.
"""

import os
import stat
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from pwtourney.sandbox.launch import is_root

__all__ = ["Bounds", "close_to_others", "excess", "own_alone", "take_back"]

_READ, _RUN = 0o444, 0o555


def take_back(folder: Path) -> None:
    """Make everything in a folder ours, readable for everybody and writable for nobody.

    What is neither a file nor a folder is removed, and so are links that lead out of the folder
    and files that have names elsewhere: a bot must not have others read for it. Raises OSError for
    what cannot be looked through.
    """
    found = list(_entries(folder))
    names = Counter((status.st_dev, status.st_ino) for _, status in found)
    for path, status in reversed(found):  # what is in a folder before the folder
        if stat.S_ISDIR(status.st_mode):
            _make_ours(path, _RUN)
        elif stat.S_ISLNK(status.st_mode):
            if _leads_out(path, folder):
                os.unlink(path)
        elif stat.S_ISREG(status.st_mode) and names[status.st_dev, status.st_ino] == (
            status.st_nlink
        ):
            _make_ours(path, _RUN if status.st_mode & stat.S_IXUSR else _READ)
        else:
            os.unlink(path)
    _make_ours(str(folder), _RUN)


def close_to_others(folder: Path) -> None:
    """Let nobody but us come to a folder any more, by closing the one above it."""
    above = folder.parent
    os.chmod(above, 0o700)
    if is_root():
        os.chown(above, 0, 0)


def own_alone(folder: Path) -> None:
    """Let the owner of a folder change everything in it, and nobody else see it."""
    folder.chmod(0o700)
    for path in folder.rglob("*"):
        if not path.is_symlink():
            path.chmod(0o700 if path.is_dir() or path.stat().st_mode & 0o100 else 0o600)


class Bounds(NamedTuple):
    """How much may be in a folder: bytes on the disk, and files and folders."""

    bytes: int
    entries: int

    @classmethod
    def beyond(cls, folders: Iterable[Path], size: int, entries: int) -> "Bounds":
        """Return bounds that leave so much to what is in some folders already."""
        there = sum(1 for each in folders for _ in each.rglob("*"))
        return cls(size, there + entries)


def excess(folders: Iterable[Path], most: Bounds) -> str | None:
    """Say what goes beyond the bounds in some folders; None if nothing does.

    What cannot be looked into may be anything, so that it is too much.
    """
    size = entries = 0
    waiting = [str(folder) for folder in folders]
    while waiting:
        try:
            for path, status in _scan(waiting.pop()):
                entries += 1
                size += status.st_blocks * 512
                if stat.S_ISDIR(status.st_mode):
                    waiting.append(path)
                if size > most.bytes:
                    return f"wrote over {most.bytes >> 20} MiB"
                if entries > most.entries:
                    return f"made over {most.entries} files and folders"
        except (FileNotFoundError, NotADirectoryError):
            continue  # it has just been removed
        except OSError as error:
            return f"made a folder that cannot be looked into: {error.strerror}"
    return None


def _scan(folder: str) -> Iterator[tuple[str, os.stat_result]]:
    with os.scandir(folder) as entries:
        for entry in entries:
            with suppress(FileNotFoundError):
                yield entry.path, entry.stat(follow_symlinks=False)


def _entries(folder: Path) -> Iterator[tuple[str, os.stat_result]]:
    """Yield everything below a folder, a folder before what is in it; no link is followed."""
    waiting = [str(folder)]
    while waiting:
        current = waiting.pop()
        os.chmod(current, 0o700)  # it may have been closed to its owner
        for path, status in _scan(current):
            yield path, status
            if stat.S_ISDIR(status.st_mode):
                waiting.append(path)


def _leads_out(link: str, folder: Path) -> bool:
    """Tell whether a link leads to what is neither in its folder nor the system's."""
    target = os.path.realpath(link)
    return not target.startswith((f"{os.path.realpath(folder)}/", "/usr/"))


def _make_ours(path: str, mode: int) -> None:
    if is_root():
        os.chown(path, 0, 0, follow_symlinks=False)
    os.chmod(path, mode)
