"""The CPU time of tests with their child processes; quick runs list tests that take too long."""

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

__all__ = ["EffortPlugin"]

LIMIT = 0.2
"""CPU seconds; a test is marked `slow` from half of them on, because machines differ."""

_TICK = 1 / os.sysconf("SC_CLK_TCK")
_KEY = "processor seconds"


class EffortPlugin:
    """Measures each test where it runs, and lists the longest ones at the end of the run."""

    def __init__(self) -> None:
        self._long: list[tuple[float, str]] = []

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Iterator[None]:
        """Measure the call of a test; fixtures that several tests share do not count."""
        before = measure_effort(os.getpid())
        try:
            return (yield)
        finally:
            item.user_properties.append((_KEY, measure_effort(os.getpid()) - before))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Store a test that takes too long."""
        seconds = float(str(dict(report.user_properties).get(_KEY, 0)))
        if report.when == "teardown" and seconds > LIMIT:
            self._long.append((seconds, report.nodeid))

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """List the tests that take too long."""
        if self._long:
            terminalreporter.section(f"not marked slow, over {LIMIT} s of processor time")
        for seconds, name in sorted(self._long, reverse=True):
            terminalreporter.line(f"{seconds:.2f}s {name}")


def measure_effort(process: int) -> float:
    """Return the CPU seconds of a process and of its descendants, with those that have ended."""
    seconds = 0.0
    with suppress(OSError):  # it has ended meanwhile
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        seconds = _TICK * sum(int(field) for field in fields[11:15])
        for children in Path(f"/proc/{process}/task").glob("*/children"):
            seconds += sum(measure_effort(int(child)) for child in children.read_text().split())
    return seconds
