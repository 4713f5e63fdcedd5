"""The two ends of a conversation between runner and bot, as state machines without I/O.

Methods named after a message return the text to write. `feed` takes each received line and returns
its meaning. A line that the bot may not send now raises `ProtocolFault`, and one that the runner
may not send raises `NotationError`.
"""

from collections.abc import Mapping, Sequence
from typing import NoReturn

from pwtourney.clock import Limit
from pwtourney.errors import (
    BotFault,
    EditionError,
    IllegalActionError,
    NotationError,
    ProtocolFault,
)
from pwtourney.notation import (
    EDITION_WORDS,
    action_text,
    edition_lines,
    parse_action,
    parse_edition_lines,
    parse_number,
    parse_position,
    position_text,
    quote,
)
from pwtourney.protocol.messages import (
    FEATURES,
    VERSION,
    GameOver,
    GameStart,
    Hello,
    Info,
    Move,
    Option,
    Query,
    Quit,
    Ready,
    SetOption,
    Turn,
    go_line,
    option_line,
    parse_limit,
    parse_option,
)
from pwtourney.rules import Action, Edition, State
from pwtourney.sanitize import CONTROLS

__all__ = ["BotSide", "RunnerSide", "RunnerMessage", "judge_answer"]

_make = tuple.__new__  # takes half the time of a named tuple's constructor, on every ply
_MAX_OPTIONS = 100
_MAX_INFO = 1000
_TURN_WORDS = frozenset(("played", "position", "legal", "multipv", "searchmoves"))
_ANY: tuple[int, tuple[Action, ...]] = 1, ()
"""The query of a turn in a game: one line of play, and any action."""

RunnerMessage = Hello | SetOption | GameStart | Turn | GameOver | Quit
"""The messages that a bot can receive."""


class RunnerSide:
    """The runner's state of the conversation with one bot.

    `awaiting` is the word that the bot owes (``ready`` or ``move``), None when it owes nothing.
    `names` holds what the bot sent with ``id``. `options`, `wants_legal`, `features` (those of
    `FEATURES`) and `editions` (the names of those that it plays, empty for all) are from the
    handshake.
    """

    def __init__(self) -> None:
        self.awaiting: str | None = None
        self.names: dict[str, str] = {}
        self.options: dict[str, Option] = {}
        self.wants_legal = False
        self.features: set[str] = set()
        self.editions: list[str] = []
        self._greeting = False
        self._limit: Limit | None = None
        self._query = ""  # the lines for the query of an analysis
        self._go = ""  # these, and the line for `_limit`

    def hello(self) -> str:
        """Greet the bot; it answers with its introduction and ``ready``."""
        self._greeting = True
        return self._ask("ready", f"pwtp {VERSION}\n")

    def set_option(self, name: str, value: str) -> str:
        """Set an option; the value must have passed `Option.check`."""
        return f"set {name} {value}\n"

    def new_game(self, edition: Edition, seat: int, seed: int) -> str:
        """Announce a game and describe its edition; the bot answers ``ready``."""
        lines = [f"newgame edition {edition.name} seat {seat} seed {seed}"]
        lines += edition_lines(edition)
        return self._ask("ready", "\n".join([*lines, "end", ""]))

    def ask(self, state: State, played: Sequence[str], limit: Limit) -> str:
        """Ask for an action in a position, without what the rules hide from the bot."""
        legal = None  # only for bots that asked, because it costs more than the rest of a turn
        if self.wants_legal:
            legal = [action_text(action, state.edition) for action in state.legal_actions()]
        known = state.hide_late() if state.late else state
        return self.turn(position_text(known), played, legal, limit)

    def turn(
        self, position: str, played: Sequence[str], legal: Sequence[str] | None, limit: Limit
    ) -> str:
        """Ask for an action; the bot answers ``move``."""
        if limit is not self._limit:  # mostly the same, where each move has its own time
            self._limit, self._go = limit, self._query + go_line(limit)
        heard = f"played {' '.join(played)}\n" if played else ""
        may = "" if legal is None else f"legal {' '.join(legal)}\n"
        if self.awaiting:
            self._refuse_to_ask()
        self.awaiting = "move"
        return f"{heard}position {position}\n{may}{self._go}\n"

    def refine(self, query: Query) -> None:
        """Add a query to the requests that follow, as far as the bot has the features for it."""
        lines = []
        if query.lines > 1 and "multipv" in self.features:
            lines.append(f"multipv {query.lines}\n")
        if query.only and "searchmoves" in self.features:
            lines.append(f"searchmoves {' '.join(query.only)}\n")
        self._query = "".join(lines)
        self._limit = None  # so that the next request has these lines

    def stop(self) -> str:
        """Ask a bot that thinks without a limit for its answer."""
        return "stop\n"

    def game_over(self, mine: int, theirs: int, result: str) -> str:
        """Tell the bot how the game ended."""
        return f"gameover {mine} {theirs} {result}\n"

    def quit(self) -> str:
        """Ask the bot to exit."""
        return "quit\n"

    def feed(self, line: str) -> Ready | Move | Info | None:
        """Handle one line of the bot; return None if the caller has nothing to do."""
        word, _, rest = line.partition(" ")
        if word in ("move", "ready"):
            if self.awaiting != word:
                expected = f"expected {self.awaiting}" if self.awaiting else "nothing was asked"
                message = f"spoke out of turn: {line[:60]!a} when {expected}"
                raise ProtocolFault(message, "turns")
            # Before it is parsed: an invalid answer is an answer, too, and the bot does not owe a
            # second one.
            self.awaiting = None
            if word == "ready":
                self._greeting = False
                return Ready()
            if not rest or " " in rest:
                raise ProtocolFault(f"an answer is: move ACTION, not {line[:60]!a}", "answer")
            return _make(Move, (rest,))
        if word == "info":
            return Info(rest)
        if word in ("id", "option", "feature"):
            self._introduce(word, rest, line)
        return None

    def _ask(self, word: str, text: str) -> str:
        if self.awaiting:
            self._refuse_to_ask()
        self.awaiting = word
        return text

    def _refuse_to_ask(self) -> NoReturn:
        # A second question before the answer to the first is a bug of ours, and must never end as a
        # fault of the bot.
        raise AssertionError(f"the bot still owes {self.awaiting}")

    def _introduce(self, word: str, rest: str, line: str) -> None:
        """Store what a bot says about itself; unknown names and features are ignored."""
        # Only in the handshake, because options are checked, and positions are written with or
        # without `legal`, by what the bot has said until then.
        if not self._greeting:
            message = f"{line[:60]!a} belongs in the handshake, before ready"
            raise ProtocolFault(message, "handshake")
        key, _, value = rest.partition(" ")
        if word == "id":
            if key in ("name", "author"):
                self.names[key] = value[:100]
        elif word == "option":
            option = parse_option(line)
            if len(self.options) >= _MAX_OPTIONS:  # otherwise a bot could fill our memory
                raise ProtocolFault(f"more than {_MAX_OPTIONS} options", "options")
            self.options[option.name] = option
        elif key == "legal":
            self.wants_legal = True
        elif key in FEATURES:
            self.features.add(key)
        elif key == "edition":
            if len(self.editions) >= _MAX_OPTIONS:
                raise ProtocolFault(f"more than {_MAX_OPTIONS} editions", "editions")
            if not value or " " in value:
                raise ProtocolFault("an edition is claimed by: feature edition NAME", "editions")
            self.editions.append(value)


def judge_answer(text: str, state: State) -> tuple[Action, State]:
    """Parse an answer and play it: return the action, and the position after it.

    Raises `BotFault` for an answer that is not an action, or is illegal.
    """
    try:
        action = parse_action(text, state.edition)
        return action, state.apply(action)
    except NotationError as error:
        raise ProtocolFault(str(error), "actions") from error
    except IllegalActionError as error:
        raise BotFault("illegal", f"{quote(text)}: {error}") from error


class BotSide:
    """Collects lines into messages, and writes the bot's answers.

    `feed` returns a message when a line completes one, None otherwise, and raises `NotationError`
    for a line that does not follow the protocol.
    """

    def __init__(self) -> None:
        self._start: list[str] | None = None
        self._block: list[str] = []
        self._turn: dict[str, str] = {}
        self._game: GameStart | None = None
        self._go: str | None = None
        self._limit = Limit()

    def feed(self, line: str) -> RunnerMessage | None:
        """Handle one line of the runner."""
        word, _, rest = line.removesuffix("\r").partition(" ")
        try:
            if word in _TURN_WORDS:
                self._turn[word] = rest
            elif word == "go":
                if self._game is None or "position" not in self._turn:
                    raise NotationError("go came without newgame and position before it")
                edition = self._game.edition
                # What was sent for this turn does not hold for the next.
                turn, self._turn = self._turn, {}
                actions = turn.get("played", "").split()
                played = tuple([parse_action(action, edition) for action in actions])
                legal = tuple(turn["legal"].split()) if "legal" in turn else None
                position = parse_position(turn["position"], edition)
                lines, only = _ANY
                if "multipv" in turn or "searchmoves" in turn:
                    lines, only = _parse_query(turn, edition)
                if rest != self._go:  # it stays the same where each move has its own time
                    self._limit, self._go = parse_limit([word, *rest.split()]), rest
                return _make(Turn, (position, played, legal, self._limit, lines, only))
            elif word == "newgame":
                self._start, self._block = rest.split(" "), []
            elif word in EDITION_WORDS:
                # There is no check whether a block was started: `newgame` discards what came before
                # it, and without `newgame` there is no `end` that would use it.
                self._block.append(f"{word} {rest}")
            elif word == "end" and self._start is not None:
                # Words come in pairs, so that a newer runner can send more than we know.
                fields = dict(zip(self._start[::2], self._start[1::2], strict=False))
                if missing := {"edition", "seat", "seed"} - set(fields):
                    raise NotationError(f"newgame says no {min(missing)}")
                edition = parse_edition_lines(fields["edition"], self._block)
                seat = parse_number(fields["seat"], "the seat")
                seed = parse_number(fields["seed"], "the seed")
                self._game, self._start = GameStart(edition, seat, seed), None
                return self._game
            else:
                return _parse_single_line(word, rest)
        except (EditionError, KeyError, ValueError) as error:
            raise NotationError(f"not understood: {line[:60]!a}: {error}") from error
        return None

    def introduction(
        self,
        name: str,
        author: str,
        options: Sequence[Option] = (),
        *,
        legal: bool = False,
        editions: Sequence[str] = (),
        features: Sequence[str] = (),
    ) -> str:
        """Answer the runner's hello; raises ValueError for a feature that does not exist."""
        for feature in features:
            if feature not in FEATURES:
                known = ", ".join(FEATURES)
                raise ValueError(f"{name} has the feature {feature!r}, which is not one of {known}")
        lines = [f"id name {name}", f"id author {author}" if author else ""]
        lines += map(option_line, options)
        lines += [f"feature edition {edition}" for edition in editions]
        lines += [f"feature {feature}" for feature in features]
        lines += ["feature legal" if legal else "", "ready"]
        return "\n".join(filter(None, lines)) + "\n"

    def accept(self) -> str:
        """Answer a new game: the bot is ready for it."""
        return "ready\n"

    def info(self, text: str) -> str:
        """Return a line about the bot's thinking, cut to 1000 characters."""
        plain = "".join(" " if char in CONTROLS else char for char in text)
        return f"info {plain[:_MAX_INFO]}\n"

    def move(self, action: Action) -> str:
        """Answer a turn."""
        if self._game is None:
            raise NotationError("there is no game to move in")
        return f"move {action_text(action, self._game.edition)}\n"


def _parse_query(turn: Mapping[str, str], edition: Edition) -> tuple[int, tuple[Action, ...]]:
    """Return how many lines of play an analysis asks for, and its actions to choose from."""
    lines = parse_number(turn.get("multipv", "1"), "the number of lines")
    if not lines:
        raise NotationError("multipv asks for no line")
    words = turn.get("searchmoves", "").split()
    return lines, tuple([parse_action(word, edition) for word in words])


def _parse_single_line(word: str, rest: str) -> RunnerMessage | None:
    """Parse a message of one line; return None for an unknown first word."""
    if word == "pwtp":
        return Hello(parse_number(rest.split(" ")[0], "the version"))
    if word == "set":
        name, _, value = rest.partition(" ")
        return SetOption(name, value)
    if word == "gameover":
        mine, theirs, result = rest.split(" ")[:3]
        return GameOver(_parse_score(mine), _parse_score(theirs), result)
    return Quit() if word == "quit" else None


def _parse_score(token: str) -> int:
    number = parse_number(token.removeprefix("-"), "a score")
    return -number if token.startswith("-") else number
