"""All placements of a patch in one integer, compared with a check of each square."""

import random

import pytest

from pwtourney.rules import Edition, parse_shape, take
from pwtourney.rules.geometry import Orientation, distinct_orientations, set_bits
from pwtourney.rules.placements import Placements
from tests.rules.positions import EXPRESS, ORIGINAL

LARGE = [
    "####################",
    "#...................",
    "#.................##",
    "##################.#",
]


def look_for(lays: tuple[Orientation, ...], free: int, squares: int) -> list[tuple[int, int]]:
    """Return orientation and square of each placement that covers only free squares."""
    empty = {square for square in range(squares) if free >> square & 1}
    return [
        (lay.number, square)
        for lay in lays
        for square in range(squares)
        if lay.fits >> square & 1 and empty.issuperset(square + offset for offset in lay.offsets)
    ]


def listed(placements: Placements, free: int) -> list[tuple[int, int]]:
    """Return orientation and square of the placements that `find` gives, in bit order."""
    actions = [placements.actions[bit] for bit in set_bits(placements.find(free))]
    assert actions == [
        take(placements.patch, action.orientation, action.square) for action in actions
    ]
    return [(action.orientation, action.square) for action in actions]


@pytest.mark.parametrize("edition", [ORIGINAL, EXPRESS], ids=lambda edition: edition.name)
def test_placements_are_where_all_squares_of_a_patch_are_free(edition: Edition) -> None:
    """The boards range from empty through random ones to full, for every patch."""
    draw, squares = random.Random(1), edition.rows * edition.columns
    for patch in edition.patches:
        lays = edition.orientations[patch.id]
        some = draw.getrandbits(squares)
        more, less = some | draw.getrandbits(squares), some & draw.getrandbits(squares)
        for free in (0, less, some, more, more | draw.getrandbits(squares), edition.full):
            assert listed(edition.placements[patch.id], free) == look_for(lays, free, squares)


@pytest.mark.parametrize(("rows", "columns"), [(20, 20), (4, 20), (20, 5), (20, 4)])
def test_placements_of_a_large_patch_on_a_large_board(rows: int, columns: int) -> None:
    """Squares that are far apart need shifts of many bits, in any order of rows and columns."""
    lays = distinct_orientations(parse_shape(LARGE), rows, columns)
    placements = Placements(1, lays, rows * columns)
    draw, full = random.Random(2), (1 << rows * columns) - 1
    for count in (0, 1, 2, 5, 20):
        free = full
        for _ in range(count):
            free &= ~(1 << draw.randrange(rows * columns))
        assert listed(placements, free) == look_for(lays, free, rows * columns)


def test_anchors_are_where_all_squares_of_the_shape_are_free() -> None:
    """The board has 2 × 3 squares; the second mask has the middle square of the top row covered."""
    (lying, upright) = distinct_orientations(parse_shape(["##"]), 2, 3)
    find = Placements(1, (lying, upright), 6).anchors
    assert find(0b111_111) == (0b011_011, 0b000_111)
    assert find(0b111_101) == (0b011_000, 0b000_101)
    assert find(0) == (0, 0)
