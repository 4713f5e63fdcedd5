"""A terminal with a user: a program in a pseudo-terminal, whose screen is read as text."""

import codecs
import fcntl
import os
import pty
import select
import struct
import termios
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pyte

from tests.program import Program

__all__ = ["Terminal"]

_PATIENCE = 20.0
_KEYS = {
    "up": "\x1b[A",
    "down": "\x1b[B",
    "right": "\x1b[C",
    "left": "\x1b[D",
    "enter": "\r",
    "tab": "\t",
    "escape": "\x1b",
    "undo": "\x1a",
    "leave": "\x03",
}


class Terminal:
    """A program on a screen of (columns, rows); it must be closed in every case."""

    def __init__(
        self, words: Sequence[str], folder: Path, more: Mapping[str, str], size: tuple[int, int]
    ) -> None:
        columns, rows = size
        self._screen = pyte.Screen(columns, rows)
        self._stream = pyte.Stream(self._screen)
        self._decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        self._master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self._process = Program(
            words,
            folder=folder,
            environment={**os.environ, "TERM": "xterm-256color", **more},
            source=slave,
            output=slave,
            errors=slave,
            session=True,
        )
        os.close(slave)

    def close(self) -> None:
        """End the program."""
        self._process.kill()
        self._process.wait(_PATIENCE)
        os.close(self._master)

    @property
    def text(self) -> str:
        """The text on the screen."""
        # not `display`: it measures the width of each character, which would double the time
        lines = (self._screen.buffer[row] for row in range(self._screen.lines))
        columns = range(self._screen.columns)
        return "\n".join("".join(line[k].data for k in columns).rstrip() for line in lines)

    @property
    def colours(self) -> set[str]:
        """The colours of the text on the screen."""
        cells = (cell for line in self._screen.buffer.values() for cell in line.values())
        return {cell.fg for cell in cells if cell.data.strip()}

    def signal(self, number: int) -> None:
        """Send a signal to the program."""
        self._process.send_signal(number)

    def press(self, *keys: str) -> None:
        """Press keys by name, or type text."""
        for key in keys:
            os.write(self._master, _KEYS.get(key, key).encode())

    def wait_for(self, what: str | Callable[[str], bool]) -> str:
        """Wait until the screen shows a text or fulfils a condition; return all its text."""
        is_shown = what if callable(what) else lambda text: what in text
        end = time.monotonic() + _PATIENCE
        while not is_shown(self.text):
            left = end - time.monotonic()
            assert left > 0, f"never seen: {what}\n{self.text}"
            if select.select([self._master], [], [], left)[0] and not self._read():
                assert is_shown(self.text), f"ended without: {what}\n{self.text}"
        return self.text

    def exit_code(self) -> int:
        """Wait for the program to end, and return its exit code."""
        end = time.monotonic() + _PATIENCE
        while select.select([self._master], [], [], max(0, end - time.monotonic()))[0]:
            if not self._read():
                break
        return self._process.wait(_PATIENCE)

    def _read(self) -> bool:
        """Read output of the program; return False when it has ended."""
        try:
            data = os.read(self._master, 65536)
        except OSError:
            return False
        self._stream.feed(self._decode(data))
        return bool(data)
