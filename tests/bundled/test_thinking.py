"""The time that a bot thinks, given its clock."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pwtourney_bots.thinking import longest_seconds, plan_seconds

from pwtourney.clock import Limit
from pwtourney.rules import State
from tests.rules.positions import ORIGINAL, player, position

START = State.start(ORIGINAL, 1)


def test_timed_move_uses_most_of_its_time() -> None:
    """Of 100 ms it uses 65, of a second 875: 10 % less, and 25 ms for the transfer."""
    assert plan_seconds(Limit(move_ms=100), START) == 0.065
    assert plan_seconds(Limit(move_ms=1000), START) == 0.875
    assert plan_seconds(Limit(move_ms=10), START) == 0


def test_move_without_a_clock_takes_a_second() -> None:
    """An untimed move must not take for ever."""
    assert plan_seconds(Limit(), START) == 1


def test_clock_for_the_game_lasts_for_the_whole_game() -> None:
    """27 moves in a row over the whole track use less than the available 10 s."""
    left, spent = 10_000, 0.0
    for space in range(0, 53, 2):
        state = position(player(space=space), player())
        spent += plan_seconds(Limit(mine_ms=round(left - 1000 * spent)), state)
    assert 5 < spent < 10


@pytest.mark.slow
@given(left=st.integers(0, 10**7), increment=st.integers(0, 10**6), space=st.integers(0, 53))
def test_no_move_takes_more_than_the_time_left(left: int, increment: int, space: int) -> None:
    """At most 90 % of the time left minus 25 ms; never less than 0."""
    state = position(player(space=space), player())
    seconds = plan_seconds(Limit(mine_ms=left, increment_ms=increment), state)
    most = max(0, 0.9 * left - 25) / 1000 + 1e-9
    assert 0 <= seconds <= most
    assert seconds <= longest_seconds(Limit(mine_ms=left, increment_ms=increment), state) <= most


def test_increment_is_used() -> None:
    """At the start: a minute for 53 spaces, 2.2 for a move, and 90 % of the increment."""
    seconds = plan_seconds(Limit(mine_ms=60_000, increment_ms=1000), START)
    assert seconds == pytest.approx(60 * 2.2 / 53 + 0.9)


def test_only_a_clock_for_the_game_allows_longer_moves() -> None:
    """A timed move has a fixed end; of a minute for the game 2.5 times the plan may be used."""
    assert longest_seconds(Limit(move_ms=1000), START) == plan_seconds(Limit(move_ms=1000), START)
    limit = Limit(mine_ms=60_000)
    assert longest_seconds(limit, START) == pytest.approx(2.5 * plan_seconds(limit, START))


def test_no_move_takes_over_half_of_the_time_left() -> None:
    """With 400 ms for the last three moves a third is planned, and less than half is allowed."""
    state = position(player(space=52), player(space=53))
    assert longest_seconds(Limit(mine_ms=400), state) == pytest.approx((0.9 * 400 - 25) / 2000)
