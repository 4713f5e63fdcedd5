"""Sandboxing of bots: users, limits, mounts, system calls, control groups and orphaned processes.

This module imports nothing, because `inside` runs before every bot and would pay for the import at
each start.
"""

__all__ = [
    "backends",
    "cgroup",
    "copies",
    "cores",
    "inside",
    "isolation",
    "launch",
    "orphans",
    "procfs",
    "quota",
    "seccomp",
    "syscalls",
]
