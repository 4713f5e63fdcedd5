"""Measures the load by other processes, which makes measurements unreliable."""

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import click

__all__ = ["LoadMeter", "read_busy_seconds", "warn_if_busy"]

_BUSY = 0.05
"""The share of all cores used by others above which the machine is too busy to measure."""

_STAT = Path("/proc/stat")
_IDLE = (3, 4)
"""Columns of idle time in the first line; waiting for a disk (iowait) is idle, too."""

_COUNTED = 8
"""The number of columns to add; guest time, which follows, is already part of user time."""


class Moment(NamedTuple):
    """Seconds at one moment: the time, the busy time of all cores, and our own part of that."""

    time: float
    busy: float
    own: float


def read_busy_seconds(stat: str) -> float:
    """Return the seconds that all cores together were busy or stolen by the hypervisor."""
    columns = stat.split("\n", 1)[0].split()[1 : 1 + _COUNTED]
    ticks = sum(int(ticks) for index, ticks in enumerate(columns) if index not in _IDLE)
    return ticks / os.sysconf("SC_CLK_TCK")


def read_moment() -> Moment:
    """Return the current moment; of our child processes only those that have ended count."""
    used = os.times()
    own = used.user + used.system + used.children_user + used.children_system
    return Moment(time.monotonic(), read_busy_seconds(_STAT.read_text()), own)


class LoadMeter:
    """Measures the cores that other processes use, since the last lap."""

    def __init__(self, read: Callable[[], Moment] = read_moment) -> None:
        self._read = read
        self._before = read()

    def lap(self) -> float:
        """Return the average number of cores that others used since the last lap."""
        before, self._before = self._before, self._read()
        seconds = self._before.time - before.time
        others = (self._before.busy - before.busy) - (self._before.own - before.own)
        return max(0.0, others / seconds) if seconds > 0 else 0.0


def warn_if_busy(cores: float, when: str) -> None:
    """Print a warning if others use more than 5 % of the machine's cores."""
    count = os.cpu_count() or 1
    if cores > _BUSY * count:
        click.echo(
            f"the machine is too busy to measure: {when}, others used {cores:.1f} of {count} cores;"
            " figures are worse than they would be",
            err=True,
        )
