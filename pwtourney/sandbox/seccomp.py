"""The filter of system calls that both sandboxes take, built by libseccomp.

It takes away what namespaces leave: ways out of a bot's core and account, and to other bots.
"""

import errno
import os
import socket
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any

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
        "keyctl",  # the keys of whoever runs the tournament are in no namespace
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
    ),
    # what programs do without where a system has none
    errno.ENOSYS: (
        # Pipes and sockets that are given pages and not bytes keep whole pages for a byte of each.
        *("splice", "tee", "vmsplice", "sendfile"),
        # They tell what others do with a file, or what of it is in memory: the numbers are those of
        # cachestat and process_madvise.
        *("inotify_init", "inotify_init1", "fanotify_init", "mincore", 451, 440),
        # They do in another way what is refused.
        *("io_setup", "io_submit"),
    ),
}
"""Calls that a bot cannot make, by the error that it gets. Newer ones stand here by number: older
libraries do not know their names, and the number is the same on every kind of processor."""

_LEASES = (1024, 1026)
"""F_SETLEASE, by which whoever owns a file holds up all others that open it, and F_NOTIFY."""

_LOCKS = (5, 6, 7, 36, 37, 38)
"""F_GETLK, F_SETLK, F_SETLKW, and the same of open file descriptions (linux/fcntl.h)."""

_PAGE_OUT = 21
"""MADV_PAGEOUT of madvise(2)."""


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
    family = binding.Arg(0, binding.MASKED_EQ, _LOW_HALF, _AF_VSOCK)
    rules.add_rule(binding.ERRNO(errno.EPERM), "socket", family)
    # Two sandboxes that read the same file could signal to each other by its locks, by who watches
    # it, and by what of it is in memory. A lock is not refused but does nothing: cargo, SQLite and
    # others give up without, and nobody outside of a sandbox writes what a bot can read.
    rules.add_rule(binding.ERRNO(0), "flock")
    for command in _LOCKS:
        which = binding.Arg(1, binding.MASKED_EQ, _LOW_HALF, command)
        rules.add_rule(binding.ERRNO(0), "fcntl", which)
    for command in _LEASES:
        which = binding.Arg(1, binding.MASKED_EQ, _LOW_HALF, command)
        rules.add_rule(binding.ERRNO(errno.EINVAL), "fcntl", which)
    # what a bot could make the system forget would carry a signal in every game, and not in one
    forget = binding.Arg(3, binding.MASKED_EQ, _LOW_HALF, os.POSIX_FADV_DONTNEED)
    rules.add_rule(binding.ERRNO(0), "fadvise64", forget)
    out = binding.Arg(2, binding.MASKED_EQ, _LOW_HALF, _PAGE_OUT)
    rules.add_rule(binding.ERRNO(0), "madvise", out)
    # the buffers of a socket keep the size that they are counted with
    level = binding.Arg(1, binding.MASKED_EQ, _LOW_HALF, socket.SOL_SOCKET)
    for option in (socket.SO_SNDBUF, socket.SO_RCVBUF):
        which = binding.Arg(2, binding.MASKED_EQ, _LOW_HALF, option)
        rules.add_rule(binding.ERRNO(0), "setsockopt", level, which)
    at_once = binding.Arg(5, binding.MASKED_EQ, os.RWF_NOWAIT, os.RWF_NOWAIT)
    rules.add_rule(binding.ERRNO(errno.EOPNOTSUPP), "preadv2", at_once)
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
