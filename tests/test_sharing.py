"""What tests share: made once, in its own time."""

import signal
from pathlib import Path

from tests.sharing import Once


def test_what_is_shared_takes_no_time_of_the_test_that_makes_it(once: Once) -> None:
    """Or the first test, and then all others that need it, fail where a machine is busy."""
    limits: list[float] = []

    def make(_: Path) -> None:
        limits.append(signal.getitimer(signal.ITIMER_REAL)[0])

    signal.setitimer(signal.ITIMER_REAL, 100)  # as pytest-timeout does, whose limit this replaces
    once("test-of-time", make)
    once("test-of-time", make)
    after, _ = signal.getitimer(signal.ITIMER_REAL)
    assert len(limits) == 1
    assert limits[0] > 600
    assert 90 < after <= 100
