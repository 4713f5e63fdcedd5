"""Games played to their end in one call, compared with the same games action by action."""

import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pwtourney.rules import Edition, SplitMix64, State, find_edition
from pwtourney.rules.playout import play_out
from tests.rules.made_up import made_up_editions
from tests.rules.positions import EDITIONS, EXPRESS, ORIGINAL, START, player, position
from tests.rules.walks import walks

FOLDER = Path(__file__).parent / "editions"
SMALL = tuple(find_edition(str(FOLDER / name)) for name in ("tiny.toml", "late.toml"))
ALL = (*EDITIONS, *SMALL)
Choose = Callable[[int], int]


class Chooser:
    """Chooses actions from a seed in one of the `WAYS`; `counts` holds the numbers it received."""

    WAYS = ("any", "takings", "last")

    def __init__(self, seed: int, way: str) -> None:
        self._stream, self._way = SplitMix64(seed), way
        self.counts: list[int] = []

    def __call__(self, count: int) -> int:
        """Return an index: any action, any but the first, or the last one, depending on the way."""
        self.counts.append(count)
        if self._way == "last":
            return count - 1
        least = int(self._way == "takings" and count > 1)
        return least + self._stream.below(count - least)


def play_by_actions(state: State, choose: Choose) -> tuple[State, int]:
    """Play legal actions to the end; return the last position and the number of plies."""
    plies = 0
    while count := len(actions := state.legal_actions()):
        state = state.apply(actions[choose(count)])
        plies += 1
    return state, plies


def check_playout(state: State, seed: int, way: str) -> None:
    """Check that a playout gives `choose` the same counts and ends in the same position."""
    at_once, by_actions = Chooser(seed, way), Chooser(seed, way)
    end, plies = play_out(state, at_once)
    expected = play_by_actions(state, by_actions)
    assert at_once.counts == by_actions.counts
    assert (end, plies) == expected
    assert repr(end) == repr(expected[0])


@pytest.mark.slow
@given(walks(), st.integers(0, 2**64 - 1), st.sampled_from(Chooser.WAYS))
def test_playout_equals_the_game_action_by_action(state: State, seed: int, way: str) -> None:
    """It starts from any position of any printed edition, with late patches known and hidden."""
    check_playout(state, seed, way)
    check_playout(state.hide_late(), seed, way)


@given(walks(made_up_editions()), st.integers(0, 2**64 - 1), st.sampled_from(Chooser.WAYS))
@pytest.mark.slow
def test_playout_of_a_random_edition_equals_the_game_by_actions(
    state: State, seed: int, way: str
) -> None:
    """The board, track, patches and flags are random; the board has up to 128 squares."""
    check_playout(state, seed, way)


@pytest.mark.parametrize("edition", ALL, ids=lambda edition: edition.name)
@pytest.mark.parametrize("way", Chooser.WAYS)
def test_playout_starts_from_every_position_of_a_game(edition: Edition, way: str) -> None:
    """The positions include pending special patches, a held tile and the end."""
    chooser, state = Chooser(4, way), State.start(edition, 4)
    while actions := state.legal_actions():
        check_playout(state, 7, way)
        state = state.apply(actions[chooser(len(actions))])
    assert play_out(state, chooser) == (state, 0)


def test_playouts_reach_rare_events() -> None:
    """Full boards, late patches that entered, ties and the tile all occur."""
    ends = [
        (state, play_out(state, Chooser(seed, way))[0])
        for edition in SMALL
        for way in Chooser.WAYS
        for seed in range(20)
        for state in (State.start(edition, seed),)
    ]
    assert any(side.quilt == end.edition.full for _, end in ends for side in end.players)
    assert any(start.late and not end.late for start, end in ends)
    assert any(end.scores[0] == end.scores[1] for _, end in ends)
    assert any(end.tile == 1 for _, end in ends)


def test_special_patches_are_placed_before_anything_else() -> None:
    """Two are pending; index 0 is the lowest free square, so both go there first."""
    edition = SMALL[0]
    base = State.start(edition, 1)
    mover, opponent = player(quilt=0b000_000_011, buttons=0, space=12), player(space=12)
    state = position(mover, opponent._replace(space=9), base=base, pending=2)
    counts: list[int] = []

    def first(count: int) -> int:
        counts.append(count)
        return 0

    end, plies = play_out(state, first)
    assert counts[:2] == [7, 6]
    assert end.players[0].quilt == 0b000_001_111
    assert (end.tile, plies) == (None, 3)  # the opponent advances to the last space


@pytest.mark.parametrize("index", [-1, 3, 1000])
def test_playout_rejects_an_index_out_of_range(index: int) -> None:
    """Negative indices are rejected too: `choose` must return a number from 0."""
    state = position(player(quilt=ORIGINAL.full >> 3), player(space=9), pending=1)
    with pytest.raises(IndexError, match=f"there are 3 legal actions, and no index {index}"):
        play_out(state, lambda _: index)


def test_late_patches_enter_only_if_their_order_is_known() -> None:
    """With a hidden order they stay outside until `reveal` sets one."""
    state = State.start(EXPRESS, 3)
    known, _ = play_out(state, Chooser(2, "takings"))
    hidden, _ = play_out(state.hide_late(), Chooser(2, "takings"))
    assert known.late == ()
    assert hidden.is_over
    assert hidden.late == (0,) * 8


def test_playout_does_not_change_its_position() -> None:
    """The same position plays the same game again."""
    before = repr(START)
    assert play_out(START, Chooser(1, "any")) == play_out(START, Chooser(1, "any"))
    assert repr(START) == before


def test_playout_calls_fewer_functions_than_ply_by_ply() -> None:
    """Calls are counted instead of time, which depends on what else the machine does."""
    starts = [State.start(ORIGINAL, seed) for seed in range(5)]

    def count_calls(play: Callable[[State, Choose], object]) -> int:
        calls = Counter[str]()
        sys.setprofile(lambda _, event, __: calls.update((event,)))
        try:
            for seed, start in enumerate(starts):
                play(start, SplitMix64(seed).below)
        finally:
            sys.setprofile(None)
        return calls["call"] + calls["c_call"]

    for play in (play_out, play_by_actions):  # what is computed once is there then
        count_calls(play)
    assert count_calls(play_out) < 0.75 * count_calls(play_by_actions)
