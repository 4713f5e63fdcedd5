"""The optional field of a position that names what covers its squares."""

import pytest
from hypothesis import given

from pwtourney.errors import NotationError
from pwtourney.notation import position_text
from pwtourney.notation.marks import UNKNOWN, Marks, marked_text, parse_marked
from pwtourney.rules import State
from tests.rules.positions import ORIGINAL, player, position
from tests.rules.walks import Course, courses

QUILT = 0b111_000000000_000000111
"""Squares a1, b1 and c1, and a3, b3 and c3, of the first board."""

BEGUN = position(player(QUILT), base=State.start(ORIGINAL, 1)._replace(circle=(1, 2)))
"""Patch 33, three squares in a row, is not in the circle."""


@given(courses())
@pytest.mark.slow
def test_known_patches_survive_the_text(course: Course) -> None:
    """The patches of every position of a random game are read as they were placed."""
    state, steps = course
    marks = Marks.of(state)
    for action, after in steps:
        marks, state = marks.follow(state, action, after), after
    hidden = state.hide_late()
    assert parse_marked(marked_text(hidden, marks), state.edition) == (hidden, marks)


def test_position_without_the_field_knows_no_patch() -> None:
    """Its covered squares are unknown, and its text is that of fourteen fields."""
    text = position_text(BEGUN)
    state, marks = parse_marked(text, ORIGINAL)
    assert (state, set(marks.quilts[0]), set(marks.quilts[1])) == (BEGUN, {0, UNKNOWN}, {0})
    assert marked_text(state, marks) == text


def test_field_may_name_some_of_the_patches() -> None:
    """Here the special patch on b1 is known, and nothing else."""
    text = f"{position_text(BEGUN)} leather:b1;-"
    state, marks = parse_marked(text, ORIGINAL)
    assert marks.quilts[0][:4] == (UNKNOWN, -2, UNKNOWN, 0)
    assert marked_text(state, marks) == text


@pytest.mark.parametrize(
    ("field", "reason"),
    [
        ("leather:b1", "two lists of placements with ; between them, not 'leather:b1'"),
        ("-;- -", "behind the fourteen fields of a position is one more at most"),
        ("leather:a2;-", "'leather:a2' covers a2, which is empty"),
        ("-;leather:a1", "'leather:a1' covers a1, which is empty"),
        ("leather:a1,leather:a1;-", "'leather:a1' covers a1, which is covered by another patch"),
        ("1:r0:a1;-", "'1:r0:a1': patch 1 lies elsewhere"),
        ("advance;-", "'advance' is not a placement on this quilt board"),
        ("33:r0:i9;-", "'33:r0:i9' is not a placement on this quilt board"),
        ("99:r0:a1;-", "'99:r0:a1' is not a placement on this quilt board"),
        ("33:r5:a1;-", "'r5' is not an orientation"),
        (",;-", "'' is not an action"),
    ],
)
def test_wrong_placements_are_refused_with_the_reason(field: str, reason: str) -> None:
    """The error names the placement, the square and what is wrong with it."""
    with pytest.raises(NotationError) as refused:
        parse_marked(f"{position_text(BEGUN)} {field}", ORIGINAL)
    assert reason in str(refused.value)
