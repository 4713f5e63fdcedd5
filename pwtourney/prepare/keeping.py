"""Taking back a folder that a bot has written to: nothing in it may do harm, or be changed later.

The bot's processes are gone when this begins, so nothing in the folder changes meanwhile.
"""

import os
import stat
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from pwtourney.process.users import is_root

__all__ = ["size_of", "take_back"]

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


def size_of(folder: Path) -> int:
    """Return how many bytes the files in a folder have on the disk, as far as it can be seen."""
    total = 0
    for place, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.lstat(os.path.join(place, name)).st_blocks * 512
            except OSError:
                continue
    return total


def _entries(folder: Path) -> Iterator[tuple[str, os.stat_result]]:
    """Yield everything below a folder, a folder before what is in it; no link is followed."""
    waiting = [str(folder)]
    while waiting:
        place = waiting.pop()
        os.chmod(place, 0o700)  # it may have been closed to its owner
        with os.scandir(place) as entries:
            for entry in entries:
                status = entry.stat(follow_symlinks=False)
                yield entry.path, status
                if stat.S_ISDIR(status.st_mode):
                    waiting.append(entry.path)


def _leads_out(link: str, folder: Path) -> bool:
    """Tell whether a link leads to what is neither in its folder nor the system's."""
    target = os.path.realpath(link)
    return not target.startswith((f"{os.path.realpath(folder)}/", "/usr/"))


def _make_ours(path: str, mode: int) -> None:
    if is_root():
        os.chown(path, 0, 0, follow_symlinks=False)
    os.chmod(path, mode)
