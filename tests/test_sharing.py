"""Shared fixtures are made once, and not within the time limit of a test."""

import signal
from pathlib import Path

from tests.sharing import Once


def test_shared_work_does_not_count_as_time_of_a_test(once: Once) -> None:
    """Otherwise the first test, and then all others that need it, would fail on a busy machine."""
    limits: list[float] = []

    def make(_: Path) -> None:
        limits.append(signal.getitimer(signal.ITIMER_REAL)[0])

    signal.setitimer(signal.ITIMER_REAL, 100)  # like pytest-timeout, whose limit this replaces
    once("test-of-time", make)
    once("test-of-time", make)
    after, _ = signal.getitimer(signal.ITIMER_REAL)
    assert len(limits) == 1
    assert limits[0] > 600
    assert 90 < after <= 100
