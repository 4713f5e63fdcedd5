"""Starting a bot's process: its control group, sandbox or guards, user and scratch folder."""

import errno
import os
import shutil
import subprocess
import tempfile
from contextlib import ExitStack, suppress
from typing import NamedTuple

from pwtourney.errors import BotFault
from pwtourney.process.bot_processes import BotProcesses, Child, ProcessHandle
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

__all__ = [
    "SCRATCH_PREFIX",
    "NewProcess",
    "StartedProcess",
    "make_scratch",
    "open_process",
    "remove_scratch",
    "start",
]

SCRATCH_PREFIX = "pwtourney-"
"""The prefix of the names of all scratch folders."""

_REMOVAL_SECONDS = 60

_BOTS_OWN = (errno.ENOENT, errno.EACCES, errno.ENOEXEC, errno.ENOTDIR, errno.EISDIR, errno.E2BIG)
"""Errors that are the bot's own fault, if none of our programs is started before it."""


class StartedProcess(NamedTuple):
    """A running process, its process tree, and what it has leased.

    Closing `leased` removes the scratch folder and releases the uid. `said` is standard error that
    was written on the process's behalf before it began.
    """

    process: ProcessHandle
    tree: BotProcesses
    leased: ExitStack
    said: bytes = b""


class NewProcess(NamedTuple):
    """A process that we have just started, its control group, and its scratch folder.

    In a sandbox `scratch` is None, because the folder is inside. `leased` is as in
    `StartedProcess`.
    """

    process: Child
    group: Cgroup | None
    scratch: str | None
    leased: ExitStack

    def abandon(self) -> None:
        """Kill the process at once, and release all that was made for it."""
        with self.leased:
            self.process.kill()
            self.process.wait()
            if self.group:
                self.group.close()


def start(
    launch: Launch, limits: Limits, isolation: Isolation, scratch_root: str | None
) -> StartedProcess:
    """Start a bot; raise `BotFault` if the bot cannot be started, OSError if the system fails."""
    opened = open_process(launch, limits, isolation, scratch_root)
    process, group, _, leased = opened
    wrappers = wrapper_count(isolation.sandbox) if isolation.sandbox else 0
    try:
        tree = BotProcesses(process.pid, wrappers, limits.processes, group)
    except BaseException:
        opened.abandon()
        raise
    return StartedProcess(process, tree, leased)


def open_process(
    launch: Launch,
    limits: Limits,
    isolation: Isolation,
    scratch_root: str | None,
    channel: int | None = None,
) -> NewProcess:
    """Start a process of a bot, or one that starts the bot; raises as `start` does.

    A `channel` becomes its standard input; its standard output is then discarded.
    """
    program = launch.command[0]
    if shutil.which(program) is None:
        # Checked here, because behind a guard or a sandbox it would only show as their exit code.
        reason = "is not executable" if os.path.exists(program) else "does not exist"
        raise BotFault("start", f"cannot start {program}: it {reason}")
    with ExitStack() as leased, ExitStack() as undo:
        user, scratch = _lease(launch, isolation, scratch_root, leased)
        group = Cgroup(isolation.group, limits) if isolation.group else None
        if group:
            undo.callback(group.close)
        process = _popen(launch, limits, isolation, group, user, scratch, channel)
        undo.pop_all()
        return NewProcess(process, group, scratch, leased.pop_all())


def _lease(
    launch: Launch, isolation: Isolation, scratch_root: str | None, leased: ExitStack
) -> tuple[int | None, str | None]:
    """Return the uid for a bot of root, and its scratch folder outside of a sandbox.

    Everything that the bot may write to is given to that uid.
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
                os.chmod(scratch_root, 0o711)  # entered, not listed: other folders stay unknown
        for folder in launch.write_paths:
            # No link is followed: a bot's link to a file of ours must not give it that file.
            for path, below, names in os.walk(folder):
                for name in (*below, *names):
                    os.lchown(os.path.join(path, name), user, user)
            os.lchown(folder, user, user)
            # The folder above is closed to others. A sandbox does not have to pass it; without one,
            # this user alone may pass it, until ownership is reset.
            if not isolation.sandbox:
                above = os.path.dirname(folder)
                os.chown(above, -1, user)
                os.chmod(above, 0o710)  # entered by this user only, and not listed
    return user, scratch


def _popen(
    launch: Launch,
    limits: Limits,
    isolation: Isolation,
    group: Cgroup | None,
    user: int | None,
    scratch: str | None,
    channel: int | None,
) -> Child:
    """Start the process of a bot behind its control group, guards and sandbox."""
    outermost = ("sh", "-c", *join_command(group.path)) if group else ()
    with ExitStack() as last:
        inherited: tuple[int, ...] = ()
        if isolation.sandbox:
            command, inherited = last.enter_context(
                enclose(
                    isolation.sandbox,
                    launch,
                    limits,
                    hidden=isolation.hidden,
                    closed=isolation.closed,
                    user=user,
                    seccomp=isolation.seccomp,
                )
            )
        else:
            guard = parent_guard() if user is None else user_guard(user)
            command = [*limits_guard(limits), *guard, *launch.command]
        command = [*outermost, *command]
        try:
            return Child(
                command,
                stdin=subprocess.PIPE if channel is None else channel,
                stdout=subprocess.PIPE if channel is None else subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                bufsize=0,  # we read and write the descriptors directly
                cwd=scratch or "/",
                env=bot_environment(launch, scratch or HOME),
                # Ctrl-C is for the runner alone, and one call kills all that stays in the process
                # group.
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
    """Create an empty folder under `root`, or in the system's folder for temporary files."""
    if root is not None:
        os.makedirs(root, mode=0o700, exist_ok=True)  # a bot may have removed it
    return tempfile.mkdtemp(prefix=SCRATCH_PREFIX, dir=root)


def remove_scratch(folder: str) -> None:
    """Remove a scratch folder, however deep it is and whatever its permissions are.

    It never raises: what cannot be removed is left to the system's own cleaning.
    """
    if os.path.islink(folder):  # a bot made this link; its target is not ours to remove
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
