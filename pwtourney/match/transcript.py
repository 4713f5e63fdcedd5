"""The last lines between runner and bot, for the author of a bot that failed."""

from collections import deque
from collections.abc import Iterator

__all__ = ["Transcript"]

_MOST_LINES = 60
_LONGEST = 400


class Transcript:
    """Keeps the last exchanges; instants are nanoseconds of the monotonic clock."""

    def __init__(self) -> None:
        self._entries: deque[tuple[int, str, str | bytes]] = deque(maxlen=_MOST_LINES)
        self._start = 0

    def sent(self, instant: int, text: str) -> None:
        """Note what the runner wrote, one line or several."""
        self._start = self._start or instant
        self._entries.append((instant, ">", text))

    def came(self, instant: int, line: bytes) -> None:
        """Note a line of the bot."""
        self._entries.append((instant, "<", line))

    def lines(self) -> Iterator[str]:
        """Yield the lines that are kept, with milliseconds since the first that was sent."""
        for instant, mark, said in self._entries:
            text = said.decode("utf-8", "replace") if isinstance(said, bytes) else said
            for line in text.rstrip("\n").split("\n"):
                cut = line if len(line) <= _LONGEST else f"{line[:_LONGEST]} … ({len(line)})"
                yield f"{(instant - self._start) / 1e6:12.3f} {mark} {cut}"
