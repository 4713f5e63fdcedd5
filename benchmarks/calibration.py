"""The unit of other measurements, and how measurements are repeated."""

import time
from collections.abc import Callable

__all__ = ["best_of", "calibration"]


def calibration() -> float:
    """Return the seconds that a million rounds of 81-bit arithmetic take in this process."""
    started = time.perf_counter()
    x = 1
    for _ in range(1_000_000):
        x = (x * 1103515245 + 12345) & (2**81 - 1)
    return time.perf_counter() - started


def best_of(measure: Callable[[], float], times: int = 5) -> float:
    """Return the smallest of several measurements, which is the least disturbed one."""
    return min(measure() for _ in range(times))
