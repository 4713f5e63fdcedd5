"""The lines between runner and bot, for the bot's author: the last ones, or all in a file."""

from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

__all__ = ["Transcript"]

_MOST_LINES = 60
_LONGEST = 400


class Transcript:
    """Keeps the last exchanges since `start`; instants are nanoseconds of the monotonic clock.

    All of them are written to the file `whole`, if one is given, as they come.
    """

    def __init__(self, start: int, whole: Path | None = None) -> None:
        self._path = whole
        self._whole: TextIO | None = None
        self._entries: deque[tuple[int, str, str | bytes]] = deque(maxlen=_MOST_LINES)
        self._start = start

    @property
    def has_bot_line(self) -> bool:
        """Whether the bot has written a line, of those that are kept."""
        return any(mark == "<" for _, mark, _ in self._entries)

    def note_sent(self, instant: int, text: str) -> None:
        """Note what the runner wrote, one line or several."""
        self._entries.append((instant, ">", text))
        if self._path is not None:
            self._write(instant, ">", text)

    def note_received(self, instant: int, line: bytes) -> None:
        """Note a line of the bot."""
        self._entries.append((instant, "<", line))
        if self._path is not None:
            self._write(instant, "<", line.decode("utf-8", "backslashreplace"))

    def lines(self) -> Iterator[str]:
        """Yield the lines that are kept, with milliseconds since the start."""
        for instant, mark, said in self._entries:
            text = said.decode("utf-8", "replace") if isinstance(said, bytes) else said
            for line in text.rstrip("\n").split("\n"):
                cut = line if len(line) <= _LONGEST else f"{line[:_LONGEST]} … ({len(line)})"
                yield self._stamp(instant, mark, cut)

    def close(self) -> None:
        """Close the file."""
        if self._whole is not None:
            self._whole.close()

    def _write(self, instant: int, mark: str, text: str) -> None:
        """Add to the file, which is made with its first line."""
        assert self._path is not None, "only who has a file writes to it"
        self._whole = self._whole or self._path.open("w", encoding="utf-8", newline="\n")
        for line in text.removesuffix("\n").split("\n"):
            self._whole.write(f"{self._stamp(instant, mark, line)}\n")
        self._whole.flush()

    def _stamp(self, instant: int, mark: str, line: str) -> str:
        return f"{(instant - self._start) / 1e6:12.3f} {mark} {line}"
