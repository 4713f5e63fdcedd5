"""The champion against the Automa: how it detects it, and what it evaluates then."""

import pytest
from pwtourney_bots.node_tree import Judge, NodeTree, Room

from pwtourney.rules import State, find_edition
from tests.bundled.compiling import COMPILED
from tests.rules.positions import ORIGINAL, player, position

pytestmark = [pytest.mark.slow, *COMPILED]
LAST_MOVE = position(
    player(quilt=ORIGINAL.full & ~0b11, buttons=5, space=52),
    player(buttons=9, space=53),
    circle=(1,),
    tile=0,
)


def plant(state: State) -> NodeTree:
    """Return a tree with a root."""
    tree = NodeTree(state.edition, Judge(3, 0.5), Room(1_000, 10_000, 1 << 12))
    tree.take_root(state, [])
    return tree


def test_automa_is_detected_by_patches_that_nobody_placed() -> None:
    """A patch is gone from the circle, but covers no square."""
    start = State.start(find_edition("anniversary"), 1)
    assert not plant(start).is_solo
    assert not plant(start.apply(start.legal_actions()[5])).is_solo
    assert plant(start._replace(circle=start.circle[1:])).is_solo


def test_automas_empty_quilt_board_costs_nothing() -> None:
    """Three buttons, the tile and a full quilt board against nine buttons: one point ahead.

    Advancing instead pays one button for the last space and leaves two squares: even.
    """
    tree = plant(LAST_MOVE)
    while not tree.is_solved:
        tree.grow(10)
    assert [choice.margin for choice in tree.choices()] == [1, 0]


def test_tree_of_a_game_without_the_automa_is_not_reused() -> None:
    """The results against a player do not count against the Automa."""
    start = State.start(find_edition("anniversary"), 1)
    tree = plant(start)
    tree.grow(100)
    tree.take_root(start._replace(circle=start.circle[1:]), [])
    assert (tree.visits, tree.is_solo) == (0, True)
