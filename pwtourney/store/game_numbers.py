"""How games are named: by number in the schedule, or by pair and game."""

import re
from typing import NamedTuple

from pwtourney.errors import UsageError
from pwtourney.notation.game import Game

__all__ = ["GAME_NAME", "GameNumbers"]

GAME_NAME = r"[0-9]{1,9}(?:\.[01])?"
"""The pattern of a name: ``37`` is the number of a game, ``18.1`` the second game of pair 18."""

_NAME = re.compile(GAME_NAME, re.ASCII)


class GameNumbers(NamedTuple):
    """The numbers of games in the schedule, counted from 1.

    Each pair has `games_a_pair` of them: two, or one against the Automa.
    """

    games_a_pair: int

    def of(self, game: Game) -> int:
        """Return the number of a game."""
        return 1 + game.pair * self.games_a_pair + game.game

    def locate(self, name: str) -> tuple[int, int]:
        """Return the pair of a game, and the index of the game in it, given its name.

        The name may be a number of the schedule, which is counted from 1, or a pair and a game,
        which are counted from 0. Raises `UsageError` for any other text.
        """
        if not _NAME.fullmatch(name):
            raise UsageError(f"{name[:40]!r} is not a game; write 37 or PAIR.GAME, as in 12.0")
        pair, dot, game = name.partition(".")
        if dot:
            return int(pair), int(game)
        if int(name) == 0:
            raise UsageError("games are counted from 1, and pairs from 0, as in 0.0")
        return divmod(int(name) - 1, self.games_a_pair)
