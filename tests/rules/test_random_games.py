"""Random games: every invariant of the rules, checked in step with the naive reference."""

import pytest

from pwtourney.rules import Action, SplitMix64, State, find_edition
from tests.rules.in_step import as_reference, assert_same, start
from tests.rules.positions import ORIGINAL

FULL_GAMES = ("original", "anniversary")


def check_ply(before: State, action: Action, after: State) -> None:
    """Check the invariants that hold for each ply of any game."""
    edition, seat = before.edition, before.to_move
    mover, moved = before.players[seat], after.players[seat]
    assert after.players[1 - seat] == before.players[1 - seat]
    assert moved.quilt & mover.quilt == mover.quilt
    assert moved.buttons >= 0
    assert moved.income >= mover.income
    assert mover.space <= moved.space <= edition.last_space
    size = len(edition.patch[action.patch].shape) if action.patch else action.kind == "leather"
    assert (moved.quilt ^ mover.quilt).bit_count() == size
    if before.tile is not None:
        assert after.tile == before.tile
    if after.tile != before.tile:
        assert after.tile == seat
        assert edition.tile is not None
        assert moved.quilt.bit_count() >= edition.tile.size**2
    gone = set(before.circle) - set(after.circle)
    assert gone == ({action.patch} if action.kind == "take" else set())
    if not after.is_over and not after.pending:
        assert after.players[after.to_move].space <= after.players[1 - after.to_move].space


def check_full_game_ply(before: State, after: State) -> None:
    """Check the additional bounds that hold on the long track."""
    seat = before.to_move
    if not before.pending:
        assert abs(before.players[0].space - before.players[1].space) <= 6
        assert after.players[seat].space - before.players[seat].space <= 7
    assert after.pending <= 1
    if after.pending:
        assert after.players[seat].space > after.players[1 - seat].space
    if before.pending:
        assert after.to_move == 1 - seat


@pytest.mark.thorough
@pytest.mark.parametrize("name", FULL_GAMES)
@pytest.mark.slow
def test_1000_random_games_hold_every_invariant(name: str) -> None:
    """The two full editions make 2,000 games; no ply breaks a rule and every game has a winner."""
    edition = find_edition(name)
    plies = 0
    for seed in range(1000):
        stream = SplitMix64(seed)
        state = State.start(edition, seed)
        while actions := state.legal_actions():
            action = actions[stream.below(len(actions))]
            after = state.apply(action)
            check_ply(state, action, after)
            check_full_game_ply(state, after)
            state = after
            plies += 1
        assert state.is_over
        assert state.winner in (0, 1)
        sewn = sum(player.income for player in state.players)
        numbers = {patch.id for patch in edition.patches} - set(state.circle)
        assert sewn == sum(edition.patch[number].income for number in numbers)
    assert plies / 1000 == pytest.approx(42.8, abs=0.8)  # the mean length given by the rules page


@pytest.mark.parametrize("name", ["original", "anniversary", "halloween", "express"])
@pytest.mark.slow
def test_random_games_match_the_naive_reference(name: str) -> None:
    """30 games of each edition run in step with an engine that was written separately."""
    for seed in range(30):
        stream = SplitMix64(seed)
        state = State.start(find_edition(name), seed)
        reference = start(name, state)
        while actions := state.legal_actions():
            assert_same(state, reference)
            action = actions[stream.below(len(actions))]
            reference.play(as_reference(state, action))
            state = state.apply(action)
        assert_same(state, reference)
        assert reference.actions() == []


@pytest.mark.parametrize("name", ["original", "anniversary", "halloween", "express"])
def test_the_naive_reference_finds_the_same_legal_actions(name: str) -> None:
    """At every ply of two random games both engines list the same set."""
    for seed in range(2):
        stream = SplitMix64(seed + 100)
        state = State.start(find_edition(name), seed)
        reference = start(name, state)
        while actions := state.legal_actions():
            ours = [as_reference(state, action) for action in actions]
            theirs = reference.actions()
            assert len(ours) == len(theirs)
            assert set(ours) == set(theirs)
            action = actions[stream.below(len(actions))]
            reference.play(as_reference(state, action))
            state = state.apply(action)


def test_the_longest_move_is_seven_spaces() -> None:
    """An advance from six spaces behind moves seven spaces and pays seven buttons."""
    state = State.start(ORIGINAL, 0)
    first, second = state.players
    apart = state._replace(players=(first, second._replace(space=6)))
    after = apart.apply(apart.legal_actions()[0])
    assert (after.players[0].space, after.players[0].buttons) == (7, 12)
