"""What a machine has that tournaments lean on; for each lack, what it means and how to get it."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import NamedTuple

from pwtourney.executor.local import available_cores
from pwtourney.process import CgroupRoot, Launch, Limits
from pwtourney.process.bwrap import problem
from pwtourney.process.guards import bound, tied
from pwtourney.process.seccomp import seccomp_filter

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
        "run leagues with bots of strangers on Linux",
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
        "bots are made other users before they start; files that only root can read are no bots",
        "run as an ordinary user",
    )
    yield Facility(
        "limits (prlimit, setpriv)",
        bool(bound(Limits()) and tied()),
        "util-linux",
        "memory, files and output to disk are not bounded, and a killed runner may leave bots",
        "install util-linux; busybox's programs of these names do not know enough",
    )
    spaces = _succeeds("unshare", "--user", "true")
    yield Facility(
        "user namespaces",
        spaces,
        _text("/proc/sys/user/max_user_namespaces") or "unknown",
        "bubblewrap cannot work",
        "sysctl kernel.unprivileged_userns_clone=1, or (Ubuntu)"
        " kernel.apparmor_restrict_unprivileged_userns=0; in a container, allow them there",
    )
    lack = problem(Launch(("true",)), Limits())
    yield Facility(
        "sandbox (bubblewrap)",
        lack is None,
        lack or shutil.which("bwrap") or "",
        "bots can read what you can, use the network, and kill their opponent and the runner",
        "apt install bubblewrap (0.8 or newer)",
    )
    yield Facility(
        "system call filter (libseccomp)",
        seccomp_filter() is not None,
        "Python binding",
        "a bot in the sandbox can leave its core, and signal to others by locks",
        "pip install 'pwtourney[sandbox]', or apt install python3-seccomp",
    )


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
        ", ".join(told) or "the kernel does not tell",
        "it cannot be told whether the machine or the bot was slow",
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


def _succeeds(*command: str) -> bool:
    with suppress(OSError, subprocess.TimeoutExpired):
        return subprocess.run(command, capture_output=True, timeout=10).returncode == 0
    return False


def _text(path: str) -> str:
    with suppress(OSError), open(path) as file:
        return file.read(200).strip()
    return ""
