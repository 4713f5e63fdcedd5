"""The CPU quotas of control groups, and how long they have throttled this process.

A container's limit (``docker --cpus``, ``limits.cpu`` of Kubernetes, ``CPUQuota`` of systemd) is
such a quota: an amount of CPU time per period. When it is used up, everything in the group stops
until the next period. Both versions of control groups are read: ``cpu.max`` of version 2, and
``cpu.cfs_quota_us`` with ``cpu.cfs_period_us`` of version 1. A quota bounds all groups below its
own too, so every visible group from ours up to the topmost one counts.
"""

import glob
import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import NamedTuple, Self

from pwtourney.sandbox.procfs import list_mounts

__all__ = ["CpuQuota", "ThrottledTime", "list_quotas"]

_OWN = Path("/proc/self")

_MOST_CANDIDATES = 10_000
"""The most groups to search for this process if the path of its group is hidden."""

_NS_A_UNIT = {b"throttled_usec": 1000, b"throttled_time": 1}
"""The counters of version 2, in microseconds, and of version 1, in nanoseconds."""


class CpuQuota(NamedTuple):
    """A control group with a CPU quota: its folder, and how many cores' worth of time it allows."""

    group: Path
    cores: float


class _Mount(NamedTuple):
    """A mounted hierarchy of control groups: the group that is mounted, and the mount point."""

    version: int
    root: str
    point: Path


def list_quotas(proc: Path = _OWN) -> list[CpuQuota]:
    """Return those of our control group and the groups above it that have a quota, innermost first.

    `proc` is the folder of this process in ``/proc``. Groups that are not mounted here, such as
    those around a container, are invisible and left out.
    """
    mounts = list(_list_mounts(proc))
    quotas = []
    for version, path in _list_groups(proc):
        # One hierarchy may be mounted several times, each from another group on. Take the mount
        # that shows most of the groups above ours.
        views = (_list_levels(mount, path) for mount in mounts if mount.version == version)
        for group in max(views, key=len, default=[]):
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


def _list_groups(proc: Path) -> Iterator[tuple[int, str]]:
    """Yield the version of each hierarchy that may limit CPU time, and our path in it."""
    for line in _read(proc / "cgroup").splitlines():
        _, controllers, path = line.split(":", 2)
        if not controllers:
            yield 2, path
        elif "cpu" in controllers.split(","):
            yield 1, path


def _list_mounts(proc: Path) -> Iterator[_Mount]:
    """Yield the mounts of hierarchies that may limit CPU time."""
    for mount in list_mounts(os.fsencode(_read(proc / "mountinfo"))):
        if mount.kind == "cgroup2":
            yield _Mount(2, mount.root, mount.point)
        elif mount.kind == "cgroup" and "cpu" in mount.options.split(","):
            yield _Mount(1, mount.root, mount.point)


def _list_levels(mount: _Mount, path: str) -> list[Path]:
    """Return the folders of the group `path` and of all groups above it that the mount shows."""
    group = _find_group(mount, path)
    if group is None:
        return []
    levels = [group, *group.parents]
    # Programs that imitate /sys/fs/cgroup in a container may show only its topmost group.
    return [
        level
        for level in levels[: levels.index(mount.point) + 1]
        if (level / "cgroup.procs").exists()
    ]


def _find_group(mount: _Mount, path: str) -> Path | None:
    """Return the folder of the group `path` in a mount; None if the mount shows other groups.

    Both paths are relative to the group at which our cgroup namespace begins. Groups above it have
    no names here, only ``..`` for each level.
    """
    (root_ups, root_names), (ups, names) = _split(mount.root), _split(path)
    hidden = root_ups - ups
    if hidden > 0 and not root_names:
        # Our group is some levels below the mounted one, and the names of those levels are hidden.
        # It is the group whose cgroup.procs lists this process.
        pattern = "/".join([*["*"] * hidden, *map(glob.escape, names), "cgroup.procs"])
        candidates = islice(mount.point.glob(pattern), _MOST_CANDIDATES)
        own = str(os.getpid())
        ours = (members.parent for members in candidates if own in _read(members).split())
        return next(ours, mount.point)
    if hidden == 0 and names[: len(root_names)] == root_names:
        return mount.point.joinpath(*names[len(root_names) :])
    return None


def _split(path: str) -> tuple[int, list[str]]:
    """Return how many levels up a group's path begins, and the names after these."""
    names = [name for name in path.split("/") if name]
    ups = 0
    while ups < len(names) and names[ups] == "..":
        ups += 1
    return ups, names[ups:]


def _read_quota(group: Path) -> float | None:
    """Return how many cores' worth of time a group may use; None if it has no limit."""
    words = _read(group / "cpu.max").split()
    if not words:
        words = [
            *_read(group / "cpu.cfs_quota_us").split(),
            *_read(group / "cpu.cfs_period_us").split(),
        ]
    # "No quota" is ``max`` in version 2 and -1 in version 1.
    if len(words) != 2 or not all(word.isdecimal() for word in words):
        return None
    quota, period = map(int, words)
    return quota / period if period else None


def _read(path: Path) -> str:
    """Return the content of a file; empty if it cannot be read."""
    try:
        return os.fsdecode(path.read_bytes())
    except OSError:
        return ""
