"""All processes of a bot: finding, counting and stopping them, and their CPU time."""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from pwtourney.process.process_tree import ProcessTree
from pwtourney.sandbox import procfs
from pwtourney.sandbox.orphans import Orphans
from tests.misbehaving import LONG
from tests.process.conftest import Start

MS = 1_000_000
pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="/proc is Linux's"),
    pytest.mark.serial,
]

FORKS = (
    "import os, sys, time\n"
    "for _ in range(3):\n"
    "    if os.fork() == 0:\n"
    "        os.setsid()\n"
    f"        end = time.monotonic() + {LONG}\n"
    "        while time.monotonic() < end: pass\n"
    "        os._exit(0)\n"
    "print('up', flush=True)\n"
    f"time.sleep({LONG})"
)


def wait_for(condition: Callable[[], bool]) -> None:
    """Poll a condition for up to 10 s, and assert that it becomes true."""
    end = time.monotonic() + 10
    while not condition() and time.monotonic() < end:
        os.sched_yield()
    assert condition()


def test_processes_in_other_sessions_are_counted_and_killed(start: Start) -> None:
    """Three children in their own sessions belong to the bot, and so does their CPU time."""
    orphans = Orphans()
    process = start(FORKS)
    process_tree = ProcessTree(process.pid)
    process.read_line(None)
    wait_for(lambda: process_tree.count() == 4)
    before = process_tree.cpu_ns(time.monotonic_ns())
    wait_for(lambda: process_tree.cpu_ns(time.monotonic_ns()) - before > 20 * MS)
    process_tree.kill()
    process.end()
    assert orphans.sweep() == 3, "what was killed is waited for"
    subprocess.run(["true"], check=True)  # a new process makes the tree look again
    assert process_tree.count() == 0
    process_tree.forget()


def test_orphan_belongs_to_no_bot_and_is_killed_when_seen(start: Start) -> None:
    """A double-forked process is not counted as the bot's, and is killed."""
    known = subprocess.Popen([sys.executable, "-S", "-c", f"import time; time.sleep({LONG})"])
    try:
        process = start(
            "import os, time\n"
            "if os.fork() == 0:\n"
            "    orphan = os.fork()\n"
            f"    if orphan == 0: time.sleep({LONG})\n"
            "    else: print(orphan, flush=True)\n"
            "    os._exit(0)\n"
            "os.wait()\n"
            "print('up', flush=True)\n"
            f"time.sleep({LONG})"
        )
        process_tree = ProcessTree(process.pid)
        said = {process.read_line(None)[0].decode() for _ in range(2)}
        (orphan,) = (int(word) for word in said - {"up"})
        process_tree.look()
        assert orphan not in process_tree.members()
        end = time.monotonic() + LONG
        with pytest.raises(ProcessLookupError):
            while time.monotonic() < end:
                os.kill(orphan, 0)
                process_tree.look()  # reaps the orphan once it has ended
        assert known.poll() is None, "a child that was there before is let alone"
        process_tree.forget()
    finally:
        known.kill()
        known.wait()


def test_short_lived_children_leave_no_open_descriptors(start: Start) -> None:
    """After 200 children, only descriptors of living processes are open."""
    process = start(
        "import os, sys\n"
        "for _ in range(200):\n"
        "    if os.fork() == 0: os._exit(0)\n"
        "    os.wait()\n"
        "print('done', flush=True)\n"
        "import time; time.sleep(20)"
    )
    before = len(os.listdir("/proc/self/fd"))
    process.meter.begin(time.monotonic_ns(), None)
    end = time.monotonic() + 10
    while not process.read_unasked() and time.monotonic() < end:
        process.meter._tree.memory()
    process.meter._tree.memory()
    assert len(os.listdir("/proc/self/fd")) <= before + 2


def test_stopped_processes_use_no_cpu_until_resumed(start: Start) -> None:
    """This includes processes that left the session, which a signal to the group does not reach."""
    process = start(FORKS)
    process_tree = ProcessTree(process.pid)
    process.read_line(None)
    wait_for(lambda: process_tree.count() == 4)
    process_tree.stop()
    wait_for(lambda: all(state(pid) == "T" for pid in process_tree.members()))
    before = process_tree.cpu_ns(time.monotonic_ns())
    subprocess.run([sys.executable, "-S", "-c", "sum(range(3000000))"], check=True)
    assert process_tree.cpu_ns(time.monotonic_ns()) - before < 2 * MS
    process_tree.resume()
    wait_for(lambda: process_tree.cpu_ns(time.monotonic_ns()) - before > 5 * MS)
    process_tree.kill()
    process_tree.forget()


def state(pid: int) -> str:
    """Return the state letter of a process, from /proc/PID/stat."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


def test_cpu_time_of_children_that_ended_counts(start: Start) -> None:
    """A child that burns 300 ms adds them to its parent, whether a sample saw it or not."""
    burn = "import time\nwhile time.process_time() < 0.3: pass"
    process = start(
        "import subprocess, sys\n"
        f"subprocess.run([sys.executable, '-S', '-c', {burn!r}])\n"
        f"print('done', flush=True)\nimport time; time.sleep({LONG})"
    )
    process_tree = ProcessTree(process.pid)
    process.read_line(None)
    assert 280 * MS <= process_tree.cpu_ns(time.monotonic_ns()) < 900 * MS
    process_tree.forget()


def test_foreign_process_is_inspected_only_once(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process outside the tree is not asked for its parent again; new ones in the tree are."""
    process = start(
        "import os, sys, time\n"
        "for line in sys.stdin:\n"
        "    if os.fork() == 0:\n"
        f"        time.sleep({LONG})\n"
        "    print('up', flush=True)\n"
    )
    process_tree = ProcessTree(process.pid)
    stranger = subprocess.Popen([sys.executable, "-S", "-c", f"import time; time.sleep({LONG})"])
    paths: list[str] = []

    def read(path: str) -> bytes:
        paths.append(path)
        return procfs.read_proc(path)

    try:
        for number in range(3):
            with monkeypatch.context() as patch:  # the bot's own meter reads /proc, too
                patch.setattr("pwtourney.process.process_tree.read_proc", read)
                assert process_tree.count() == 1 + number
            process.write("fork\n", None)
            process.read_line(None)
    finally:
        stranger.kill()
        stranger.wait()
    assert paths.count(f"/proc/{stranger.pid}/stat") == 1
    process_tree.kill()
    process_tree.forget()


def test_counting_from_zero_excludes_children_that_ended(start: Start) -> None:
    """A bot that starts to count at zero is not charged for a child that ended earlier."""
    process = start(
        "import os, time\n"
        "if os.fork() == 0:\n"
        "    while time.process_time() < 0.3: pass\n"
        "    os._exit(0)\n"
        "print('forked', flush=True)\n"
        "os.wait()\n"
        "print('done', flush=True)\n"
        f"time.sleep({LONG})"
    )
    process_tree = ProcessTree(process.pid)
    process.read_line(None)
    process_tree.look()
    process.read_line(None)
    process_tree.look()
    process_tree.begin_at_zero()
    time.sleep(0.01)  # long enough for the tree to look again
    assert 0 <= process_tree.cpu_ns(time.monotonic_ns()) < 50 * MS
    process_tree.forget()
