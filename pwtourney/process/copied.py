"""The processes of a copy that a template has forked; the template outlives them."""

import os
import select
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from typing import IO

from pwtourney.errors import PwtourneyError
from pwtourney.process.bot_processes import BotProcesses
from pwtourney.process.memory import anonymous_memory, hidden_memory, resident_memory
from pwtourney.process.starting import NewProcess
from pwtourney.sandbox.backends import wrapper_count
from pwtourney.sandbox.isolation import Isolation
from pwtourney.sandbox.launch import Limits
from pwtourney.sandbox.procfs import read_proc

__all__ = ["CannotCopy", "CopiedProcesses", "Copy", "TemplateLost"]

_MIB = 1 << 20
_LARGEST_SHARE = 4
"""A template may hold at most 1/4 of the bot's memory limit, because even idle it needs memory."""


class CannotCopy(PwtourneyError):
    """A bot cannot be copied, so it gets a new process for each game."""


class TemplateLost(PwtourneyError):
    """A template did not do what it was asked to do; another template may work."""


class CopiedProcesses(BotProcesses):
    """The processes of a copy and its template; closing it leaves the template running."""

    def __init__(
        self, opened: NewProcess, limits: Limits, isolation: Isolation, *, launcher: bool
    ) -> None:
        wrappers = wrapper_count(isolation.sandbox) if isolation.sandbox else 0
        pid, group = opened.process.pid, opened.group
        super().__init__(pid, wrappers, limits.processes, group, launcher=launcher)
        assert self._tree is not None, "there are templates on Linux only"
        self._copies = self._tree
        self._limit, self._held = limits.memory, 0
        self._base = self._own_base = 0

    @property
    def has_template(self) -> bool:
        """True if the bot's own process forks the copies, False if it is a launcher."""
        return bool(self._copies.template)

    def follow_template(self, pid: int) -> None:
        """Set the process that is the template; raise `CannotCopy` if it is not the only one.

        Also raises `CannotCopy` if the template holds too much memory.
        """
        self._copies.look()
        if self._copies.members() != [pid]:
            raise CannotCopy("it starts processes while it is imported")
        own = anonymous_memory(pid)
        if own > self._limit // _LARGEST_SHARE:
            raise CannotCopy(
                f"it holds {own // _MIB} MiB when it is loaded, more than a quarter of its limit"
            )
        self._copies.template = pid

    def allow_for(self, pid: int) -> None:
        """Raise the group's memory limit by what a process holds, so that one copy fits as well.

        The kernel counts a page twice once a copy has written to it. The copy's own limit does not
        change: for a program it is the group's limit without the launcher, and for a copy it is
        measured here.
        """
        self._held = resident_memory(pid)
        if self._group:
            self._group.raise_memory(self._limit + self._held)

    @property
    def bounds_memory(self) -> bool:
        """True if the kernel limits the memory of the playing processes, and of nothing else."""
        return super().bounds_memory and not self.has_template

    def memory(self) -> int:
        """Return the bytes that a copy has in memory, plus its template's growth since loading."""
        return super().memory() + self._growth()

    def exact_memory(self) -> int:
        """Return the same with pages divided among copies, but not with the template."""
        now = super().exact_memory() + self._growth()
        if self.has_template:
            copies = self._copies.copies()
            # Exact for one process. With several, one part of each page belongs to the template.
            now += min(sum(map(hidden_memory, copies)), self._held // (len(copies) + 1))
        self._most = max(self._most, now)
        return now

    def _growth(self) -> int:
        """Return how much more the template has in memory than when it was loaded."""
        template = self._copies.template
        return max(0, resident_memory(template) - self._held) if template else 0

    def begin(self, pid: int) -> None:
        """Start accounting for a new copy; raise `TemplateLost` if it is not the only one here."""
        self._copies.look()
        if self._copies.copies() != [pid]:
            raise TemplateLost("another process answers for its copy")
        self._most = 0
        if self._group:
            self._base = self._group.cpu_ns(time.monotonic_ns())
        else:
            self._copies.begin_at_zero()
        self._own_base = self._copies.template_ns()

    def own_ns(self) -> int:
        """Return the CPU time that the template itself has used since the copy began."""
        return self._copies.template_ns() - self._own_base

    def cpu_clock(self) -> Callable[[int], int]:
        """Return a function for the CPU time since the copy began, the template's included."""
        clock, base = super().cpu_clock(), self._base
        return (lambda now: clock(now) - base) if base else clock

    def peak(self) -> int:
        """Return the peak memory of the copy that was measured, in bytes."""
        # The group's peak would be that of all copies.
        self._most = max(self._most, self._copies.peak())
        return self._most

    def end_copies(self) -> bool:
        """Kill the playing processes; return True if none is left."""
        return self._copies.end_copies()

    def close(self) -> None:
        """Kill the copy, with all processes that it has started."""
        self.end_copies()
        if self._waiting:
            self._waiting.close()

    def forget(self) -> None:
        """Kill and forget the template as well; its root process has ended already."""
        self._copies.reap_all()
        super().close()


class Copy:
    """A process that a template has started; see `ProcessHandle`."""

    def __init__(self, pid: int, streams: tuple[int, ...]) -> None:
        self.pid = pid
        self._handle = os.pidfd_open(pid)
        self._watch = select.poll()
        self._watch.register(self._handle, select.POLLIN)
        self._code: int | None = None
        self.stdin: IO[bytes] | None = os.fdopen(streams[0], "wb", buffering=0)
        self.stdout: IO[bytes] | None = os.fdopen(streams[1], "rb", buffering=0)
        self.stderr: IO[bytes] | None = os.fdopen(streams[2], "rb", buffering=0)

    def exit_code(self) -> int | None:
        """Return the exit code, None while the process runs; the template reaps it later."""
        if self._code is None and self._watch.poll(0):
            self._code = -signal.SIGKILL
            # The last field of ``stat`` is the exit status, written by the kernel. The file is
            # missing if the whole sandbox is gone.
            with suppress(OSError):
                status = int(read_proc(f"/proc/{self.pid}/stat").split()[-1])
                self._code = os.waitstatus_to_exitcode(status)
        return self._code

    def wait(self, timeout: float | None = None) -> int:
        """Wait until the process has ended, and return its exit code."""
        self._watch.poll(None if timeout is None else int(1000 * timeout))
        return self.exit_code() or 0

    def kill(self) -> None:
        """Kill this process only."""
        with suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._handle, signal.SIGKILL)

    def kill_session(self) -> None:
        """Kill the process and all others that stayed in its session."""
        with suppress(ProcessLookupError, PermissionError):
            # A zombie keeps its session's id. Without one, the id may belong to another session.
            os.kill(self.pid, 0)
            os.killpg(self.pid, signal.SIGKILL)

    def close(self) -> None:
        """Close the handle of the process."""
        os.close(self._handle)
