"""Starting a bot: everything that is put between us and its command, and its scratch folder."""

import errno
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from typing import NamedTuple

from pwtourney.errors import BotFault
from pwtourney.process.bot_processes import BotProcesses
from pwtourney.sandbox import bwrap, unshare
from pwtourney.sandbox.cgroup import Cgroup, join_command
from pwtourney.sandbox.isolation import Isolation
from pwtourney.sandbox.launch import Launch, Limits, bot_environment
from pwtourney.sandbox.privileges import LeasedUid, is_root, limits_guard, parent_guard, user_guard
from pwtourney.sandbox.seccomp import filter_descriptor, seccomp_filter
from pwtourney.sandbox.view import HOME

__all__ = ["SCRATCH_PREFIX", "Started", "make_scratch", "remove_scratch", "start"]

SCRATCH_PREFIX = "pwtourney-"
"""What the names of all our scratch folders begin with."""

_REMOVAL_SECONDS = 60

_BOTS_OWN = (errno.ENOENT, errno.EACCES, errno.ENOEXEC, errno.ENOTDIR, errno.EISDIR, errno.E2BIG)
"""What can be wrong with a program itself, where nothing of ours is started before it."""


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
    _check_program(launch.command[0])
    with ExitStack() as leased, ExitStack() as undo:
        user = _lease_uid(isolation, leased)
        scratch = None if isolation.sandbox else _make_scratch_for(scratch_root, user, leased)
        if user is not None:
            for folder in launch.write_paths:
                _hand_over(folder, user, enterable=not isolation.sandbox)
        group = Cgroup(isolation.group, limits) if isolation.group else None
        if group:
            undo.callback(group.close)
        process = _popen(launch, limits, isolation, group, user, scratch)
        undo.callback(process.wait)  # called in reverse: first killed, then reaped
        undo.callback(process.kill)
        tree = BotProcesses(process.pid, _wrapper_count(isolation), limits.processes, group)
        undo.pop_all()
        return Started(process, tree, leased.pop_all())


def _check_program(program: str) -> None:
    if shutil.which(program) is None:
        reason = "is not executable" if os.path.exists(program) else "does not exist"
        # asked before, as behind a guard or a sandbox it would only be an exit code of theirs
        raise BotFault("start", f"cannot start {program}: it {reason}")


def _lease_uid(isolation: Isolation, leased: ExitStack) -> int | None:
    """Return the user that a bot of root will be; None for an ordinary user's bot."""
    if not is_root() or not (isolation.sandbox or isolation.other_user):
        return None
    user = LeasedUid()
    leased.callback(user.release)
    return user.number


def _hand_over(folder: str, user: int, *, enterable: bool) -> None:
    """Give all of a folder to the leased uid; no link is followed.

    The folder above it is closed to others. No sandbox has to pass it; without one this user
    alone may, until all is taken back.
    """
    # a link of the bot's that leads to a file of ours must not make that file the bot's
    for place, below, names in os.walk(folder):
        for name in (*below, *names):
            os.lchown(os.path.join(place, name), user, user)
    os.lchown(folder, user, user)
    if enterable:
        above = os.path.dirname(folder)
        os.chown(above, -1, user)
        os.chmod(above, 0o710)  # to be passed by this user only, and not listed


def _make_scratch_for(root: str | None, user: int | None, leased: ExitStack) -> str:
    """Make a scratch folder that the bot, whoever it is, can come to and write in."""
    scratch = make_scratch(root)
    leased.callback(remove_scratch, scratch)
    if user is not None:
        os.chown(scratch, user, user)
        if root is not None:
            os.chmod(root, 0o711)  # passed, not listed: other folders stay unknown
    return scratch


def _popen(
    launch: Launch,
    limits: Limits,
    isolation: Isolation,
    group: Cgroup | None,
    user: int | None,
    scratch: str | None,
) -> subprocess.Popen[bytes]:
    with ExitStack() as last:
        handed = _open_order(launch, limits, isolation, user)
        if handed is not None:
            last.callback(os.close, handed)
        command = list(_whole_command(launch, limits, isolation, group, user, handed))
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
                pass_fds=() if handed is None else (handed,),
            )
        except OSError as error:
            if error.errno not in _BOTS_OWN or command[0] != launch.command[0]:
                raise  # the system is short of something, or lacks a program of ours
            reason = f"cannot start {launch.command[0]}: {error.strerror}"
            raise BotFault("start", reason) from error


def _open_order(
    launch: Launch, limits: Limits, isolation: Isolation, user: int | None
) -> int | None:
    """Return the descriptor that a sandbox reads from when it starts, if it does."""
    if isolation.sandbox == "unshare":
        seccomp = seccomp_filter() if isolation.seccomp else None
        hidden = isolation.hidden
        return unshare.order_descriptor(launch, limits, hidden=hidden, user=user, seccomp=seccomp)
    return filter_descriptor() if isolation.sandbox and isolation.seccomp else None


def _whole_command(
    launch: Launch,
    limits: Limits,
    isolation: Isolation,
    group: Cgroup | None,
    user: int | None,
    handed: int | None,
) -> Iterator[str]:
    """Yield the words of the whole command, from the outermost layer to the bot."""
    if group:
        yield from ("sh", "-c", *join_command(group.path))
    if isolation.sandbox == "unshare" and handed is not None:
        yield from unshare.program(handed)
        return
    yield from limits_guard(limits)
    if isolation.sandbox:
        yield from bwrap.sandbox_command(
            launch, limits, hidden=isolation.hidden, user=user, filter_descriptor=handed
        )
    else:
        yield from parent_guard() if user is None else user_guard(user)
        yield from launch.command


def _wrapper_count(isolation: Isolation) -> int:
    """Return how many generations of processes above the bot are ours."""
    if isolation.sandbox == "unshare":
        return unshare.WRAPPERS
    return bwrap.wrapper_count() if isolation.sandbox else 0


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
