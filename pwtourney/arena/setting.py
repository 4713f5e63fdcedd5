"""The settings of an arena, fixed when it starts."""

import os
import shlex
from collections.abc import Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path

from pwtourney.arena.shelf import Shelf
from pwtourney.errors import UsageError
from pwtourney.home_directory import find_home
from pwtourney.store import ResultsFolder

__all__ = ["Arena", "find_games"]


@dataclass(frozen=True)
class Arena:
    """The content of an arena: what it shows, and what users can choose.

    Browsers refer to all of it by name, never by a path. `folder` is the tournament to show, if
    any; its run may not have begun. If it `is_sample`, nobody has asked for it. `shelf` holds
    further tournaments. `bots` maps the name that a page shows to the bot as `pwtourney play` takes
    it. `editions` maps such a name to the name of an edition or the path of its file. `games` is
    the folder where the games of people are stored. If it is None, the arena is read-only: nobody
    can play or analyse.
    """

    folder: ResultsFolder | None = None
    bots: Mapping[str, str] = field(default_factory=dict)
    editions: Mapping[str, str] = field(default_factory=dict)
    games: Path | None = None
    last: AsyncExitStack = field(default_factory=AsyncExitStack, compare=False)
    """Callbacks for the end of the server; code that starts a process adds one that ends it."""
    shelf: Shelf | None = None
    is_sample: bool = False

    @property
    def private_results(self) -> list[Path]:
        """The folders of results that no bot may read; everybody can read the sample."""
        shown = self.folder.path if self.folder and not self.is_sample else None
        return [path for path in (shown, self.shelf and self.shelf.path) if path]

    def describe_folder(self) -> str:
        """Return how a command names the results folder, for a page.

        It is relative to the directory in which the arena was started; a folder elsewhere is not
        shown.
        """
        path = self.folder.path if self.folder else None
        if path is None or not path.is_relative_to(Path.cwd()):
            return "FOLDER"
        return shlex.quote(str(path.relative_to(Path.cwd())))

    def hide_paths(self, text: str) -> str:
        """Return a text for a browser: the names of our files stay, their folders are removed.

        >>> Arena(games=Path("/home/ann/games")).hide_paths("/home/ann/games/x.game: full")
        'x.game: full'
        """
        shown = self.folder.path if self.folder else None
        for folder in (self.games, shown, self.shelf and self.shelf.path):
            for path in (folder.resolve(), folder) if folder else ():
                if path.is_absolute():
                    text = text.replace(f"{path}/", "").replace(str(path), path.name)
        for file in self.editions.values():
            text = text.replace(file, Path(file).name)
        return text


def find_games() -> Path:
    """Return the default folder for the games of people.

    Raises `UsageError` if the user has no home directory.
    """
    data, home = os.environ.get("XDG_DATA_HOME"), find_home()
    if not data and not home:
        raise UsageError("you have no home directory to keep games in; name a folder with --games")
    return Path(data or f"{home}/.local/share") / "pwtourney" / "games"
