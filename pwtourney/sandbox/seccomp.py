"""The system calls that namespaces do not take away, as a filter for the sandbox.

Built with libseccomp through its Python binding, which need not be there: Debian's
``python3-seccomp`` or the package ``pyseccomp``.
"""

import errno
import os
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from pwtourney.errors import install_command

__all__ = ["filter_descriptor", "seccomp_filter", "seccomp_problem"]

_AF_VSOCK = 40  # a way to the host of a virtual machine that no network namespace closes
_LOW_HALF = 0xFFFFFFFF  # the kernel does not look at the rest of a number that is an int
_REFUSED = (
    "io_uring_setup",  # does what other calls do, without them
    "io_uring_enter",
    "io_uring_register",
    "flock",  # two sandboxes that read the same file could signal to each other by its locks
    "sched_setaffinity",  # a bot thinks on the core of its game, not on another game's
    "ptrace",
    "keyctl",  # the keys of whoever runs the tournament are in no namespace
    "add_key",
    "request_key",
    "memfd_create",  # memory that is in nobody's account
    "shmget",
    "process_vm_readv",
    "process_vm_writev",
)


@cache
def seccomp_filter() -> bytes | None:
    """Return the filter as the kernel's program; None where libseccomp or its binding is not."""
    binding = _binding()
    if binding is None:
        return None
    rules = binding.SyscallFilter(binding.ALLOW)
    refuse = binding.ERRNO(errno.EPERM)
    for name in _REFUSED:
        rules.add_rule(refuse, name)
    family = binding.Arg(0, binding.MASKED_EQ, _LOW_HALF, _AF_VSOCK)
    rules.add_rule(refuse, "socket", family)
    # libseccomp exports to a file and to nothing else
    descriptor = os.memfd_create("filter")
    with open(descriptor, "r+b") as file:
        rules.export_bpf(file)
        file.seek(0)
        return file.read()


def filter_descriptor() -> int | None:
    """Return an open descriptor to read the filter from; None without one. To be closed."""
    program = seccomp_filter()
    if program is None:
        return None
    descriptor = os.memfd_create("filter")
    os.write(descriptor, program)
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor


def seccomp_problem() -> str | None:
    """Return why there is no filter, and what to do; None where there is one."""
    if seccomp_filter() is not None:
        return None
    if find_spec("pyseccomp") is None:
        return f"libseccomp's Python binding is not installed ({install_command('pyseccomp')})"
    return "libseccomp is not installed (Debian: apt install libseccomp2)"


def _binding() -> Any:
    for name in ("seccomp", "pyseccomp"):
        try:
            return import_module(name)
        except (ImportError, OSError, RuntimeError):  # no binding, or no library behind it
            continue
    return None
