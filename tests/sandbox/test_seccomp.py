"""The system calls that the filter refuses, and those that work, in each sandbox."""

import os
import shutil
import sys

import pytest

from pwtourney.sandbox.isolation import Isolation
from tests.needs import need_program, skip_for
from tests.sandbox.helpers import python, said

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="isolation is for Linux"),
    pytest.mark.skipif(os.uname().machine != "x86_64", reason="the numbers are those of x86-64"),
]

CALL = """
import ctypes, errno, os
libc = ctypes.CDLL(None, use_errno=True)
def tell(number, *arguments):
    done = libc.syscall(*map(ctypes.c_long, (number, *arguments)))
    if done == 0 and number in (56, 435):
        os._exit(0)
    print("done" if done >= 0 else errno.errorcode[ctypes.get_errno()], flush=True)
"""
"""Python code that makes system calls by number; the child of a clone ends at once."""

SIGCHLD, SIGCONT = 17, 18


def outcomes(calls: list[tuple[int, ...]], isolation: Isolation) -> list[str]:
    """Make system calls in a sandbox; return the outcome of each, "done" or an errno name."""
    if not isolation.seccomp:
        skip_for("there is no filter of system calls")
    return said(python(CALL + "".join(f"tell{call}\n" for call in calls)), isolation)


@pytest.mark.slow
def test_bot_cannot_arrange_a_later_signal_to_itself(boxed: Isolation) -> None:
    """No timer, file, message queue, parent or child can make the kernel send SIGCONT.

    Other signals at the end of a parent or child still work.
    """
    refused = [
        (222, 1, 0, 0),  # timer_create
        (244, 0, 0),  # mq_notify
        (72, 0, 10, SIGCONT),  # fcntl F_SETSIG
        (157, 1, SIGCONT, 0, 0, 0),  # prctl PR_SET_PDEATHSIG
        (56, SIGCONT, 0, 0, 0, 0),  # clone with SIGCONT when the child ends
        (435, 0, 0),  # clone3, whose signal a filter cannot see
    ]
    assert outcomes(refused, boxed) == ["ENOSYS"] * 2 + ["EINVAL"] * 3 + ["ENOSYS"]
    usual = [(157, 1, 9, 0, 0, 0), (56, SIGCHLD, 0, 0, 0, 0), (72, 0, 3)]
    assert outcomes(usual, boxed) == ["done"] * 3


def test_bot_cannot_use_up_queues_or_locked_pages_of_its_user(boxed: Isolation) -> None:
    """All bots of a user share these limits; one bot could leave none to the others."""
    calls = [
        (240, 0, 0, 0, 0),  # mq_open
        (54, 0, 1, 60, 0, 0),  # setsockopt SO_ZEROCOPY, on a descriptor that is not a socket
        (54, 0, 1, 2, 0, 0),  # another option, which reaches the kernel
    ]
    assert outcomes(calls, boxed) == ["ENOSYS", "ENOTSUP", "ENOTSOCK"]


ROOTS = {
    "perf_event_open": 298,
    "bpf": 321,
    "userfaultfd": 323,
    "quotactl": 179,
    "mount": 165,
    "umount2": 166,
    "pivot_root": 155,
    "chroot": 161,
    "open_by_handle_at": 304,
    "open_tree": 428,
    "move_mount": 429,
    "fsopen": 430,
    "fsconfig": 431,
    "fsmount": 432,
    "fspick": 433,
    "mount_setattr": 442,
}


def test_privileged_system_calls_are_refused(boxed: Isolation) -> None:
    """Profiles, mounts and quotas are refused whatever the system allows to ordinary users."""
    # the arguments are invalid, so the kernel would report another error than the filter's EPERM
    results = outcomes([(number, 0, 0, 0, 0, 0) for number in ROOTS.values()], boxed)
    assert dict(zip(ROOTS, results, strict=True)) == dict.fromkeys(ROOTS, "EPERM")


IN_PYTHON = """
import multiprocessing, signal, subprocess, threading, time
signal.signal(signal.SIGALRM, lambda *_: print("alarm", flush=True))
signal.setitimer(signal.ITIMER_REAL, 0.01)
time.sleep(0.05)
one = threading.Thread(target=lambda: subprocess.run(["/usr/bin/true"], check=True))
one.start()
one.join()
context = multiprocessing.get_context("fork")
two = context.Process(target=print, args=("process",), kwargs={"flush": True})
two.start()
two.join()
"""
IN_NODE = """
const { Worker } = require("worker_threads")
setTimeout(() => {
  console.log("alarm")
  require("child_process").execFile("/usr/bin/true", (failed) => {
    if (!failed) new Worker('console.log("process")', { eval: true })
  })
}, 10)
"""


@pytest.mark.slow
@pytest.mark.parametrize("code", [IN_PYTHON, IN_NODE], ids=["python", "node"])
def test_python_and_node_work_without_the_refused_calls(code: str, boxed: Isolation) -> None:
    """Timers, threads and child processes of Python and Node work as usual."""
    launch = python(code)
    if code == IN_NODE:
        need_program("node")
        launch = launch._replace(command=(shutil.which("node") or "", "-e", code))
    assert said(launch, boxed) == ["alarm", "process"]
