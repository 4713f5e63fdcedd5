"""Is this machine fit for tournaments: what it has and lacks, what that means, and how to get it.

Whether it treats two copies of a bot alike is in `pwtourney.doctor.self_play`.
"""

import os
import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import NamedTuple

from pwtourney.errors import install_command
from pwtourney.executor.local import available_cores
from pwtourney.sandbox.backends import find_problem, has_landlock, seccomp_problem
from pwtourney.sandbox.cgroup import CgroupRoot
from pwtourney.sandbox.launch import Launch, Limits, limits_guard, parent_guard

__all__ = ["Facility", "list_facilities"]

_BROWSERS = ("chromium", "chromium-browser", "google-chrome")
_FINE_NS = 1_000_000
"""A coarser clock rounds away what a quick bot uses for a move."""


class Facility(NamedTuple):
    """One thing that a machine has or lacks.

    `detail` says what was found; `means` what its lack means, and `remedy` how to get it.
    """

    name: str
    there: bool
    detail: str
    means: str = ""
    remedy: str = ""


def list_facilities() -> Iterator[Facility]:
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
        yield from _list_containment()
        yield from _list_accounting()
    yield from _list_hardware()


def _list_containment() -> Iterator[Facility]:
    yield Facility(
        "ordinary user",
        os.geteuid() != 0,
        f"user {os.geteuid()}",
        "bots are made other users before they start; files that only root can read cannot be bots",
        "run as an ordinary user",
    )
    yield Facility(
        "limits (prlimit, setpriv)",
        # empty where the programs are missing, or are busybox's
        bool(limits_guard(Limits()) and parent_guard()),
        "util-linux",
        "memory, files and output to disk are not bounded, and a killed runner may leave bots",
        "install util-linux; busybox's programs of these names do not know enough",
    )
    yield _try_sandboxes()
    yield Facility(
        "Landlock",
        has_landlock(),
        "a second barrier after the mounts of the sandbox of namespaces",
        "what a bot may write to depends on the mounts alone",
        "Linux 5.13 or newer with CONFIG_SECURITY_LANDLOCK (boot option lsm=landlock,...)",
    )
    problem = seccomp_problem()
    yield Facility(
        "system call filter (libseccomp)",
        problem is None,
        problem or "Python binding",
        "a bot in the sandbox can leave its core, signal to others by locks, and hold memory that"
        " is not counted",
        f"{install_command('pyseccomp')}, and (Debian) apt install libseccomp2",
    )


def _try_sandboxes() -> Facility:
    """Start a program in each sandbox: only then is it certain that it works here."""
    program, limits = Launch(("true",)), Limits()
    without_bubblewrap = find_problem("bwrap", program, limits)
    without_namespaces = find_problem("unshare", program, limits)
    if without_bubblewrap is None:
        detail = f"bubblewrap ({shutil.which('bwrap')})"
    elif without_namespaces is None:
        detail = f"namespaces, made by pwtourney itself, because {without_bubblewrap}"
    else:
        detail = "none works here"
    return Facility(
        "sandbox",
        without_bubblewrap is None or without_namespaces is None,
        detail,
        "bots can read what you can, use the network, and kill their opponent and the runner",
        without_namespaces or "",
    )


def _list_accounting() -> Iterator[Facility]:
    # it makes groups of its own: only trying shows whether they were delegated to us
    groups = CgroupRoot.open()
    controllers = groups.controllers if groups else frozenset[str]()
    if groups:
        groups.close()
    delegate = "systemd-run --user --scope -p Delegate=yes pwtourney run ..."
    yield Facility(
        "control groups",
        groups is not None,
        "version 2, ours to use" if groups else "none that is ours to use",
        "processor time is added up by process (exact while a process lives)",
        delegate,
    )
    yield Facility(
        "limits of control groups",
        {"memory", "pids"} <= controllers,
        ", ".join(sorted(controllers)) or "no controllers",
        "the memory of all processes of a bot together is looked at 20 times a second (best"
        " effort), not bounded",
        delegate,
    )
    reports = []
    for path in ("/proc/self/schedstat", "/proc/pressure/cpu"):
        # a kernel that could report pressure, but was not asked to, has a file that cannot be read
        with suppress(OSError), open(path) as file:
            if file.read(200).strip():
                reports.append(path)
    yield Facility(
        "whose fault a time-out was",
        len(reports) == 2,
        ", ".join(reports) or "the kernel does not report it",
        "you do not know whether the machine or the bot was slow",
        "a kernel with CONFIG_SCHED_INFO and CONFIG_PSI (boot option psi=1)",
    )


def _list_hardware() -> Iterator[Facility]:
    cores = available_cores()
    yield Facility(
        "two cores",
        len(cores) > 1,
        f"{len(cores)} to use",
        "one game at a time, and whatever else runs takes the time of the bots",
        "more cores",
    )
    # `time.get_clock_info` says 1 ns whatever the machine's clock can do, so it is watched; the
    # smallest step counts, because we may be interrupted between two readings
    step = _FINE_NS * 1000
    for _ in range(1000):
        now = then = time.monotonic_ns()
        while then == now:
            then = time.monotonic_ns()
        step = min(step, then - now)
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
