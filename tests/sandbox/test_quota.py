"""CPU quotas of control groups: which apply to a process, and how long they throttled it.

The files are described in the kernel's ``cgroup-v2.rst`` and ``sched-bwc.rst``. ``cgroups(7)``,
``cgroup_namespaces(7)`` and ``proc_pid_mountinfo(5)`` describe what a process sees of groups and
mounts.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from pwtourney.sandbox.cgroup import own_group
from pwtourney.sandbox.quota import CpuQuota, ThrottledTime, list_quotas
from tests.needs import skip_for
from tests.quotas import cpu_quota, in_group

V2 = "cgroup2 cgroup2 rw,nsdelegate"
V1 = "cgroup cgroup rw,cpu,cpuacct"
HALF_V2 = {"cpu.max": "50000 100000\n"}
HALF_V1 = {"cpu.cfs_quota_us": "50000\n", "cpu.cfs_period_us": "100000\n"}
NONE_V2 = {"cpu.max": "max 100000\n"}
NONE_V1 = {"cpu.cfs_quota_us": "-1\n", "cpu.cfs_period_us": "100000\n"}
OURS = {"cgroup.procs": f"1\n{os.getpid()}\n"}
Groups = Mapping[str, Mapping[str, str]]


class MadeUp:
    """A made-up machine: the files of ``proc`` that a process reads, and mounted groups."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.proc = folder / "proc"
        self.proc.mkdir()
        self._mounts = ["22 27 0:21 / /proc rw,relatime - proc proc rw"]

    def mount(self, kind: str, name: str, root: str, groups: Groups) -> None:
        """Mount the hierarchy below the group `root`; `groups` maps each group to its files."""
        point = self.folder / name
        for group, files in groups.items():
            (point / group).mkdir(parents=True, exist_ok=True)
            for file, text in {"cgroup.procs": "", **files}.items():
                (point / group / file).write_text(text)
        escaped = str(point).replace(" ", r"\040")
        self._mounts.append(f"31 23 0:29 {root} {escaped} rw,relatime shared:4 - {kind}")
        (self.proc / "mountinfo").write_text("\n".join(self._mounts) + "\n")

    def join(self, *lines: str) -> None:
        """Let the process be in the groups of these lines of its ``cgroup`` file."""
        (self.proc / "cgroup").write_text("\n".join(lines) + "\n")

    def quotas(self, *lines: str) -> dict[str, float]:
        """Return the quotas found by a process whose ``cgroup`` file has these lines."""
        self.join(*lines)
        listed = list_quotas(self.proc)
        return {str(quota.group.relative_to(self.folder)): quota.cores for quota in listed}


@pytest.fixture
def machine(tmp_path: Path) -> MadeUp:
    """Return a made-up machine without any control groups."""
    return MadeUp(tmp_path)


def test_cgroup_v2_quotas_of_all_groups_above_count(machine: MadeUp) -> None:
    """`max` is not a quota and the root has no file; two levels count, the innermost first."""
    inner = {"cpu.max": "150000 100000\n"}
    groups: Groups = {"": {}, "a": HALF_V2, "a/b": NONE_V2, "a/b/c": inner, "a/other": HALF_V2}
    machine.mount(V2, "unified", "/", groups)
    assert machine.quotas("0::/a/b/c") == {"unified/a/b/c": 1.5, "unified/a": 0.5}
    assert machine.quotas("0::/") == {}


def test_cgroup_v1_quota_is_read_from_two_files(machine: MadeUp) -> None:
    """-1 is not a quota. The hierarchy is the one with the `cpu` controller, not `cpuset`."""
    machine.mount("cgroup cgroup rw,cpuset", "cpuset", "/", {"": HALF_V1, "a/b": HALF_V1})
    machine.mount(V1, "cpu", "/", {"": NONE_V1, "a": HALF_V1, "a/b": NONE_V1})
    assert machine.quotas("3:cpuset:/a/b", "1:cpu,cpuacct:/a/b") == {"cpu/a": 0.5}


def test_cgroup_v1_quota_is_found_in_hybrid_mode(machine: MadeUp) -> None:
    """In systemd's hybrid mode version 2 is mounted too, but without controllers."""
    machine.mount(V2, "unified", "/", {"": {}, "a": {}})
    machine.mount(V1, "cpu", "/", {"": {}, "a": HALF_V1})
    assert machine.quotas("1:cpu:/a", "0::/a") == {"cpu/a": 0.5}


@pytest.mark.parametrize(
    ("root", "path"),
    [
        pytest.param("/", "/", id="namespace"),
        pytest.param("/docker/abc", "/docker/abc", id="no-namespace"),
        pytest.param("/../x", "/../x", id="moved"),
        pytest.param("/", "/docker/abc", id="only-top"),
    ],
)
def test_group_of_a_container_is_the_top_of_its_mount(
    machine: MadeUp, root: str, path: str
) -> None:
    """Holds with and without a cgroup namespace, and if no other part of the tree is shown."""
    machine.mount(V1, "cpu", root, {"": HALF_V1})
    assert machine.quotas(f"4:cpu,cpuacct:{path}") == {"cpu": 0.5}


@pytest.mark.parametrize(
    ("root", "path", "ours", "other"),
    [
        pytest.param("/../..", "/", "a/x", "b/x", id="at-the-namespace"),
        pytest.param("/../..", "/y/z", "a/x/y/z", "b/x/y/z", id="below-it"),
        pytest.param("/../../..", "/../x", "a/b/x", "a/c/x", id="next-to-it"),
    ],
)
def test_groups_whose_names_a_namespace_hides_are_found(
    machine: MadeUp, root: str, path: str, ours: str, other: str
) -> None:
    """Above the cgroup namespace names are `..`: our group is the one that lists our process."""
    groups: Groups = {"": {}, "a": HALF_V2, "b": HALF_V2, other: HALF_V2, ours: OURS}
    machine.mount(V2, "unified", root, groups)
    assert machine.quotas(f"0::{path}") == {"unified/a": 0.5}


def test_own_group_is_found_where_a_container_shows_only_its_own(machine: MadeUp) -> None:
    """The mount begins at the group of the container, and its path has a blank."""
    machine.mount(V2, "all groups", "/docker/abc", {"": {}, "run": OURS})
    machine.join("0::/docker/abc/run")
    assert own_group(machine.proc) == machine.folder / "all groups/run"


@pytest.mark.parametrize("path", ["/docker/other/run", "/docker/abc/gone", "/../run"])
def test_group_of_other_processes_is_not_our_own(machine: MadeUp, path: str) -> None:
    """The mount shows other groups only, and none of them lists our process."""
    machine.mount(V2, "all groups", "/docker/abc", {"": {}, "run": {}})
    machine.join(f"0::{path}")
    assert own_group(machine.proc) is None


def test_group_above_our_own_is_not_our_own(machine: MadeUp) -> None:
    """The mount shows groups above our namespace, and none of them lists our process."""
    machine.mount(V2, "unified", "/../..", {"": {}, "a": {}, "a/x": {}})
    machine.join("0::/")
    assert own_group(machine.proc) is None


def test_mount_of_other_groups_is_ignored(machine: MadeUp) -> None:
    """The mounts are those of a sibling group, and one hidden under another mount."""
    for root in ("/b", "/ab", "/../a"):
        machine.mount(V2, f"at{root.replace('/', '-')}", root, {"": HALF_V2})
    machine.mount(V2, "covered", "/", {})
    assert machine.quotas("0::/../x/a") == {}
    assert machine.quotas("0::/abc/d") == {}


def test_mount_that_shows_most_groups_is_used(machine: MadeUp) -> None:
    """A container's group may be mounted next to the machine's; blanks are escaped."""
    machine.mount(V2, "own", "/a/b", {"": NONE_V2})
    machine.mount(V2, "all groups", "/", {"": {}, "a": HALF_V2, "a/b": NONE_V2})
    assert machine.quotas("0::/a/b") == {"all groups/a": 0.5}


def test_no_control_groups_mean_no_quota(machine: MadeUp) -> None:
    """Neither no mounted groups nor a missing /proc is an error."""
    assert machine.quotas("1:cpu:/a", "0::/a") == {}
    assert list_quotas(machine.folder / "nothing") == []
    assert ThrottledTime.open([]) is None


@pytest.mark.parametrize(
    ("stat", "expected"),
    [
        ("usage_usec 7\nnr_periods 9\nnr_throttled 2\nthrottled_usec 1500\n", 1_500_000),
        ("nr_periods 9\nnr_throttled 2\nthrottled_time 1500\n", 1_500),
        ("usage_usec 7\nuser_usec 5\nsystem_usec 2\n", 0),
    ],
)
def test_throttled_time_is_summed_in_nanoseconds(tmp_path: Path, stat: str, expected: int) -> None:
    """Version 2 counts microseconds, version 1 nanoseconds; the files are read again each time."""
    for group in ("a", "b"):
        (tmp_path / group).mkdir()
        (tmp_path / group / "cpu.stat").write_text("throttled_usec 0\n")
    quotas = [CpuQuota(tmp_path / group, 0.5) for group in ("a", "b", "gone")]
    throttled = ThrottledTime.open(quotas)
    assert throttled is not None
    assert throttled.read_ns() == 0
    for group in ("a", "b"):
        (tmp_path / group / "cpu.stat").write_text(stat)
    assert throttled.read_ns() == 2 * expected
    throttled.close()


QUOTAS = """
import json
from pwtourney.sandbox.cgroup import own_group
from pwtourney.sandbox.quota import list_quotas
print(json.dumps([quota.cores for quota in list_quotas()]))
"""


@pytest.mark.parametrize("wrapper", [(), ("unshare", "--cgroup")], ids=["plain", "namespace"])
def test_real_quota_of_a_group_above_is_found(wrapper: tuple[str, ...]) -> None:
    """It is found from a group below, even if a namespace hides the names of both."""
    with cpu_quota(0.75) as group:
        if wrapper and (os.geteuid() != 0 or not shutil.which("unshare")):
            skip_for("only root can make a cgroup namespace, with unshare")
        command = in_group(group, *wrapper, sys.executable, "-c", QUOTAS)
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
        assert 0.75 in json.loads(done.stdout)


THROTTLED = """
import os, sys, time
from pwtourney.sandbox.cgroup import own_group
from pwtourney.sandbox.quota import ThrottledTime
with open(sys.argv[1] + "/cgroup.procs", "w") as procs:
    procs.write(str(os.getpid()))
throttled = ThrottledTime.open()
began, before = time.monotonic_ns(), throttled.read_ns()
for _ in range(1_000_000):
    held = throttled.read_ns() - before
    if held > 30_000_000:
        break
print(held, time.monotonic_ns() - began)
"""


def test_busy_process_reads_its_throttled_time() -> None:
    """One thread cannot be throttled for longer than the elapsed time and one period."""
    with cpu_quota(0.1) as group:
        command = [sys.executable, "-c", THROTTLED, str(group)]
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
        held, passed = map(int, done.stdout.split())
        assert 30_000_000 < held < passed + 10_000_000
