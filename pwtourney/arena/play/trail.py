"""The positions of a table's game that a page shows: the current one and the last few before it."""

from typing import Any

from pwtourney.match import PlayedGame
from pwtourney.notation import is_card, read_action
from pwtourney.notation.game_data import Marks, position_data
from pwtourney.sanitize import sanitize

__all__ = ["Trail"]

_MOST_INFO = 200
_SHOWN = 4
"""The number of last plies that a page can show one by one."""


class Trail:
    """The positions of a game with the patches on their squares, for the last plies of a page.

    Call `extend` after each ply. Plies that were taken back are dropped at the next `extend`.
    """

    def __init__(self, game: PlayedGame) -> None:
        self._game = game
        # the start position, then the position after each ply
        self._points = [(game.state, Marks.of(game.state))]

    def extend(self) -> None:
        """Add the position after the last ply."""
        game, count = self._game, len(self._game.plies)
        before, marks = self._points[count - 1]
        action = game.plies[-1].action
        if not is_card(action):
            marks = marks.follow(before, read_action(action, before), game.state)
        self._points[count:] = [(game.state, marks)]

    def describe(self) -> dict[str, Any]:
        """Return plies, scores and positions for a page, without hidden late patches.

        ``trail`` has the position before each of the last 4 plies, and the current one.
        """
        game, micros = self._game, [0, 0]
        for ply in game.plies:
            micros[ply.seat] += max(0, ply.micros)
        count = len(game.plies)
        automa = game.setup.automa is not None
        trail = [
            position_data(state.hide_late(), marks, (micros[0], micros[1]), automa=automa)
            for state, marks in self._points[max(0, count - _SHOWN) : count + 1]
        ]
        plies = [
            [ply.seat, ply.action, max(0, ply.micros), sanitize(ply.info)[:_MOST_INFO]]
            for ply in game.plies
        ]
        return {"trail": trail, "plies": plies, "scores": list(game.scores)}
