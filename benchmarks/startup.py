"""Measures the start of a Python bot, compared with Python itself."""

import subprocess
import sys
import time
from collections.abc import Iterator

from benchmarks.calibration import best_of

__all__ = ["rows"]

_TIMES = 15


def rows() -> Iterator[tuple[str, str, str]]:
    """Yield measurement, value and target."""
    bare = best_of(lambda: _seconds("-c", "pass"), _TIMES)
    yield "python -c pass", f"{bare * 1000:.0f} ms", ""
    bot = best_of(lambda: _seconds("-m", "pwtourney.sdk", "pwtourney_bots.random_bot"), _TIMES)
    yield "a Python bot until it has quit", f"{bot / bare:.1f} times that", "at most 3"
    program = best_of(lambda: _seconds("-m", "pwtourney", "--help"), _TIMES)
    yield "pwtourney --help", f"{program / bare:.1f} times that", ""


def _seconds(*arguments: str) -> float:
    """Start Python, send `quit`, and wait for its end; return the seconds."""
    started = time.perf_counter()
    subprocess.run(
        [sys.executable, "-I", *arguments], input=b"quit\n", capture_output=True, check=True
    )
    return time.perf_counter() - started
