"""The simulation of many slots: its clock, and results that can be computed by hand."""

import time

import pytest

from benchmarks.feeding import KINDS, feed
from benchmarks.simulated import SimulatedClock


def burn(seconds: float) -> None:
    """Use the CPU for this many seconds."""
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


def test_simulated_clock_counts_cpu_time_and_jumps() -> None:
    """Work while it is stopped takes no time, and skipping an hour takes none either."""
    clock = SimulatedClock()
    before = clock.now()
    burn(0.02)
    assert 0.02 <= clock.now() - before < 0.2
    with clock.stopped():
        stopped_at = time.process_time()
        burn(0.02)
        spent = time.process_time() - stopped_at
    assert clock.now() - before < time.process_time() - stopped_at + 0.2 - spent
    clock.skip_to(3600)
    assert 3600 <= clock.now() < 3601
    clock.skip_to(10)
    assert clock.now() >= 3600, "it never goes back"


@pytest.mark.slow(5)
def test_slots_play_as_many_games_as_they_have_time_for() -> None:
    """Eight slots with pairs of 200 ms play 80 games a second, if the runner keeps up."""
    fed = feed(8, 0.2, KINDS["of one length"], 300)
    assert 70 < fed.games_per_second < 84  # lengths are random: ± a few per cent
    assert 0 < fed.longest_wait < 0.1
    assert len(fed.waited) == 8


@pytest.mark.slow(5)
def test_slots_wait_for_a_runner_that_cannot_keep_up() -> None:
    """With pairs of 1 µs all time is the runner's, and slots wait for it."""
    fed = feed(8, 1e-6, KINDS["heavy-tailed"], 300)
    assert fed.longest_wait > 0.9
    assert fed.work == pytest.approx(fed.seconds, rel=0.05)
