"""Checks, with data from the kernel, that a process can be copied without the copies sharing state.

A copy shares with its template, and so with all later copies, every open file, memory that is
mapped as shared, and the effects of other threads and processes. A process that can make the
template act, through a signal that it handles, can leave something there for the next copy.
"""

import os
import re
import signal
from collections.abc import Iterator, Mapping
from contextlib import suppress

from pwtourney.sandbox.procfs import read_proc

__all__ = ["Inherited", "find_obstacle", "is_unchanged", "read_inherited"]

Inherited = tuple[object, ...]
"""The state that copies inherit; compare two values to see whether it has changed."""

_PENDING = ("SigPnd", "ShdPnd")
_ASKED = re.compile(rf"^({'|'.join(_PENDING)}|SigBlk|SigIgn|SigCgt):\s*(.*)$", re.MULTILINE)
_SIGNALS = tuple(map(int, signal.Signals))


def find_obstacle(pid: int, ends: frozenset[tuple[int, int]]) -> str:
    """Return why a process that has loaded its bot cannot be copied; empty if it can.

    `ends` are the socket and the pipe that lead to us, by device and inode.
    """
    try:
        if len(os.listdir(f"/proc/{pid}/task")) > 1:
            return "it starts threads while it is imported"
        if _read(f"/proc/{pid}/task/{pid}/children").strip():
            return "it starts processes while it is imported"
        for descriptor in os.listdir(f"/proc/{pid}/fd"):
            status = os.stat(f"/proc/{pid}/fd/{descriptor}")
            target = os.readlink(f"/proc/{pid}/fd/{descriptor}")
            if (status.st_dev, status.st_ino) not in ends and not (
                descriptor == "0" and target == os.devnull
            ):
                return f"it keeps {target} open while it is imported"
        if _shares_memory(pid):
            return "it shares memory while it is imported"
        fields = _read_status(pid)
        if any(_list_handled(fields)):
            return "it handles signals while it is imported"
        # Signals that we were started with blocked, under `perf` for example, are inherited from
        # us. Pending signals were sent to the process alone.
        blocks = int(fields["SigBlk"], 16) & ~_list_blocked()
        if blocks or any(int(fields[name], 16) for name in _PENDING):
            return "it blocks signals while it is imported"
    except OSError as error:
        return f"what it keeps cannot be seen here ({error.strerror})"
    return ""


def is_unchanged(pid: int, before: Inherited) -> bool:
    """Return True if a process is one waiting thread and its copies inherit the same as `before`.

    The value includes the signals that it handles.
    """
    with suppress(OSError):
        status = read_proc(f"/proc/{pid}/status")
        return (
            b"\nThreads:\t1\n" in status
            and status.partition(b"\nState:\t")[2][:1] in (b"S", b"R")
            and _list_inherited(pid, status) == before
        )
    return False


def read_inherited(pid: int) -> Inherited:
    """Return what copies of a process inherit and any process of the same user can change.

    These are its limits, priority, cores and signals. Raises OSError if they cannot be read.
    """
    return _list_inherited(pid, read_proc(f"/proc/{pid}/status"))


def _list_inherited(pid: int, status: bytes) -> Inherited:
    # Unparsed: parsing it after every game would take as long as reading it.
    passed_on = status.partition(b"\nSigPnd:")[2].partition(b"\nvoluntary_ctxt_switches:")[0]
    return (
        passed_on,
        read_proc(f"/proc/{pid}/limits"),
        os.getpriority(os.PRIO_PROCESS, pid),
        os.sched_getscheduler(pid),
        os.sched_getparam(pid).sched_priority,
    )


def _shares_memory(pid: int) -> bool:
    """Return True if a process has shared memory that copies can write to, now or later."""
    # Most processes have no shared memory, and reading the flags takes long.
    words = (line.split(maxsplit=2) for line in _read(f"/proc/{pid}/maps").splitlines())
    if not any(word[1][3] == "s" for word in words):
        return False
    # Memory with the flag mw can be made writable by mprotect, whatever it is now.
    lines = _read(f"/proc/{pid}/smaps").splitlines()
    flags = [set(line.split()) for line in lines if line.startswith("VmFlags:")]
    return not flags or any({"ms", "mw"} <= flag for flag in flags)


def _list_blocked() -> int:
    """Return the signals that this process blocks, as a bit mask like the kernel's."""
    return sum(1 << number - 1 for number in signal.pthread_sigmask(signal.SIG_BLOCK, ()))


def _list_handled(fields: Mapping[str, str]) -> Iterator[int]:
    """Yield the signals that a process handles or must not ignore, given its status."""
    caught, ignored = int(fields["SigCgt"], 16), int(fields["SigIgn"], 16)
    for number in _SIGNALS:
        bit = 1 << number - 1
        # Python itself handles SIGINT. With SIGCHLD ignored, ended children could not be waited
        # for.
        if (caught & bit and number != signal.SIGINT) or (
            ignored & bit and number == signal.SIGCHLD
        ):
            yield number


def _read_status(pid: int) -> dict[str, str]:
    """Return the needed fields of a process's status; some systems do not have all of them."""
    return dict(_ASKED.findall(_read(f"/proc/{pid}/status")))


def _read(path: str) -> str:
    return read_proc(path).decode("utf-8", "replace")
