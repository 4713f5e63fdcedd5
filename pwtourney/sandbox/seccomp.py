"""The filter of system calls that both sandboxes take, built by libseccomp.

It takes away what namespaces leave: ways out of a bot's core and account, and to other bots.
"""

import errno
import os
import signal
import socket
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any, NamedTuple

from pwtourney.errors import install_command

__all__ = ["seccomp_filter", "seccomp_problem"]

_AF_VSOCK = 40  # a way to the host of a virtual machine that no network namespace closes
_LOW_HALF = 0xFFFFFFFF  # the kernel does not look at the rest of a number that is an int
_REFUSED: Mapping[int, tuple[str | int, ...]] = {
    errno.EPERM: (
        "io_uring_setup",  # does what other calls do, without them
        "io_uring_enter",
        "io_uring_register",
        "sched_setaffinity",  # a bot thinks on the core of its game, not on another game's
        "ptrace",
        "keyctl",  # the keys of the organiser are in no namespace
        "add_key",
        "request_key",
        "process_vm_readv",
        "process_vm_writev",
        "memfd_create",  # memory that is in nobody's account: this call and all that follow
        "shmget",
        "msgget",
        "semget",
        447,  # memfd_secret
        444,  # landlock_create_ruleset
        "perf_event_open",  # its buffers are memory of the user, not of the process
        # what is root's, even on systems that allow it to everybody
        "bpf",
        "userfaultfd",
        "quotactl",
        # What is root's in a namespace, where a bot is nobody: a second lock. The numbers are those
        # of open_tree, move_mount, fsopen, fsconfig, fsmount, fspick and mount_setattr.
        "mount",
        "umount2",
        "pivot_root",
        "chroot",
        "open_by_handle_at",
        428,
        429,
        430,
        431,
        432,
        433,
        442,
    ),
    # what programs do without where a system has none
    errno.ENOSYS: (
        # What one user may have in queues is shared by all bots; programs do without.
        "mq_open",
        # Pipes and sockets that are given pages and not bytes keep whole pages for a byte of each.
        "splice",
        "tee",
        "vmsplice",
        "sendfile",
        # They tell what others do with a file, or what of it is in memory: the numbers are those of
        # cachestat and process_madvise.
        "inotify_init",
        "inotify_init1",
        "fanotify_init",
        "mincore",
        451,
        440,
        # They do in another way what is refused; of clone3 (435) the filter cannot see how, and C
        # libraries go back to clone.
        "io_setup",
        "io_submit",
        435,
        # They let the kernel send a signal later, and SIGCONT wakes a bot that is suspended. Timers
        # of setitimer and timerfd_create, which programs use, send none that does.
        "timer_create",
        "mq_notify",
    ),
}
"""Calls that a bot cannot make, by the error that it gets. Newer ones are listed by number: older
libraries do not know their names, and the number is the same on every kind of processor."""

_LEASES = (1024, 1026)
"""F_SETLEASE, by which the owner of a file holds up all others that open it, and F_NOTIFY."""

_LOCKS = (5, 6, 7, 36, 37, 38)
"""F_GETLK, F_SETLK, F_SETLKW, and the same of open file descriptions (linux/fcntl.h)."""

_SET_SIGNAL = 10
"""F_SETSIG, which chooses what is sent in place of SIGIO."""

_PAGE_OUT = 21
"""MADV_PAGEOUT of madvise(2)."""

_LEND_PAGES = 60
"""SO_ZEROCOPY of socket(7)."""

_DEATH_SIGNAL = 1
"""PR_SET_PDEATHSIG of prctl(2)."""

_EXIT_SIGNAL = 0xFF
"""The bits of clone's flags that hold the signal for the parent (CSIGNAL in linux/sched.h)."""


class _Case(NamedTuple):
    """A call that is refused with certain arguments only, by their positions.

    The error 0 lets the call succeed without doing anything.
    """

    error: int
    call: str
    arguments: Mapping[int, int]
    mask: int = _LOW_HALF


def _list_cases() -> Iterator[_Case]:
    yield _Case(errno.EPERM, "socket", {0: _AF_VSOCK})
    # Two sandboxes that read the same file could signal to each other by its locks, by who watches
    # it, and by what of it is in memory. A lock is not refused but does nothing: cargo, SQLite and
    # others give up without, and nobody outside of a sandbox writes what a bot can read.
    yield _Case(0, "flock", {})
    for command in _LOCKS:
        yield _Case(0, "fcntl", {1: command})
    for command in (*_LEASES, _SET_SIGNAL):
        yield _Case(errno.EINVAL, "fcntl", {1: command})
    # what a bot could make the system forget would carry a signal in every game, and not in one
    yield _Case(0, "fadvise64", {3: os.POSIX_FADV_DONTNEED})
    yield _Case(0, "madvise", {2: _PAGE_OUT})
    # the buffers of a socket keep the size that they are counted with
    for option in (socket.SO_SNDBUF, socket.SO_RCVBUF):
        yield _Case(0, "setsockopt", {1: socket.SOL_SOCKET, 2: option})
    # pages that sockets are lent count for the user, whom other bots may be, too
    lend = {1: socket.SOL_SOCKET, 2: _LEND_PAGES}
    yield _Case(errno.EOPNOTSUPP, "setsockopt", lend)
    yield _Case(errno.EOPNOTSUPP, "preadv2", {5: os.RWF_NOWAIT}, os.RWF_NOWAIT)
    # A process that takes long to end must not wake those that are stopped: its children, or who
    # waits for it.
    yield _Case(errno.EINVAL, "prctl", {0: _DEATH_SIGNAL, 1: signal.SIGCONT})
    flags = 1 if os.uname().machine.startswith("s390") else 0
    yield _Case(errno.EINVAL, "clone", {flags: signal.SIGCONT}, _EXIT_SIGNAL)


@cache
def seccomp_filter() -> bytes | None:
    """Return the filter of system calls as the kernel's program; None where it cannot be built.

    It takes away what namespaces do not. Built with libseccomp through its Python binding, which
    need not be there: Debian's ``python3-seccomp`` or the package ``pyseccomp``.
    """
    binding: Any = None
    for name in ("seccomp", "pyseccomp"):
        with suppress(ImportError, OSError, RuntimeError):  # no binding, or no library behind it
            binding = import_module(name)
            break
    if binding is None:
        return None
    rules = binding.SyscallFilter(binding.ALLOW)
    for error, calls in _REFUSED.items():
        for call in calls:
            rules.add_rule(binding.ERRNO(error), call)
    for case in _list_cases():
        arguments = (
            binding.Arg(position, binding.MASKED_EQ, case.mask, value)
            for position, value in case.arguments.items()
        )
        rules.add_rule(binding.ERRNO(case.error), case.call, *arguments)
    # libseccomp exports to a file and to nothing else
    descriptor = os.memfd_create("filter")
    with open(descriptor, "r+b") as file:
        rules.export_bpf(file)
        file.seek(0)
        return file.read()


def seccomp_problem() -> str | None:
    """Return why there is no filter, and what to do; None where there is one."""
    if seccomp_filter() is not None:
        return None
    if find_spec("pyseccomp") is None:
        return f"libseccomp's Python binding is not installed ({install_command('pyseccomp')})"
    return "libseccomp is not installed (Debian: apt install libseccomp2)"
