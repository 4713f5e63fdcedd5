"""How long a bot thinks, from what the clock says."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pwtourney_bots.thinking import plan_seconds

from pwtourney.clock import Limit
from pwtourney.rules import State
from tests.rules.positions import ORIGINAL, player, position

START = State.start(ORIGINAL, 1)


def test_a_timed_move_is_nearly_used_up() -> None:
    """Of 100 ms 60, of a second 825: less 15 in a hundred, and 25 ms for the way."""
    assert plan_seconds(Limit(move_ms=100), START) == 0.06
    assert plan_seconds(Limit(move_ms=1000), START) == 0.825
    assert plan_seconds(Limit(move_ms=10), START) == 0


def test_without_a_clock_it_is_a_second() -> None:
    """Nobody waits for ever."""
    assert plan_seconds(Limit(), START) == 1


def test_a_games_time_lasts_for_the_whole_game() -> None:
    """What 24 moves in a row are given, over the whole track, is not more than there was."""
    left, spent = 10_000, 0.0
    for space in range(0, 53, 2):
        state = position(player(space=space), player())
        spent += plan_seconds(Limit(mine_ms=round(left - 1000 * spent)), state)
    assert 5 < spent < 10


@given(left=st.integers(0, 10**7), increment=st.integers(0, 10**6), space=st.integers(0, 53))
def test_no_move_takes_more_than_there_is(left: int, increment: int, space: int) -> None:
    """Of what is left at most 85 in a hundred less 25 ms; never less than nothing."""
    state = position(player(space=space), player())
    seconds = plan_seconds(Limit(mine_ms=left, increment_ms=increment), state)
    assert 0 <= seconds <= max(0, 0.85 * left - 25) / 1000 + 1e-9


def test_an_increment_is_there_to_be_used() -> None:
    """At the start: a minute in 53 spaces, 2.2 for a move, and 85 in a hundred of the increment."""
    seconds = plan_seconds(Limit(mine_ms=60_000, increment_ms=1000), START)
    assert seconds == pytest.approx(60 * 2.2 / 53 + 0.85)
