"""A position of the game, and the legal actions in it.

Whose turn it is follows from the time track, with one exception: a special patch waiting to be
placed. `to_move` is the seat that acts next or, once the game is over, the seat whose token arrived
last.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple, overload

from pwtourney.rules.action import ADVANCE, DECLINE, Action, leather, take
from pwtourney.rules.edition import Edition
from pwtourney.rules.geometry import ORIENTATIONS, nth_bit, set_bits, square_name
from pwtourney.rules.placements import Placements

__all__ = [
    "ADVANCE",
    "DECLINE",
    "EMPTY_SQUARE",
    "Action",
    "LegalActions",
    "Player",
    "Points",
    "Position",
    "find_takings",
    "leather",
    "pick_taking",
    "take",
    "why_illegal",
]


EMPTY_SQUARE = -2
"""The points of an empty square of a quilt board."""


class Points(NamedTuple):
    """The parts of a score: buttons, the special tile, and empty squares, at most 0."""

    buttons: int
    tile: int
    empty: int


class Player(NamedTuple):
    """One player: covered squares as a mask, buttons, printed income, space on the track."""

    quilt: int
    buttons: int
    income: int
    space: int


class Position(NamedTuple):
    """A complete position, and what can be read from it.

    `players` are by seat, and `circle` is clockwise from the neutral token. `late` contains the
    patches that have not entered the circle yet, in their order, or zeros if the order is hidden.
    `pending` is how many special patches the seat `to_move` has to place, and `tile` the seat that
    has the special tile.
    """

    edition: Edition
    players: tuple[Player, Player]
    circle: tuple[int, ...]
    late: tuple[int, ...]
    to_move: int
    pending: int
    tile: int | None

    @property
    def is_over(self) -> bool:
        """True if both tokens are on the last space."""
        first, second = self.players
        return first.space == self.edition.last_space == second.space

    @property
    def offer(self) -> tuple[int, ...]:
        """The ids of the patches that can be taken next, nearest to the neutral token first."""
        return self.circle[: self.edition.offer]

    @property
    def is_late_hidden(self) -> bool:
        """True if late patches have not entered yet and their order is hidden."""
        return bool(self.late) and not self.late[0]

    @property
    def leather_left(self) -> tuple[int, ...]:
        """The marks that still have a special patch: those that neither token has reached."""
        first, second = self.players
        return self.edition.leathers_ahead[max(first.space, second.space)]

    @property
    def scores(self) -> tuple[int, int]:
        """The scores so far: buttons, the tile's points, and those of the empty squares."""
        return self.score(0), self.score(1)

    def score(self, seat: int) -> int:
        """Return the current score of a seat."""
        edition, player = self.edition, self.players[seat]
        empty = (edition.full & ~player.quilt).bit_count()
        bonus = edition.tile.points if edition.tile and self.tile == seat else 0
        return player.buttons + bonus + EMPTY_SQUARE * empty

    def points(self, seat: int) -> Points:
        """Return the parts of the current score of a seat."""
        edition, buttons = self.edition, self.players[seat].buttons
        bonus = edition.tile.points if edition.tile and self.tile == seat else 0
        # programs that search ask for scores often, so `score` does not add these up
        return Points(buttons, bonus, self.score(seat) - buttons - bonus)

    @property
    def winner(self) -> int | None:
        """The seat that has won, None during the game.

        A tie goes to the seat that reached the last space first, so there are no draws.
        """
        if not self.is_over:
            return None
        first, second = self.scores
        if first == second:
            # with both tokens on one space the later one is to move, on the last space as well
            return 1 - self.to_move
        return 0 if first > second else 1


Takings = tuple[int, Placements, int]
"""The legal placements of a patch.

They are the index of the first among the legal actions, the table of the patch's placements, and
the legal ones as bits of it.
"""


def find_takings(
    edition: Edition, circle: tuple[int, ...], buttons: int, free: int
) -> tuple[int, list[Takings]]:
    """Return the number of legal actions, with no special patch pending, and the takings.

    `free` are the empty squares of the seat to move, as bits.
    """
    # placements are counted as sets of bits, because most are never looked at
    groups: list[Takings] = []
    count = 1  # index 0 is to advance
    patch, placements = edition.patch, edition.placements
    for number in circle[: edition.offer]:
        if patch[number].cost <= buttons:
            table = placements[number]
            bits = table.find(free)
            if bits:
                groups.append((count, table, bits))
                count += bits.bit_count()
    return count, groups


def pick_taking(groups: list[Takings], index: int) -> Action:
    """Return the taking with this index, 1 or more, among the legal actions."""
    for begin, table, bits in reversed(groups):
        if index >= begin:
            return table.actions[nth_bit(bits, index - begin)]
    raise AssertionError(f"the takings begin behind index {index}")


class LegalActions(Sequence[Action]):
    """The legal actions in a fixed order, backed by bitsets.

    First ``advance``; then for each patch on offer, nearest to the neutral token first, each
    orientation in the order of `ORIENTATIONS`, each square from the top left, row by row. With a
    special patch pending: its squares, then ``decline`` if the edition allows it. The sequence is
    empty once the game is over.
    """

    __slots__ = ("_free", "_groups", "_length", "_state")

    def __init__(self, state: Position) -> None:
        # This runs once per ply in every game and search, so the fields are unpacked instead of
        # read one by one.
        edition, players, circle, _, seat, pending, _ = state
        self._state = state
        quilt, buttons, _, space = players[seat]
        free = edition.full & ~quilt
        groups: list[Takings] = []
        if pending:
            length = free.bit_count() + edition.declining
        elif space == edition.last_space and state.is_over:
            length = 0
        else:
            length, groups = find_takings(edition, circle, buttons, free)
        self._free = free
        self._groups = groups
        self._length = length

    def takings(self) -> Iterator[tuple[int, int, int]]:
        """Yield each patch that can be taken: its id, the index of its first taking, how many."""
        for begin, table, bits in self._groups:
            yield table.patch, begin, bits.bit_count()

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, index: int) -> Action: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Action]: ...
    def __getitem__(self, index: int | slice) -> Action | Sequence[Action]:
        if isinstance(index, slice):
            return [self[k] for k in range(*index.indices(self._length))]
        if index < 0:
            index += self._length
        if not 0 <= index < self._length:
            raise IndexError(f"there are {self._length} legal actions")
        if self._state.pending:
            return (
                leather(nth_bit(self._free, index)) if index < self._free.bit_count() else DECLINE
            )
        return pick_taking(self._groups, index) if index else ADVANCE

    def __iter__(self) -> Iterator[Action]:
        # one pass over the bits: picking each action by its index would search from the start
        if self._state.pending:
            yield from map(leather, set_bits(self._free))
            if self._state.edition.declining:
                yield DECLINE
        elif self._length:
            yield ADVANCE
            for _, table, bits in self._groups:
                for bit in set_bits(bits):
                    yield table.actions[bit]

    def __contains__(self, action: object) -> bool:
        return isinstance(action, Action) and not why_illegal(self._state, action)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LegalActions) and self._state == other._state

    def __hash__(self) -> int:
        return hash(self._state)

    def __repr__(self) -> str:
        return f"<{self._length} legal actions>"


def why_illegal(state: Position, action: Action) -> str:
    """Return the first rule that forbids the action here; empty if it is legal."""
    if state.is_over:
        return "the game is over"
    if action.kind in ("leather", "decline"):
        return _why_not_special(state, action)
    if state.pending:
        return "a special patch must be placed first"
    if action.kind == "take":
        return _why_not_take(state, action)
    if action.kind != "advance":
        return f"{action.kind!r} is not a kind of action"
    return "" if action == ADVANCE else "advancing takes no patch and no square"


def _why_not_special(state: Position, action: Action) -> str:
    if not state.pending:
        return "there is no special patch to place"
    if action.kind == "decline":
        if not state.edition.declining:
            return "this edition does not allow a special patch to be declined"
        return "" if action == DECLINE else "declining takes no square"
    edition = state.edition
    # each action has one value: with a meaningless number it would equal no legal action
    if action.patch or action.orientation:
        return "a special patch has no number and no orientation"
    if not 0 <= action.square < edition.rows * edition.columns:
        return "the square is outside the board"
    if state.players[state.to_move].quilt >> action.square & 1:
        return f"{square_name(action.square, edition.columns)} is already covered"
    return ""


def _why_not_take(state: Position, action: Action) -> str:
    edition, player = state.edition, state.players[state.to_move]
    patch = edition.patch.get(action.patch)
    if patch is None:
        return f"the edition {edition.name} has no patch {action.patch}"
    if action.patch not in state.offer:
        offer = ", ".join(map(str, state.offer)) or "none"
        return f"patch {action.patch} is not among those on offer ({offer})"
    if patch.cost > player.buttons:
        return (
            f"patch {action.patch} costs {patch.cost} {edition.currency}"
            f" and you have {player.buttons}"
        )
    lay = edition.lays[action.patch].get(action.orientation)
    if lay is None:
        return f"orientation {action.orientation} of patch {action.patch} is not a canonical one"
    # the sign is checked first: a negative shift raises ValueError
    if action.square < 0 or not lay.fits >> action.square & 1:
        return f"patch {action.patch} turned {ORIENTATIONS[lay.number]} reaches outside the board"
    covered = player.quilt & lay.mask << action.square
    if covered:
        squares = " ".join(square_name(square, edition.columns) for square in set_bits(covered))
        return f"patch {action.patch} overlaps another patch at {squares}"
    return ""
