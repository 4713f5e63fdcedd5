"""The lines of a conversation with a bot, kept for the bot's author."""

from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

__all__ = ["Transcript"]

_Entry = tuple[int, str, str | bytes]
_MOST_LINES = 60
_LONGEST_LINE = 400


class Transcript:
    """Keeps the last lines of a conversation; instants are in nanoseconds of the monotonic clock.

    `note` takes an instant, ``>`` or ``<``, and the text. All lines are also written to the file
    `whole` as they come, if it is given. `start` is time 0. No line is shown with an earlier time
    than the line before it: on a busy machine the referee may be preempted between a write and
    reading its clock, while the bot already answers.
    """

    def __init__(self, start: int, whole: Path | None = None) -> None:
        self._path = whole
        self._whole: TextIO | None = None
        self._entries: deque[_Entry] = deque(maxlen=_MOST_LINES)
        self._start = start
        self._latest = start
        # without a file call `append` directly, because this runs on every ply
        self.note = self._entries.append if whole is None else self._note_and_write

    @property
    def has_bot_line(self) -> bool:
        """True if one of the lines that are kept is from the bot."""
        return any(mark == "<" for _, mark, _ in self._entries)

    def note_sent(self, instant: int, text: str) -> None:
        """Record text that the runner wrote, one line or several."""
        self.note((instant, ">", text))

    def note_received(self, instant: int, line: bytes) -> None:
        """Record a line of the bot."""
        self.note((instant, "<", line))  # decoded only when it is read

    def lines(self) -> Iterator[str]:
        """Yield the lines that are kept, with milliseconds since the start."""
        latest = self._start
        for instant, mark, said in self._entries:
            latest = max(latest, instant)
            text = said.decode("utf-8", "replace") if isinstance(said, bytes) else said
            for line in text.rstrip("\n").split("\n"):
                shown = line[:_LONGEST_LINE]
                more = f" … ({len(line)})" if len(line) > _LONGEST_LINE else ""
                yield self._stamp(latest, mark, shown + more)

    def close(self) -> None:
        """Close the file."""
        if self._whole is not None:
            self._whole.close()

    def _note_and_write(self, entry: _Entry) -> None:
        """Record an entry, and append it to the file, which is created with its first line."""
        assert self._path is not None, "only who has a file writes to it"
        self._entries.append(entry)
        instant, mark, said = entry
        self._latest = max(self._latest, instant)
        text = said.decode("utf-8", "backslashreplace") if isinstance(said, bytes) else said
        self._whole = self._whole or self._path.open("w", encoding="utf-8", newline="\n")
        for line in text.removesuffix("\n").split("\n"):
            self._whole.write(f"{self._stamp(self._latest, mark, line)}\n")
        self._whole.flush()  # bot authors follow the file, and need the last line before a crash

    def _stamp(self, instant: int, mark: str, line: str) -> str:
        return f"{(instant - self._start) / 1e6:12.3f} {mark} {line}"
