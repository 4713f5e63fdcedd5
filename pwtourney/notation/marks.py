"""The marks of quilt boards, which name the patch on each square, and their text.

A position says which squares are covered, which is all that the rules need. Readers also want to
see the patches. An optional field behind a position lists the placements that are known, those of
the first seat, a semicolon, and those of the second: ``12:r90:b4,leather:e5;-``.
"""

from collections.abc import Iterator
from typing import NamedTuple

from pwtourney.errors import NotationError
from pwtourney.notation.position_text import parse_position, position_text
from pwtourney.notation.words import ABSENT, action_text, parse_action, quote
from pwtourney.rules import Action, Deal, Edition, State, leather, square_name, take
from pwtourney.rules.geometry import set_bits

__all__ = ["UNKNOWN", "Marks", "marked_text", "parse_marked", "parse_start", "placed_text"]

UNKNOWN = 1_000_000
"""The mark of a covered square if nobody knows which patch covers it."""

_FIELDS = 14
"""The fields of a position without its placements."""

Quilt = tuple[int, ...]
"""The marks of the squares, row by row.

0 is nothing, N the patch N, -1-S a special patch on square S, and `UNKNOWN` any patch.
"""


class Marks(NamedTuple):
    """The marks of the squares of both quilt boards: what covers them."""

    quilts: tuple[Quilt, Quilt]

    @classmethod
    def of(cls, state: State) -> "Marks":
        """Return the marks that follow from a position alone."""
        empty = (0,) * (state.edition.rows * state.edition.columns)
        first, second = (
            tuple(UNKNOWN if player.quilt >> square & 1 else 0 for square in range(len(empty)))
            if player.quilt
            else empty
            for player in state.players
        )
        return cls((first, second))

    def follow(self, before: State, action: Action, after: State) -> "Marks":
        """Return the marks after an action that led from one position to another."""
        quilts = list(self.quilts)
        for seat in (0, 1):
            covered = after.players[seat].quilt & ~before.players[seat].quilt
            if covered:
                quilts[seat] = _cover(quilts[seat], covered, action)
        return Marks((quilts[0], quilts[1]))

    def cover(self, seat: int, covered: int, action: Action) -> "Marks":
        """Return the marks with some squares, a bit for each, covered by the patch of an action."""
        quilts = list(self.quilts)
        quilts[seat] = _cover(quilts[seat], covered, action)
        return Marks((quilts[0], quilts[1]))


def marked_text(state: State, marks: Marks) -> str:
    """Return a position as text, with the placements that `marks` know, if there are any."""
    return " ".join(filter(None, (position_text(state), placed_text(marks, state.edition))))


def placed_text(marks: Marks, edition: Edition) -> str:
    """Return the field of the placements that are known; empty if there are none."""
    lists = [
        ",".join(action_text(action, edition) for action in _list_placed(quilt, edition))
        for quilt in marks.quilts
    ]
    return ";".join(words or ABSENT for words in lists) if any(lists) else ""


def parse_marked(text: str, edition: Edition) -> tuple[State, Marks]:
    """Parse a position with or without the field of placements.

    Raises `NotationError` for an invalid position, and for placements that are not on covered
    squares, that overlap, or that have a patch which is elsewhere.
    """
    fields = text.split(" ")
    state = parse_position(" ".join(fields[:_FIELDS]), edition)
    marks = Marks.of(state)
    if len(fields) == _FIELDS:
        return state, marks
    lists = fields[_FIELDS].split(";")
    if len(fields) > _FIELDS + 1 or len(lists) != 2:
        raise NotationError(
            "behind the fourteen fields of a position is one more at most, two lists of placements"
            f" with ; between them, not {quote(' '.join(fields[_FIELDS:]))}"
        )
    elsewhere = {*state.circle, *filter(None, state.late)}
    for seat, words in enumerate(lists):
        for word in words.split(",") if words != ABSENT else ():
            action = parse_action(word, edition)
            if action.patch in elsewhere:
                raise NotationError(f"{quote(word)}: patch {action.patch} lies elsewhere")
            if action.patch:
                elsewhere.add(action.patch)
            covered = _find_covered(word, action, marks.quilts[seat], edition)
            marks = marks.cover(seat, covered, action)
    return state, marks


def parse_start(text: str, edition: Edition, dealt: Deal) -> tuple[State, Marks]:
    """Parse the position from which a game is to begin.

    Late patches whose order is hidden come in the order of the deal. Raises `NotationError` for an
    invalid position, and for one in which the game is over.
    """
    start, marks = parse_marked(text, edition)
    if start.is_over:
        raise NotationError("in this position the game is over")
    return start.reveal(dealt.late) if start.is_late_hidden else start, marks


def _cover(quilt: Quilt, covered: int, action: Action) -> Quilt:
    marks = list(quilt)
    for square in set_bits(covered):
        marks[square] = action.patch or -1 - square
    return tuple(marks)


def _find_covered(word: str, action: Action, quilt: Quilt, edition: Edition) -> int:
    """Return the squares that a placement covers; all of them must be covered by nobody knows what.

    Raises `NotationError` with the text of the placement, `word`.
    """
    if action.kind == "leather":
        covered = 1 << action.square
    elif action in edition.takings:
        covered = edition.takings[action].mask
    else:
        raise NotationError(f"{quote(word)} is not a placement on this quilt board")
    for square in set_bits(covered):
        if quilt[square] != UNKNOWN:
            name = square_name(square, edition.columns)
            state = "empty" if quilt[square] == 0 else "covered by another patch"
            raise NotationError(f"{quote(word)} covers {name}, which is {state}")
    return covered


def _list_placed(quilt: Quilt, edition: Edition) -> Iterator[Action]:
    """Yield the placements on a quilt board that are known, by their first squares."""
    squares: dict[int, int] = {}
    for square, mark in enumerate(quilt):
        if mark and mark != UNKNOWN:
            squares[mark] = squares.get(mark, 0) | 1 << square
    for mark, covered in squares.items():
        if mark < 0:
            yield leather(-1 - mark)
        else:
            yield from _find_placement(mark, covered, edition)


def _find_placement(patch: int, covered: int, edition: Edition) -> Iterator[Action]:
    """Yield the placement of a patch that covers some squares, a bit for each."""
    for orientation in edition.orientations.get(patch, ()):
        corner = _find_lowest(covered) - _find_lowest(orientation.mask)
        if corner >= 0 and orientation.mask << corner == covered and orientation.fits >> corner & 1:
            yield take(patch, orientation.number, corner)
            return


def _find_lowest(mask: int) -> int:
    """Return the number of the lowest bit that is set."""
    return (mask & -mask).bit_length() - 1
