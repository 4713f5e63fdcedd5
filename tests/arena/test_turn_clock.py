"""The stopwatch of a turn, under a clock that the test sets."""

from pwtourney.arena.play.turn_clock import TurnClock
from tests.arena.seated import Watch


def test_turn_counts_only_the_time_in_which_its_clock_runs() -> None:
    """A turn takes 30 + 20 ns while the clock runs, and nothing while it is paused."""
    watch = Watch()
    clock = TurnClock(watch)
    watch.ns = 100
    assert (clock.spent_ns, clock.is_running) == (0, False)
    clock.run()
    watch.ns = 130
    assert (clock.spent_ns, clock.is_running) == (30, True)
    clock.run()  # it runs already, and does not start again
    watch.ns = 150
    assert clock.spent_ns == 50
    clock.pause()
    watch.ns = 900
    assert (clock.spent_ns, clock.is_running) == (50, False)
    clock.run()
    watch.ns = 904
    assert clock.spent_ns == 54


def test_new_turn_begins_with_the_given_time_and_keeps_the_clock_running() -> None:
    """A paused clock stays paused; a running one counts from the beginning of the turn."""
    watch = Watch()
    clock = TurnClock(watch)
    clock.begin(7)
    watch.ns = 40
    assert (clock.spent_ns, clock.is_running) == (7, False)
    clock.run()
    watch.ns = 50
    clock.begin()
    assert (clock.spent_ns, clock.is_running) == (0, True)
    watch.ns = 53
    assert clock.spent_ns == 3
    clock.begin(100)
    watch.ns = 60
    assert clock.spent_ns == 107
