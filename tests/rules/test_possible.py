"""Positions that no game can reach because squares, incomes, spaces or buttons disagree."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pwtourney.rules import Player, SplitMix64, State
from pwtourney.rules.automa import LEVELS, Automa, Solo
from pwtourney.rules.possible import why_impossible
from tests.rules.made_up import made_up_editions
from tests.rules.positions import ANNIVERSARY, EXPRESS, HALLOWEEN, ORIGINAL, START, covered
from tests.rules.walks import walks


@pytest.mark.slow
@given(walks())
def test_every_position_of_a_game_is_possible(state: State) -> None:
    """This holds with the order of the late patches known and hidden."""
    assert why_impossible(state) == ""
    assert why_impossible(state.hide_late()) == ""


@given(walks(made_up_editions()))
@pytest.mark.slow
def test_every_position_of_a_random_edition_is_possible(state: State) -> None:
    """Random editions have patches of no time, two special patches in a move, and small boards."""
    assert why_impossible(state) == ""


@pytest.mark.slow
@given(st.integers(0, 2**32), st.sampled_from(LEVELS), st.integers(0, 60))
def test_every_position_against_the_automa_is_possible(seed: int, level: str, plies: int) -> None:
    """The Automa takes patches without a quilt board and gets buttons from its cards."""
    stream = SplitMix64(seed)
    solo = Solo.start(State.start(ANNIVERSARY, stream.next()), Automa(level), seed)
    for _ in range(plies):
        state = solo.state
        if state.is_over:
            break
        if state.to_move == 1:
            solo, _ = solo.turn()
        else:
            actions = state.legal_actions()
            solo = solo._replace(state=state.apply(actions[stream.below(len(actions))]))
        assert why_impossible(solo.state) == ""


EMPTY = Player(0, 5, 0, 0)
LEFT = tuple(patch for patch in START.circle if patch != 6)
FOUR = covered(range(2), range(2))


def test_patch_6_is_the_patch_that_these_tests_count_with() -> None:
    """It has four squares, costs three buttons, takes two time and earns one button."""
    patch = ORIGINAL.patch[6]
    assert (len(patch.shape), *patch[2:]) == (4, 3, 2, 1)


def take_6(second: Player = EMPTY, **changes: int) -> State:
    """Return the position after seat 0 takes patch 6 at its first ply, with changed fields."""
    mine = Player(FOUR, 2, 1, 2)._replace(**changes)
    return START._replace(players=(mine, second), circle=LEFT, to_move=1)


FULL = covered(range(9), range(9))
ENDED = START._replace(
    players=(Player(FULL, 9, 30, 53), Player(FULL, 9, 30, 53)), circle=(), tile=0
)


@pytest.mark.parametrize(
    ("state", "reason"),
    [
        (take_6(), ""),
        (take_6(income=2), "have an income of 1, but both players together have 2"),
        (take_6(quilt=FOUR | 1 << 40), "circle cover 4 squares, but 5 are covered"),
        (take_6(quilt=FOUR ^ 1), "circle cover 4 squares, but 3 are covered"),
        (take_6(buttons=4), "both players together have 9 buttons, and can have 7 at most"),
        (take_6(buttons=1), "both players together have 6 buttons, and can have 7 at least"),
        (take_6(buttons=8), "seat 0 can have 7 buttons at most, not 8"),
        (take_6(space=1), "moved the tokens 2 spaces, but these have moved 1"),
        (take_6(space=3), "one token is 3 spaces ahead of the other, but no patch that has left"),
        (
            take_6(EMPTY._replace(quilt=1, space=1, buttons=6), quilt=FOUR ^ 1),
            "so that seat 0 covers 3 squares with an income of 1, and seat 1 1 squares with 0",
        ),
        (START._replace(to_move=1), "seat 0 starts, so seat 1 is not to move while both tokens"),
        (START._replace(tile=0), "seat 0 has not earned the special tile"),
        (ENDED, "the patches that have left the circle have an income of"),
    ],
)
def test_impossible_position_is_reported_with_its_reason(state: State, reason: str) -> None:
    """Patch 6 covers 4 squares, costs 3 of 5 buttons and moves a token 2 spaces, by hand."""
    explanation = why_impossible(state)
    assert reason in explanation
    assert bool(explanation) == bool(reason)


def test_special_patches_are_counted() -> None:
    """Seat 0 is past the first mark, 20, so it has placed exactly one special patch."""
    circle = tuple(patch for patch in START.circle if patch != 6)
    behind = Player(0, 5 + 20, 0, 20)  # all the way by advancing, a button a space
    for squares, reason in (
        (covered(range(1), range(5)), ""),
        (FOUR, "circle and 1 special patches cover 5 squares, but 4 are covered"),
        (covered(range(1), range(6)), "cover 5 squares, but 6 are covered"),
    ):
        # 19 spaces by advancing, 2 by the patch; its income of 1 at the marks 5, 11 and 17 at most
        mine = Player(squares, 5 - 3 + 19, 1, 21)
        state = START._replace(players=(mine, behind._replace(space=19, buttons=24)), circle=circle)
        explanation = why_impossible(state._replace(to_move=1))
        assert reason in explanation
        assert bool(explanation) == bool(reason)


def test_declined_special_patch_may_be_missing_from_the_board() -> None:
    """In Halloween four and five covered squares are possible, six are not."""
    start = State.start(HALLOWEEN, 1)
    circle = tuple(patch for patch in start.circle if patch != 6)
    mark = HALLOWEEN.leather_marks[0]
    other = Player(0, 5 + mark - 1, 0, mark - 1)
    patch = HALLOWEEN.patch[6]
    for squares, possible in ((FOUR, True), (FOUR | 1 << 80, True), (FOUR | 3 << 79, False)):
        mine = Player(squares, 5 - patch.cost + mark - 2, patch.income, mark)
        state = start._replace(players=(mine, other), circle=circle, to_move=1)
        assert (why_impossible(state) == "") is possible


def test_late_patches_enter_when_few_others_are_left() -> None:
    """In Express they enter at exactly five patches left."""
    start = State.start(EXPRESS, 1)
    early = start._replace(circle=(*start.circle, *start.late), late=())
    assert "enter only when 5 others are left in the circle" in why_impossible(early)
    late = start._replace(circle=start.circle[:5])
    assert "enter when 5 are left in the circle, and have not" in why_impossible(late)


def test_only_the_second_seat_can_be_the_automa() -> None:
    """The Automa has taken patch 6 without covering squares, which a human player cannot do."""
    automa = Player(0, 0, 0, 2)
    start = State.start(ANNIVERSARY, 1)
    circle = tuple(patch for patch in start.circle if patch != 6)
    state = start._replace(players=(Player(0, 6, 0, 1), automa), circle=circle)
    assert why_impossible(state) == ""
    swapped = state._replace(players=(automa._replace(buttons=5), Player(0, 6, 0, 1)), to_move=1)
    assert "have an income of 1, but both players" in why_impossible(swapped)
    # It begins without buttons, which the human's purse would not be.
    rich = state._replace(players=(Player(0, 6, 0, 1), automa._replace(buttons=5)))
    assert "have an income of 1, but both players" in why_impossible(rich)
