"""The CPU quotas of control groups, and how long they have throttled this process.

A container's limit (``docker --cpus``, ``limits.cpu`` of Kubernetes, ``CPUQuota`` of systemd) is
such a quota: an amount of CPU time per period. When it is used up, everything in the group stops
until the next period. Both versions of control groups are read: ``cpu.max`` of version 2, and
``cpu.cfs_quota_us`` with ``cpu.cfs_period_us`` of version 1. A quota bounds all groups below its
own too, so every visible group from ours up to the topmost one counts.
"""

import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple, Self

from pwtourney.sandbox.groups import OWN, list_hierarchies, read_file

__all__ = ["CpuQuota", "ThrottledTime", "list_quotas"]

_NS_A_UNIT = {b"throttled_usec": 1000, b"throttled_time": 1}
"""The counters of version 2, in microseconds, and of version 1, in nanoseconds."""


class CpuQuota(NamedTuple):
    """A control group with a CPU quota: its folder, and how many cores' worth of time it allows."""

    group: Path
    cores: float


def list_quotas(proc: Path = OWN) -> list[CpuQuota]:
    """Return those of our control group and the groups above it that have a quota, innermost first.

    `proc` is the folder of this process in ``/proc``. Groups that are not mounted here, such as
    those around a container, are invisible and left out.
    """
    quotas = []
    for hierarchy in list_hierarchies(proc):
        for group in hierarchy.groups:
            cores = _read_quota(group)
            if cores is not None:
                quotas.append(CpuQuota(group, cores))
    return quotas


class ThrottledTime:
    """The time that control groups held their processes back by a quota; make it with `open`.

    The kernel adds the time of a core to the sum when that core continues. It counts each core
    separately: two cores that were held back for 50 ms together add 100 ms.
    """

    def __init__(self, descriptors: Sequence[int]) -> None:
        self._descriptors = descriptors
        self._known = [0] * len(descriptors)

    @classmethod
    def open(cls, quotas: Sequence[CpuQuota] | None = None) -> Self | None:
        """Open the counters of groups, by default of all that `list_quotas` finds.

        Returns None if no group has a quota, so that nothing is ever throttled.
        """
        descriptors = []
        for quota in list_quotas() if quotas is None else quotas:
            with suppress(OSError):
                descriptors.append(os.open(quota.group / "cpu.stat", os.O_RDONLY | os.O_CLOEXEC))
        return cls(descriptors) if descriptors else None

    def read_ns(self) -> int:
        """Return the throttled time so far in nanoseconds, summed over all groups."""
        for index, descriptor in enumerate(self._descriptors):
            # ENODEV: the group was removed, so this process is in another one by now
            with suppress(OSError):
                self._known[index] = _parse_throttled(os.pread(descriptor, 1024, 0))
        return sum(self._known)

    def close(self) -> None:
        """Close the descriptors of the counters."""
        for descriptor in self._descriptors:
            os.close(descriptor)
        self._descriptors = ()


def _parse_throttled(stat: bytes) -> int:
    """Return the throttled time of a ``cpu.stat`` in nanoseconds; 0 if it has none."""
    words = stat.split()
    for name, unit in _NS_A_UNIT.items():
        if name in words:
            return unit * int(words[words.index(name) + 1])
    return 0


def _read_quota(group: Path) -> float | None:
    """Return how many cores' worth of time a group may use; None if it has no limit."""
    words = read_file(group / "cpu.max").split()
    if not words:
        words = [
            *read_file(group / "cpu.cfs_quota_us").split(),
            *read_file(group / "cpu.cfs_period_us").split(),
        ]
    # "No quota" is ``max`` in version 2 and -1 in version 1.
    if len(words) != 2 or not all(word.isdecimal() for word in words):
        return None
    quota, period = map(int, words)
    return quota / period if period else None
