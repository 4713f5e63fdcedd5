"""A bot's end of the conversation, as a state machine without I/O; the SDK is built on it."""

from collections.abc import Sequence

from pwtourney.errors import EditionError, NotationError
from pwtourney.notation import (
    EDITION_WORDS,
    action_text,
    parse_action,
    parse_edition_lines,
    parse_number,
    parse_position,
)
from pwtourney.protocol.lines import option_line, parse_limit
from pwtourney.protocol.messages import GameOver, GameStart, Hello, Option, Quit, SetOption, Turn
from pwtourney.rules import Action
from pwtourney.sanitize import CONTROLS

__all__ = ["BotSide"]

_MAX_INFO = 1000
_TURN_WORDS = frozenset(("played", "position", "legal"))

Message = Hello | SetOption | GameStart | Turn | GameOver | Quit


class BotSide:
    """Collects lines into messages, and writes the bot's answers.

    `feed` returns a message when a line completes one, None otherwise, and raises
    `NotationError` for a line that does not follow the protocol.
    """

    def __init__(self) -> None:
        self._start: list[str] | None = None
        self._block: list[str] = []
        self._turn: dict[str, str] = {}
        self._game: GameStart | None = None

    def feed(self, line: str) -> Message | None:
        """Take one line of the runner."""
        try:
            return self._feed(line)
        except (EditionError, KeyError, ValueError) as error:
            raise NotationError(f"not understood: {line[:60]!a}: {error}") from error

    def _feed(self, line: str) -> Message | None:
        word, _, rest = line.removesuffix("\r").partition(" ")
        if word in _TURN_WORDS:
            self._turn[word] = rest
        elif word == "go":
            return self._complete_turn([word, *rest.split()])
        elif word == "newgame":
            self._start, self._block = rest.split(" "), []
        elif word in EDITION_WORDS:
            # Nothing asks here whether a block was begun: `newgame` throws away what came before
            # it, and without `newgame` there is no `end` that would read it.
            self._block.append(f"{word} {rest}")
        elif word == "end" and self._start is not None:
            self._game, self._start = _game_start(self._start, self._block), None
            return self._game
        else:
            return _parse_single_line(word, rest)
        return None

    def introduction(
        self,
        name: str,
        author: str,
        options: Sequence[Option] = (),
        *,
        legal: bool = False,
        editions: Sequence[str] = (),
    ) -> str:
        """Answer the runner's hello."""
        lines = [f"id name {name}", f"id author {author}" if author else ""]
        lines += map(option_line, options)
        lines += [f"feature edition {edition}" for edition in editions]
        lines += ["feature legal" if legal else "", "ready"]
        return "\n".join(filter(None, lines)) + "\n"

    def ready(self) -> str:
        """Answer a new game."""
        return "ready\n"

    def info(self, text: str) -> str:
        """Say something about the bot's thinking, on one line, cut where it is too long."""
        plain = "".join(" " if each in CONTROLS else each for each in text)
        return f"info {plain[:_MAX_INFO]}\n"

    def move(self, action: Action) -> str:
        """Answer a turn."""
        if self._game is None:
            raise NotationError("there is no game to move in")
        return f"move {action_text(action, self._game.edition)}\n"

    def _complete_turn(self, words: list[str]) -> Turn:
        if self._game is None or "position" not in self._turn:
            raise NotationError("go came without newgame and position before it")
        edition = self._game.edition
        turn, self._turn = self._turn, {}  # what was said for this turn says nothing of the next
        played = tuple(parse_action(word, edition) for word in turn.get("played", "").split())
        legal = tuple(turn["legal"].split()) if "legal" in turn else None
        return Turn(parse_position(turn["position"], edition), played, legal, parse_limit(words))


def _parse_single_line(word: str, rest: str) -> Message | None:
    """Read a message that is one line; None for a first word that is not known."""
    if word == "pwtp":
        return Hello(parse_number(rest.split(" ")[0], "the version"))
    if word == "set":
        name, _, value = rest.partition(" ")
        return SetOption(name, value)
    if word == "gameover":
        mine, theirs, result = rest.split(" ")[:3]
        return GameOver(_score(mine), _score(theirs), result)
    return Quit() if word == "quit" else None


def _score(token: str) -> int:
    number = parse_number(token.removeprefix("-"), "a score")
    return -number if token.startswith("-") else number


def _game_start(words: list[str], block: list[str]) -> GameStart:
    fields = dict(zip(words[::2], words[1::2], strict=False))
    missing = {"edition", "seat", "seed"} - set(fields)
    if missing:
        raise NotationError(f"newgame says no {min(missing)}")
    edition = parse_edition_lines(fields["edition"], block)
    seat = parse_number(fields["seat"], "the seat")
    return GameStart(edition, seat, parse_number(fields["seed"], "the seed"))
