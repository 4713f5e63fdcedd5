"""The text of actions: round trips, aliases, and errors."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pwtourney.errors import IllegalActionError, NotationError
from pwtourney.notation import action_text, parse_action, read_action
from pwtourney.rules import DECLINE, ORIENTATIONS, State, leather, take
from tests.rules.positions import EXPRESS, ORIGINAL, START, player, position
from tests.rules.walks import walks


@pytest.mark.slow
@given(walks())
def test_every_legal_action_reads_back_as_itself(state: State) -> None:
    """Writing and reading an action does not change it."""
    actions = list(state.legal_actions())
    for action in actions[:: max(1, len(actions) // 50)]:
        assert read_action(action_text(action, state.edition), state) == action


@pytest.mark.parametrize(
    ("text", "action"),
    [
        ("12:r0:b4", take(12, 0, 3 * 9 + 1)),
        ("12:r90:b4", take(12, 1, 3 * 9 + 1)),
        ("14:f0:a1", take(14, 4, 0)),
        ("leather:e5", leather(4 * 9 + 4)),
        ("decline", DECLINE),
    ],
)
def test_parse_each_kind_of_action(text: str, action: object) -> None:
    """A square is a column letter and a row number, a1 top left; orientations have names."""
    assert parse_action(text, ORIGINAL) == action


def test_texts_that_cover_the_same_squares_are_one_action() -> None:
    """Patch 10 is a square: its eight orientations are one, and r0 is the canonical name."""
    texts = {
        action_text(parse_action(f"10:{name}:c3", ORIGINAL), ORIGINAL) for name in ORIENTATIONS
    }
    assert texts == {"10:r0:c3"}
    straight = {parse_action(f"7:{name}:a1", ORIGINAL) for name in ("r90", "r270", "f90", "f270")}
    assert straight == {take(7, 1, 0)}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "'' is not an action"),
        ("jump", "'jump' is not an action"),
        ("12:r90", "is not an action"),
        ("leather", "is not an action"),
        ("12:r45:b4", "'r45' is not an orientation"),
        ("012:r90:b4", "must not begin with a zero"),
        ("x:r90:b4", "the number of a patch must be a whole number, not 'x'"),
        ("٤:r90:b4", r"must be a whole number, not '\u0664'"),
        ("12:r90:4b", "a square is a column letter and a row number, not '4b'"),
        ("12:r90:j1", "'j1' is not on a board of 9 rows and 9 columns"),
        ("12:r90:a10", "'a10' is not on a board"),
        ("12:r90:a0", "'a0' is not on a board"),
        ("leather:", "a square is a column letter"),
        ("9" * 10000 + ":r0:a1", "must be a whole number"),
    ],
)
def test_text_that_is_not_an_action_is_reported_with_its_token(text: str, reason: str) -> None:
    """Texts outside the notation are a NotationError, whatever the position."""
    with pytest.raises(NotationError) as error:
        read_action(text, START)
    assert reason in str(error.value)
    assert len(str(error.value)) < 300


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("99:r0:a1", "has no patch 99"),
        ("13:r0:a1", "not among those on offer (7, 18, 3)"),
        ("18:r0:a1", "costs 7 buttons and you have 5"),
        ("7:r0:g1", "reaches outside the board"),
        ("7:r0:a1", "overlaps another patch at b1"),
        ("leather:a1", "there is no special patch to place"),
        ("decline", "there is no special patch to place"),
    ],
)
def test_illegal_action_is_reported_with_its_reason(text: str, reason: str) -> None:
    """Well-formed actions that the position forbids raise an IllegalActionError."""
    state = position(player(quilt=0b10), circle=(7, 18, 3, 13, 1))
    with pytest.raises(IllegalActionError) as error:
        read_action(text, state)
    assert reason in str(error.value)
    assert repr(text) in str(error.value)


@given(st.text(max_size=30))
@pytest.mark.slow
def test_any_text_gives_an_action_or_a_notation_error(text: str) -> None:
    """No output of a bot raises another exception."""
    for edition in (ORIGINAL, EXPRESS):
        try:
            parse_action(text, edition)
        except NotationError as error:
            assert str(error).isascii()
