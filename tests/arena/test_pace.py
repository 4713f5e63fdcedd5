"""Costly work of a server is done again after ten times as long as it took."""

import pytest

from pwtourney.arena.pace import Pace
from pwtourney.arena.tournament_state import RunState
from tests.arena.test_wall import Clock

EARLIER, LATER = RunState("earlier", is_over=False), RunState("later", is_over=False)
END = RunState("end", is_over=True)


def test_work_is_due_again_after_ten_times_its_duration() -> None:
    """It took 2 s until 102, so it is due again at 122."""
    clock = Clock()
    pace = Pace(clock)
    assert pace.is_due(EARLIER)
    clock.time = 100.0
    with pace.measure(EARLIER):
        clock.time = 102.0
    for seconds, is_due in ((102.0, False), (121.9, False), (122.0, True), (500.0, True)):
        clock.time = seconds
        assert pace.is_due(LATER) is is_due
        assert not pace.is_due(EARLIER)


def test_work_for_the_end_is_due_at_once() -> None:
    """It is done once, however long the work before took."""
    clock = Clock()
    pace = Pace(clock)
    with pace.measure(EARLIER):
        clock.time += 2
    assert (pace.is_due(LATER), pace.is_due(END)) == (False, True)
    with pace.measure(END):
        clock.time += 2
    assert not pace.is_due(END)


def test_work_that_failed_may_be_tried_at_once() -> None:
    """A folder that could not be read is read again by the next page."""
    clock = Clock()
    pace = Pace(clock)
    with pytest.raises(OSError, match="gone"), pace.measure(EARLIER):
        clock.time += 5
        raise OSError("gone")
    assert pace.is_due(EARLIER)
