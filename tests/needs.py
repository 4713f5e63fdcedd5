"""Requirements that not every machine meets: without them tests skip, and fail under CI."""

import os
import shutil
import subprocess
from functools import cache
from pathlib import Path
from typing import NoReturn

import pytest

from pwtourney.sandbox.backends import BACKENDS, Backend, find_problem
from pwtourney.sandbox.launch import Launch, Limits

__all__ = [
    "expected_remedy",
    "need_any_sandbox",
    "need_new_processes",
    "need_program",
    "need_sandbox",
    "skip_for",
]

NOTHING = Launch(("true",))
USUAL = Limits()


def skip_for(lack: str) -> NoReturn:
    """Skip a test because of a missing requirement; under CI, fail it."""
    if os.environ.get("CI"):
        pytest.fail(lack)
    pytest.skip(lack)


def need_program(name: str) -> None:
    """Skip a test if a program is not installed."""
    if shutil.which(name) is None:
        skip_for(f"{name} is not installed")


@cache
def _find_new_processes() -> tuple[str, ...]:
    """Return a command that runs another one as process 1 of a new PID namespace, or ()."""
    own = ("--user", "--map-root-user") if os.getuid() else ()
    command = ("unshare", *own, "--pid", "--fork", "--mount-proc", "--kill-child")
    try:
        done = subprocess.run([*command, "true"], capture_output=True, timeout=20, check=False)
    except OSError:
        return ()
    return () if done.returncode else command


def need_new_processes() -> tuple[str, ...]:
    """Skip a test without PID namespaces; return the words that run a command in a new one."""
    return _find_new_processes() or skip_for("unshare cannot make a namespace of processes")


def need_sandbox(backend: Backend, launch: Launch = NOTHING, limits: Limits = USUAL) -> None:
    """Skip a test if a sandbox does not work.

    Its program may be installed while the kernel forbids its system calls, as in a chroot.
    """
    if lack := find_problem(backend, launch, limits):
        skip_for(lack)


def need_any_sandbox() -> None:
    """Skip a test if no sandbox works, as in a chroot, so that no untrusted bot can start."""
    problems = [find_problem(backend, NOTHING, USUAL) for backend in BACKENDS]
    if all(problems):
        skip_for("; ".join(filter(None, problems)))


def expected_remedy(usual: str) -> str:
    """Return the expected remedy for forbidden namespaces; in a chroot none exists.

    In a chroot, no visible mount point is `/` (proc(5), mountinfo).
    """
    mounts = Path("/proc/self/mountinfo").read_text().splitlines()
    is_chroot = all(line.split()[4] != "/" for line in mounts)
    return "this is a chroot, in which no sandbox can be made" if is_chroot else usual
