"""Control groups: how they are removed, frozen, counted and limited."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from pwtourney.process import BotProcess
from pwtourney.sandbox.cgroup import Cgroup, CgroupRoot, name_prefix
from pwtourney.sandbox.isolation import Isolation
from tests.needs import need_new_processes
from tests.sandbox.helpers import LIMITS, python

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="isolation is for Linux")


def test_groups_are_removed_by_this_run_or_the_next() -> None:
    """No group is left after a run; the next run removes a stale group of a killed run."""
    groups = CgroupRoot.open()
    if groups is None:
        pytest.skip("no control group is ours to make groups in")
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE) as owner:
        # while it lives, no other run on this machine treats its group as stale
        stale = Path(groups.path).with_name(f"{name_prefix()}{owner.pid}")
        (stale / "bot-1-0").mkdir(parents=True)
    groups.close()
    assert not Path(groups.path).exists()
    again = CgroupRoot.open()
    assert again is not None
    again.close()
    assert not stale.exists()


OPENED = "from pwtourney.sandbox.cgroup import CgroupRoot; CgroupRoot.open().close()"


@pytest.mark.slow
def test_groups_of_runs_in_other_pid_namespaces_stay() -> None:
    """Our process id does not exist in that namespace, although the groups are shared."""
    own = need_new_processes()
    groups = CgroupRoot.open()
    if groups is None:
        pytest.skip("no control group is ours to make groups in")
    try:
        done = subprocess.run([*own, sys.executable, "-c", OPENED], timeout=60, check=False)
        if done.returncode:
            pytest.skip("no control group can be made in another namespace")
        assert Path(groups.path).exists()
    finally:
        groups.close()


MOUNTED = """
mount -t tmpfs none "$1" && exec "$2" -c '
import os
from pwtourney.sandbox.cgroup import own_group
own_group()
print(open("/proc/self/mountinfo", "rb").read().count(b"caf\\xe9"))
'
"""


@pytest.mark.slow
def test_mount_name_that_is_not_utf8_is_no_problem(tmp_path: Path) -> None:
    """A disk may have been named in another encoding; such a mount used to end every run."""
    path = os.fsencode(tmp_path) + b"/caf\xe9"
    os.mkdir(path)
    own = need_new_processes()
    done = subprocess.run(
        [*own, "--mount", "sh", "-c", MOUNTED, "sh", path, sys.executable],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.stdout, done.stderr) == ("1\n", "")


@pytest.mark.slow
def test_group_freezes_counts_and_kills_its_processes() -> None:
    """A busy process in a frozen group uses no CPU time, and is killed when the group is closed."""
    groups = CgroupRoot.open()
    if groups is None:
        pytest.skip("no control group is ours to make groups in")
    process = BotProcess(
        python("print('up', flush=True)\nwhile True: pass"),
        LIMITS,
        Isolation(group=groups.path, pondering="suspend"),
    )
    try:
        process.read_line(None)
        process.meter.begin(0, None)
        assert process.meter.finish() >= 0
        used = _used(groups)
        assert _used(groups) == used > 0
    finally:
        process.end()
        process.clean_up()
        groups.close()
    assert not Path(groups.path).exists()


def _used(groups: CgroupRoot) -> int:
    """Return the CPU time of the bot's group in microseconds (`usage_usec`), after a while."""
    subprocess.run([sys.executable, "-S", "-c", "sum(range(2000000))"], check=True)
    (path,) = Path(groups.path).glob("*/")
    return int((path / "cpu.stat").read_text().split()[1])


def test_memory_limit_of_a_group_is_set_if_the_controller_exists() -> None:
    """Without the memory controller, the process tree is sampled instead."""
    groups = CgroupRoot.open()
    if groups is None:
        pytest.skip("no control group is ours to make groups in")
    group = Cgroup(groups.path, LIMITS)
    try:
        assert group.bounds_memory == ("memory" in groups.controllers)
        if group.bounds_memory:
            assert Path(group.path, "memory.max").read_text().strip() == str(LIMITS.memory)
            group.raise_memory(2 * LIMITS.memory)
            assert Path(group.path, "memory.max").read_text().strip() == str(2 * LIMITS.memory)
    finally:
        group.close()
        groups.close()
