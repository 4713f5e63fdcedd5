"""The processes of one bot: what they use, and how they end.

A control group gives the best account of what the processes use. What it does not count is read
from the processes themselves. Where the system has neither (outside Linux), the values are zero and
the operations do nothing.

The exit of a bot and the death of the runner are noticed without a thread. The exit status of a bot
is read without reaping it: while it is a zombie, its id, which is also its session's id, cannot be
reused for another process.
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
from pwtourney.process.silence import Silence, observe_silence
from pwtourney.process.waiting import Waiting, Waits
from pwtourney.sandbox.cgroup import Cgroup
from pwtourney.sandbox.orphans import newest_process
from pwtourney.signals import SHELLS_OFFSET

__all__ = [
    "BotProcesses",
    "Child",
    "ProcessHandle",
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


class BotProcesses:
    """All processes of one bot. Always call `close` in the end."""

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
        """True if the kernel itself limits the memory of all processes together."""
        return self._group is not None and self._group.bounds_memory

    def cpu_ns(self, now: int) -> int:
        """Return the CPU time used so far, in nanoseconds; `now` is of the monotonic clock."""
        return self.cpu_clock()(now)

    def cpu_clock(self) -> Callable[[int], int]:
        """Return a function from a time of the monotonic clock to the CPU time used so far."""
        # The group comes first, because it also counts processes that came and went unnoticed.
        source = self._group or self._tree
        return source.cpu_ns if source else lambda _: 0

    def memory(self) -> int:
        """Return the bytes in memory now; shared pages count once for each process."""
        return self._tree.memory() if self._tree else 0

    def exact_memory(self) -> int:
        """Return the bytes in memory now, with shared pages divided; this may take long."""
        now = self._tree.exact_memory() if self._tree else 0
        self._most = max(self._most, now)
        return now

    def processes(self) -> int:
        """Return how many processes there are now, at most one more than the limit allows."""
        return self._tree.count() if self._tree else 1

    def is_single(self) -> bool:
        """Return True if there is one process; it stays true until one starts on the machine."""
        return self._tree is not None and self._tree.is_single()

    def peak(self) -> int:
        """Return the peak memory that was measured, in bytes; 0 if nothing was measured."""
        exact = self._group.peak() if self._group else None
        if exact is None and self._tree:
            self._most = max(self._most, self._tree.peak())
        return self._most if exact is None else exact

    def waits_watch(self) -> Callable[[int, bool], None]:
        """Return a function that starts to watch how long the bot is ready to run without a core.

        Its arguments are the time at which the turn begins, and whether the turn is so short that
        the wait must be known exactly.
        """
        return self._waiting.begin if self._waiting else lambda *_: None

    def waits(self, now: int) -> Waits:
        """Return how long each thread has waited for a core since the turn began."""
        return self._waiting.until(now) if self._waiting else Waits()

    def longest_queued(self) -> int:
        """Return how long the thread that waited longest has waited for a core, over all turns."""
        return self._waiting.longest_queued() if self._waiting else 0

    def count_ready(self) -> int:
        """Return how many of the bot's threads run or are ready to run now."""
        return self._waiting.count_ready() if self._waiting else 0

    def observe_silence(self, pipe: int, *, computes: bool) -> Silence:
        """Return what the bot is waiting for; see the function of this name."""
        if self._tree is None:
            return Silence()
        return observe_silence(self._tree.threads(), pipe, computes=computes)

    def pid_counter(self) -> int:
        """Return a counter that grows with every process that may escape the bot's account.

        In a control group no process escapes, and the counter is constant.
        """
        return 0 if self._group or not self._tree else newest_process()

    def memory_exceeded(self) -> bool:
        """Return True if the kernel's OOM killer has killed the bot."""
        return self._group is not None and self._group.memory_exceeded()

    def suspend(self) -> None:
        """Stop all processes."""
        self.suspended = True  # set first: if stopping fails half way, `resume` must still resume
        if self._group:
            self._group.freeze()
        elif self._tree:
            self._tree.stop()

    def resume(self) -> None:
        """Let all processes run again, if they were stopped."""
        if not self.suspended:
            return
        self.suspended = False
        if self._group:
            self._group.thaw()
        elif self._tree:
            self._tree.resume()

    def kill(self) -> None:
        """Kill all processes at once."""
        if self._tree:
            self._tree.kill()

    def close(self) -> None:
        """Kill what is left in the group, and release all descriptors."""
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
    """Return a descriptor that becomes readable when the process exits; None outside Linux."""
    return os.pidfd_open(pid) if hasattr(os, "pidfd_open") else None


class ProcessHandle(Protocol):
    """A process that this process or a template started, and the pipes to it."""

    pid: int
    stdin: IO[bytes] | None
    stdout: IO[bytes] | None
    stderr: IO[bytes] | None

    def exit_code(self) -> int | None:
        """Return the exit code, negative for a signal; None while the process runs.

        The process is not reaped, so its id is not reused.
        """

    def wait(self, timeout: float | None = None) -> int:
        """Wait until the process has ended, and return its exit code."""

    def kill(self) -> None:
        """Kill this process only."""

    def kill_session(self) -> None:
        """Kill the process and all others that stayed in its session."""


class Child(subprocess.Popen[bytes]):
    """A process that this process started."""

    def exit_code(self) -> int | None:
        """Return the exit code, None while the process runs; see `ProcessHandle`."""
        if not hasattr(os, "waitid"):
            return self.poll()
        # WNOWAIT leaves the zombie, and with it the process id.
        status = os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        if status is None:
            return None
        return status.si_status if status.si_code == os.CLD_EXITED else -status.si_status

    def kill_session(self) -> None:
        """Kill the process and all others that stayed in its session."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)


def await_exit(process: ProcessHandle, watched: int | None, patience_ms: int) -> None:
    """Wait until the process has exited or the time is over; do not reap it, if possible.

    `watched` is what `watch_exit` returned for it. Without it, the process is reaped.
    """
    if watched is None:
        with suppress(subprocess.TimeoutExpired):
            process.wait(patience_ms / 1000)
        return
    watch = select.poll()
    watch.register(watched, select.POLLIN)
    watch.poll(min(patience_ms, _LONGEST_MS))  # poll takes an int of milliseconds


def describe_exit(process: ProcessHandle, *, wrapped: bool) -> str | None:
    """Return a text that says how the process ended, or None while it runs.

    `wrapped` is True if the process is a sandbox, which passes on the exit code of the bot.
    """
    code = process.exit_code()
    if code is None:
        return None
    # A sandbox cannot die of the bot's signal, so it exits with 128 plus the signal's number.
    if wrapped and code - SHELLS_OFFSET in _SIGNALS:
        code = SHELLS_OFFSET - code
    if code >= 0:
        return f"exited with code {code}"
    # Real-time signals have no names.
    name = signal.Signals(-code).name if -code in _SIGNALS else str(-code)
    return f"was killed by signal {name}"
