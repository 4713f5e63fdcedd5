"""Questions of the runner to the kernel about a process, before it copies it."""

import os
import resource
import signal
import sys
from collections.abc import Callable

import pytest

from pwtourney.process.inspection import is_unchanged, read_inherited
from tests.misbehaving import LONG
from tests.process.conftest import Start

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="/proc is Linux's")

WAITS = f"import time\nprint('up', flush=True)\ntime.sleep({LONG})"


def stop(pid: int) -> None:
    """Stop a child of this process; it has stopped on return.

    Before that, its state may still read as waiting although the signal is no longer pending.
    """
    os.kill(pid, signal.SIGSTOP)
    os.waitid(os.P_PID, pid, os.WSTOPPED)


def give_way(pid: int) -> None:
    """Raise a process's niceness by 3, which any user may do."""
    os.setpriority(os.PRIO_PROCESS, pid, os.getpriority(os.PRIO_PROCESS, pid) + 3)


CHANGES = {
    "niceness": give_way,
    "policy": lambda pid: os.sched_setscheduler(pid, os.SCHED_BATCH, os.sched_param(0)),
    "limits": lambda pid: resource.prlimit(pid, resource.RLIMIT_NOFILE, (64, 64)),
    "stopped": stop,
}


def test_waiting_process_is_unchanged(start: Start) -> None:
    """What happens in a process on its own does not count as a change."""
    process = start(WAITS)
    process.read_line(None)
    before = read_inherited(process.pid)
    assert all(is_unchanged(process.pid, before) for _ in range(3))


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_changes_by_another_process_are_detected(
    start: Start, change: Callable[[int], object]
) -> None:
    """Copies would inherit priority, policy and limits; a stopped process cannot fork."""
    process = start(WAITS)
    process.read_line(None)
    before = read_inherited(process.pid)
    change(process.pid)
    assert not is_unchanged(process.pid, before)


@pytest.mark.parametrize(
    "code",
    [
        "import signal; signal.signal(signal.SIGUSR1, print)",
        "import signal; signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])",
        f"import threading, time; threading.Thread(target=time.sleep, args=({LONG},)).start()",
    ],
    ids=["handler", "blocked", "thread"],
)
def test_changes_a_process_makes_to_itself_are_detected(start: Start, code: str) -> None:
    """A signal handler, a blocked signal and a thread are detected."""
    process = start(
        f"import sys, time\nprint('up', flush=True)\nsys.stdin.readline()\n{code}\n"
        f"print('done', flush=True)\ntime.sleep({LONG})"
    )
    process.read_line(None)
    before = read_inherited(process.pid)
    process.write("go\n", None)
    process.read_line(None)
    assert not is_unchanged(process.pid, before)


def test_process_that_has_ended_is_not_unchanged() -> None:
    """No process can have the id 2**22 + 1."""
    assert not is_unchanged(2**22 + 1, read_inherited(os.getpid()))
