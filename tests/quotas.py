"""Control groups with a CPU quota, as a container has one, where this machine lets us make some."""

import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path

import pytest

from pwtourney.sandbox.cgroup import join_command

__all__ = ["cpu_quota", "in_group"]

_PLACES = ("/sys/fs/cgroup/cpu", "/sys/fs/cgroup/cpu,cpuacct", "/sys/fs/cgroup")
_PERIOD_US = 10_000
"""A tenth of the usual one, so that a test which waits for it is quick."""

_PATIENCE_SECONDS = 10
_numbers = count()


@contextmanager
def cpu_quota(cores: float, period_us: int = _PERIOD_US) -> Iterator[Path]:
    """Make a control group with a quota of so many cores, in version 1 or 2, and one below it.

    Return the folder of the lower one. What is left in it at the end is killed. Skips the test
    where no group can be made.
    """
    for place in map(Path, _PLACES):
        group = place / f"pwtourney-test-{os.getpid()}-{next(_numbers)}"
        with suppress(OSError):
            group.mkdir()
            try:
                _set_quota(group, cores, period_us)
                (group / "below").mkdir()
                yield group / "below"
                return
            finally:
                _remove(group / "below")
                _remove(group)
    pytest.skip("no control group with a CPU quota can be made here")


def in_group(group: Path, *words: str) -> list[str]:
    """Return the words that run a command in a group."""
    return ["sh", "-c", *join_command(str(group)), *words]


def _set_quota(group: Path, cores: float, period_us: int) -> None:
    """Write a quota; raises OSError where groups have none.

    Up to it the group comes before all others, so that a busy machine makes no difference.
    """
    quota = round(cores * period_us)
    if (group / "cpu.cfs_quota_us").exists():
        (group / "cpu.shares").write_text("262144")
        (group / "cpu.cfs_period_us").write_text(str(period_us))
        (group / "cpu.cfs_quota_us").write_text(str(quota))
    else:
        with (group / "cpu.max").open("r+") as file:  # and not made as a new file
            file.write(f"{quota} {period_us}")
        (group / "cpu.weight").write_text("10000")


def _remove(group: Path) -> None:
    """Kill what is left in a group and remove it."""
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while group.exists() and time.monotonic() < deadline:
        for pid in (group / "cgroup.procs").read_text().split():
            with suppress(ProcessLookupError):
                os.kill(int(pid), signal.SIGKILL)
        with suppress(OSError):
            group.rmdir()
