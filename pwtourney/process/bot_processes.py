"""The processes of one bot: how they are started, what is known of them, and how they end.

What stands between us and a bot's command is put there when it starts, with its scratch folder. A
control group answers best what its processes use; what it cannot tell, they are asked. Where the
system has neither (outside Linux) nothing is known, and nothing is done.

How a bot ended, and whether the runner is gone, is noticed without a thread. A bot is asked without
reaping it: while it is a zombie its id, which is also that of its session, cannot be given to
somebody else.
"""

import errno
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from contextlib import ExitStack, suppress
from typing import NamedTuple

from pwtourney.errors import BotFault, PwtourneyError
from pwtourney.process.process_tree import ProcessTree
from pwtourney.process.waiting import Waiting, Waits
from pwtourney.sandbox.backends import enclose, wrapper_count
from pwtourney.sandbox.cgroup import Cgroup, join_command
from pwtourney.sandbox.inside import HOME
from pwtourney.sandbox.isolation import Isolation
from pwtourney.sandbox.launch import (
    Launch,
    LeasedUid,
    Limits,
    bot_environment,
    is_root,
    limits_guard,
    parent_guard,
    user_guard,
)
from pwtourney.sandbox.orphans import newest_process

__all__ = [
    "SCRATCH_PREFIX",
    "BotProcesses",
    "RunnerGone",
    "Started",
    "await_exit",
    "describe_exit",
    "lifelines",
    "make_scratch",
    "remove_scratch",
    "start",
    "watch_exit",
    "watch_lifeline",
]

lifelines: list[int] = []
"""File descriptors that become readable when the runner of this process has died."""

_SIGNALS = frozenset(map(int, signal.Signals))

_LONGEST_MS = 3_600_000

_SHELLS_OFFSET = 128
"""What shells and bubblewrap add to the number of a signal to make an exit code of it."""

SCRATCH_PREFIX = "pwtourney-"
"""What the names of all our scratch folders begin with."""

_REMOVAL_SECONDS = 60

_BOTS_OWN = (errno.ENOENT, errno.EACCES, errno.ENOEXEC, errno.ENOTDIR, errno.EISDIR, errno.E2BIG)
"""What can be wrong with a program itself, where nothing of ours is started before it."""


class BotProcesses:
    """All processes of one bot. `close` must be called in every case."""

    def __init__(self, pid: int, wrappers: int, most: int, group: Cgroup | None) -> None:
        self._group = group
        self._tree = ProcessTree(pid, wrappers, most) if sys.platform == "linux" else None
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


class Started(NamedTuple):
    """A process that runs, the tree that it is the root of, and what it has leased.

    `leased` removes the scratch folder and releases the uid when it is closed.
    """

    process: subprocess.Popen[bytes]
    tree: BotProcesses
    leased: ExitStack


def start(
    launch: Launch, limits: Limits, isolation: Isolation, scratch_root: str | None
) -> Started:
    """Start a bot; raises `BotFault` if that is its own fault, OSError if it is the system's."""
    program = launch.command[0]
    if shutil.which(program) is None:
        # asked before, as behind a guard or a sandbox it would only be an exit code of theirs
        reason = "is not executable" if os.path.exists(program) else "does not exist"
        raise BotFault("start", f"cannot start {program}: it {reason}")
    with ExitStack() as leased, ExitStack() as undo:
        user, scratch = _lease(launch, isolation, scratch_root, leased)
        group = Cgroup(isolation.group, limits) if isolation.group else None
        if group:
            undo.callback(group.close)
        process = _popen(launch, limits, isolation, group, user, scratch)
        undo.callback(process.wait)  # called in reverse: first killed, then reaped
        undo.callback(process.kill)
        wrappers = wrapper_count(isolation.sandbox) if isolation.sandbox else 0
        tree = BotProcesses(process.pid, wrappers, limits.processes, group)
        undo.pop_all()
        return Started(process, tree, leased.pop_all())


def _lease(
    launch: Launch, isolation: Isolation, scratch_root: str | None, leased: ExitStack
) -> tuple[int | None, str | None]:
    """Return the user that a bot of root will be, and its scratch folder outside of a sandbox.

    Whatever the bot may write to is given to that user.
    """
    user = scratch = None
    if is_root() and (isolation.sandbox or isolation.other_user):
        uid = LeasedUid()
        leased.callback(uid.release)
        user = uid.number
    if not isolation.sandbox:
        scratch = make_scratch(scratch_root)
        leased.callback(remove_scratch, scratch)
    if user is not None:
        if scratch is not None:
            os.chown(scratch, user, user)
            if scratch_root is not None:
                os.chmod(scratch_root, 0o711)  # passed, not listed: other folders stay unknown
        for folder in launch.write_paths:
            # no link is followed: one of the bot's to a file of ours must not make it the bot's
            for path, below, names in os.walk(folder):
                for name in (*below, *names):
                    os.lchown(os.path.join(path, name), user, user)
            os.lchown(folder, user, user)
            # the folder above it is closed to others: no sandbox has to pass it; without one this
            # user alone may, until all is taken back
            if not isolation.sandbox:
                above = os.path.dirname(folder)
                os.chown(above, -1, user)
                os.chmod(above, 0o710)  # to be passed by this user only, and not listed
    return user, scratch


def _popen(
    launch: Launch,
    limits: Limits,
    isolation: Isolation,
    group: Cgroup | None,
    user: int | None,
    scratch: str | None,
) -> subprocess.Popen[bytes]:
    """Start the process of a bot, behind everything that is put between us and its command."""
    outermost = ("sh", "-c", *join_command(group.path)) if group else ()
    with ExitStack() as last:
        inherited: tuple[int, ...] = ()
        if isolation.sandbox:
            hidden, seccomp = isolation.hidden, isolation.seccomp
            command, inherited = last.enter_context(
                enclose(
                    isolation.sandbox, launch, limits, hidden=hidden, user=user, seccomp=seccomp
                )
            )
        else:
            guard = parent_guard() if user is None else user_guard(user)
            command = [*limits_guard(limits), *guard, *launch.command]
        command = [*outermost, *command]
        try:
            return subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,  # we read and write the descriptors themselves
                cwd=scratch or "/",
                env=bot_environment(launch, scratch or HOME),
                # Ctrl-C is for the runner alone, and one call kills all that stays in the group
                start_new_session=True,
                close_fds=True,
                pass_fds=inherited,
            )
        except OSError as error:
            if error.errno not in _BOTS_OWN or command[0] != launch.command[0]:
                raise  # the system is short of something, or lacks a program of ours
            reason = f"cannot start {launch.command[0]}: {error.strerror}"
            raise BotFault("start", reason) from error


def make_scratch(root: str | None = None) -> str:
    """Make an empty folder under `root`, or where the system keeps temporary files."""
    if root is not None:
        os.makedirs(root, mode=0o700, exist_ok=True)  # a bot may have removed it
    return tempfile.mkdtemp(prefix=SCRATCH_PREFIX, dir=root)


def remove_scratch(folder: str) -> None:
    """Remove a scratch folder, however deep it is and whatever its permissions are.

    Never raises: what cannot be removed is left to the system's own cleaning.
    """
    if os.path.islink(folder):  # a bot put it there: what it leads to is none of ours
        with suppress(OSError):
            os.unlink(folder)
        return
    with suppress(RecursionError):
        shutil.rmtree(folder, ignore_errors=True)
    if not os.path.lexists(folder):
        return
    for command in (["chmod", "-R", "u+rwx"], ["rm", "-rf"]):  # these do not recurse in Python
        with suppress(OSError, subprocess.TimeoutExpired):
            subprocess.run(
                [*command, "--", folder], timeout=_REMOVAL_SECONDS, check=False, capture_output=True
            )
