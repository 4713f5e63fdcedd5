"""What the system tells of processes, read with the fewest system calls."""

import os

__all__ = ["read_proc"]

_CHUNK = 1 << 16


def read_proc(path: str) -> bytes:
    """Return what a file in /proc holds; raises OSError, as for a process that is gone.

    A file object of Python asks for size and kind of the file first, which are none here, and takes
    three times as long; some of these are read several times for each game.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        data = os.read(descriptor, _CHUNK)
        # a list of lines comes in parts, of a page or so
        while more := os.read(descriptor, _CHUNK):
            data += more
        return data
    finally:
        os.close(descriptor)
