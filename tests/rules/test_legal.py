"""The lazy sequence of legal actions, compared with a plain iteration over it."""

import pytest
from hypothesis import given

from pwtourney.rules import ADVANCE, Action, State, leather
from tests.rules.positions import EDITIONS, START, player, position
from tests.rules.walks import walks


@pytest.mark.slow
@given(walks())
def test_length_elements_iteration_and_membership_agree(state: State) -> None:
    """The sequence has one order and no repeats, and contains every action that it yields."""
    actions = state.legal_actions()
    listed = list(actions)
    assert len(actions) == len(listed) == len(set(listed))
    assert [actions[k] for k in range(len(actions))] == listed
    assert actions[-1] == listed[-1] if listed else not actions
    assert all(action in actions for action in listed[:: max(1, len(listed) // 40)])


@pytest.mark.slow
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
    """Indexing, slicing, equality and hashing behave as those of a tuple."""
    actions = START.legal_actions()
    with pytest.raises(IndexError, match="legal actions"):
        actions[len(actions)]
    assert actions[:3] == list(actions)[:3]
    assert actions == State.start(START.edition, 1).legal_actions()
    assert hash(actions) == hash(State.start(START.edition, 1).legal_actions())
    assert "legal actions" in repr(actions)
    other = START.apply(ADVANCE).legal_actions()
    assert actions != other
    assert actions != list(actions)
    assert hash(actions) != hash(other)


def test_special_patch_action_is_indexed_by_its_empty_square() -> None:
    """A nearly full quilt board is indexed from both ends and beyond them."""
    empty = [0, 15, 16, 17, 40, 80]
    quilt = START.edition.full & ~sum(1 << square for square in empty)
    actions = position(player(quilt, space=20), player(space=19), pending=1).legal_actions()
    assert [actions[k] for k in range(len(empty))] == [leather(square) for square in empty]
    assert [actions[-k - 1].square for k in range(len(empty))] == empty[::-1]
    assert actions[0] == Action("leather", 0, 0, 0)
    for index in (len(empty), -len(empty) - 1):
        with pytest.raises(IndexError, match="legal actions"):
            actions[index]
    assert Action("leather", 0, 0, 1) not in actions


def test_takings_gives_first_index_and_count_of_each_patch() -> None:
    """The expected values come from the list of all legal actions."""
    for edition in EDITIONS:
        actions = State.start(edition, 3).legal_actions()
        listed = [action.patch for action in actions]
        assert list(actions.takings()) == [
            (number, listed.index(number), listed.count(number))
            for number in dict.fromkeys(listed[1:])
        ]
    pending = position(player(space=20), player(space=19), pending=1)
    assert list(pending.legal_actions().takings()) == []
