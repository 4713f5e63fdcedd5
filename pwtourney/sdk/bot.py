"""The class that a Python bot derives from."""

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar

from pwtourney.protocol import GameOver, GameStart, Option, Turn
from pwtourney.rules import Action

if TYPE_CHECKING:
    from pathlib import Path  # most bots need none, and start the sooner

__all__ = ["CACHE_VARIABLE", "Bot"]

CACHE_VARIABLE = "PWTOURNEY_CACHE"
"""The environment variable in which the runner names the folder of what was prepared."""


def _cache() -> "Path | None":
    place = os.environ.get(CACHE_VARIABLE)
    if not place:
        return None
    from pathlib import Path

    return Path(place)


def _nowhere(text: str) -> None:
    """Drop what a bot says while nobody listens."""


class Bot:
    """A player. Override `choose`; the rest is there if you want it.

    `options` lists what an organiser may set; the values arrive in `settings` as text, the
    defaults included, before the first game. `wants_legal` asks the runner to send all legal
    actions as words with each turn. `editions` names those that the bot plays; empty for all.

    A bot that has to compile, unpack or compute something before it can play defines `prepare`,
    and says in `preparing` what that is and how long it takes. What it kept is in `cache`, which
    is None where nobody has prepared the bot, as in a test of yours.
    """

    name: ClassVar[str] = "unnamed"
    author: ClassVar[str] = ""
    options: ClassVar[tuple[Option, ...]] = ()
    wants_legal: ClassVar[bool] = False
    editions: ClassVar[tuple[str, ...]] = ()
    preparing: ClassVar[str] = "once, may take a minute"
    cache: "ClassVar[Path | None]" = _cache()

    @classmethod
    def prepare(cls, cache: "Path") -> None:
        """Do what takes long, and write what is to be kept into the folder `cache`.

        The runner calls it before the first game, on no clock, once for each version of the bot's
        files and of what is installed; in games the same folder can be read, not written. It may
        hold already what another bot of the same package has kept.
        """

    def __init__(self) -> None:
        self.settings: dict[str, str] = {each.name: each.default for each in self.options}
        self.say: Callable[[str], None] = _nowhere
        """Send one line of free text about the current thinking (``info``)."""

    def new_game(self, game: GameStart) -> None:
        """Prepare for a game; the seed in `game` is the one to draw random numbers from."""

    def choose(self, turn: Turn) -> Action:
        """Return the action to play; `turn.state.legal_actions()` are those that may be."""
        raise NotImplementedError(f"{type(self).__name__} must define choose(turn)")

    def game_over(self, result: GameOver) -> None:
        """Learn from the result, if you like."""
