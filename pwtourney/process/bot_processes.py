"""The processes of one bot: what is known of them, and how they end.

A control group answers best what its processes use; what it cannot tell, they are asked. Where the
system has neither (outside Linux) nothing is known, and nothing is done.

How a bot ended, and whether the runner is gone, is noticed without a thread. A bot is asked without
reaping it: while it is a zombie its id, which is also that of its session, cannot be given to
somebody else.
"""

import os
import select
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import IO, Protocol

from pwtourney.errors import PwtourneyError
from pwtourney.process.process_tree import ProcessTree
from pwtourney.process.waiting import Waiting, Waits
from pwtourney.sandbox.cgroup import Cgroup
from pwtourney.sandbox.orphans import newest_process

__all__ = [
    "BotProcesses",
    "Child",
    "Running",
    "RunnerGone",
    "await_exit",
    "describe_exit",
    "lifelines",
    "watch_exit",
    "watch_lifeline",
]

lifelines: list[int] = []
"""File descriptors that become readable when the runner of this process has died."""

_SIGNALS = frozenset(map(int, signal.Signals))

_LONGEST_MS = 3_600_000

_SHELLS_OFFSET = 128
"""What shells and bubblewrap add to the number of a signal to make an exit code of it."""


class BotProcesses:
    """All processes of one bot. `close` must be called in every case."""

    def __init__(
        self,
        pid: int,
        wrappers: int,
        most: int,
        group: Cgroup | None,
        *,
        launcher: bool = False,
    ) -> None:
        self._group = group
        self._tree = (
            ProcessTree(pid, wrappers, most, launcher=launcher) if sys.platform == "linux" else None
        )
        self._waiting = Waiting(self._tree) if self._tree else None
        self._most = 0
        self.suspended = False

    @property
    def bounds_memory(self) -> bool:
        """Whether the kernel itself bounds the memory of all processes together."""
        return self._group is not None and self._group.bounds_memory

    def cpu_ns(self, now: int) -> int:
        """Return the processor time used so far; `now` is an instant of the monotonic clock."""
        return self.cpu_clock()(now)

    def cpu_clock(self) -> Callable[[int], int]:
        """Return what tells the processor time used so far, given an instant."""
        # the group first: it also has the time of processes that nobody saw come and go
        source = self._group or self._tree
        return source.cpu_ns if source else lambda _: 0

    def memory(self) -> int:
        """Return the bytes in memory now, pages that several share counted for each."""
        return self._tree.memory() if self._tree else 0

    def exact_memory(self) -> int:
        """Return the bytes in memory now, shared pages divided; this may take long."""
        now = self._tree.exact_memory() if self._tree else 0
        self._most = max(self._most, now)
        return now

    def processes(self) -> int:
        """Return how many processes there are now."""
        return self._tree.count() if self._tree else 1

    def is_single(self) -> bool:
        """Tell whether there is one process, now and for as long as none begins on the machine."""
        return self._tree is not None and self._tree.is_single()

    def peak(self) -> int:
        """Return the most memory that was ever seen in use, in bytes; 0 where nobody looked."""
        exact = self._group.peak() if self._group else None
        if exact is None and self._tree:
            self._most = max(self._most, self._tree.peak())
        return self._most if exact is None else exact

    def waits_watch(self) -> Callable[[int, bool], None]:
        """Return what watches, from an instant on, how long the bot stands ready without a core.

        It is also asked whether the turn is so short that this must be known exactly.
        """
        return self._waiting.begin if self._waiting else lambda *_: None

    def waits(self, now: int) -> Waits:
        """Return how long each thread has done so since the turn began."""
        return self._waiting.until(now) if self._waiting else Waits()

    def longest_queued(self) -> int:
        """Return how long one of its threads has waited for a core, all turns together."""
        return self._waiting.longest_queued() if self._waiting else 0

    def count_ready(self) -> int:
        """Return how many of its threads want a core now."""
        return self._waiting.count_ready() if self._waiting else 0

    def pid_counter(self) -> int:
        """Return a count that grows with every process that may escape the bot's account.

        In a control group none does, and the count stands still.
        """
        return 0 if self._group or not self._tree else newest_process()

    def memory_exceeded(self) -> bool:
        """Tell whether the kernel has killed the bot for its memory."""
        return self._group is not None and self._group.memory_exceeded()

    def suspend(self) -> None:
        """Stop everything where it stands."""
        self.suspended = True  # before it is so: if stopping fails half way, resuming must follow
        if self._group:
            self._group.freeze()
        elif self._tree:
            self._tree.stop()

    def resume(self) -> None:
        """Let everything go on, if it was stopped."""
        if not self.suspended:
            return
        self.suspended = False
        if self._group:
            self._group.thaw()
        elif self._tree:
            self._tree.resume()

    def kill(self) -> None:
        """Kill everything at once."""
        if self._tree:
            self._tree.kill()

    def close(self) -> None:
        """Kill what is left in the group, and forget everything."""
        if self._group:
            self._group.close()
        if self._waiting:
            self._waiting.close()
        if self._tree:
            self._tree.forget()


class RunnerGone(PwtourneyError):
    """The runner died; a worker that sees this ends its bots and exits."""


def watch_lifeline(descriptor: int) -> None:
    """Make every later wait for a bot end with `RunnerGone` once the descriptor is readable."""
    lifelines.append(descriptor)


def watch_exit(pid: int) -> int | None:
    """Return a descriptor that becomes readable when the process exits, None on other systems."""
    return os.pidfd_open(pid) if hasattr(os, "pidfd_open") else None


class Running(Protocol):
    """A process that we started, or had somebody start, and the pipes to it."""

    pid: int
    stdin: IO[bytes] | None
    stdout: IO[bytes] | None
    stderr: IO[bytes] | None

    def exit_code(self) -> int | None:
        """Return how it ended, the negative number of a signal; None while it runs.

        It is not reaped: its id stays its own.
        """

    def wait(self, timeout: float | None = None) -> int:
        """Wait until it has ended, and forget it."""

    def kill(self) -> None:
        """Kill it alone."""

    def kill_session(self) -> None:
        """Kill it and what has stayed in its session."""


class Child(subprocess.Popen[bytes]):
    """A process that we started ourselves."""

    def exit_code(self) -> int | None:
        """Return how it ended, None while it runs; see `Running`."""
        if not hasattr(os, "waitid"):
            return self.poll()
        # WNOWAIT leaves the zombie, and with it the id, as it is
        status = os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        if status is None:
            return None
        return status.si_status if status.si_code == os.CLD_EXITED else -status.si_status

    def kill_session(self) -> None:
        """Kill it and what has stayed in its session."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)


def await_exit(process: Running, watched: int | None, patience_ms: int) -> None:
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


def describe_exit(process: Running, *, wrapped: bool) -> str | None:
    """Say how the process ended, None while it runs; `wrapped` if that of another is passed on."""
    code = process.exit_code()
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
