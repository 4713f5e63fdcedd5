"""Positions and editions as the drawing code of pages takes them, in plain data.

A page computes positions from plies (``Replay.positions`` in ``replay.js``). What the server sends
has the same form, so that one drawing code draws all of them. A test compares both.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from pwtourney.report.page.replays import pack_edition
from pwtourney.rules import Action, State
from pwtourney.rules.geometry import set_bits

__all__ = ["UNKNOWN", "Marks", "describe_position", "describe_positions", "pack_edition"]

UNKNOWN = 1_000_000
"""The mark of a square that is covered, when a position does not say by which patch."""

Quilt = tuple[int, ...]
"""What covers each square, row by row: 0 nothing, N the patch N, -1-S a special patch on square S,
`UNKNOWN` anything."""


class Marks(NamedTuple):
    """What covers the squares of both quilts."""

    quilts: tuple[Quilt, Quilt]

    @classmethod
    def of(cls, state: State) -> "Marks":
        """Return what a position alone says of its quilts."""
        first, second = (
            tuple(UNKNOWN if player.quilt >> square & 1 else 0 for square in range(_squares(state)))
            for player in state.players
        )
        return cls((first, second))

    def follow(self, before: State, action: Action, after: State) -> "Marks":
        """Return what covers the squares after an action that led from one position to another."""
        quilts = list(self.quilts)
        for seat in (0, 1):
            covered = after.players[seat].quilt & ~before.players[seat].quilt
            if covered:
                quilt = list(quilts[seat])
                for square in set_bits(covered):
                    quilt[square] = action.patch or -1 - square
                quilts[seat] = tuple(quilt)
        return Marks((quilts[0], quilts[1]))


def _squares(state: State) -> int:
    return state.edition.rows * state.edition.columns


def describe_position(
    state: State, marks: Marks | None = None, micros: tuple[int, int] = (0, 0)
) -> dict[str, Any]:
    """Return a position as ``Replay.positions`` has it; `micros` is what each seat has thought.

    Without `marks`, covered squares are `UNKNOWN`.
    """
    quilts = (marks or Marks.of(state)).quilts
    return {
        "players": [
            {
                "quilt": list(quilts[seat]),
                "buttons": player.buttons,
                "income": player.income,
                "space": player.space,
                "micros": micros[seat],
            }
            for seat, player in enumerate(state.players)
        ],
        "circle": list(state.circle),
        "late": list(state.late),
        "toMove": state.to_move,
        "pending": state.pending,
        "tile": state.tile,
    }


def describe_positions(
    start: State, plies: Sequence[tuple[Action, int]], marks: Marks | None = None
) -> list[dict[str, Any]]:
    """Return the position before the first ply and after each, as ``Replay.positions`` has them.

    A ply is an action and the microseconds that it took. Raises `IllegalActionError`.
    """
    state, found = start, marks or Marks.of(start)
    micros = [0, 0]
    shapes = [describe_position(state, found)]
    for action, spent in plies:
        micros[state.to_move] += spent
        after = state.apply(action)
        found = found.follow(state, action, after)
        state = after
        shapes.append(describe_position(state, found, (micros[0], micros[1])))
    return shapes
