"""The memory of processes: their pages, and what the kernel holds for them.

Counting resident pages alone would leave ways around a limit. A process that reads one byte of each
2 MiB of a large mapping fills page tables and has hardly a page of its own; data that is written to
a socket and not read stays in the kernel. A control group counts all of that; this module does so
without one. All sizes are in bytes. A process that is gone, or that may not be inspected, counts 0.
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
"""Up to this many pages of page tables, 2 MiB, are ignored: most processes cannot have more."""

_KIB = 1024
_WIDEST = 40
"""The bytes after a key within which its number ends."""

_MANY = 64
_GROWN = 4 << 20
"""The most unsent bytes that Linux allows a TCP socket by default."""


def resident_memory(pid: int) -> int:
    """Return the memory of a process, with shared pages counted whole."""
    own = _read_sizes(f"/proc/{pid}")
    if not own:  # its main thread has ended, and the file no longer counts the others
        with suppress(OSError):
            tasks = os.listdir(f"/proc/{pid}/task")[-1:]
            own = sum(_read_sizes(f"/proc/{pid}/task/{task}") for task in tasks)
    return own


def divided_memory(pid: int) -> int:
    """Return the memory of a process, with shared pages divided; this takes long."""
    exact = next(_read_kib(f"/proc/{pid}/smaps_rollup", b"Pss:"), None)
    # None if its main thread has ended or it forbids inspection; then shared pages count whole.
    if exact is None:
        return resident_memory(pid)
    return exact + _read_tables(f"/proc/{pid}")


def hidden_memory(pid: int) -> int:
    """Return the anonymous memory that `divided_memory` counts for others; takes as long."""
    sizes = _read_kib(f"/proc/{pid}/smaps_rollup", b"Pss_Anon:", b"Anonymous:")
    divided, whole = next(sizes, 0), next(sizes, 0)  # in the kernel's order
    return max(0, whole - divided)


def anonymous_memory(pid: int) -> int:
    """Return the anonymous memory of a process, with shared pages counted whole."""
    return sum(_read_kib(f"/proc/{pid}/status", b"RssAnon:"))


def most_memory(pid: int) -> int:
    """Return the peak memory of a process, plus its page tables of now."""
    return sum(_read_kib(f"/proc/{pid}/status", b"VmHWM:", b"VmPTE:"))


def socket_memory(pid: int) -> int:
    """Return the memory that sockets may hold in the network namespace of a process.

    Each socket counts with a full buffer of the default size, because the system does not tell what
    it holds. TCP sockets, whose buffers grow, also count with their queued bytes. If there are more
    than 64 of them, each counts with the default maximum instead. See proc_pid_net(5) and tcp(7).
    """
    used = _read_count(f"/proc/{pid}/net/sockstat", "sockets:", "used")
    if not used:
        return 0
    waiting = 0
    for family in ("", "6"):
        count = _read_count(f"/proc/{pid}/net/sockstat{family}", f"TCP{family}:", "inuse")
        if count > _MANY:  # reading the queue of each takes long
            waiting += count * _GROWN
        elif count:
            waiting += _read_queues(f"/proc/{pid}/net/tcp{family}")
    return used * _buffer_size() + waiting


@cache
def _buffer_size() -> int:
    """Return a socket's default buffer size, the larger of both directions; see socket(7)."""
    sizes = [0]
    for name in ("wmem_default", "rmem_default"):
        with suppress(OSError), open(f"/proc/sys/net/core/{name}") as file:
            sizes.append(int(file.read()))
    return max(sizes)


def _read_sizes(folder: str) -> int:
    """Return the resident pages and page tables of a process or thread, given its /proc folder."""
    with suppress(OSError):
        mapped, resident = map(int, read_proc(f"{folder}/statm").split()[:2])
        # The mapped size bounds the tables, and reading their size takes four times as long.
        tables = _read_tables(folder) if mapped > _NO_TABLES * _PAGES_A_TABLE else 0
        return resident * _PAGE + tables
    return 0


def _read_tables(folder: str) -> int:
    return sum(_read_kib(f"{folder}/status", b"VmPTE:"))


def _read_kib(path: str, *keys: bytes) -> Iterator[int]:
    """Yield the values of lines of a file in /proc, converted from KiB to bytes.

    Missing lines are left out. A key on the first line is not found.
    """
    with suppress(OSError):
        data = read_proc(path)
        for key in keys:
            # Not line by line, because this is read for each bot after each game.
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
    """Return the bytes queued in all sockets of a table: unsent, and unread."""
    with suppress(OSError), open(path) as file:
        next(file, None)  # the header
        queues = (line.split()[4].split(":") for line in file)
        return sum(int(sent, 16) + int(received, 16) for sent, received in queues)
    return 0
