"""The exception that ended a Python bot, as far as it said so itself."""

import os
import re

from pwtourney.sanitize import sanitize

__all__ = ["find_exception"]

_HEAD = "Traceback (most recent call last):\n"
_FRAME = re.compile(r'  File "(.+)", line ([0-9]{1,9})(?:, in .*)?')
_LONGEST = 300
"""The most of an exception that is named, in characters: the place still fits into a message."""

_OURS = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_STANDARD = os.path.dirname(os.path.abspath(os.__file__)) + os.sep
"""The folders of this package and of the standard library, in which no author looks for a bug."""


def find_exception(stderr: str) -> str | None:
    """Return the exception of the last traceback as ``TYPE: MESSAGE (FILE, line N)``.

    It is one line of printable characters. The place is the innermost that is the bot's own. None
    if there is no traceback as Python prints it, such as for a group of exceptions.

    >>> find_exception('''Traceback (most recent call last):
    ...   File "/home/ann/bot.py", line 12, in choose
    ...     raise ValueError("no move")
    ... ValueError: no move
    ... ''')
    'ValueError: no move (bot.py, line 12)'
    """
    _, head, traceback = stderr.rpartition(_HEAD)
    if not head:
        return None
    frames = []
    for line in traceback.split("\n"):
        if frame := _FRAME.fullmatch(line):
            frames.append((frame[1], frame[2]))
        elif line and not line.startswith(" "):
            return _write_exception(line, frames)
    return None


def _write_exception(line: str, frames: list[tuple[str, str]]) -> str:
    what = line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"
    # What is illegal raises deep in the rules, but the bug is where the bot called them.
    own = [frame for frame in frames if not _is_library(frame[0])] or frames
    place = f" ({os.path.basename(own[-1][0])}, line {own[-1][1]})" if own else ""
    return sanitize(f"{what}{place}")


def _is_library(file: str) -> bool:
    if file.startswith(("<frozen ", _OURS)):
        return True
    # Bots that are installed may lie in a folder of the standard library's.
    return file.startswith(_STANDARD) and "-packages" + os.sep not in file
