"""Shapes that are drawn and turned by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pwtourney.rules.geometry import (
    ORIENTATIONS,
    all_orientations,
    canonical_numbers,
    distinct_orientations,
    is_connected,
    nth_bit,
    parse_shape,
    set_bits,
    shape_rows,
    square_name,
    square_windows,
)

DRAWN = {
    "r0": "##/##/#.",
    "r90": "###/.##",
    "r180": ".#/##/##",
    "r270": "##./###",
    "f0": "##/##/.#",
    "f90": ".##/###",
    "f180": "#./##/##",
    "f270": "###/##.",
}
"""The eight orientations of a shape without symmetry, turned clockwise on paper."""


def draw(text: str) -> frozenset[tuple[int, int]]:
    """Return a shape from rows that are separated by slashes."""
    return parse_shape(text.split("/"))


P = draw(DRAWN["r0"])


def test_a_shape_is_turned_clockwise_and_flipped_left_to_right_first() -> None:
    """All eight orientations, in the order of their names."""
    turned = ["/".join(shape_rows(shape)) for shape in all_orientations(P)]
    assert dict(zip(ORIENTATIONS, turned, strict=True)) == DRAWN


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("##/##/#.", (0, 1, 2, 3, 4, 5, 6, 7)),
        ("##/##", (0,) * 8),
        ("##", (0, 1, 0, 1, 0, 1, 0, 1)),
        ("##./.##", (0, 1, 0, 1, 4, 5, 4, 5)),
        ("###/.#.", (0, 1, 2, 3, 0, 1, 2, 3)),
    ],
)
def test_orientations_that_look_alike_share_the_lowest_number(
    text: str, numbers: tuple[int, ...]
) -> None:
    """The numbers were drawn on paper; a square, a straight pair, an S and a T have repeats."""
    assert canonical_numbers(draw(text)) == numbers
    distinct = distinct_orientations(draw(text), 9, 9)
    assert [lay.number for lay in distinct] == sorted(set(numbers))


def test_orientation_has_its_size_squares_and_fitting_anchors() -> None:
    """The board has 3 × 3 squares, numbered row by row from 0."""
    lays = {lay.number: lay for lay in distinct_orientations(P, 3, 3)}
    assert len(lays) == 8
    upright, lying = lays[0], lays[1]
    assert upright == (0, 3, 2, 0b001_011_011, (0, 1, 3, 4, 6), 0b000_000_011)
    assert lying == (1, 2, 3, 0b000_110_111, (0, 1, 2, 4, 5), 0b000_001_001)


@pytest.mark.parametrize(
    ("rows", "columns", "numbers"),
    [(3, 2, [0, 2, 4, 6]), (2, 3, [1, 3, 5, 7]), (2, 2, []), (1, 9, []), (9, 1, [])],
)
def test_an_orientation_that_is_larger_than_the_board_is_left_out(
    rows: int, columns: int, numbers: list[int]
) -> None:
    """The shape is three squares by two, so a board of the same size takes it one way only."""
    distinct = distinct_orientations(P, rows, columns)
    assert [lay.number for lay in distinct] == numbers
    assert all(lay.fits == 1 for lay in distinct)


@pytest.mark.slow
@given(st.integers(1, 2**700))
def test_nth_bit_for_any_number_of_bits(mask: int) -> None:
    """The expected positions are read one by one from the binary digits."""
    digits = f"{mask:b}"[::-1]
    bits = [number for number, digit in enumerate(digits) if digit == "1"]
    assert [nth_bit(mask, n) for n in range(len(bits))] == bits == list(set_bits(mask))


@pytest.mark.parametrize("length", [1, 7, 8, 9, 15, 16, 17, 255, 256, 257, 8192, 16383])
def test_nth_bit_finds_a_single_bit_and_the_last_of_many(length: int) -> None:
    """The lengths are near powers of two, where the search splits."""
    assert nth_bit(1 << length - 1, 0) == length - 1
    assert nth_bit((1 << length) - 1, length - 1) == length - 1


def test_square_windows_lists_all_windows_of_a_size() -> None:
    """A 3 × 3 board has four 2 × 2 windows, one at each corner, and no 4 × 4 window."""
    corner = 0b000_011_011
    assert square_windows(2, 3, 3) == (corner, corner << 1, corner << 3, corner << 4)
    assert square_windows(3, 3, 3) == (0b111_111_111,)
    assert square_windows(1, 1, 2) == (1, 2)
    assert square_windows(4, 3, 3) == ()


@pytest.mark.parametrize("text", ["#.#/###", "###/#.#", "##/#./##", "##/.#/##", "#", "#####"])
def test_squares_that_share_edges_are_connected(text: str) -> None:
    """The shapes need steps up, down, left and right from any first square."""
    assert is_connected(draw(text))


@pytest.mark.parametrize("text", ["#.#", "#./.#", "##./..#", "#.#/#.#", "###/.../###"])
def test_squares_that_touch_at_corners_only_are_not_connected(text: str) -> None:
    """Squares with a gap between them are not connected either."""
    assert not is_connected(draw(text))


def test_drawing_a_shape_is_the_inverse_of_reading_it() -> None:
    """Every row has the width of the widest row."""
    for text in ("#", "##./.##", "#./#./##", ".#./###/.#."):
        assert "/".join(shape_rows(draw(text))) == text


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([], "the rows of a shape must have one length"),
        (["##", "#"], "the rows of a shape must have one length"),
        (["#x"], "a shape is drawn with # and . only"),
        ([".."], "a shape needs at least one square"),
        (["..", "##"], "a shape must not have an empty first row or column"),
        ([".#", ".#"], "a shape must not have an empty first row or column"),
    ],
)
def test_text_that_is_not_a_shape_is_reported(rows: list[str], message: str) -> None:
    """Each mistake has a message of its own."""
    with pytest.raises(ValueError, match=r".") as caught:
        parse_shape(rows)
    assert str(caught.value) == message


def test_square_names_are_column_letter_and_row_number() -> None:
    """The top left is a1; on a board of nine columns and rows the last is i9."""
    assert [square_name(square, 9) for square in (0, 1, 8, 9, 80)] == ["a1", "b1", "i1", "a2", "i9"]
    assert square_name(399, 20) == "t20"
    assert list(set_bits(0b10110)) == [1, 2, 4]
    assert list(set_bits(0)) == []
