"""What the lines mean, as typed values. Words the two sides know are listed beside them."""

from typing import NamedTuple

from pwtourney.clock import Limit
from pwtourney.errors import NotationError
from pwtourney.notation import EDITION_WORDS, parse_number
from pwtourney.rules import Action, Edition, State

__all__ = [
    "BOT_WORDS",
    "RUNNER_WORDS",
    "GameOver",
    "GameStart",
    "Hello",
    "Info",
    "Move",
    "Option",
    "Quit",
    "Ready",
    "SetOption",
    "Turn",
]

RUNNER_WORDS = (
    *("pwtp", "set", "newgame", *EDITION_WORDS, "end"),
    *("played", "position", "legal", "go", "gameover", "quit"),
)
"""The first words of lines from runner to bot."""

BOT_WORDS = ("id", "option", "feature", "ready", "info", "move")
"""The first words of lines from bot to runner."""


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
    """The bot is asked for an action.

    `played` holds the actions since this bot's last answer, `legal` the words of all legal
    actions if the bot asked for them.
    """

    state: State
    played: tuple[Action, ...]
    legal: tuple[str, ...] | None
    limit: Limit


class GameOver(NamedTuple):
    """The game has ended: the bot's own score, the opponent's, and ``win`` or ``loss``."""

    mine: int
    theirs: int
    result: str


class Quit(NamedTuple):
    """The bot is to exit."""


class Ready(NamedTuple):
    """The bot has done what the handshake or a new game asked of it."""


class Info(NamedTuple):
    """Something a bot says about its thinking; free text, kept with the ply."""

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
        """Say what is wrong with a value; None when the bot can be given it."""
        if self.kind == "bool":
            return None if value in ("true", "false") else "it must be true or false"
        if self.kind == "choice":
            known = ", ".join(self.allowed)
            return None if value in self.allowed else f"it must be one of {known}"
        if self.kind in ("int", "float"):
            return self._check_number(value)
        return None if value.isprintable() else "it must be printable text on one line"

    def _check_number(self, value: str) -> str | None:
        number = _signed_number(value, fraction=self.kind == "float")
        if number is None:
            return "it must be a whole number" if self.kind == "int" else "it must be a number"
        if self.allowed:
            low, high = (_signed_number(each, fraction=True) for each in self.allowed)
            if low is None or high is None or not low <= number <= high:
                return f"it must be from {self.allowed[0]} to {self.allowed[1]}"
        return None


def _signed_number(text: str, *, fraction: bool) -> float | None:
    """Read a number that may have a sign and, if asked for, a fraction; None if it is none."""
    digits = text[1:] if text[:1] == "-" else text
    whole, dot, rest = digits.partition(".")
    try:
        parse_number(whole, "")
        if dot:
            if not fraction:
                return None
            parse_number("1" + rest, "")
    except NotationError:
        return None
    return float(text) if fraction else int(text)
