"""The lines themselves: how messages are written, and what a line may hold at all."""

from pwtourney.clock import Limit
from pwtourney.errors import NotationError, ProtocolFault
from pwtourney.notation import parse_number
from pwtourney.protocol.messages import Option
from pwtourney.sanitize import CONTROLS

__all__ = [
    "MAX_LINE",
    "OPTION_KINDS",
    "VERSION",
    "decode_line",
    "go_line",
    "option_line",
    "parse_limit",
    "parse_option",
]

VERSION = 1
"""The version of the protocol."""

MAX_LINE = 65536
"""The longest line that either side has to read, in bytes, without its newline."""

OPTION_KINDS = ("int", "float", "bool", "choice", "string")
_NAME = frozenset("abcdefghijklmnopqrstuvwxyz0123456789._-")


def decode_line(raw: bytes) -> str:
    """Turn the bytes of one line, newline already removed, into text.

    Raises `ProtocolFault` for bytes that are not UTF-8 and for control characters.
    """
    if raw.endswith(b"\r"):
        raw = raw[:-1]
    try:
        line = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ProtocolFault(f"a line is not UTF-8: {raw[:60]!r}", "text") from error
    if not line.isprintable() and not CONTROLS.isdisjoint(line):
        raise ProtocolFault(f"control character in a line: {line[:60]!a}", "text")
    return line


def go_line(limit: Limit) -> str:
    """Write the request for an action."""
    if limit.move_ms is not None:
        return f"go movetime {limit.move_ms}"
    if limit.mine_ms is not None:
        return f"go clock {limit.mine_ms} {limit.theirs_ms} increment {limit.increment_ms}"
    return "go"


def parse_limit(words: list[str]) -> Limit:
    """Read the words of a ``go`` line; raises `NotationError`."""
    if words == ["go"]:
        return Limit()
    if len(words) == 3 and words[1] == "movetime":
        return Limit(move_ms=parse_number(words[2], "the time for the move"))
    if len(words) == 6 and (words[1], words[4]) == ("clock", "increment"):
        mine, theirs, increment = (parse_number(words[k], "a clock") for k in (2, 3, 5))
        return Limit(None, mine, theirs, increment)
    raise NotationError(f"a go line of an unknown form: {' '.join(words)[:60]!r}")


def option_line(option: Option) -> str:
    """Write the line with which a bot offers an option."""
    return " ".join(["option", option.name, option.kind, option.default, *option.allowed])


def parse_option(line: str) -> Option:
    """Read what `option_line` writes; raises `ProtocolFault`."""
    words = line.split(" ")
    if len(words) < 4 or words[2] not in OPTION_KINDS or not _NAME.issuperset(words[1]):
        told = f"an option is: option NAME TYPE DEFAULT …, not {line[:60]!a}"
        raise ProtocolFault(told, "options")
    _, name, kind, default, *allowed = words
    if kind == "string":
        default, allowed = " ".join([default, *allowed]), []
    if (kind in ("int", "float") and len(allowed) not in (0, 2)) or (kind == "bool" and allowed):
        told = f"an option has {len(allowed)} words after its default: {line[:60]!a}"
        raise ProtocolFault(told, "options")
    option = Option(name, kind, default, tuple(allowed))
    problem = option.check(default)
    if problem:
        told = f"a default is not allowed: {line[:60]!a}: {problem}"
        raise ProtocolFault(told, "options")
    return option
