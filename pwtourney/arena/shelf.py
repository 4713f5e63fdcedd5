"""A folder that holds several results folders, which an arena lists and shows."""

import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from pwtourney.store import ResultsFolder

__all__ = ["Shelf"]

_MOST = 60
"""The most tournaments that are listed, the latest first."""


class Shelf:
    """The tournaments in a folder by the names of their folders; links are not followed.

    They are looked for again each time, because a run may begin at any time.
    """

    def __init__(self, path: Path) -> None:
        self.path = path.resolve()
        self._known: dict[str, ResultsFolder] = {}

    def list_folders(self) -> list[ResultsFolder]:
        """Return the tournaments, the most recently changed one first."""
        newest = sorted(self._find(), reverse=True)[:_MOST]
        # the same objects as before, which know whether their database was checked
        self._known = {name: self._known.get(name) or self._open(name) for _, name in newest}
        return list(self._known.values())

    def find(self, name: str) -> ResultsFolder | None:
        """Return a tournament by its name, None if there is none.

        The name is compared with the listed ones, so that it never becomes a part of a path.
        """
        if name not in self._known:
            self.list_folders()
        return self._known.get(name)

    def _find(self) -> Iterator[tuple[float, str]]:
        """Yield the time of the last change and the name of each results folder."""
        with suppress(OSError), os.scandir(self.path) as entries:
            for entry in entries:
                with suppress(OSError):
                    if entry.is_dir(follow_symlinks=False):
                        status = self._open(entry.name).database.lstat()
                        if stat.S_ISREG(status.st_mode):
                            yield status.st_mtime, entry.name

    def _open(self, name: str) -> ResultsFolder:
        return ResultsFolder(self.path / name)
