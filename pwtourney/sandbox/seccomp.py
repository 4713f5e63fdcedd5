"""The seccomp filter that both sandboxes install, built by libseccomp.

It closes what namespaces leave open: ways out of a bot's core and accounting, and to other bots.
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

_AF_VSOCK = 40  # reaches the host of a virtual machine, and no network namespace closes it
_LOW_HALF = 0xFFFFFFFF  # the kernel ignores the upper half of an argument that is an int
_REFUSED: Mapping[int, tuple[str | int, ...]] = {
    errno.EPERM: (
        "io_uring_setup",  # does what other calls do without making them
        "io_uring_enter",
        "io_uring_register",
        "sched_setaffinity",  # a bot must stay on the core of its game
        "ptrace",
        "keyctl",  # the organiser's keys are in no namespace
        "add_key",
        "request_key",
        "process_vm_readv",
        "process_vm_writev",
        "memfd_create",  # memory that no account counts: this call and those that follow
        "shmget",
        "msgget",
        "semget",
        447,  # memfd_secret
        444,  # landlock_create_ruleset
        "perf_event_open",  # its buffers count as memory of the user, not of the process
        # Calls for root, even on systems that allow them to everybody.
        "bpf",
        "userfaultfd",
        "quotactl",
        # Calls for root in a namespace. A bot is nobody there, so this is a second barrier. The
        # numbers are those of open_tree, move_mount, fsopen, fsconfig, fsmount, fspick and
        # mount_setattr.
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
    # Calls that programs do without where a system has none of them.
    errno.ENOSYS: (
        # Message queues: all bots share what one user may have.
        "mq_open",
        # Pipes and sockets that get pages and not bytes keep a whole page for each byte.
        "splice",
        "tee",
        "vmsplice",
        "sendfile",
        # Show what others do with a file, or which parts of it are in memory. The numbers are those
        # of cachestat and process_madvise.
        "inotify_init",
        "inotify_init1",
        "fanotify_init",
        "mincore",
        451,
        440,
        # Other ways to do what is refused. The filter cannot see the arguments of clone3 (435), and
        # C libraries fall back to clone.
        "io_setup",
        "io_submit",
        435,
        # Let the kernel send a signal later, and SIGCONT wakes a bot that is suspended. The timers
        # that programs use (setitimer, timerfd_create) cannot send it.
        "timer_create",
        "mq_notify",
    ),
}
"""The calls that a bot cannot make, by the error that it gets.

Newer calls are listed by number: older libraries do not know their names, and the number is the
same on all architectures.
"""

_LEASES = (1024, 1026)
"""F_SETLEASE, with which the owner of a file delays all others that open it, and F_NOTIFY."""

_LOCKS = (5, 6, 7, 36, 37, 38)
"""F_GETLK, F_SETLK, F_SETLKW, and their variants for open file descriptions (linux/fcntl.h)."""

_SET_SIGNAL = 10
"""F_SETSIG, which chooses the signal that is sent in place of SIGIO."""

_PAGE_OUT = 21
"""MADV_PAGEOUT of madvise(2)."""

_LEND_PAGES = 60
"""SO_ZEROCOPY of socket(7)."""

_DEATH_SIGNAL = 1
"""PR_SET_PDEATHSIG of prctl(2)."""

_EXIT_SIGNAL = 0xFF
"""The bits of clone's flags that hold the signal for the parent (CSIGNAL in linux/sched.h)."""


class _Case(NamedTuple):
    """A call that is refused only with certain arguments, given by position.

    With the error 0, the call succeeds without doing anything.
    """

    error: int
    call: str
    arguments: Mapping[int, int]
    mask: int = _LOW_HALF


def _list_cases() -> Iterator[_Case]:
    yield _Case(errno.EPERM, "socket", {0: _AF_VSOCK})
    # Two sandboxes that read the same file could signal to each other through its locks, its
    # watchers, and which parts of it are in memory. A lock is not refused but does nothing: cargo,
    # SQLite and others fail without locks, and nothing outside a sandbox writes files that a bot
    # reads.
    yield _Case(0, "flock", {})
    for command in _LOCKS:
        yield _Case(0, "fcntl", {1: command})
    for command in (*_LEASES, _SET_SIGNAL):
        yield _Case(errno.EINVAL, "fcntl", {1: command})
    # Dropping pages from the cache would be a signal in every game, not only in one.
    yield _Case(0, "fadvise64", {3: os.POSIX_FADV_DONTNEED})
    yield _Case(0, "madvise", {2: _PAGE_OUT})
    # The buffers of a socket keep the size that the accounting assumes.
    for option in (socket.SO_SNDBUF, socket.SO_RCVBUF):
        yield _Case(0, "setsockopt", {1: socket.SOL_SOCKET, 2: option})
    # Pages lent to sockets count for the user, which other bots may share.
    lend = {1: socket.SOL_SOCKET, 2: _LEND_PAGES}
    yield _Case(errno.EOPNOTSUPP, "setsockopt", lend)
    yield _Case(errno.EOPNOTSUPP, "preadv2", {5: os.RWF_NOWAIT}, os.RWF_NOWAIT)
    # A process that ends late must not wake stopped processes: its children, or a process that
    # waits for it.
    yield _Case(errno.EINVAL, "prctl", {0: _DEATH_SIGNAL, 1: signal.SIGCONT})
    flags = 1 if os.uname().machine.startswith("s390") else 0
    yield _Case(errno.EINVAL, "clone", {flags: signal.SIGCONT}, _EXIT_SIGNAL)


@cache
def seccomp_filter() -> bytes | None:
    """Return the filter as a BPF program for the kernel; None if it cannot be built here.

    It is built with libseccomp through its Python binding, which is optional: Debian's
    ``python3-seccomp`` or the package ``pyseccomp``.
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
    # libseccomp can export only to a file.
    descriptor = os.memfd_create("filter")
    with open(descriptor, "r+b") as file:
        rules.export_bpf(file)
        file.seek(0)
        return file.read()


def seccomp_problem() -> str | None:
    """Return why there is no filter, and what to do; None if there is one."""
    if seccomp_filter() is not None:
        return None
    if find_spec("pyseccomp") is None:
        return f"libseccomp's Python binding is not installed ({install_command('pyseccomp')})"
    return "libseccomp is not installed (Debian: apt install libseccomp2)"
