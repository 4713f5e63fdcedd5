"""The program on a system whose kernel refuses all locks, as some network folders do.

The first argument is the name of the error, the second the locks to refuse: ``all``, ``flock`` (of
runs) or ``fcntl`` (of SQLite). The other arguments are those of the program.
"""

import errno
import runpy
import sys

import pyseccomp as seccomp  # type: ignore[import-untyped]

__all__ = ["refuse_locks"]

LOCKING = (6, 7, 37, 38)
"""F_SETLK, F_SETLKW, F_OFD_SETLK and F_OFD_SETLKW (linux/fcntl.h)."""


def refuse_locks(error: int, which: str) -> None:
    """Make the kernel answer each lock of this process and its children with an error."""
    refused = seccomp.SyscallFilter(seccomp.ALLOW)
    if which in ("all", "flock"):
        refused.add_rule(seccomp.ERRNO(error), "flock")
    if which in ("all", "fcntl"):
        for command in LOCKING:
            refused.add_rule(seccomp.ERRNO(error), "fcntl", seccomp.Arg(1, seccomp.EQ, command))
    refused.load()


if __name__ == "__main__":
    name, which = sys.argv[1:3]
    del sys.argv[1:3]
    refuse_locks(getattr(errno, name), which)
    runpy.run_module("pwtourney", run_name="__main__", alter_sys=True)
