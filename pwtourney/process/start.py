"""Starting a bot: everything that is put between us and its command."""

import errno
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from typing import NamedTuple

from pwtourney.errors import BotFault
from pwtourney.process import bwrap
from pwtourney.process.cgroup import Cgroup, joining
from pwtourney.process.guards import bound, tied, tied_as
from pwtourney.process.isolation import Isolation
from pwtourney.process.launch import Launch, bot_environment
from pwtourney.process.limits import Limits
from pwtourney.process.scratch import make_scratch, remove_scratch
from pwtourney.process.seccomp import filter_descriptor
from pwtourney.process.tree import Tree
from pwtourney.process.users import bot_user

__all__ = ["Started", "start"]

_BOTS_OWN = (errno.ENOENT, errno.EACCES, errno.ENOEXEC, errno.ENOTDIR, errno.EISDIR, errno.E2BIG)
"""What can be wrong with a program itself, so that it cannot be started."""


class Started(NamedTuple):
    """A process that runs, the tree that it is the root of, and its scratch folder."""

    process: subprocess.Popen[bytes]
    tree: Tree
    scratch: str | None


def start(
    launch: Launch, limits: Limits, isolation: Isolation, scratch_root: str | None
) -> Started:
    """Start a bot; raises `BotFault` if that is its own fault, OSError if it is the system's."""
    with ExitStack() as undo:
        scratch = None if isolation.sandbox else make_scratch(scratch_root)
        if scratch:
            undo.callback(remove_scratch, scratch)
        group = Cgroup(isolation.group, limits) if isolation.group else None
        if group:
            undo.callback(group.close)
        try:
            process = _popen(launch, limits, isolation, group, scratch)
        except OSError as error:
            if error.errno not in _BOTS_OWN:
                raise  # we are short of something: no fault of the bot
            reason = f"cannot start {launch.command[0]}: {error.strerror}"
            raise BotFault("start", reason) from error
        undo.pop_all()
    return Started(process, Tree(process.pid, _wrappers(isolation), group), scratch)


def _popen(
    launch: Launch,
    limits: Limits,
    isolation: Isolation,
    group: Cgroup | None,
    scratch: str | None,
) -> subprocess.Popen[bytes]:
    _check_program(launch.command[0])
    user = bot_user() if os.name == "posix" and os.geteuid() == 0 else None
    with ExitStack() as last:
        seccomp = filter_descriptor() if isolation.sandbox and isolation.seccomp else None
        if seccomp is not None:
            last.callback(os.close, seccomp)
        if scratch and user and isolation.other_user:
            os.chown(scratch, user, user)
        return subprocess.Popen(
            list(_command(launch, limits, isolation, group, user, seccomp)),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            cwd=scratch or "/",
            env=bot_environment(launch, scratch or bwrap.HOME),
            start_new_session=True,
            close_fds=True,
            pass_fds=() if seccomp is None else (seccomp,),
        )


def _command(
    launch: Launch,
    limits: Limits,
    isolation: Isolation,
    group: Cgroup | None,
    user: int | None,
    seccomp: int | None,
) -> Iterator[str]:
    """Yield the words of the whole command, from the outermost layer to the bot."""
    if group:
        yield from ("sh", "-c", *joining(group.path))
    yield from bound(limits)
    if isolation.sandbox:
        hidden = isolation.hidden
        yield from bwrap.sandboxed(
            launch, limits, hidden=hidden, user=user, filter_descriptor=seccomp
        )
    else:
        yield from tied_as(user) if user and isolation.other_user else tied()
        yield from launch.command


def _check_program(program: str) -> None:
    if shutil.which(program) is None:
        reason = "is not executable" if os.path.exists(program) else "does not exist"
        raise OSError(errno.ENOENT, f"it {reason}")


def _wrappers(isolation: Isolation) -> int:
    """Return how many generations of processes above the bot are ours."""
    return bwrap.wrappers() if isolation.sandbox else 0
