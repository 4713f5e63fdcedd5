"""How a bot ended, and whether the runner is gone: both noticed without a thread.

A bot is asked without reaping it: while it is a zombie its id, which is also that of its session,
cannot be given to somebody else.
"""

import os
import select
import signal
import subprocess
from contextlib import suppress

from pwtourney.errors import PwtourneyError

__all__ = ["RunnerGone", "await_exit", "describe_exit", "lifelines", "watch_exit", "watch_lifeline"]

lifelines: list[int] = []
"""File descriptors that become readable when the runner of this process has died."""

_SIGNALS = frozenset(map(int, signal.Signals))
_LONGEST_MS = 3_600_000
_SHELLS_OFFSET = 128
"""What shells and bubblewrap add to the number of a signal to make an exit code of it."""


class RunnerGone(PwtourneyError):
    """The runner died; whoever sees this ends its bots and exits."""


def watch_lifeline(descriptor: int) -> None:
    """Make every later wait for a bot end with `RunnerGone` once the descriptor is readable."""
    lifelines.append(descriptor)


def watch_exit(pid: int) -> int | None:
    """Return a descriptor that becomes readable when the process exits, None on other systems."""
    return os.pidfd_open(pid) if hasattr(os, "pidfd_open") else None


def await_exit(process: subprocess.Popen[bytes], watched: int | None, patience_ms: int) -> None:
    """Wait until the process has exited or the time is over; it is not reaped if that can be.

    `watched` is what `watch_exit` returned for it.
    """
    if watched is None:
        with suppress(subprocess.TimeoutExpired):
            process.wait(patience_ms / 1000)
        return
    watch = select.poll()
    watch.register(watched, select.POLLIN)
    watch.poll(min(patience_ms, _LONGEST_MS))  # the system's own limit is an int of milliseconds


def describe_exit(process: subprocess.Popen[bytes], *, wrapped: bool) -> str | None:
    """Say how the process ended, None while it runs; `wrapped` if that of another is passed on."""
    if hasattr(os, "waitid"):
        # WNOWAIT leaves the zombie, and with it the id, as it is
        status = os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        if status is None:
            return None
        has_exited = status.si_code == os.CLD_EXITED
        code: int | None = status.si_status if has_exited else -status.si_status
    else:
        code = process.poll()
    if code is None:
        return None
    # a sandbox cannot die of the bot's signal, so it exits with a number that stands for it
    if wrapped and code - _SHELLS_OFFSET in _SIGNALS:
        code = _SHELLS_OFFSET - code
    if code >= 0:
        return f"exited with code {code}"
    # real-time signals have no names
    name = signal.Signals(-code).name if -code in _SIGNALS else str(-code)
    return f"was killed by signal {name}"
