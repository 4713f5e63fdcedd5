"""Which cores may be used, and how many games they can play at a time."""

import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from pwtourney.sandbox.cores import UsableCores, find_usable_cores
from tests.needs import skip_for


def made_up_cpus(folder: Path, online: str, siblings: Mapping[int, str], name: str) -> Path:
    """Write a made-up /sys tree: the CPUs that are online, and the threads of each core."""
    for number, text in siblings.items():
        topology = folder / f"cpu{number}" / "topology"
        topology.mkdir(parents=True)
        (topology / name).write_text(f"{text}\n")
    (folder / "online").write_text(f"{online}\n")
    return folder


@pytest.mark.parametrize("name", ["core_cpus_list", "thread_siblings_list"])
def test_one_hyper_thread_of_each_core_comes_first(tmp_path: Path, name: str) -> None:
    """Threads of a core are adjacent on AMD and far apart on Intel; the file has two names."""
    neighbours = {0: "0-1", 1: "0-1", 2: "2-3", 3: "2-3"}
    cpus = made_up_cpus(tmp_path / "amd", "0-3", neighbours, name)
    assert find_usable_cores(tmp_path, cpus, range(4)) == ((0, 2, 1, 3), 2, 2, None)
    apart = {0: "0,2", 1: "1,3", 2: "0,2", 3: "1,3"}
    cpus = made_up_cpus(tmp_path / "intel", "0-3", apart, name)
    assert find_usable_cores(tmp_path, cpus, range(4)) == ((0, 1, 2, 3), 2, 2, None)


def test_affinity_restricts_the_usable_cores(tmp_path: Path) -> None:
    """Of four cores with two threads each, three threads on two cores are usable."""
    siblings = {number: f"{number // 2 * 2}-{number // 2 * 2 + 1}" for number in range(8)}
    cpus = made_up_cpus(tmp_path, "0-5,6-7", siblings, "core_cpus_list")
    cores = find_usable_cores(tmp_path, cpus, {7, 6, 3})
    assert cores == UsableCores((3, 6, 7), 2, 4)
    assert (cores.slots, cores.reason) == (2, "2 of 4 cores (affinity) with 3 hyper-threads")


def test_without_topology_files_each_cpu_number_is_a_core(tmp_path: Path) -> None:
    """Some systems have no topology files, and some containers hide /sys."""
    assert find_usable_cores(tmp_path, tmp_path, {5, 1}) == ((1, 5), 2, 2, None)


def test_smallest_quota_in_the_group_hierarchy_counts(tmp_path: Path) -> None:
    """A container with a quota of 3 cores runs in a service with a quota of 1.5."""
    (tmp_path / "cgroup").write_text("0::/service/container\n")
    (tmp_path / "mountinfo").write_text(f"1 1 0:1 / {tmp_path}/mount rw - cgroup2 none rw\n")
    for group, quota in {"": "max", "service": "150000", "service/container": "300000"}.items():
        folder = tmp_path / "mount" / group
        folder.mkdir()
        (folder / "cgroup.procs").touch()
        (folder / "cpu.max").write_text(f"{quota} 100000\n")
    assert find_usable_cores(tmp_path, tmp_path, range(4)).quota == 1.5


ALL = (0, 1, 2, 3)


@pytest.mark.parametrize(
    ("cores", "slots", "is_limited", "reason"),
    [
        (UsableCores(ALL, 4, 4), 4, False, "4 cores"),
        (UsableCores((0,), 1, 1), 1, False, "1 core"),
        (UsableCores((3,), 1, 4), 1, True, "1 of 4 cores (affinity)"),
        (UsableCores(ALL, 2, 2), 2, True, "2 cores with 4 hyper-threads"),
        (UsableCores(ALL, 4, 4, 2.9), 2, True, "4 cores, of which a control group allows 2.9"),
        (UsableCores(ALL, 4, 4, 0.5), 1, True, "4 cores, of which a control group allows 0.5"),
        (UsableCores(ALL, 4, 4, 64.0), 4, False, "4 cores"),
        (
            UsableCores(ALL, 2, 8, 1.0),
            1,
            True,
            "2 of 8 cores (affinity) with 4 hyper-threads, of which a control group allows 1",
        ),
    ],
)
def test_slots_are_whole_cores(
    cores: UsableCores, slots: int, is_limited: bool, reason: str
) -> None:
    """Hyper-threads and fractions of a core are no slots, but there is always at least one slot."""
    assert (cores.slots, cores.is_limited, cores.reason) == (slots, is_limited, reason)


def test_cores_of_this_machine_match_lscpu() -> None:
    """Lscpu prints a line for each online thread: its number, its core, its socket."""
    if not shutil.which("lscpu"):
        skip_for("lscpu is not installed")
    listed = subprocess.run(["lscpu", "-p=CPU,CORE,SOCKET"], capture_output=True, check=True)
    threads = [line.split(",") for line in listed.stdout.decode().splitlines() if line[0] != "#"]
    cores = find_usable_cores()
    assert cores.machine == len({(core, socket) for _, core, socket in threads})
    assert set(cores.numbers) == os.sched_getaffinity(0)
    own = {(core, socket) for number, core, socket in threads if int(number) in cores.numbers}
    assert cores.physical == len(own)
