"""What a machine has that tournaments lean on; for each lack, what it means and how to get it."""

import os
import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import NamedTuple

from pwtourney.errors import install_command
from pwtourney.executor.local import available_cores
from pwtourney.sandbox.backends import BACKENDS, Backend, has_landlock, seccomp_problem
from pwtourney.sandbox.cgroup import CgroupRoot
from pwtourney.sandbox.launch import Launch, Limits, limits_guard, parent_guard

__all__ = ["Facility", "facilities"]

_BROWSERS = ("chromium", "chromium-browser", "google-chrome")
_FINE_NS = 1_000_000


class Facility(NamedTuple):
    """One thing that a machine has or lacks.

    `detail` says what was found; `means` what its lack means, and `remedy` how to get it.
    """

    name: str
    there: bool
    detail: str
    means: str = ""
    remedy: str = ""


def facilities() -> Iterator[Facility]:
    """Try everything, and yield what was found."""
    linux = sys.platform == "linux"
    yield Facility(
        "Linux",
        linux,
        sys.platform,
        "bots run without limits, without a sandbox, and their daemons are not found",
        "run leagues with bots you do not trust on Linux",
    )
    if linux:
        yield from _isolation()
        yield from _accounts()
    yield from _machine()


def _isolation() -> Iterator[Facility]:
    yield Facility(
        "ordinary user",
        os.geteuid() != 0,
        f"user {os.geteuid()}",
        "bots are made other users before they start; files that only root can read cannot be bots",
        "run as an ordinary user",
    )
    yield Facility(
        "limits (prlimit, setpriv)",
        bool(limits_guard(Limits()) and parent_guard()),
        "util-linux",
        "memory, files and output to disk are not bounded, and a killed runner may leave bots",
        "install util-linux; busybox's programs of these names do not know enough",
    )
    lacks = {name: problem(Launch(("true",)), Limits()) for name, problem in BACKENDS.items()}
    chosen = next((name for name, lack in lacks.items() if lack is None), None)
    yield Facility(
        "sandbox",
        chosen is not None,
        _sandbox_detail(chosen, lacks["bwrap"] or ""),
        "bots can read what you can, use the network, and kill their opponent and the runner",
        lacks["unshare"] or "",
    )
    yield Facility(
        "Landlock",
        has_landlock(),
        "a second barrier after the mounts of the sandbox of namespaces",
        "what a bot may write to depends on the mounts alone",
        "Linux 5.13 or newer with CONFIG_SECURITY_LANDLOCK (boot option lsm=landlock,...)",
    )
    yield Facility(
        "system call filter (libseccomp)",
        seccomp_problem() is None,
        seccomp_problem() or "Python binding",
        "a bot in the sandbox can leave its core, signal to others by locks, and hold memory that"
        " is not counted",
        f"{install_command('pyseccomp')}, and (Debian) apt install libseccomp2",
    )


def _sandbox_detail(chosen: Backend | None, without_bubblewrap: str) -> str:
    """Say which sandbox bots run in, and why it is not the other one."""
    if chosen == "bwrap":
        return f"bubblewrap ({shutil.which('bwrap')})"
    if chosen is None:
        return "none works here"
    return f"namespaces, made by pwtourney itself, because {without_bubblewrap}"


def _accounts() -> Iterator[Facility]:
    groups = CgroupRoot.open()
    controllers = groups.controllers if groups else frozenset[str]()
    if groups:
        groups.close()
    how = "systemd-run --user --scope -p Delegate=yes pwtourney run ..."
    yield Facility(
        "control groups",
        groups is not None,
        "version 2, ours to use" if groups else "none that is ours to use",
        "processor time is added up by process (exact while a process lives)",
        how,
    )
    yield Facility(
        "limits of control groups",
        {"memory", "pids"} <= controllers,
        ", ".join(sorted(controllers)) or "no controllers",
        "the memory of all processes of a bot together is looked at 20 times a second (best"
        " effort), not bounded",
        how,
    )
    told = [name for name in ("/proc/self/schedstat", "/proc/pressure/cpu") if _text(name)]
    yield Facility(
        "whose fault a time-out was",
        len(told) == 2,
        ", ".join(told) or "the kernel does not report it",
        "you do not know whether the machine or the bot was slow",
        "a kernel with CONFIG_SCHED_INFO and CONFIG_PSI (boot option psi=1)",
    )


def _machine() -> Iterator[Facility]:
    cores = available_cores()
    yield Facility(
        "two cores",
        len(cores) > 1,
        f"{len(cores)} to use",
        "one game at a time, and whatever else runs takes the time of the bots",
        "more cores",
    )
    step = _clock_step()
    yield Facility(
        "fine clock",
        step < _FINE_NS,
        f"steps of {step / 1000:.1f} µs",
        "short time controls are not fair",
        "another clock source (/sys/devices/system/clocksource)",
    )
    browser = next(filter(None, map(shutil.which, _BROWSERS)), None)
    yield Facility(
        "chromium",
        browser is not None,
        browser or "not found",
        "the tests of pages are skipped; nothing else needs it",
        "apt install chromium",
    )


def _clock_step() -> int:
    """Return the smallest step that the clock was seen to make, in nanoseconds."""
    smallest = _FINE_NS * 1000
    for _ in range(1000):
        now = then = time.monotonic_ns()
        while then == now:
            then = time.monotonic_ns()
        smallest = min(smallest, then - now)
    return smallest


def _text(path: str) -> str:
    with suppress(OSError), open(path) as file:
        return file.read(200).strip()
    return ""
