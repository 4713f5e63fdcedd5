"""Stored games as they are read today: under the present names of their bots, if they count.

A store keeps each game as it was played. A league may have renamed its bots since, made one bot of
two, or banned one.
"""

from collections.abc import Collection, Mapping
from typing import NamedTuple

from pwtourney.notation.game import Game
from pwtourney.schedule.bot_names import base_name

__all__ = ["Present"]


class Present(NamedTuple):
    """The present names of bots, and which of them have no games that count.

    `names` maps the names that bots played under to their present ones, where these differ.
    `dropped` are the banned bots whose games do not count, without their versions.
    """

    names: Mapping[str, str]
    dropped: Collection[str]

    def show(self, game: Game) -> Game:
        """Return a game as it was played, under the present names of its bots.

        A game of two bots that are one by now has their names of then, or nobody could tell them
        apart.
        """
        if not self.names:
            return game
        renamed = game.rename_bots(self.names)
        return game if renamed.bots[0] == renamed.bots[1] else renamed

    def find_reason(self, game: Game) -> str:
        """Return why a game that `show` returned does not count; empty if it does."""
        first, second = (self.names.get(bot, bot) for bot in game.bots)
        if first == second:
            return f"of {first} against itself, which was two bots"
        for bot in (first, second) if self.dropped else ():
            if base_name(bot) in self.dropped:
                return f"of {bot}, which is banned"
        return ""
