"""The choices of a person and their effects, counted by hand on a board of 3 × 3.

``tests/rules/editions/tiny.toml`` has the patches. Squares count from 0, row by row.
"""

from pathlib import Path
from typing import Any

from pwtourney.arena.choices import describe_choices, describe_step
from pwtourney.rules import DECLINE, Action, Deal, State, find_edition, leather, take
from tests.rules.positions import EXPRESS, player, position

TINY = find_edition(str(Path(__file__).parents[1] / "rules" / "editions" / "tiny.toml"))
START = State.start(TINY, Deal((2, 3, 4, 5, 6, 7, 1), ()))
"""Two players with 4 buttons; patches 2 (##), 3 (##/#.) and 4 (###) are on offer."""

ADVANCE = Action("advance")
TWO_LEFT = 0b111101011
"""A quilt board of which c1 (2) and b2 (4) are empty; b2 is in every square of 2 × 2."""


def step(
    buttons: tuple[int, int], income: tuple[int, int], space: tuple[int, int], **more: Any
) -> dict[str, Any]:
    """Return the description of an action that changes only these values, and `more`."""
    usual = {"marks": 0, "paid": 0, "leathers": 0, "tile": False, "again": False, "over": False}
    return {
        "buttons": list(buttons),
        "income": list(income),
        "space": list(space),
        **usual,
        **more,
    }


def test_each_patch_on_offer_has_its_squares_and_its_effect() -> None:
    """Marks of income are at 3 and 4, and the first special patch is at 2."""
    turned = [0, 1] * 4
    assert describe_choices(START) == {
        "patches": [
            {
                "patch": 2,
                "aliases": turned,
                "legal": {0: [0, 1, 3, 4, 6, 7], 1: [0, 1, 2, 3, 4, 5]},
                "problem": "",
                "step": step((4, 3), (0, 1), (0, 2), leathers=1, again=True),
            },
            {
                "patch": 3,
                # flipped, ##/#. is ##/.#, which is r90; each turn of it comes one later
                "aliases": [0, 1, 2, 3, 1, 2, 3, 0],
                "legal": {turn: [0, 1, 3, 4] for turn in range(4)},
                "problem": "",
                "step": step((4, 2), (0, 1), (0, 1)),
            },
            {
                "patch": 4,
                "aliases": turned,
                "legal": {0: [0, 3, 6], 1: [0, 1, 2]},
                "problem": "",
                # 4 - 1, and two marks that pay 2 buttons each
                "step": step((4, 7), (0, 2), (0, 4), marks=2, paid=4, leathers=1, again=True),
            },
        ],
        "advance": step((4, 5), (0, 0), (0, 1)),
    }


def test_patch_that_cannot_be_taken_has_the_reason() -> None:
    """The second seat has 1 button and two squares that do not touch; patch 3 costs 2."""
    state = position(player(space=3), player(TWO_LEFT, buttons=1, income=2), base=START, to_move=1)
    offers = describe_choices(state)["patches"]
    assert [(offer["patch"], offer["legal"], offer["step"]) for offer in offers] == [
        (2, {}, None),
        (3, {}, None),
        (4, {}, None),
    ]
    assert [offer["problem"] for offer in offers] == [
        "patch 2 fits nowhere on this quilt",
        "patch 3 costs 2 buttons and you have 1",
        "patch 4 fits nowhere on this quilt",
    ]
    # from 0 to 4, past the marks at 3 and 4, which pay 2 each
    assert describe_choices(state)["advance"] == step((1, 9), (2, 2), (0, 4), marks=2, paid=4)


def test_patch_on_a_crowded_quilt_has_only_the_squares_that_are_left() -> None:
    """The left column is empty: patch 2 fits there upright at a1 and a2, patch 4 at a1."""
    state = position(player(0b110110110, buttons=1), player(), base=START, tile=1)
    patch_2, patch_3, patch_4 = describe_choices(state)["patches"]
    assert (patch_2["legal"], patch_2["step"]) == (
        {1: [0, 3]},
        step((1, 0), (0, 1), (0, 2), leathers=1, again=True),
    )
    assert patch_3["legal"] == {}
    # it fills the quilt, so the special patch on 2 leaves the game
    assert patch_4["legal"] == {1: [0]}
    assert patch_4["step"] == step((1, 4), (0, 2), (0, 4), marks=2, paid=4)


def test_special_patch_has_its_squares_and_can_be_declined_where_the_edition_allows_it() -> None:
    """Express allows declining, and Tiny does not; the second of two patches is placed next."""
    state = position(player(TWO_LEFT, space=2), player(space=1), base=START, pending=1)
    unchanged = ((5, 5), (0, 0), (2, 2))
    assert describe_choices(state) == {
        "leather": [2, 4],
        "step": step(*unchanged),
        "decline": None,
    }
    assert describe_step(state, leather(4)) == step(*unchanged, tile=True)
    later = state._replace(tile=1)
    assert describe_step(later, leather(4)) == step(*unchanged)
    full = EXPRESS.full & ~0b11
    double = position(player(full, space=2), player(), base=State.start(EXPRESS, 81), pending=2)
    assert describe_choices(double) == {
        "leather": [0, 1],
        "step": step(*unchanged, leathers=1, again=True),
        "decline": step(*unchanged, leathers=1, again=True),
    }
    assert describe_step(double._replace(pending=1), DECLINE)["leathers"] == 0


def test_last_action_ends_the_game_and_nobody_moves_again() -> None:
    """One space to the mark on 12 pays one button and the income of 3."""
    state = position(player(buttons=4, income=3, space=11), player(space=12), base=START)
    assert describe_step(state, ADVANCE) == step(
        (4, 8), (3, 3), (11, 12), marks=1, paid=3, over=True
    )
    behind = position(player(space=9), player(space=0), base=START, to_move=1)
    # patch 3 takes 1 space: the second seat stays behind, and moves again
    assert describe_step(behind, take(3, 0, 0)) == step((5, 3), (0, 1), (0, 1), again=True)
