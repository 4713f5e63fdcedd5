"""Control groups with a CPU quota, like those of containers, if this machine allows them."""

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
"""A tenth of the usual period, so that tests that wait for it are quick."""

_PATIENCE_SECONDS = 10
_numbers = count()


@contextmanager
def cpu_quota(cores: float, period_us: int = _PERIOD_US) -> Iterator[Path]:
    """Make a control group with a quota of this many cores, in version 1 or 2, and a group in it.

    Yields the folder of the inner group. Processes left in it at the end are killed. Skips the
    test if no group can be made.
    """
    for folder in map(Path, _PLACES):
        group = folder / f"pwtourney-test-{os.getpid()}-{next(_numbers)}"
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
    """Write a quota; raise OSError if groups have none.

    The group's weight is maximal, so a busy machine makes no difference up to the quota.
    """
    quota = round(cores * period_us)
    if (group / "cpu.cfs_quota_us").exists():
        (group / "cpu.shares").write_text("262144")
        (group / "cpu.cfs_period_us").write_text(str(period_us))
        (group / "cpu.cfs_quota_us").write_text(str(quota))
    else:
        with (group / "cpu.max").open("r+") as file:  # without creating the file
            file.write(f"{quota} {period_us}")
        (group / "cpu.weight").write_text("10000")


def _remove(group: Path) -> None:
    """Kill the processes left in a group and remove the group."""
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while group.exists() and time.monotonic() < deadline:
        for pid in (group / "cgroup.procs").read_text().split():
            with suppress(ProcessLookupError):
                os.kill(int(pid), signal.SIGKILL)
        with suppress(OSError):
            group.rmdir()
