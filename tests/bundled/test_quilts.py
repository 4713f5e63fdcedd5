"""Features of quilt boards and of both sides, and their value."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pwtourney_bots.node_tree import Judge, NodeTree, Room

from pwtourney.rules import Edition, State
from tests.bundled.compiled import count_features, look_at_root
from tests.bundled.compiling import COMPILED
from tests.rules.positions import EXPRESS, ORIGINAL, player, position

pytestmark = [pytest.mark.slow, *COMPILED]
_CHECKERS = sum(1 << square for square in range(0, 80, 2))
"""Forty squares, no two of them adjacent; as many as the first forty squares."""

WIDE = ORIGINAL.replace(name="wide", rows=8, columns=16, tile=None)


def count_by_hand(edition: Edition, quilt: int) -> dict[str, float]:
    """Return the features of a quilt board, counted square by square."""
    rows, columns = edition.rows, edition.columns
    free = {
        (row, column)
        for row in range(rows)
        for column in range(columns)
        if not quilt >> (row * columns + column) & 1
    }

    def beside(square: tuple[int, int]) -> set[tuple[int, int]]:
        row, column = square
        around = {(row + 1, column), (row - 1, column), (row, column + 1), (row, column - 1)}
        return {
            (near_row, near_column)
            for near_row, near_column in around
            if 0 <= near_row < rows and 0 <= near_column < columns
        }

    regions, left = 0, set(free)
    while left:
        regions += 1
        waiting = [left.pop()]
        while waiting:
            reached = beside(waiting.pop()) & left
            left -= reached
            waiting += reached
    neighbours = [len(beside(square) & free) for square in free]

    def count_places(height: int, width: int) -> int:
        return sum(
            all((row + i, column + k) in free for i in range(height) for k in range(width))
            for row, column in free
        )

    return {
        "EMPTY": len(free),
        "EXPOSED": sum(len(beside(square) - free) for square in free),
        "HOLES": neighbours.count(0),
        "ENDS": neighbours.count(1),
        "REGIONS": regions,
        "THREES": count_places(1, 3) + count_places(3, 1),
        "FOURS": count_places(1, 4) + count_places(4, 1),
        "SQUARES": count_places(2, 2),
    }


@settings(max_examples=200, deadline=None)
@given(
    edition=st.sampled_from([ORIGINAL, EXPRESS, WIDE]),
    words=st.tuples(*[st.integers(0, 2**128 - 1)] * 3),
    thin=st.booleans(),
)
def test_features_match_a_count_square_by_square(
    edition: Edition, words: tuple[int, int, int], thin: bool
) -> None:
    """Quilt boards have up to 128 squares, and are sparse or dense."""
    first, second, third = words
    quilt = (first & second & third if thin else first | second & third) & edition.full
    assert count_features(edition, quilt) == count_by_hand(edition, quilt)


def value_of(state: State) -> float:
    """Return the evaluation of a position for seat 0."""
    return look_at(state)[0]


def look_at(state: State) -> tuple[float, dict[str, float]]:
    """Return the evaluation of a position for seat 0, and the inputs of the network."""
    tree = NodeTree(state.edition, Judge(3, 0.5), Room(100, 1000, 1 << 10))
    tree.take_root(state, [])
    return look_at_root(tree, state.edition)


def test_inputs_of_both_sides_match_a_calculation_by_hand() -> None:
    """One side has 12 buttons and 9 paydays of 2; the other has 5 buttons, 43 spaces and a tile."""
    own, other = player(quilt=1, buttons=12, income=2), player(space=10)
    seen = look_at(position(own, other, tile=1))[1]
    names = ("BUTTONS", "PURSE", "INCOME", "EARNINGS", "AHEAD", "TILE", "EMPTY", "EXPOSED")
    assert [seen[f"OWN_{name}"] for name in names] == [12, 10, 2, 18, 53, 0, 80, 2]
    assert [seen[f"OTHER_{name}"] for name in names] == [5, 5, 0, 0, 43, 1, 81, 0]
    assert (seen["FREE"], seen["PENDING"], seen["ONE"]) == (0, 0, 1)


def test_player_to_move_comes_first_in_the_inputs() -> None:
    """With the other seat to move, both sides of the inputs are swapped."""
    state = position(player(quilt=0b111, buttons=9), player(space=4), pending=1)
    inputs, swapped = look_at(state)[1], look_at(state._replace(to_move=1))[1]
    swap = {"OWN": "OTHER", "OTHER": "OWN"}
    for name, count in inputs.items():
        side, _, rest = name.partition("_")
        if side in swap:
            assert swapped[f"{swap[side]}_{rest}"] == count
    assert (inputs["PENDING"], swapped["PENDING"]) == (1, 1)


def test_progress_to_the_tile_counts_while_nobody_has_it() -> None:
    """Three squares short of seven by seven: three left, nine of the last twelve done."""
    window = sum(0b1111111 << 9 * row for row in range(7))
    near = player(quilt=window & ~0b111)
    seen = look_at(position(near, player()))[1]
    assert (seen["OWN_UNCOVERED"], seen["OWN_NEAR"], seen["FREE"]) == (3, 9, 1)
    seen = look_at(position(near, player(), tile=0))[1]
    assert (seen["OWN_UNCOVERED"], seen["OWN_NEAR"], seen["FREE"]) == (0, 0, 0)


def test_patch_inputs_start_at_the_neutral_token() -> None:
    """Patch 1, for which the other player lacks a button, precedes patch 5, and none follows."""
    first, second = ORIGINAL.patch[1], ORIGINAL.patch[5]
    state = position(player(buttons=first.cost), player(buttons=first.cost - 1), circle=(1, 5))
    seen = look_at(state)[1]
    for number, patch in enumerate((first, second), 1):
        counts = [seen[f"{name}_{number}"] for name in ("COST", "TIME", "GAIN", "SIZE")]
        assert counts == [patch.cost, patch.time, patch.income, len(patch.shape)]
    assert (seen["MINE_1"], seen["THEIRS_1"]) == (1, 0)
    assert all(
        seen[f"{name}_3"] == 0 for name in ("COST", "TIME", "GAIN", "SIZE", "MINE", "THEIRS")
    )


def test_evaluation_of_equal_sides_is_symmetric() -> None:
    """Only the player to move differs: the two values add up to 1."""
    state = position(player(quilt=7, space=9), player(quilt=7, space=9))
    assert value_of(state) + value_of(state._replace(to_move=1)) == pytest.approx(1)


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        (player(buttons=9), player(buttons=5)),
        (player(income=4), player(income=1)),
        (player(quilt=0b111), player(quilt=0)),
        (player(quilt=ORIGINAL.full & (1 << 40) - 1), player(quilt=ORIGINAL.full & _CHECKERS)),
        (player(space=10), player(space=20)),
    ],
    ids=["buttons", "income", "squares", "edges", "time"],
)
def test_better_side_has_the_better_evaluation(better: object, worse: object) -> None:
    """More buttons, income, squares or time, or fewer exposed edges, all else equal."""
    assert value_of(position(better, player())) > value_of(position(worse, player()))  # type: ignore[arg-type]
