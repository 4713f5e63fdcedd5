"""The text of positions: round trips, the written form, and errors."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pwtourney.errors import NotationError
from pwtourney.notation import parse_position, position_text
from pwtourney.rules import State
from tests.rules.positions import EXPRESS, ORIGINAL, START, covered, player, position
from tests.rules.walks import walks

EMPTY = "9/9/9/9/9/9/9/9/9"
CIRCLE = ",".join(map(str, START.circle))
LEATHER = "20,26,32,44,50"


@pytest.mark.slow
@given(walks())
def test_every_position_reads_back_as_itself(state: State) -> None:
    """The public view, which hides the late patches, reads back too."""
    assert parse_position(position_text(state), state.edition) == state
    public = state.hide_late()
    assert parse_position(position_text(public), state.edition) == public


def test_text_of_the_start_position() -> None:
    """Fourteen fields: both players, seat to move, pending and left marks, tile, circle, late."""
    expected = f"{EMPTY} 5 0 0 {EMPTY} 5 0 0 0 0 {LEATHER} - {CIRCLE} -"
    assert position_text(START) == expected


def test_quilts_are_rows_of_runs() -> None:
    """2xx5 is two empty squares, two covered ones, five empty ones."""
    state = position(player(quilt=covered(range(2, 3), range(2, 4))))
    assert position_text(state).startswith("9/9/2xx5/9/9/9/9/9/9 5 0 0 ")


def test_hidden_patches_are_a_number_behind_a_question_mark() -> None:
    """In Express a bot gets the number of the eight late patches; the complete text lists them."""
    state = State.start(EXPRESS, 1)
    assert position_text(state.hide_late()).endswith(" ?8")
    assert position_text(state).endswith(" " + ",".join(map(str, state.late)))


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ((0, "9/9"), "a quilt has 9 rows, not 2"),
        ((0, EMPTY.replace("9", "8", 1)), "the row '8' does not have 9 squares"),
        ((0, EMPTY.replace("9", "45", 1)), "does not have 9 squares"),
        ((0, EMPTY.replace("9", "y", 1)), "a run of empty squares"),
        ((0, EMPTY.replace("9", "x0x7", 1)), "not written in the fewest runs"),
        ((1, "-5"), "the buttons of seat 0 must be a whole number"),
        ((2, "1_0"), "the income of seat 0"),
        ((3, "54"), "seat 0 is on space 54, but the last is 53"),
        ((3, "1"), "seat 0 is in front, so it is not its turn"),
        ((8, "2"), "the seat to move must be 0 or 1"),
        ((9, "1"), "at most 0 special patches can be pending"),
        ((10, "26,32,44,50"), "the special patches left must be 20,26"),
        ((11, "x"), "the holder of the tile must be 0 or 1"),
        ((12, "1,1"), "the circle contains a patch twice"),
        ((12, "1,34"), "has no patch 34"),
        ((13, "?3"), "the late patches must be all those of the edition"),
        ((13, "?0"), "the count of hidden patches cannot be 0"),
        ((13, "?9999999"), "the count of hidden patches cannot be"),
    ],
)
def test_a_wrong_field_is_named(change: tuple[int, str], reason: str) -> None:
    """Each error says which field is wrong and what it held."""
    fields = position_text(START).split(" ")
    fields[change[0]] = change[1]
    with pytest.raises(NotationError) as error:
        parse_position(" ".join(fields), ORIGINAL)
    assert reason in str(error.value)


def test_a_tile_must_have_been_earned() -> None:
    """A board without a covered square of seven by seven cannot hold the tile."""
    quilt = covered(range(3), range(9))
    text = position_text(position(player(quilt=quilt), tile=0))
    with pytest.raises(NotationError, match="seat 0 has not earned the special tile"):
        parse_position(text, ORIGINAL)


@pytest.mark.parametrize("seat", [0, 1])
def test_covered_seven_by_seven_requires_a_holder_of_the_tile(seat: int) -> None:
    """The first player to cover it takes the tile at once, so the tile cannot be free."""
    quilts = [0, 0]
    quilts[seat] = covered(range(1, 8), range(2, 9))
    text = position_text(position(player(quilt=quilts[0]), player(quilt=quilts[1])))
    reason = f"seat {seat} has covered a square of 7 by 7, so a seat must hold the special tile"
    with pytest.raises(NotationError, match=reason):
        parse_position(text, ORIGINAL)
    fields = text.split(" ")
    fields[11] = str(seat)
    assert parse_position(" ".join(fields), ORIGINAL).tile == seat
    # the second player to cover them gets nothing for it
    both = position(player(quilt=quilts[seat]), player(quilt=quilts[seat]), tile=seat)
    assert parse_position(position_text(both), ORIGINAL) == both
    # one square less is no such square, wherever it is missing
    fields[4 * seat] = fields[4 * seat].replace("xxxxxxx", "xxx1xxx", 1)
    fields[11] = "-"
    assert parse_position(" ".join(fields), ORIGINAL).tile is None


def test_the_number_of_fields_is_checked() -> None:
    """A truncated line, or one with doubled spaces, is not a position."""
    with pytest.raises(NotationError, match="14 fields"):
        parse_position("startpos", ORIGINAL)
    with pytest.raises(NotationError, match="14 fields"):
        parse_position(position_text(START).replace(" ", "  "), ORIGINAL)


def test_a_tile_needs_an_edition_that_has_one() -> None:
    """Express has no special tile, so no seat can hold it."""
    text = position_text(State.start(EXPRESS, 1))
    fields = text.split(" ")
    fields[11] = "0"
    with pytest.raises(NotationError, match="has no special tile"):
        parse_position(" ".join(fields), EXPRESS)


@given(st.text(max_size=60), st.integers(0, 13))
@pytest.mark.slow
def test_any_text_in_any_field_is_a_position_or_a_notation_error(text: str, field: int) -> None:
    """No input raises another exception."""
    fields = position_text(START).split(" ")
    fields[field] = text
    try:
        parse_position(" ".join(fields), ORIGINAL)
    except NotationError as error:
        assert str(error).isascii()
