"""The likely cause of a missing answer, as far as the bot's output and the kernel show it.

The classic fault of a beginner's bot is an answer that is still in the bot's own buffer, because
nothing flushed it. Its sign is that the bot has read its question and sleeps until the next line
arrives, although it owes an answer. A bot that thinks for too long computes or sleeps otherwise.
"""

import os
from collections.abc import Iterable
from contextlib import suppress

from pwtourney.sandbox.procfs import read_proc

__all__ = ["NOT_FLUSHED", "describe_unfinished", "waits_for_input"]

NOT_FLUSHED = (
    "it waits for more input: its answer lies in a buffer (flush after each line), or it reads"
    " more than one line at a time"
)
"""What to say about a bot that `waits_for_input` although it owes an answer."""

_SHOWN = 60
_STDIN = 0

_GENERIC_READS = (b"63", b"65")
_READS = {"x86_64": (b"0", b"19")}
"""The numbers of the system calls ``read`` and ``readv``; other machines have generic numbers.

See ``arch/x86/entry/syscalls/syscall_64.tbl`` and ``include/uapi/asm-generic/unistd.h`` of Linux.
"""


def describe_unfinished(output: bytes) -> str:
    """Return what to say about a bot whose last line has no end yet; empty without one.

    >>> describe_unfinished(b"move pass")
    "its line 'move pass' has no newline at its end"
    """
    if not output:
        return ""
    text = output[:_SHOWN].decode("utf-8", "replace")
    return f"its line {text!a} has no newline at its end"


def waits_for_input(threads: Iterable[str], pipe: int) -> bool:
    """Return True if the bot sleeps and one of its processes is reading its standard input.

    `threads` are the folders in /proc of all the bot's threads, and `pipe` is our end of its input.
    False also stands for "not known", for example where the system does not tell what a thread
    waits for.
    """
    end = os.fstat(pipe)
    reads = _READS.get(os.uname().machine, _GENERIC_READS)
    waits = False
    for thread in threads:
        with suppress(OSError, IndexError, ValueError):
            if read_proc(f"{thread}/stat").rpartition(b")")[2].split()[0] != b"S":
                return False
            call, descriptor, *_ = read_proc(f"{thread}/syscall").split()
            if call in reads and int(descriptor, 16) == _STDIN:
                source = os.stat(f"{thread}/fd/{_STDIN}")
                waits |= (source.st_dev, source.st_ino) == (end.st_dev, end.st_ino)
    return waits
