"""The processor time of tests, with all that they start; quick runs name those that take long."""

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

__all__ = ["EffortPlugin"]

LIMIT = 0.2
"""Seconds of processor time; from half of them on a test is `slow`, for machines are not alike."""

_TICK = 1 / os.sysconf("SC_CLK_TCK")
_KEY = "processor seconds"


class EffortPlugin:
    """Measures tests where they run, and names the longest ones at the end of the run."""

    def __init__(self) -> None:
        self._long: list[tuple[float, str]] = []

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Iterator[None]:
        """Measure a test itself: what is made once for several tests is of none of them."""
        before = measure_effort(os.getpid())
        try:
            return (yield)
        finally:
            item.user_properties.append((_KEY, measure_effort(os.getpid()) - before))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep a test that takes too long."""
        seconds = float(str(dict(report.user_properties).get(_KEY, 0)))
        if report.when == "teardown" and seconds > LIMIT:
            self._long.append((seconds, report.nodeid))

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Name them."""
        if self._long:
            terminalreporter.section(f"not marked slow, over {LIMIT} s of processor time")
        for seconds, name in sorted(self._long, reverse=True):
            terminalreporter.line(f"{seconds:.2f}s {name}")


def measure_effort(process: int) -> float:
    """Return the seconds of processor time of a process and of all below it, also of ended ones."""
    seconds = 0.0
    with suppress(OSError):  # it has ended meanwhile
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        seconds = _TICK * sum(int(field) for field in fields[11:15])
        for children in Path(f"/proc/{process}/task").glob("*/children"):
            seconds += sum(measure_effort(int(child)) for child in children.read_text().split())
    return seconds
