"""The printed numbers: totals counted by hand from the published patch tables."""

import pytest

from pwtourney.rules import Edition, Player, State, find_edition
from tests.rules.positions import ANNIVERSARY, EXPRESS, HALLOWEEN, ORIGINAL


def test_the_33_patches_have_the_published_totals() -> None:
    """The 33 patches have 166 squares, cost 133 buttons and 107 time, and earn 38 buttons."""
    patches = ORIGINAL.patches
    assert len(patches) == 33
    assert sum(len(patch.shape) for patch in patches) == 166
    assert sum(patch.cost for patch in patches) == 133
    assert sum(patch.time for patch in patches) == 107
    assert sum(patch.income for patch in patches) == 38


def test_orientations_and_placements_are_as_published() -> None:
    """The 33 patches have 144 orientations and 7349 placements on an empty 9 × 9 board."""
    lays = [lay for patch in ORIGINAL.patches for lay in ORIGINAL.orientations[patch.id]]
    assert len(lays) == 144
    assert sum(lay.fits.bit_count() for lay in lays) == 7349


def test_the_most_actions_in_one_position_are_1345() -> None:
    """Three patches of 448 placements each and the advance make 1345, the maximum."""
    counts = {
        patch.id: sum(lay.fits.bit_count() for lay in ORIGINAL.orientations[patch.id])
        for patch in ORIGINAL.patches
    }
    three = sorted(counts, key=lambda number: -counts[number])[:3]
    assert [counts[number] for number in three] == [448, 448, 448]
    rest = tuple(number for number in counts if number not in three)
    rich = Player(0, 99, 0, 0)
    state = State(ORIGINAL, (rich, rich), (*three, *rest), (), 0, 0, None)
    assert len(state.legal_actions()) == 1345


def test_the_patch_of_5_buttons_and_3_time_has_8_squares() -> None:
    """Some engines draw it with 11 squares; the tile has 8."""
    sizes = [len(p.shape) for p in ORIGINAL.patches if (p.cost, p.time) == (5, 3)]
    assert sizes == [8]


@pytest.mark.parametrize(
    ("edition", "marks"),
    [
        (ORIGINAL, (20, 26, 32, 44, 50)),
        (ANNIVERSARY, (26, 32, 38, 44, 50)),
        (EXPRESS, (7, 11, 15, 19, 23, 27)),
    ],
)
def test_special_patches_lie_where_the_rulebook_draws_them(
    edition: Edition, marks: tuple[int, ...]
) -> None:
    """The marks of the special patches are those of the rulebook's picture."""
    assert edition.leather_marks == marks


def test_halloween_says_that_its_marks_are_assumed() -> None:
    """Its rulebook does not state them, so they are those of the anniversary edition."""
    assert (HALLOWEEN.income_marks, HALLOWEEN.leather_marks) == (
        tuple(range(5, 54, 6)),
        (26, 32, 38, 44, 50),
    )
    sources = " ".join(HALLOWEEN.provenance.split())
    assert "does not state where the marks of the time board are" in sources
    assert "assumed to be those of the anniversary edition" in sources


def test_income_marks_are_every_sixth_space_and_the_last() -> None:
    """Income lies at 5, 11, … 53; in Express at 5, 9, … 29."""
    assert ORIGINAL.income_marks == tuple(range(5, 54, 6))
    assert EXPRESS.income_marks == tuple(range(5, 30, 4))


def test_declining_and_tile_of_each_edition() -> None:
    """Halloween and Express allow declining; all but Express have the tile."""
    assert [e.declining for e in (ORIGINAL, ANNIVERSARY, HALLOWEEN, EXPRESS)] == [0, 0, 1, 1]
    assert [e.tile for e in (ORIGINAL, ANNIVERSARY, HALLOWEEN)] == [(7, 7)] * 3
    assert EXPRESS.tile is None


def test_express_has_15_colourful_and_8_blue_patches() -> None:
    """The blue patches enter when five patches are left in the circle."""
    assert EXPRESS.late is not None
    assert (len(EXPRESS.circle_patches), len(EXPRESS.late.patches)) == (15, 8)
    assert EXPRESS.late.when_left == 5


def test_halloween_says_that_its_own_values_are_not_shipped() -> None:
    """The values of its 14 changed patches are unpublished, and the description says so."""
    assert "NOT shipped" in find_edition("halloween").description
    assert HALLOWEEN.patches == ORIGINAL.patches


def test_express_says_that_its_table_has_one_source() -> None:
    """Its patches and the length of its track are less certain than its other values."""
    assert "single source" in EXPRESS.description
    assert "ONE public implementation" in " ".join(EXPRESS.provenance.split())
