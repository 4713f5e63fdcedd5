"""Hide the folders of this machine in results that everybody may see."""

import os
import re
import site
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple, Self

from pwtourney.home_directory import find_home
from pwtourney.match import PairResult
from pwtourney.notation.game import Fault

__all__ = ["Concealment", "name_inside"]

_EVERYWHERE = frozenset({"/", "/tmp", "/usr", "/usr/local"})
"""Folders that every machine has; their names reveal nothing about this one."""


class Concealment(NamedTuple):
    """Replaces paths of this machine in texts; `names` maps each folder to its replacement."""

    names: Mapping[str, str]

    @classmethod
    def of(cls, folder: Path, results: Path) -> Self:
        """Return what conceals the folders of the tournament, its results, Python and pwtourney."""
        places = {
            "~": filter(None, [find_home()]),
            "<temporary>": [tempfile.gettempdir()],
            "<python>": [sys.base_prefix, sys.prefix, *site.getsitepackages()],
            "<pwtourney>": [str(Path(__file__).parents[2])],
            "<results>": [str(results)],
            ".": [os.path.abspath(folder)],
        }
        names = {
            way: name
            for name, paths in places.items()
            for path in paths
            for way in (path, os.path.realpath(path))
        }
        return cls({path: name for path, name in names.items() if path not in _EVERYWHERE})

    def hide_in_result(self, result: PairResult) -> PairResult:
        """Return the result of a pair without paths of this machine in its faults and notes."""

        def hide_in_fault(fault: Fault) -> Fault:
            message, stderr, log = map(self.hide_in_text, (fault.message, fault.stderr, fault.log))
            return fault._replace(message=message, stderr=stderr, log=log)

        first, second = (
            game._replace(
                note=self.hide_in_text(game.note), faults=tuple(map(hide_in_fault, game.faults))
            )
            for game in result.games
        )
        return result._replace(games=(first, second))

    def hide_in_text(self, text: str) -> str:
        """Return a text with each of the folders replaced wherever it occurs."""
        # The longest path comes first, because one folder may lie in another. Only whole names
        # match, or a sibling such as `/home/me2` would be taken for a part of `/home/me`.
        longest = "|".join(map(re.escape, sorted(self.names, key=len, reverse=True)))
        return re.sub(f"(?:{longest})(?![\\w.-]*[\\w-])", lambda path: self.names[path[0]], text)


def name_inside(path: Path, folder: Path) -> Path:
    """Return a path relative to a folder, or only its last name if it lies outside the folder."""
    return path.relative_to(folder) if path.is_relative_to(folder) else Path(path.name)
