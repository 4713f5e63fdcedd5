"""Reading /proc with the fewest system calls."""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

__all__ = ["Mount", "list_mounts", "read_proc"]

_CHUNK = 1 << 16
_ESCAPE = re.compile(rb"\\([0-7]{3})")


class Mount(NamedTuple):
    """A mount: the folder `root` of a file system of type `kind`, mounted at `point`.

    `options` are those of the file system.
    """

    root: str
    point: Path
    kind: str
    options: str


def list_mounts(text: bytes) -> Iterator[Mount]:
    """Yield the mounts that a ``mountinfo`` file in /proc lists; see ``proc_pid_mountinfo(5)``."""
    # Split at newlines only: names escape newlines and blanks (as \040), but no other line ends.
    for line in text.split(b"\n"):
        if line:
            mount, _, file_system = line.partition(b" - ")
            root, point = mount.split(b" ")[3:5]
            kind, _, options = map(os.fsdecode, file_system.split(b" ", 2))
            yield Mount(_unescape(root), Path(_unescape(point)), kind, options)


def _unescape(name: bytes) -> str:
    return os.fsdecode(_ESCAPE.sub(lambda code: bytes([int(code[1], 8)]), name))


def read_proc(path: str) -> bytes:
    """Return the content of a file in /proc; raises OSError, for example if the process is gone.

    A Python file object first asks for the file's size and kind, which mean nothing here, and takes
    three times as long. Some of these files are read several times per game.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        data = os.read(descriptor, _CHUNK)
        # Files of many lines arrive in parts of about a page.
        while more := os.read(descriptor, _CHUNK):
            data += more
        return data
    finally:
        os.close(descriptor)
