"""A position of the game, and what can be done in it.

Whose turn it is follows from the time track, with one exception (a special patch waiting to be
placed); what is stored as `to_move` is the seat that acts next, and once the game is over the seat
whose token arrived last.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple, overload

from pwtourney.rules.edition import Edition
from pwtourney.rules.geometry import ORIENTATIONS, set_bits, square_name

__all__ = [
    "ADVANCE",
    "DECLINE",
    "Action",
    "LegalActions",
    "Player",
    "Position",
    "leather",
    "take",
    "why_illegal",
]


class Action(NamedTuple):
    """One action. `kind` is ``advance``, ``take``, ``leather`` or ``decline``.

    For a taking, `patch` is the id, `orientation` the number of the orientation (the lowest of
    those that give the shape, so that placements covering the same squares are equal) and
    `square` the top-left corner of the bounding box. A special patch uses `square` alone.
    """

    kind: str
    patch: int = 0
    orientation: int = 0
    square: int = 0


ADVANCE = Action("advance")
DECLINE = Action("decline")


def take(patch: int, orientation: int, square: int) -> Action:
    """Take a patch and place it."""
    return Action("take", patch, orientation, square)


def leather(square: int) -> Action:
    """Place a special patch on one square."""
    return Action("leather", 0, 0, square)


class Player(NamedTuple):
    """One player: covered squares as a mask, buttons, printed income, space on the track."""

    quilt: int
    buttons: int
    income: int
    space: int


class Position(NamedTuple):
    """A complete position, and what can be read from it.

    `players` by seat; `circle` from the neutral token clockwise; `late` the patches that have
    not entered the circle yet, in their order, zeros where the order is hidden; `pending` how
    many special patches the seat `to_move` has to place; `tile` the seat that holds the special
    tile.
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
        """Whether both tokens are on the last space."""
        first, second = self.players
        return first.space == self.edition.last_space == second.space

    @property
    def offer(self) -> tuple[int, ...]:
        """The ids of the patches that can be taken next, nearest to the neutral token first."""
        return self.circle[: self.edition.offer]

    @property
    def is_late_hidden(self) -> bool:
        """Whether patches have yet to enter in an order that is not known."""
        return bool(self.late) and not self.late[0]

    @property
    def leather_left(self) -> tuple[int, ...]:
        """The marks where special patches still lie: those that neither token has reached."""
        first, second = self.players
        return self.edition.leathers_ahead[max(first.space, second.space)]

    @property
    def scores(self) -> tuple[int, int]:
        """Both scores as they stand: buttons, the tile's points, minus 2 an empty square."""
        return self.score(0), self.score(1)

    def score(self, seat: int) -> int:
        """Return one seat's score as it stands."""
        edition, player = self.edition, self.players[seat]
        empty = (edition.full & ~player.quilt).bit_count()
        bonus = edition.tile.points if edition.tile and self.tile == seat else 0
        return player.buttons + bonus - 2 * empty

    @property
    def winner(self) -> int | None:
        """The seat that has won, None while the game goes on.

        A tie goes to the seat that reached the last space first, so there are no draws.
        """
        if not self.is_over:
            return None
        first, second = self.scores
        if first == second:
            # Of two tokens on one space the later one is to move, on the last space as well.
            return 1 - self.to_move
        return 0 if first > second else 1


class LegalActions(Sequence[Action]):
    """The legal actions in a fixed order, backed by bitsets.

    First ``advance``; then for each patch on offer, nearest to the neutral token first, each
    orientation in the order of `ORIENTATIONS`, each square from the top left, row by row. With a
    special patch pending: its squares, then ``decline`` where the edition allows it. Empty once
    the game is over.
    """

    __slots__ = ("_groups", "_length", "_state")

    def __init__(self, state: Position) -> None:
        # Runs once a ply in every game, search and simulation. So the fields are unpacked instead
        # of read one by one, and the anchors of a patch are counted where they stand, as sets of
        # bits.
        edition, players, circle, _, seat, pending, _ = state
        self._state = state
        player = players[seat]
        free = edition.full & ~player.quilt
        # For each patch that can be taken: its id, how many placements, the anchors by orientation.
        # A special patch is the group 0, with the free squares for anchors.
        groups: list[tuple[int, int, tuple[int, ...]]] = []
        if pending:
            length = free.bit_count() + edition.declining
            groups.append((0, free.bit_count(), (free,)))
        elif state.is_over:
            length = 0
        else:
            length = 1
            buttons, patch, anchors = player.buttons, edition.patch, edition.anchors
            for number in circle[: edition.offer]:
                if patch[number].cost <= buttons:
                    sets = anchors[number](free)
                    count = sum(map(int.bit_count, sets))
                    if count:
                        groups.append((number, count, sets))
                        length += count
        self._groups = groups
        self._length = length

    def takings(self) -> Iterator[tuple[int, int, int]]:
        """Yield each patch that can be taken: its id, the index of its first taking, how many."""
        begin = 1  # index 0 is to advance
        for number, count, _ in () if self._state.pending else self._groups:
            yield number, begin, count
            begin += count

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
            _, count, (free,) = self._groups[0]
            return leather(_nth_bit(free, index)) if index < count else DECLINE
        if index == 0:
            return ADVANCE
        index -= 1
        for number, count, sets in self._groups:
            if index >= count:
                index -= count
                continue
            for lay, anchors in zip(self._state.edition.orientations[number], sets, strict=True):
                count = anchors.bit_count()
                if index < count:
                    return Action("take", number, lay.number, _nth_bit(anchors, index))
                index -= count
        raise AssertionError("the groups hold fewer actions than were counted")

    def __iter__(self) -> Iterator[Action]:
        # One pass over the bits: to pick each action by its index would look for it from the start.
        if self._state.pending:
            yield from (leather(square) for square in set_bits(self._groups[0][2][0]))
            if self._state.edition.declining:
                yield DECLINE
        elif self._length:
            yield ADVANCE
            for number, _, sets in self._groups:
                orientations = self._state.edition.orientations[number]
                for lay, anchors in zip(orientations, sets, strict=True):
                    for square in set_bits(anchors):
                        yield Action("take", number, lay.number, square)

    def __contains__(self, action: object) -> bool:
        return isinstance(action, Action) and not why_illegal(self._state, action)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LegalActions) and self._state == other._state

    def __hash__(self) -> int:
        return hash(self._state)

    def __repr__(self) -> str:
        return f"<{self._length} legal actions>"


def why_illegal(state: Position, action: Action) -> str:
    """Return the first rule that forbids the action here; an empty text means it is legal."""
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
    # One action has one value: with a number that means nothing it would equal no legal action.
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
    # The sign comes first: a shift by less than nothing raises ValueError.
    if action.square < 0 or not lay.fits >> action.square & 1:
        return f"patch {action.patch} turned {ORIENTATIONS[lay.number]} reaches outside the board"
    covered = player.quilt & lay.mask << action.square
    if covered:
        squares = " ".join(square_name(square, edition.columns) for square in set_bits(covered))
        return f"patch {action.patch} overlaps another patch at {squares}"
    return ""


def _nth_bit(mask: int, n: int) -> int:
    """Return the number of the n-th set bit, counted from 0 at the lowest."""
    # Sixteen squares at a time, then bit by bit: to clear n bits one by one takes several times as
    # long in the middle of an empty quilt.
    base = 0
    while n >= (count := (mask & 0xFFFF).bit_count()):
        n -= count
        mask >>= 16
        base += 16
    for _ in range(n):
        mask &= mask - 1
    return base + (mask & -mask).bit_length() - 1
