"""The reason why a bot ended, as far as its standard error names it."""

import os
import re

from pwtourney.sanitize import sanitize

__all__ = ["find_exception", "find_reason"]

_HEAD = "Traceback (most recent call last):\n"
_FRAME = re.compile(r'  File "(.+)", line ([0-9]{1,9})(?:, in .*)?')
_LONGEST = 300
"""The longest exception text, in characters, so that the place still fits into a message."""

_REASONS = (
    re.compile(
        r"\b\w*(Error|Exception)\b|\berror:|\b(panicked|[Ff]atal|[Aa]ssert\w*|[Cc]an(no|')t"
        r"|[Cc]ould not|not found|[Nn]o such|[Dd]enied|[Uu]nexpected|[Ss]yntax|unbound variable)\b"
    ),
    re.compile(r"\bline [0-9]+\b"),
)
"""Patterns of the lines in which interpreters, run-time libraries and shells say why they end.

The second is tried if the first finds nothing: Perl and awk may only name a place.
"""

_PANIC = re.compile(r":\d+:$")
"""Rust says where on one line, and what on the next."""

_LAST_LINES = 40
"""The number of lines that are searched from the end: a reason may precede a list of calls."""

_OURS = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_STANDARD = os.path.dirname(os.path.abspath(os.__file__)) + os.sep
"""The folders of this package and of the standard library, where the bot's bug cannot be."""


def find_exception(stderr: str) -> str | None:
    """Return the exception of the last traceback as ``TYPE: MESSAGE (FILE, line N)``.

    It is one line of printable characters. The place is the innermost one in the bot's own code, if
    there is any. Returns None if there is no traceback in Python's usual form, for example for an
    exception group.

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


def find_reason(stderr: str, *, strict: bool = False) -> str | None:
    r"""Return the last line that says why a program in another language ended; None if none does.

    A text with a traceback of Python gives None, because the bot survived that exception. If
    `strict`, a line that only names a location does not count.

    >>> find_reason("thinking\nwren.sh: 3: magpie: not found\n")
    'wren.sh: 3: magpie: not found'
    """
    if _HEAD in stderr:
        return None
    last = stderr.splitlines()[-_LAST_LINES:]
    # cut before they are searched, because a bot may write lines of any length
    lines = [line.strip()[:_LONGEST] for line in last if line.strip()]
    for reason in _REASONS[:1] if strict else _REASONS:
        for index in reversed(range(len(lines))):
            if reason.search(lines[index]):
                is_panic = "panicked at" in lines[index] and _PANIC.search(lines[index])
                more = lines[index + 1 : index + 2] if is_panic else []
                return sanitize(" ".join([lines[index], *more])[:_LONGEST])
    return None


def _write_exception(line: str, frames: list[tuple[str, str]]) -> str:
    what = line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"
    # An illegal move raises deep in the rules, but the bug is where the bot called them.
    own = [frame for frame in frames if not _is_library(frame[0])]
    location = f" ({os.path.basename(own[-1][0])}, line {own[-1][1]})" if own else ""
    return sanitize(f"{what}{location}")


def _is_library(file: str) -> bool:
    if file.startswith(("<frozen ", _OURS)):
        return True
    # Installed bots may lie in site-packages inside the standard library's folder.
    return file.startswith(_STANDARD) and "-packages" + os.sep not in file
