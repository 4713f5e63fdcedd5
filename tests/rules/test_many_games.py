"""20,000 random games, and directed play for events that random play rarely reaches."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from pwtourney_bots.prospects import best_placement

from pwtourney.rules import Action, SplitMix64, State, find_edition
from tests.rules.in_step import as_reference, assert_same, start
from tests.rules.test_random_games import check_ply

FOLDER = Path(__file__).parent / "editions"
TINY, LATE = str(FOLDER / "tiny.toml"), str(FOLDER / "late.toml")
Choose = Callable[[State, SplitMix64], Action]


def at_random(state: State, stream: SplitMix64) -> Action:
    """Return a random legal action."""
    actions = state.legal_actions()
    return actions[stream.below(len(actions))]


def packing(state: State, stream: SplitMix64) -> Action:
    """Return the placement that packs best, or a random action if nothing can be placed."""
    actions = [action for action in state.legal_actions() if action.kind in ("take", "leather")]
    return best_placement(state, actions) if actions else at_random(state, stream)


def taking(state: State, stream: SplitMix64) -> Action:
    """Return a random taking, or a random action if there is no taking."""
    actions = [action for action in state.legal_actions() if action.kind == "take"]
    return actions[stream.below(len(actions))] if actions else at_random(state, stream)


@pytest.mark.parametrize(
    "name",
    ["original", "anniversary", "halloween", "express"],
)
@pytest.mark.timeout(300)
@pytest.mark.thorough
def test_5000_random_games_of_each_edition_hold_every_invariant(name: str) -> None:
    """The four editions make 20,000 games; every ply is checked against the rules' invariants."""
    edition = find_edition(name)
    for seed in range(5000):
        stream = SplitMix64(seed + 77)
        state = State.start(edition, seed + 10_000)
        while not state.is_over:
            action = at_random(state, stream)
            after = state.apply(action)
            check_ply(state, action, after)
            state = after
        assert state.winner in (0, 1)
        assert not state.late or len(state.circle) > 5


def events(path: str, choose: tuple[Choose, Choose], seeds: range) -> Counter[str]:
    """Play games in step with the naive reference; return how often rare events happened."""
    seen: Counter[str] = Counter()
    edition = find_edition(path)
    name = Path(path) if path.endswith(".toml") else path
    for seed in seeds:
        stream = SplitMix64(seed)
        state = State.start(edition, seed)
        reference = start(name, state)
        arrived: list[int] = []
        while not state.is_over:
            assert_same(state, reference)
            seat = state.to_move
            action = choose[seat](state, stream)
            reference.play(as_reference(state, action))
            after = state.apply(action)
            check_ply(state, action, after)
            note(seen, state, action, after)
            if after.players[seat].space == edition.last_space and seat not in arrived:
                arrived.append(seat)
            state = after
        assert_same(state, reference)
        tie = state.scores[0] == state.scores[1]
        seen[f"tie won by {state.winner}" if tie else "no tie"] += 1
        seen[f"seat {arrived[0]} first at the end"] += 1
        if tie:
            assert state.winner == arrived[0]
    return seen


def note(seen: Counter[str], state: State, action: Action, after: State) -> None:
    """Count the rare events of one ply."""
    edition, seat = state.edition, state.to_move
    if after.tile is not None and state.tile is None:
        seen[f"tile by {action.kind}"] += 1
    if after.players[seat].quilt == edition.full != state.players[seat].quilt:
        seen[f"full by {action.kind}"] += 1
    front = max(player.space for player in state.players)
    passed = [mark for mark in edition.leather_marks if front < mark <= after.players[seat].space]
    if len(passed) == 2:
        seen["two special patches in a move"] += 1
    if passed and after.players[seat].quilt == edition.full:
        seen["special patch on a full quilt"] += 1
    if state.pending == 2 and not after.pending:
        seen["second special patch lost"] += 1
    if action.kind == "decline":
        seen["declined"] += 1
    if state.late and not after.late:
        seen["late patches entered"] += 1


@pytest.mark.thorough
@pytest.mark.slow
def test_games_on_a_small_board_reach_rare_events() -> None:
    """Full boards, special patches on them, two in a move, ties and both orders of arrival."""
    seen = events(TINY, (packing, at_random), range(600))
    seen += events(TINY, (taking, packing), range(600))
    for event in (
        "full by take",
        "full by leather",
        "special patch on a full quilt",
        "two special patches in a move",
        "second special patch lost",
        "tile by take",
        "tile by leather",
        "tie won by 0",
        "tie won by 1",
        "seat 0 first at the end",
        "seat 1 first at the end",
    ):
        assert seen[event] >= 3, (event, seen)


@pytest.mark.thorough
@pytest.mark.slow
def test_late_patches_and_declining_match_the_reference() -> None:
    """The board is 3 × 5 with four patches on offer."""
    seen = events(LATE, (at_random, taking), range(600))
    assert seen["late patches entered"] > 50
    assert seen["declined"] > 50


@pytest.mark.slow
def test_packing_earns_the_tile_on_the_large_board() -> None:
    """Two packing players earn it in at least 5 of 60 games of the original edition."""
    seen = events("original", (packing, packing), range(60))
    assert seen["tile by take"] + seen["tile by leather"] >= 5
    assert seen["seat 0 first at the end"] > 5
    assert seen["seat 1 first at the end"] > 5
