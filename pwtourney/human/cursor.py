"""The action that a person prepares: its kind and, for a placement, its orientation and square."""

from typing import NamedTuple

from pwtourney.report.text.boards import Ghost
from pwtourney.rules import ADVANCE, DECLINE, Action, State, leather, take, why_illegal
from pwtourney.rules.geometry import set_bits

__all__ = ["Cursor"]

_FLIPPED = 4
"""Orientations from this number on are flipped."""


class Cursor(NamedTuple):
    """A kind of action and, for a placement, its orientation and square.

    `choice` is an index into `choices`. `turn` is an orientation from 0 to 7. `row` and `column`
    are the top left corner, kept on the board.
    """

    state: State
    choice: int = 0
    turn: int = 0
    row: int = 0
    column: int = 0

    @classmethod
    def at_start(cls, state: State) -> "Cursor":
        """Return the cursor at the start of a turn, on a legal action other than advance if any."""
        others = (action for action in state.legal_actions() if action != ADVANCE)
        first = next(others, ADVANCE)
        kinds = [(choice.kind, choice.patch) for choice in cls(state).choices]
        row, column = divmod(first.square, state.edition.columns)
        return cls(state, kinds.index((first.kind, first.patch)), first.orientation, row, column)

    @property
    def choices(self) -> tuple[Action, ...]:
        """All kinds of action: each patch on offer in any place, and advance.

        While a special patch must be placed: the special patch, and decline if the edition allows
        it.
        """
        if self.state.pending:
            return (leather(0), DECLINE) if self.state.edition.declining else (leather(0),)
        return (*(take(patch, 0, 0) for patch in self.state.offer), ADVANCE)

    @property
    def patch(self) -> int | None:
        """The number of the patch that is chosen; None for another action."""
        chosen = self.choices[self.choice]
        return chosen.patch if chosen.kind == "take" else None

    @property
    def action(self) -> Action:
        """The chosen action, legal or not, in its canonical form."""
        chosen = self.choices[self.choice]
        square = self.row * self.state.edition.columns + self.column
        if chosen.kind == "take":
            turned = self.state.edition.aliases[chosen.patch][self.turn]
            return take(chosen.patch, turned, square)
        return leather(square) if chosen.kind == "leather" else chosen

    @property
    def problem(self) -> str:
        """Why the action is not legal; empty if it is."""
        return why_illegal(self.state, self.action)

    def next(self, step: int = 1) -> "Cursor":
        """Return a cursor at the next kind of action, or at the previous one for a `step` of -1."""
        return self._replace(choice=(self.choice + step) % len(self.choices))._keep_on_board()

    def rotate(self) -> "Cursor":
        """Return a cursor whose patch is turned by a quarter clockwise."""
        return self._replace(turn=self.turn // 4 * 4 + (self.turn + 1) % 4)._keep_on_board()

    def flip(self) -> "Cursor":
        """Return a cursor whose patch is flipped left to right, as it is shown."""
        # an orientation is flipped first and turned then, so a mirror image turns the other way
        backwards = -self.turn % 4
        return self._replace(
            turn=backwards if self.turn >= _FLIPPED else _FLIPPED + backwards
        )._keep_on_board()

    def move(self, down: int, right: int) -> "Cursor":
        """Return a cursor whose placement is moved; it stops at the edge of the board."""
        return self._replace(row=self.row + down, column=self.column + right)._keep_on_board()

    def ghost(self) -> Ghost:
        """Return how to draw the action on the quilt board: its squares, and all that would fit.

        The result holds the squares of the action, whether it is legal, and the squares that this
        patch can cover in its orientation.
        """
        action, edition = self.action, self.state.edition
        free = edition.full & ~self.state.players[self.state.to_move].quilt
        squares = within = 0
        if action.kind == "leather":
            squares, within = 1 << action.square, free
        elif action.kind == "take":
            lay = edition.lays[action.patch].get(action.orientation)
            if lay is not None:
                squares = lay.mask << action.square
                orientations = [
                    orientation.number for orientation in edition.orientations[action.patch]
                ]
                anchors = edition.placements[action.patch].anchors(free)
                for square in set_bits(anchors[orientations.index(action.orientation)]):
                    within |= lay.mask << square
        return Ghost(
            self.state.to_move,
            frozenset(set_bits(squares & edition.full)),
            not self.problem,
            frozenset(set_bits(within)),
        )

    def _keep_on_board(self) -> "Cursor":
        edition, action = self.state.edition, self.action
        height = width = 1
        # a patch that is longer than the board in this orientation counts as one square: it fits
        # nowhere
        if action.kind == "take" and action.orientation in edition.lays[action.patch]:
            lay = edition.lays[action.patch][action.orientation]
            height, width = lay.height, lay.width
        row = min(max(self.row, 0), edition.rows - height)
        column = min(max(self.column, 0), edition.columns - width)
        return self._replace(row=row, column=column)
