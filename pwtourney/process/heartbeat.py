"""Gaps in the referee's own time: intervals in which it did not run although it wanted to.

A referee that is stopped (SIGSTOP, a frozen container, a paused virtual machine), or gets no core,
reads an answer long after it was written. Such a delay is not the bot's fault.

The kernel counts how long a thread has run and how long it was ready to run without a core (see
``schedstat`` of a thread in the kernel's sched-stats). The wall time minus these two and minus the
time that the referee slept on purpose is the time in which it was stopped. Where the system has no
such counters (outside Linux), no gap is ever found.
"""

import os
import threading
from contextlib import suppress
from typing import NamedTuple

__all__ = ["Gap", "Heartbeat"]

_MS = 1_000_000
_SHORTEST_NS = 20 * _MS
"""Shorter delays are ordinary: a scheduler gives others a core for a few milliseconds."""

_BEAT_NS = 50 * _MS
"""The maximum age of the account when a turn begins. A new account costs two microseconds."""


class Gap(NamedTuple):
    """Nanoseconds in which the referee was stopped, or starved: ready to run without a core."""

    stopped_ns: int = 0
    starved_ns: int = 0

    def __add__(self, other: "Gap") -> "Gap":  # type: ignore[override]
        """Return the sum of both gaps."""
        return Gap(self.stopped_ns + other.stopped_ns, self.starved_ns + other.starved_ns)

    def without_quota(self, throttled_ns: int, given_back_ns: int) -> "Gap":
        """Return what is left of this gap if a quota throttled the referee for `throttled_ns`.

        Some kernels count throttled time as a wait for a core, others (Linux 6.18) do not.
        `given_back_ns`, the part that was given back already because the bot was throttled too, is
        subtracted.
        """
        moved = min(self.stopped_ns, throttled_ns)
        starved = max(0, self.starved_ns + moved - given_back_ns)
        return Gap(self.stopped_ns - moved, starved)

    @property
    def total_ns(self) -> int:
        """The sum of both kinds of gaps, in nanoseconds."""
        return self.stopped_ns + self.starved_ns


class Heartbeat:
    """Accounts for the thread that uses it, from one beat to the next.

    `slept_ns` is how long the thread has slept on purpose since the last beat; code that sleeps
    adds to it.
    """

    def __init__(self) -> None:
        self.due = 0
        """The time after which the account is too old to begin a turn with."""
        self.slept_ns = 0
        self._began = self._ran = self._queued = self._used = 0
        self._thread = 0

    def beat(self, now: int, used: int) -> None:
        """Begin a new account at the time `now`; `used` is the CPU time of both bots so far."""
        self._thread, self._ran, self._queued = _read_account()
        self._began, self._used = now, used
        self.slept_ns = 0
        self.due = now + _BEAT_NS

    def find_gap(self, since: int, now: int, used: int) -> Gap:
        """Return the gap between `since`, no earlier than the last beat, and now.

        The result is too short rather than too long: if the account began before `since`, what was
        run and slept before it is subtracted too. A wait for a core counts only beyond what the
        bots themselves used meanwhile, because bots must not gain time by making the referee wait.
        """
        thread, ran, queued = _read_account()
        if not thread or thread != self._thread:
            return Gap()
        waited = queued - self._queued
        length = now - max(since, self._began) - self.slept_ns
        stopped = length - (ran - self._ran) - waited
        starved = min(waited, length) - (used - self._used)
        return Gap(
            stopped if stopped >= _SHORTEST_NS else 0, starved if starved >= _SHORTEST_NS else 0
        )


class _Account:
    """The kernel's account of the thread that creates it; the file is closed with the object.

    Raises OSError if the system has no such account.
    """

    _descriptor = -1

    def __init__(self) -> None:
        self._descriptor = os.open("/proc/thread-self/schedstat", os.O_RDONLY | os.O_CLOEXEC)
        self.thread = threading.get_native_id()

    def __del__(self) -> None:
        with suppress(OSError):
            os.close(self._descriptor)

    def read(self) -> bytes:
        """Return the content of the ``schedstat`` file."""
        return os.pread(self._descriptor, 64, 0)


class _Own(threading.local):
    """Thread-local storage for the account, None until the first read."""

    account: _Account | None = None


_own = _Own()


def _forget_account() -> None:
    """Drop the account in a forked child, because its descriptor reads the parent's thread."""
    _own.account = None


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=_forget_account)


def _read_account() -> tuple[int, int, int]:
    """Return the id of this thread, and how long it ran and waited for a core, in nanoseconds.

    All are 0 where the system does not tell.
    """
    try:
        account = _own.account
        if account is None:
            account = _own.account = _Account()
        ran, queued, _ = account.read().split()
    except (OSError, ValueError):
        return 0, 0, 0
    return account.thread, int(ran), int(queued)
