"""The course of a table's game for its page: where it starts, and what each ply changes."""

from typing import Any

from pwtourney.match import PlayedGame
from pwtourney.notation.game_data import change_data, position_data
from pwtourney.notation.marks import Marks
from pwtourney.rules import State
from pwtourney.sanitize import sanitize

__all__ = ["Trail"]

_MOST_INFO = 200


class Trail:
    """The changes of a game's plies, as both players may see them: late patches stay hidden.

    Call `extend` after each ply. Plies that were taken back are dropped at the next `extend`.
    `marks` are the patches of the start, as far as they are known.
    """

    def __init__(self, game: PlayedGame, marks: Marks | None = None) -> None:
        self._game = game
        self._marks = marks
        self._states = [game.state]  # the start, then the position after each ply
        self._changes: list[list[Any]] = []

    def extend(self) -> None:
        """Add the change of the last ply."""
        game, count = self._game, len(self._game.plies)
        before, action = self._states[count - 1], game.plies[-1].action
        self._states[count:] = [game.state]
        self._changes[count - 1 :] = [_describe_change(before, game.state, action, self._is_solo)]

    def describe(self) -> dict[str, Any]:
        """Return the start position, the plies and their changes for a page.

        A change is described by `Change`. One by which late patches join the circle has the whole
        ``circle`` as well, because a page does not know their order before.
        """
        game = self._game
        plies = [
            [ply.seat, ply.action, max(0, ply.micros), sanitize(ply.info)[:_MOST_INFO]]
            for ply in game.plies
        ]
        return {
            "start": position_data(self._states[0].hide_late(), self._marks, automa=self._is_solo),
            "plies": plies,
            "changes": self._changes[: len(plies)],
        }

    @property
    def _is_solo(self) -> bool:
        return self._game.setup.automa is not None


def _describe_change(before: State, after: State, action: str, is_solo: bool) -> list[Any]:
    change = change_data(before.hide_late(), after.hide_late(), action, automa=is_solo)
    if "late" in dict(change.others):
        change = change._replace(others=(*change.others, ("circle", list(after.circle))))
    return change.pack()
