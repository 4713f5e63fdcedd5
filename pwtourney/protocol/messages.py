"""The lines between runner and bot: their content as typed values, and how they are written."""

from collections.abc import Sequence
from typing import NamedTuple

from pwtourney.clock import Limit
from pwtourney.errors import NotationError, ProtocolFault
from pwtourney.notation import EDITION_WORDS, parse_number
from pwtourney.rules import Action, Edition, State
from pwtourney.sanitize import CONTROLS

__all__ = [
    "BOT_WORDS",
    "FEATURES",
    "RUNNER_WORDS",
    "VERSION",
    "GameOver",
    "GameStart",
    "Hello",
    "Info",
    "Move",
    "Option",
    "Query",
    "Quit",
    "Ready",
    "SetOption",
    "Turn",
    "decode_line",
    "explain_unknown",
    "go_line",
    "option_line",
    "parse_limit",
    "parse_option",
]

VERSION = 1
"""The version of the protocol."""

RUNNER_WORDS = (
    "pwtp",
    "set",
    "newgame",
    *EDITION_WORDS,
    "end",
    "played",
    "position",
    "legal",
    "multipv",
    "searchmoves",
    "go",
    "stop",
    "gameover",
    "quit",
)
"""The first words of lines from runner to bot."""

BOT_WORDS = ("id", "option", "feature", "ready", "info", "move")
"""The first words of lines from bot to runner."""

FEATURES = ("multipv", "searchmoves", "stop")
"""The names of the features that a bot may declare for an analysis."""

_KINDS = ("int", "float", "bool", "choice", "string")
_SHOWN = 60
_NAME = frozenset("abcdefghijklmnopqrstuvwxyz0123456789._-")


class Hello(NamedTuple):
    """The runner's greeting."""

    version: int


class SetOption(NamedTuple):
    """A value for one of the bot's options."""

    name: str
    value: str


class GameStart(NamedTuple):
    """A game is about to start; `seed` is for the bot's own randomness."""

    edition: Edition
    seat: int
    seed: int


class Turn(NamedTuple):
    """The runner asks the bot for an action.

    `played` holds the actions since this bot's last answer, `legal` the words of all legal actions
    if the bot asked for them. In an analysis, `lines` is how many lines of play the bot shows, and
    `only` holds the actions among which it chooses; empty for all legal actions.
    """

    state: State
    played: tuple[Action, ...]
    legal: tuple[str, ...] | None
    limit: Limit
    lines: int = 1
    only: tuple[Action, ...] = ()

    @property
    def allowed(self) -> Sequence[Action]:
        """The actions among which the bot chooses."""
        return self.only or self.state.legal_actions()


class Query(NamedTuple):
    """The wishes of an analysis, which a bot with the right features gets with a position.

    `lines` is how many lines of play it asks for, from 1 to 5. `only` holds the actions among which
    the bot chooses, empty for all. If it is `endless`, the bot thinks until it gets ``stop``.
    """

    lines: int = 1
    only: tuple[str, ...] = ()
    endless: bool = False


class GameOver(NamedTuple):
    """The game has ended: the bot's own score, the opponent's, and ``win`` or ``loss``."""

    mine: int
    theirs: int
    result: str


class Quit(NamedTuple):
    """The bot must exit."""


class Ready(NamedTuple):
    """The bot has finished the handshake, or its preparation for a new game."""


class Info(NamedTuple):
    """A bot's text about its thinking, stored with the ply."""

    text: str


class Move(NamedTuple):
    """The bot's answer to a turn, as it was written."""

    action: str


class Option(NamedTuple):
    """An option that a bot offers. `kind` is one of int, float, bool, choice, string.

    `allowed` holds minimum and maximum of an int or float, if there are any, or the choices.
    """

    name: str
    kind: str
    default: str
    allowed: tuple[str, ...] = ()

    def check(self, value: str) -> str | None:
        """Return what is wrong with a value; None if it is valid."""
        if self.kind == "bool":
            return None if value in ("true", "false") else "it must be true or false"
        if self.kind == "choice":
            known = ", ".join(self.allowed)
            return None if value in self.allowed else f"it must be one of {known}"
        if self.kind == "string":
            return None if value.isprintable() else "it must be printable text on one line"
        number = _parse_signed(value, fraction=self.kind == "float")
        if number is None:
            return "it must be a whole number" if self.kind == "int" else "it must be a number"
        if self.allowed:
            low, high = (_parse_signed(bound, fraction=True) for bound in self.allowed)
            if low is None or high is None or not low <= number <= high:
                return f"it must be from {self.allowed[0]} to {self.allowed[1]}"
        return None


def explain_unknown(line: str, owed: str) -> str:
    """Return how a line differs from an answer, if its first word is unknown; else nothing.

    `owed` is the word of the answer that the bot owes.

    >>> explain_unknown("advance", "move")
    "it wrote 'advance', whose first word is unknown: an answer is `move ACTION`"
    """
    if not line or line.partition(" ")[0] in BOT_WORDS:
        return ""
    answer = "move ACTION" if owed == "move" else owed
    return f"it wrote {line[:_SHOWN]!a}, whose first word is unknown: an answer is `{answer}`"


def decode_line(raw: bytes) -> str:
    """Return the text of one line, given its bytes without the newline.

    Raises `ProtocolFault` for bytes that are not UTF-8 and for control characters.
    """
    try:
        line = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        excerpt = raw.removesuffix(b"\r")[:60]
        raise ProtocolFault(f"a line is not UTF-8: {excerpt!r}", "text") from error
    # Fast, and true of nearly all lines. It also rejects allowed characters, such as a no-break
    # space in a bot's name, so the rest decides about them.
    if line.isprintable():
        return line
    line = line.removesuffix("\r")
    if not CONTROLS.isdisjoint(line):
        raise ProtocolFault(f"control character in a line: {line[:60]!a}", "text")
    return line


def go_line(limit: Limit) -> str:
    """Return the line that asks for an action."""
    if limit.move_ms is not None:
        return f"go movetime {limit.move_ms}"
    if limit.mine_ms is not None:
        return f"go clock {limit.mine_ms} {limit.theirs_ms} increment {limit.increment_ms}"
    return "go infinite" if limit.infinite else "go"


def parse_limit(words: list[str]) -> Limit:
    """Parse the words of a ``go`` line; raises `NotationError`."""
    if words == ["go"]:
        return Limit()
    if words == ["go", "infinite"]:
        return Limit(infinite=True)
    if len(words) == 3 and words[1] == "movetime":
        return Limit(move_ms=parse_number(words[2], "the time for the move"))
    if len(words) == 6 and (words[1], words[4]) == ("clock", "increment"):
        mine, theirs, increment = (parse_number(words[k], "a clock") for k in (2, 3, 5))
        return Limit(None, mine, theirs, increment)
    raise NotationError(f"a go line of an unknown form: {' '.join(words)[:60]!r}")


def option_line(option: Option) -> str:
    """Return the line with which a bot offers an option."""
    return " ".join(["option", option.name, option.kind, option.default, *option.allowed])


def parse_option(line: str) -> Option:
    """Parse what `option_line` writes; raises `ProtocolFault`."""
    words = line.split(" ")
    is_name = len(words) > 1 and words[1] and _NAME.issuperset(words[1])
    if len(words) < 4 or words[2] not in _KINDS or not is_name:
        message = f"an option is: option NAME TYPE DEFAULT …, not {line[:60]!a}"
        raise ProtocolFault(message, "options")
    _, name, kind, default, *allowed = words
    if kind == "string":  # a text may contain spaces, so it takes the rest of the line
        default, allowed = " ".join([default, *allowed]), []
    if (kind in ("int", "float") and len(allowed) not in (0, 2)) or (kind == "bool" and allowed):
        message = f"an option has {len(allowed)} words after its default: {line[:60]!a}"
        raise ProtocolFault(message, "options")
    option = Option(name, kind, default, tuple(allowed))
    problem = option.check(default)
    if problem:
        message = f"a default is not allowed: {line[:60]!a}: {problem}"
        raise ProtocolFault(message, "options")
    return option


def _parse_signed(text: str, *, fraction: bool) -> float | None:
    """Parse a number with an optional sign and, if allowed, a fraction; None if it is invalid."""
    # Not by float(), because bots in other languages must understand the value, and Python also
    # reads "1e5", "nan", "1_000" and digits of other scripts.
    whole, dot, rest = text.removeprefix("-").partition(".")
    try:
        parse_number(whole, "")
        if dot:
            if not fraction:
                return None
            parse_number("1" + rest, "")  # leading zeros are allowed after the point
    except NotationError:
        return None
    return float(text) if fraction else int(text)
