"""The likely cause of a missing answer, as far as the bot's output and the kernel show it.

The classic fault of a beginner's bot is an answer that is still in the bot's own buffer, because
nothing flushed it. Its sign is that the bot has read its question and sleeps until the next line
arrives, although it owes an answer. A bot that thinks for too long computes or sleeps otherwise.
"""

import os
from collections.abc import Iterable
from contextlib import suppress
from typing import NamedTuple

from pwtourney.sandbox.procfs import read_proc

__all__ = ["NOT_FLUSHED", "Silence", "describe_unfinished", "observe_silence"]

NOT_FLUSHED = (
    "it waits for more input: its answer lies in a buffer (flush after each line), or it reads"
    " more than one line at a time"
)
"""The likely cause where an idle bot reads its input although it owes an answer."""

_SHOWN = 60
_STDIN = 0


class _Calls(NamedTuple):
    """The numbers of the system calls that read, and of those that sleep for a time."""

    read: tuple[bytes, ...]
    sleep: tuple[bytes, ...]


_X86 = _Calls(read=(b"0", b"19"), sleep=(b"35", b"230"))
_GENERIC = _Calls(read=(b"63", b"65"), sleep=(b"101", b"115"))
"""Numbers of ``read``, ``readv``, ``nanosleep`` and ``clock_nanosleep``.

See ``arch/x86/entry/syscalls/syscall_64.tbl`` and ``include/uapi/asm-generic/unistd.h`` of Linux.
"""


class Silence(NamedTuple):
    """The state of a bot that owes an answer, as far as the kernel shows it.

    It is `idle` if none of its threads computes or sleeps for a fixed time, and `reads` if one of
    them waits for its standard input.
    """

    idle: bool = False
    reads: bool = False


def describe_unfinished(output: bytes) -> str:
    """Return what to say about a bot whose last line has no end yet; empty without one.

    >>> describe_unfinished(b"move pass")
    "its line 'move pass' has no newline at its end"
    """
    if not output:
        return ""
    text = output[:_SHOWN].decode("utf-8", "replace")
    return f"its line {text!a} has no newline at its end"


def observe_silence(threads: Iterable[str], pipe: int, *, computes: bool) -> Silence:
    """Return what the threads of a bot are waiting for.

    `threads` are their folders in /proc, and `pipe` is our end of the bot's standard input. Unless
    the bot `computes` much of the time, a thread that runs right now is one of its run time, such
    as a compiler of Java. What the system does not tell is False.
    """
    end = os.fstat(pipe)
    calls = _X86 if os.uname().machine == "x86_64" else _GENERIC
    idle = reads = False
    for thread in threads:
        with suppress(OSError, IndexError, ValueError):
            if read_proc(f"{thread}/stat").rpartition(b")")[2].split()[0] != b"S":
                if computes:
                    return Silence()
                continue
            idle = True
            call, descriptor, *_ = read_proc(f"{thread}/syscall").split()
            if call in calls.sleep:
                return Silence()
            if call in calls.read and int(descriptor, 16) == _STDIN:
                source = os.stat(f"{thread}/fd/{_STDIN}")
                reads |= (source.st_dev, source.st_ino) == (end.st_dev, end.st_ino)
    return Silence(idle, reads)
