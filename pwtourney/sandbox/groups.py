"""The control groups of this process, as far as they are mounted here.

See ``cgroups(7)`` and ``cgroup_namespaces(7)``.
"""

import glob
import os
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from pwtourney.sandbox.procfs import list_mounts, read_proc

__all__ = ["OWN", "Hierarchy", "find_own_group", "list_hierarchies", "read_file"]

OWN = Path("/proc/self")
"""The folder of this process in ``/proc``."""

_MOST_CANDIDATES = 10_000
"""The most groups to search for this process if the path of its group is hidden."""


class Hierarchy(NamedTuple):
    """A hierarchy of control groups: its version, and the folders of our group and those above it.

    The innermost is the first. There are none if no mount shows our group.
    """

    version: int
    groups: list[Path]


class _Mount(NamedTuple):
    """A mounted hierarchy of control groups: the group that is mounted, and the mount point."""

    version: int
    root: str
    point: Path


def read_file(path: Path | str) -> str:
    """Return the content of a file about groups; empty if it cannot be read."""
    try:
        return os.fsdecode(read_proc(str(path)))  # paths of mounts and groups may hold any bytes
    except OSError:
        return ""


def list_hierarchies(proc: Path = OWN) -> Iterator[Hierarchy]:
    """Yield the hierarchies that may limit CPU time: version 2, and of version 1 that of `cpu`."""
    mounts = list(_list_hierarchy_mounts(proc))
    for version, path in _list_paths(proc):
        # One hierarchy may be mounted several times, each from another group on. Take the mount
        # that shows most of the groups above ours.
        views = (_list_levels(mount, path) for mount in mounts if mount.version == version)
        yield Hierarchy(version, max(views, key=len, default=[]))


def find_own_group(proc: Path = OWN) -> Path | None:
    """Return the folder of our own group of version 2; None if no mount shows it."""
    mounts = [mount for mount in _list_hierarchy_mounts(proc) if mount.version == 2]
    paths = [path for version, path in _list_paths(proc) if version == 2]
    groups = [_find_group(mount, path) for path in paths for mount in mounts]
    # it may be another group, where a mount hides the names of the groups above ours
    return next((group for group in groups if group and _contains_us(group)), None)


def _contains_us(group: Path) -> bool:
    """Return True if a group lists this process."""
    return str(os.getpid()) in read_file(group / "cgroup.procs").split()


def _list_paths(proc: Path) -> Iterator[tuple[int, str]]:
    """Yield the version of each hierarchy that may limit CPU time, and our path in it."""
    for line in read_file(proc / "cgroup").splitlines():
        _, controllers, path = line.split(":", 2)
        if not controllers:
            yield 2, path
        elif "cpu" in controllers.split(","):
            yield 1, path


def _list_hierarchy_mounts(proc: Path) -> Iterator[_Mount]:
    """Yield the mounts of hierarchies that may limit CPU time."""
    try:
        text = read_proc(str(proc / "mountinfo"))
    except OSError:
        return
    for mount in list_mounts(text):
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
        ours = (members.parent for members in candidates if own in read_file(members).split())
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
