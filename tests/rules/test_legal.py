"""The lazy sequence of legal actions against what iterating it gives."""

import pytest
from hypothesis import given

from pwtourney.rules import State
from tests.rules.positions import EDITIONS, START, player, position
from tests.rules.walks import walks


@given(walks())
def test_length_elements_iteration_and_membership_agree(state: State) -> None:
    """For any position the sequence has one order, no repeats, and contains what it yields."""
    actions = state.legal_actions()
    listed = list(actions)
    assert len(actions) == len(listed) == len(set(listed))
    assert [actions[k] for k in range(len(actions))] == listed
    assert actions[-1] == listed[-1] if listed else not actions
    assert all(action in actions for action in listed[:: max(1, len(listed) // 40)])


@given(walks())
def test_placements_that_cover_the_same_squares_are_one_action(state: State) -> None:
    """No two legal takings of a patch cover the same squares."""
    edition = state.edition
    covered = [
        (action.patch, edition.lays[action.patch][action.orientation].mask << action.square)
        for action in state.legal_actions()
        if action.kind == "take"
    ]
    assert len(covered) == len(set(covered))


def test_an_index_beyond_the_end_is_an_error_and_slices_are_lists() -> None:
    """The sequence behaves as a tuple would."""
    actions = START.legal_actions()
    with pytest.raises(IndexError, match="legal actions"):
        actions[len(actions)]
    assert actions[:3] == list(actions)[:3]
    assert actions == State.start(START.edition, 1).legal_actions()
    assert hash(actions) == hash(State.start(START.edition, 1).legal_actions())
    assert "legal actions" in repr(actions)


def test_a_special_patch_has_an_action_for_each_empty_square() -> None:
    """And one more where it may be declined."""
    for edition in EDITIONS:
        quilt = edition.full & ~0b1011
        state = position(player(quilt, space=20), player(space=19), pending=1)
        actions = state._replace(edition=edition).legal_actions()
        assert len(actions) == 3 + edition.declining
        assert [actions[k].square for k in range(3)] == [0, 1, 3]
