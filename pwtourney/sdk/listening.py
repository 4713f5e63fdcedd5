"""The lines of the runner, which a bot also looks at while it thinks.

A bot that polls needs no thread to learn that it has thought long enough.
"""

import os
import time
from collections import deque
from collections.abc import Iterator

__all__ = ["RunnerLines"]

_CHUNK = 8192
_PAUSE_S = 0.002
"""The time between two looks at the pipe, which take microseconds: bots ask at every node."""

_ENDING = ("stop", "quit")
"""The first words of lines after which the answer is wanted now, or not any more."""


class RunnerLines:
    """The lines that the runner writes to a descriptor, without their newlines.

    Iterate over them once.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._lines: deque[str] = deque()
        self._rest = b""
        self._next_look = 0.0
        self._has_ended = False

    def __iter__(self) -> Iterator[str]:
        """Yield each line as soon as it is complete, and the last one without a newline."""
        lines = self._lines
        while lines or self._receive():
            while lines:
                yield lines.popleft()
        if self._rest:
            yield self._rest.decode("utf-8", "replace")

    def must_stop(self) -> bool:
        """Return True once the runner wants the answer to its last question now.

        It is also True when the runner has gone, or wants the bot to exit.
        """
        now = time.monotonic()
        if now < self._next_look:
            return False
        if self._has_stop():
            return True
        self._next_look = now + _PAUSE_S
        return False

    def _has_stop(self) -> bool:
        from select import POLLIN, poll  # in games nobody asks, and bots start faster without

        poller = poll()
        poller.register(self._descriptor, POLLIN)
        while not self._has_ended and poller.poll(0):
            self._receive()
        words = (line.split(maxsplit=1)[:1] for line in self._lines)
        return self._has_ended or any(word[0] in _ENDING for word in words if word)

    def _receive(self) -> bool:
        """Read what has arrived, and wait for it if needed; return False at the end."""
        chunk = os.read(self._descriptor, _CHUNK)
        if not chunk:
            self._has_ended = True
            return False
        complete, newline, self._rest = (self._rest + chunk).rpartition(b"\n")
        if newline:
            # all at once, because a turn has several lines; reading cannot fail in any locale
            self._lines.extend(complete.decode("utf-8", "replace").split("\n"))
        return True
