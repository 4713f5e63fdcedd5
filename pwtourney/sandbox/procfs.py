"""What the system tells of processes, read with the fewest system calls."""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

__all__ = ["Mount", "list_mounts", "read_proc"]

_CHUNK = 1 << 16
_ESCAPE = re.compile(rb"\\([0-7]{3})")


class Mount(NamedTuple):
    """What is mounted where: the `root` within a file system of a `kind`, at the `point`.

    `options` are those of the file system.
    """

    root: str
    point: Path
    kind: str
    options: str


def list_mounts(text: bytes) -> Iterator[Mount]:
    """Yield the mounts that a file ``mountinfo`` in /proc lists, see ``proc_pid_mountinfo(5)``."""
    # not by any end of a line: of those, only newlines are escaped in names, and blanks, as \040
    for line in text.split(b"\n"):
        if line:
            mount, _, file_system = line.partition(b" - ")
            root, point = mount.split(b" ")[3:5]
            kind, _, options = map(os.fsdecode, file_system.split(b" ", 2))
            yield Mount(_unescape(root), Path(_unescape(point)), kind, options)


def _unescape(name: bytes) -> str:
    return os.fsdecode(_ESCAPE.sub(lambda code: bytes([int(code[1], 8)]), name))


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
