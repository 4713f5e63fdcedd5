"""The processes of a copy, which its template has started, and which leave that one behind."""

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
from pwtourney.process.starting import Opened
from pwtourney.sandbox.backends import wrapper_count
from pwtourney.sandbox.isolation import Isolation
from pwtourney.sandbox.launch import Limits
from pwtourney.sandbox.procfs import read_proc

__all__ = ["CannotCopy", "CopiedProcesses", "Copy", "TemplateLost"]

_MIB = 1 << 20
_LARGEST_SHARE = 4
"""A template that holds more than this part of a bot's memory would not be idle at no cost."""


class CannotCopy(PwtourneyError):
    """Something speaks against copies of a bot; it gets a new process for each game."""


class TemplateLost(PwtourneyError):
    """A template did not do what it was asked; another one may."""


class CopiedProcesses(BotProcesses):
    """The processes of a copy, with the template that it is of; closing it leaves the template."""

    def __init__(
        self, opened: Opened, limits: Limits, isolation: Isolation, *, launcher: bool
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
        """Whether what starts the copies is the bot's own, and no launcher."""
        return bool(self._copies.template)

    def follow_template(self, pid: int) -> None:
        """Note which process is the template; raises `CannotCopy` if it is none of these."""
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
        """Add what a process holds to what the kernel lets it and a copy of it have together.

        The kernel counts a page twice once a copy has written to it. The copy's own limit stays:
        that of a program is its group's without the launcher, and the rest is measured here.
        """
        self._held = resident_memory(pid)
        if self._group:
            self._group.raise_memory(self._limit + self._held)

    @property
    def bounds_memory(self) -> bool:
        """Whether the kernel bounds the memory of what plays, and of nothing else."""
        return super().bounds_memory and not self.has_template

    def memory(self) -> int:
        """Return the bytes that a copy has in memory, with what its template has got since."""
        return super().memory() + self._grown()

    def exact_memory(self) -> int:
        """Return the same, with pages divided among copies, but not with the template."""
        now = super().exact_memory() + self._grown()
        if self.has_template:
            copies = self._copies.copies()
            # exact for one process; of several, each page has one part that is the template's
            now += min(sum(map(hidden_memory, copies)), self._held // (len(copies) + 1))
        self._most = max(self._most, now)
        return now

    def _grown(self) -> int:
        """Return what the template has in memory beyond what it had when it was loaded."""
        template = self._copies.template
        return max(0, resident_memory(template) - self._held) if template else 0

    def begin(self, pid: int) -> None:
        """Note that a copy has begun; raises `TemplateLost` if it is none of these processes."""
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
        """Return the processor time that the template itself has used since the copy began."""
        return self._copies.template_ns() - self._own_base

    def cpu_clock(self) -> Callable[[int], int]:
        """Return what tells the processor time since the copy began, the template's included."""
        clock, base = super().cpu_clock(), self._base
        return (lambda now: clock(now) - base) if base else clock

    def peak(self) -> int:
        """Return the most memory that the copy was seen to use, in bytes."""
        # that of the group would be of all copies
        self._most = max(self._most, self._copies.peak())
        return self._most

    def end_copies(self) -> bool:
        """Kill what plays; tell whether nothing is left of it."""
        return self._copies.end_copies()

    def close(self) -> None:
        """Kill the copy, with all that it has started."""
        self.end_copies()
        if self._waiting:
            self._waiting.close()

    def forget(self) -> None:
        """Forget the template as well; its root has ended, and with it the rest ends."""
        self._copies.reap_all()
        super().close()


class Copy:
    """A process that a template has started; see `Running`."""

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
        """Return how it ended, None while it runs; it stays until its template reaps it."""
        if self._code is None and self._watch.poll(0):
            self._code = -signal.SIGKILL
            # the last field, which only the kernel writes; nothing is there if all of a sandbox is
            # gone
            with suppress(OSError):
                status = int(read_proc(f"/proc/{self.pid}/stat").split()[-1])
                self._code = os.waitstatus_to_exitcode(status)
        return self._code

    def wait(self, timeout: float | None = None) -> int:
        """Wait until it has ended."""
        self._watch.poll(None if timeout is None else int(1000 * timeout))
        return self.exit_code() or 0

    def kill(self) -> None:
        """Kill it alone."""
        with suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._handle, signal.SIGKILL)

    def kill_session(self) -> None:
        """Kill it and what has stayed in its session."""
        with suppress(ProcessLookupError, PermissionError):
            # a zombie keeps the number of its session; without it there is none
            os.kill(self.pid, 0)
            os.killpg(self.pid, signal.SIGKILL)

    def close(self) -> None:
        """Let go of it."""
        os.close(self._handle)
