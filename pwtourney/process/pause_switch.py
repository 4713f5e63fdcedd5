"""A pause of all games of a run: bots and clocks stop until it is over.

The switch is a pipe that holds a byte as long as the games are paused. Only the process that ends
the pause reads the byte. So any number of processes can check at any time whether there is a pause,
with a poll that they make anyway.
"""

import os
import select
import time
from contextlib import suppress

from pwtourney.process.bot_processes import RunnerGone, lifelines

__all__ = ["PauseSwitch", "is_paused", "pause_lines", "wait_for_end_of_pause", "watch_pauses"]

pause_lines: list[int] = []
"""File descriptors that are readable while the games of this process are paused."""

_LOOK_MS = 50
"""The interval in which the end of a pause is checked."""


class PauseSwitch:
    """Pauses the games of all processes that watch `line`; `close` it in the end."""

    def __init__(self) -> None:
        self.line, self._write = os.pipe()
        os.set_blocking(self.line, False)
        self._closed = False

    @property
    def is_on(self) -> bool:
        """True if games are paused."""
        return not self._closed and _is_readable(self.line)

    def turn_on(self) -> None:
        """Pause the games; does nothing if they are paused already."""
        if not self._closed and not self.is_on:
            os.write(self._write, b"\0")

    def turn_off(self) -> None:
        """Let games continue."""
        if not self._closed:
            with suppress(BlockingIOError):
                os.read(self.line, 16)

    def close(self) -> None:
        """End a pause, and close the switch."""
        self.turn_off()
        if not self._closed:
            self._closed = True
            os.close(self.line)
            os.close(self._write)


def watch_pauses(descriptor: int) -> None:
    """Let every later turn of a bot in this process wait while the descriptor is readable."""
    pause_lines.append(descriptor)


def is_paused() -> bool:
    """Return True if the games of this process are paused."""
    return any(map(_is_readable, pause_lines))


def wait_for_end_of_pause() -> int:
    """Wait until the games continue; return how long that took, in nanoseconds.

    Raises `RunnerGone` if the runner dies meanwhile.
    """
    began = time.monotonic_ns()
    watch = select.poll()
    for line in lifelines:
        watch.register(line, select.POLLIN)
    while is_paused():
        if watch.poll(_LOOK_MS):
            raise RunnerGone("the runner is gone")
    return time.monotonic_ns() - began


def _is_readable(descriptor: int) -> bool:
    watch = select.poll()
    watch.register(descriptor, select.POLLIN)
    # A closed other end, as after the death of the runner (POLLHUP), is not a pause.
    return any(event & select.POLLIN for _, event in watch.poll(0))
