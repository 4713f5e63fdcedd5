"""How much of the machine others use, without which a measurement says little."""

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import click

__all__ = ["LoadMeter", "read_busy_seconds", "warn_if_busy"]

_BUSY = 0.05
"""The share of all cores above which the machine is too busy: others slow down what is measured."""

_STAT = Path("/proc/stat")
_IDLE = (3, 4)
"""Columns of idle time in the first line: waiting for a disk is idle, too."""

_COUNTED = 8
"""Columns that count; guests, which come after these, are in the first already."""


class Moment(NamedTuple):
    """Seconds at one moment: the time, what all cores were busy, and what we used of that."""

    time: float
    busy: float
    own: float


def read_busy_seconds(stat: str) -> float:
    """Return how long all cores together were busy, or taken away by the hypervisor."""
    columns = stat.split("\n", 1)[0].split()[1 : 1 + _COUNTED]
    ticks = sum(int(ticks) for place, ticks in enumerate(columns) if place not in _IDLE)
    return ticks / os.sysconf("SC_CLK_TCK")


def read_moment() -> Moment:
    """Return what is now; of the processes that we started only those that have ended count."""
    used = os.times()
    own = used.user + used.system + used.children_user + used.children_system
    return Moment(time.monotonic(), read_busy_seconds(_STAT.read_text()), own)


class LoadMeter:
    """Says how many cores others used since it was made, or since it was asked last."""

    def __init__(self, read: Callable[[], Moment] = read_moment) -> None:
        self._read = read
        self._before = read()

    def lap(self) -> float:
        """Return the cores that others used on average, 0 for none."""
        before, self._before = self._before, self._read()
        seconds = self._before.time - before.time
        others = (self._before.busy - before.busy) - (self._before.own - before.own)
        return max(0.0, others / seconds) if seconds > 0 else 0.0


def warn_if_busy(cores: float, when: str) -> None:
    """Print that the machine is too busy to measure, if others use so many of its cores."""
    count = os.cpu_count() or 1
    if cores > _BUSY * count:
        click.echo(
            f"the machine is too busy to measure: {when}, others used {cores:.1f} of {count} cores;"
            " figures are worse than they would be",
            err=True,
        )
