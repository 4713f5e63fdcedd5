"""What one arena shows and offers, decided once when it starts."""

import os
from collections.abc import Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path

from pwtourney.errors import UsageError
from pwtourney.home import find_home
from pwtourney.store import ResultsFolder

__all__ = ["Arena", "find_games"]


@dataclass(frozen=True)
class Arena:
    """What is shown and what can be chosen; a browser names none of it by a path.

    `folder` is the tournament that is shown, if any. `bots` are those that can be chosen, by the
    name that a page shows, each as `pwtourney play` takes it; `editions` likewise, each a name or
    the path of a file. In `games` the games of people are kept; without it nobody plays or
    analyses here, and everything is read-only.
    """

    folder: ResultsFolder | None = None
    bots: Mapping[str, str] = field(default_factory=dict)
    editions: Mapping[str, str] = field(default_factory=dict)
    games: Path | None = None
    last: AsyncExitStack = field(default_factory=AsyncExitStack, compare=False)
    """Callbacks for the end of the server: code that starts a process adds how to end it."""

    def hide_paths(self, text: str) -> str:
        """Return a text for a browser, which learns the names of our files and not where they are.

        >>> Arena(games=Path("/home/ann/games")).hide_paths("/home/ann/games/x.game: full")
        'x.game: full'
        """
        for folder in (self.games, self.folder.path if self.folder else None):
            for path in (folder.resolve(), folder) if folder else ():
                if path.is_absolute():
                    text = text.replace(f"{path}/", "").replace(str(path), path.name)
        for place in self.editions.values():
            text = text.replace(place, Path(place).name)
        return text


def find_games() -> Path:
    """Return the folder where games of people are kept unless a command names another one.

    Raises `UsageError` if the user has no home directory.
    """
    data, home = os.environ.get("XDG_DATA_HOME"), find_home()
    if not data and not home:
        raise UsageError("you have no home directory to keep games in; name a folder with --games")
    return Path(data or f"{home}/.local/share") / "pwtourney" / "games"
