"""The standard error of a bot: its beginning and its end are kept, the middle is counted."""

from collections import deque

__all__ = ["Kept"]


class Kept:
    """Keeps the first and the last `most` bytes of a stream of any length."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._head = bytearray()
        self._tail: deque[bytes] = deque()
        self._tail_size = 0
        self.total = 0

    def add(self, chunk: bytes) -> None:
        """Take in what came."""
        self.total += len(chunk)
        room = self._most - len(self._head)
        if room > 0:
            self._head += chunk[:room]
            chunk = chunk[room:]
        if chunk:
            self._tail.append(chunk)
            self._tail_size += len(chunk)
        while self._tail and self._tail_size - len(self._tail[0]) >= self._most:
            self._tail_size -= len(self._tail.popleft())

    @property
    def head(self) -> str:
        """The beginning as text."""
        return self._head.decode("utf-8", "replace")

    @property
    def text(self) -> str:
        """Everything that is kept, with a word about what is not."""
        tail = b"".join(self._tail)[-self._most :]
        left_out = self.total - len(self._head) - len(tail)
        gap = f"\n[{left_out} bytes left out]\n" if left_out else ""
        return self.head + gap + tail.decode("utf-8", "replace")
