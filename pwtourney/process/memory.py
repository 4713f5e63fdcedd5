"""What processes hold in memory: their pages, and what the kernel holds for them.

Resident pages alone would leave ways around a limit. A process that reads one byte of each 2 MiB of
a large mapping fills page tables and has hardly a page of its own; what is written to a socket and
not read stays in the kernel. A control group counts all of that; these are the accounts without
one. All sizes are in bytes. A process that is gone, or that may not be looked at, holds 0.
"""

import os
from collections.abc import Iterator
from contextlib import suppress
from functools import cache

from pwtourney.sandbox.procfs import read_proc

__all__ = [
    "anonymous_memory",
    "divided_memory",
    "hidden_memory",
    "most_memory",
    "resident_memory",
    "socket_memory",
]

_PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096
_PAGES_A_TABLE = 512
_NO_TABLES = 512
"""So many pages of tables, 2 MiB, are not looked for: most processes cannot have more."""

_KIB = 1024
_WIDEST = 40
"""No number is farther from its key, or longer."""

_MANY = 64
_GROWN = 4 << 20
"""The most unsent bytes that Linux allows a TCP socket by default."""


def resident_memory(pid: int) -> int:
    """Return what a process has in memory, pages that it shares counted whole."""
    own = _read_sizes(f"/proc/{pid}")
    if not own:  # its first thread has ended, and tells nothing of the others any more
        with suppress(OSError):
            tasks = os.listdir(f"/proc/{pid}/task")[-1:]
            own = sum(_read_sizes(f"/proc/{pid}/task/{task}") for task in tasks)
    return own


def divided_memory(pid: int) -> int:
    """Return what a process has in memory, pages that it shares divided; this takes long."""
    exact = next(_read_kib(f"/proc/{pid}/smaps_rollup", b"Pss:"), None)
    # None if its first thread has ended, or it forbids others to look: then all counts
    if exact is None:
        return resident_memory(pid)
    return exact + _read_tables(f"/proc/{pid}")


def hidden_memory(pid: int) -> int:
    """Return the anonymous memory that `divided_memory` counts for others; takes as long."""
    sizes = _read_kib(f"/proc/{pid}/smaps_rollup", b"Pss_Anon:", b"Anonymous:")
    divided, whole = next(sizes, 0), next(sizes, 0)  # in the order of the kernel
    return max(0, whole - divided)


def anonymous_memory(pid: int) -> int:
    """Return the anonymous memory of a process, with shared pages counted whole."""
    return sum(_read_kib(f"/proc/{pid}/status", b"RssAnon:"))


def most_memory(pid: int) -> int:
    """Return the most that a process ever had in memory, with the page tables that it has now."""
    return sum(_read_kib(f"/proc/{pid}/status", b"VmHWM:", b"VmPTE:"))


def socket_memory(pid: int) -> int:
    """Return what sockets may hold in the network namespace of a process.

    Sockets are counted with a full buffer of the default size each, because the system does not
    tell what is in them; those of TCP, whose buffers grow, with what waits in them besides, or, if
    they are many, as much as they usually may. See proc_pid_net(5) and tcp(7).
    """
    used = _read_count(f"/proc/{pid}/net/sockstat", "sockets:", "used")
    if not used:
        return 0
    waiting = 0
    for family in ("", "6"):
        count = _read_count(f"/proc/{pid}/net/sockstat{family}", f"TCP{family}:", "inuse")
        if count > _MANY:  # it takes long to ask for each
            waiting += count * _GROWN
        elif count:
            waiting += _read_queues(f"/proc/{pid}/net/tcp{family}")
    return used * _buffer_size() + waiting


@cache
def _buffer_size() -> int:
    """Return how much one socket holds by default, the larger of both directions; see socket(7)."""
    sizes = [0]
    for name in ("wmem_default", "rmem_default"):
        with suppress(OSError), open(f"/proc/sys/net/core/{name}") as file:
            sizes.append(int(file.read()))
    return max(sizes)


def _read_sizes(folder: str) -> int:
    """Return resident pages and page tables of a process or thread by its folder in /proc."""
    with suppress(OSError):
        mapped, resident = map(int, read_proc(f"{folder}/statm").split()[:2])
        # what is mapped bounds the tables, and to ask for them takes four times as long
        tables = _read_tables(folder) if mapped > _NO_TABLES * _PAGES_A_TABLE else 0
        return resident * _PAGE + tables
    return 0


def _read_tables(folder: str) -> int:
    return sum(_read_kib(f"{folder}/status", b"VmPTE:"))


def _read_kib(path: str, *keys: bytes) -> Iterator[int]:
    """Yield what lines of a file in /proc tell in KiB, in bytes; not the first line.

    Lines that are missing are left out.
    """
    with suppress(OSError):
        data = read_proc(path)
        for key in keys:
            # not line by line: this is read of each bot after each game
            if value := data.partition(b"\n" + key)[2]:
                yield int(value[:_WIDEST].split(None, 1)[0]) * _KIB


def _read_count(path: str, key: str, name: str) -> int:
    """Return a count of ``sockstat``, whose lines are a key and pairs of name and count."""
    with suppress(OSError), open(path) as file:
        for line in file:
            if line.startswith(key):
                words = line.split()
                return int(words[words.index(name) + 1])
    return 0


def _read_queues(path: str) -> int:
    """Return the bytes that wait in all sockets of a table: to be sent, and to be read."""
    with suppress(OSError), open(path) as file:
        next(file, None)  # the heads
        queues = (line.split()[4].split(":") for line in file)
        return sum(int(sent, 16) + int(received, 16) for sent, received in queues)
    return 0
