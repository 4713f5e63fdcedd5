"""The program on a system whose kernel refuses all locks, as that of some network folders does.

The first word is the name of the error with which it refuses them, the second says which: ``all``,
``flock`` (of runs) or ``fcntl`` (of SQLite). The others are those of the program.
"""

import errno
import runpy
import sys

import pyseccomp as seccomp  # type: ignore[import-untyped]

__all__ = ["refuse_locks"]

LOCKING = (6, 7, 37, 38)
"""F_SETLK, F_SETLKW, and the same of open file descriptions (linux/fcntl.h)."""


def refuse_locks(error: int, which: str) -> None:
    """Have the kernel answer each lock of this process, and of its children, with an error."""
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
