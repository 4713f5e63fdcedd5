"""Builds a sandbox around its own process and runs a bot in it.

Three processes come of it. The first stays outside, waits, and ends as the bot ended; the second
is the first process inside, and everything inside ends with it; the third becomes the bot. Each
dies with the one before it, and the first with the runner.
"""

import ctypes
import os
from typing import NamedTuple, NoReturn

from pwtourney.sandbox.namespaces import landlock
from pwtourney.sandbox.namespaces.kernel import (
    KILL_WITH_PARENT,
    NEW_USER,
    OTHER_SPACES,
    control,
    drop_capabilities,
    join_new_keyring,
    restore_signals,
    set_hostname,
    switch_loopback_on,
    unshare,
)
from pwtourney.sandbox.namespaces.layout import HOME, Owner, Step, lay_out

__all__ = ["NOBODY", "Order", "main"]

NOBODY = 65534
"""The user and group that a bot is inside."""

FAILED = 125
"""The exit code when the sandbox could not be made, after a line on standard error."""

# linux/prctl.h
_SET_DUMPABLE = 4
_NO_NEW_PRIVILEGES = 38
_SET_FILTER, _BY_PROGRAM = 22, 2
_FROM_SHELL = 128
"""What is added to the number of a signal to make an exit code of it."""


class Order(NamedTuple):
    """What is to be built, and for whom.

    `parent` is the process that must be alive; `user` the number that root becomes first, −1 for an
    ordinary user. `scratch` is the size of what can be written in bytes, `limits` what no process
    may exceed, by the names of ``resource``, and `filter` a program for seccomp.
    """

    parent: int
    user: int
    scratch: int
    limits: tuple[tuple[str, int], ...]
    filter: bytes
    steps: tuple[Step, ...]
    command: tuple[str, ...]

    def pack(self) -> bytes:
        """Return the bytes that `unpack` reads: words, and how many of a kind follow."""
        head = [str(self.parent), str(self.user), str(self.scratch), self.filter.hex()]
        counts = [str(len(self.limits)), str(len(self.steps))]
        limits = [word for name, most in self.limits for word in (name, str(most))]
        steps = [word for step in self.steps for word in step]
        return b"\0".join(map(os.fsencode, (*head, *counts, *limits, *steps, *self.command)))

    @classmethod
    def unpack(cls, packed: bytes) -> "Order":
        """Read what `pack` wrote."""
        words = list(map(os.fsdecode, packed.split(b"\0")))
        parent, user, scratch, program, *counts = words[:6]
        limits, steps = map(int, counts)
        begin, end = 6 + 2 * limits, 6 + 2 * limits + 3 * steps
        return cls(
            int(parent),
            int(user),
            int(scratch),
            tuple((words[k], int(words[k + 1])) for k in range(6, begin, 2)),
            bytes.fromhex(program),
            tuple(Step(*words[k : k + 3]) for k in range(begin, end, 3)),
            tuple(words[end:]),
        )


def main(descriptor: int) -> NoReturn:
    """Build the sandbox, run the bot, and exit as it did.

    The order is read from a descriptor: the words that a process is started with can be read by
    everybody who sees it, the bot too.
    """
    import resource  # noqa: F401 - here, where it can still be found; it is not on every system

    with open(descriptor, "rb") as file:
        order = Order.unpack(file.read())
    control(*KILL_WITH_PARENT)
    if os.getppid() != order.parent:  # it died before we asked to die with it
        os._exit(FAILED)
    nowhere = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
    try:
        _leave_namespaces(order)
        watched, held = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(held)
            _begin_inside(order, watched, nowhere)
    except OSError as error:
        _give_up(error)
    os._exit(_wait_for_end(pid, nowhere))


def _give_up(error: OSError) -> NoReturn:
    os.write(2, f"the sandbox cannot be made: {error.strerror or error}\n".encode())
    os._exit(FAILED)


def _leave_namespaces(order: Order) -> None:
    """Leave all namespaces; an ordinary user has rights over new ones only as somebody new."""
    if order.user >= 0:
        unshare(OTHER_SPACES)
        return
    user, group = os.getuid(), os.getgid()
    unshare(NEW_USER | OTHER_SPACES)
    _become_nobody(user, group)


def _become_nobody(user: int, group: int) -> None:
    """Be nobody in a new user namespace, who is the given user outside of it."""
    for name, text in (
        ("setgroups", "deny"),
        ("uid_map", f"{NOBODY} {user} 1"),
        ("gid_map", f"{NOBODY} {group} 1"),
    ):
        with open(f"/proc/self/{name}", "w") as file:
            file.write(text)


def _begin_inside(order: Order, watched: int, nowhere: int) -> NoReturn:
    """Be the first process inside: lay everything out, start the bot, and outlive it."""
    try:
        _die_with(watched)
        set_hostname("bot")
        join_new_keyring()
        switch_loopback_on()
        owner = Owner(NOBODY, NOBODY) if order.user < 0 else Owner(order.user, order.user)
        lay_out(order.steps, owner, order.scratch)
        if order.user >= 0:
            _stop_being_root(order.user)
            _die_with(watched)
        _allow_no_more_spaces()
        control(_NO_NEW_PRIVILEGES, 1)
        drop_capabilities()
        control(_SET_DUMPABLE, 0)  # the bot is the same user: it may not look into this process
        pid = os.fork()
        if pid == 0:
            _become_the_bot(order)
        restore_signals()  # which here means that those from inside are ignored
    except OSError as error:
        _give_up(error)
    os._exit(_wait_for_end(pid, nowhere))


def _die_with(watched: int) -> None:
    """Ask to be killed with our parent, which is alive if nobody has closed the pipe from it."""
    control(*KILL_WITH_PARENT)
    os.set_blocking(watched, False)
    try:
        os.read(watched, 1)
    except BlockingIOError:
        return
    os._exit(FAILED)


def _stop_being_root(user: int) -> None:
    """Be an ordinary user, and then nobody in a user namespace of one's own."""
    os.setgroups([])  # first groups, then the user: who is not root any more may not change them
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)
    control(_SET_DUMPABLE, 1)  # else the files that make us nobody would still be root's
    unshare(NEW_USER)
    _become_nobody(user, user)


def _allow_no_more_spaces() -> None:
    """Go into one last user namespace, after which the one around it allows no other.

    In one of its own a bot would have rights again that reach more of the kernel.
    """
    with open("/proc/sys/user/max_user_namespaces", "w") as file:
        file.write("1")
    unshare(NEW_USER)
    _become_nobody(NOBODY, NOBODY)


def _become_the_bot(order: Order) -> NoReturn:
    """Take the limits, give up the rest, and become the bot's program."""
    import resource

    try:
        os.chdir(HOME)
        for name, most in order.limits:
            resource.setrlimit(getattr(resource, f"RLIMIT_{name.upper()}"), (most, most))
        if landlock.version():
            lent = (step.target for step in order.steps if step.kind == "lend")
            landlock.allow_writing_only((HOME, "/dev", "/proc", *lent))
        restore_signals()  # Python's own would be inherited
        if order.filter:
            _install_filter(order.filter)
        os.execvp(order.command[0], order.command)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        os.write(2, f"cannot start {order.command[0]}: {why}\n".encode(errors="replace"))
    os._exit(127)


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_void_p))


def _install_filter(program: bytes) -> None:
    """Have the kernel ask a program about each system call from now on (linux/filter.h)."""
    held = ctypes.create_string_buffer(program, len(program))
    wanted = _Program(len(program) // 8, ctypes.addressof(held))
    control(_SET_FILTER, _BY_PROGRAM, ctypes.addressof(wanted))


def _wait_for_end(pid: int, nowhere: int) -> int:
    """Let go of the bot's pipes and wait for a process; return its exit code, as shells tell it.

    Orphans inside come to the first process there, and are waited for as well. `nowhere` was opened
    before there was a sandbox: its root becomes that of the first process, too, at any moment.
    """
    for descriptor in (0, 1, 2):
        os.dup2(nowhere, descriptor, inheritable=False)
    while True:
        ended, status = os.wait()
        if ended == pid:
            code = os.waitstatus_to_exitcode(status)
            return code if code >= 0 else _FROM_SHELL - code
