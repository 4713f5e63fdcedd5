"""The class that a Python bot derives from."""

from collections.abc import Callable
from typing import ClassVar

from pwtourney.protocol import GameOver, GameStart, Option, Turn
from pwtourney.rules import Action

__all__ = ["Bot"]


def _nowhere(text: str) -> None:
    """Drop what a bot says while nobody listens."""


class Bot:
    """A player. Override `choose`; the rest is there if you want it.

    `options` lists what an organiser may set; the values arrive in `settings` as text, the
    defaults included, before the first game. `wants_legal` asks the runner to send all legal
    actions as words with each turn. `editions` names those that the bot plays; empty for all.
    """

    name: ClassVar[str] = "unnamed"
    author: ClassVar[str] = ""
    options: ClassVar[tuple[Option, ...]] = ()
    wants_legal: ClassVar[bool] = False
    editions: ClassVar[tuple[str, ...]] = ()

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
