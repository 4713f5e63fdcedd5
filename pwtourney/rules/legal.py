"""The legal actions of a position, counted and picked without being listed."""

from collections.abc import Iterator, Sequence
from typing import overload

from pwtourney.rules.action import ADVANCE, DECLINE, Action, leather
from pwtourney.rules.geometry import set_bits
from pwtourney.rules.illegal import why_illegal
from pwtourney.rules.position import Position

__all__ = ["LegalActions"]


class LegalActions(Sequence[Action]):
    """The legal actions in a fixed order, backed by bitsets.

    First ``advance``; then for each patch on offer, nearest to the neutral token first, each
    orientation in the order of `ORIENTATIONS`, each square from the top left, row by row. With a
    special patch pending: its squares, then ``decline`` where the edition allows it. Empty once
    the game is over.
    """

    __slots__ = ("_groups", "_length", "_state")

    def __init__(self, state: Position) -> None:
        edition, players, circle, _, seat, pending, _ = state
        self._state = state
        player = players[seat]
        free = edition.full & ~player.quilt
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
        begin = 1
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
            if index < count:
                return self._pick_taking(number, sets, index)
            index -= count
        raise AssertionError("the groups hold fewer actions than were counted")

    def __iter__(self) -> Iterator[Action]:
        if self._state.pending:
            yield from (leather(square) for square in set_bits(self._groups[0][2][0]))
            if self._state.edition.declining:
                yield DECLINE
        elif self._length:
            yield ADVANCE
            for number, _, sets in self._groups:
                for lay, anchors in zip(
                    self._state.edition.orientations[number], sets, strict=True
                ):
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

    def _pick_taking(self, number: int, sets: tuple[int, ...], index: int) -> Action:
        for lay, anchors in zip(self._state.edition.orientations[number], sets, strict=True):
            count = anchors.bit_count()
            if index < count:
                return Action("take", number, lay.number, _nth_bit(anchors, index))
            index -= count
        raise AssertionError("the sets hold fewer anchors than were counted")


def _nth_bit(mask: int, n: int) -> int:
    """Return the number of the n-th set bit, counted from 0 at the lowest."""
    base = 0
    while n >= (count := (mask & 0xFFFF).bit_count()):
        n -= count
        mask >>= 16
        base += 16
    for _ in range(n):
        mask &= mask - 1
    return base + (mask & -mask).bit_length() - 1
