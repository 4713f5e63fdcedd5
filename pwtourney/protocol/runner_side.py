"""The runner's end of one conversation, as a state machine without I/O.

Methods named after what the runner wants to say return the text to write; `feed` takes each line
that came and returns what it means. A line that the bot may not send now is a `ProtocolFault`.
"""

from collections.abc import Sequence

from pwtourney.clock import Limit
from pwtourney.errors import BotFault, IllegalActionError, NotationError, ProtocolFault
from pwtourney.notation import action_text, edition_lines, parse_action, position_text, quote
from pwtourney.protocol.lines import VERSION, go_line, parse_option
from pwtourney.protocol.messages import Info, Move, Option, Ready
from pwtourney.rules import Action, Edition, State

__all__ = ["RunnerSide", "judge_answer"]

_MAX_OPTIONS = 100


class RunnerSide:
    """What the runner knows of one bot, and what it waits for.

    `awaiting` is the word that the bot owes (``ready`` or ``move``), None when it owes nothing.
    `names` holds what the bot said of itself under ``id``; `options`, `wants_legal` and
    `editions` (the names of those that it plays, empty for all) what it said in the handshake.
    """

    def __init__(self) -> None:
        self.awaiting: str | None = None
        self.names: dict[str, str] = {}
        self.options: dict[str, Option] = {}
        self.wants_legal = False
        self.editions: list[str] = []
        self._greeting = False

    def hello(self) -> str:
        """Greet the bot; it answers with what it is and ``ready``."""
        self._greeting = True
        return self._ask("ready", f"pwtp {VERSION}\n")

    def set_option(self, name: str, value: str) -> str:
        """Set an option; `Option.check` has said that the value will do."""
        return f"set {name} {value}\n"

    def new_game(self, edition: Edition, seat: int, seed: int) -> str:
        """Announce a game and describe its edition; the bot answers ``ready``."""
        lines = [f"newgame edition {edition.name} seat {seat} seed {seed}"]
        lines += edition_lines(edition)
        return self._ask("ready", "\n".join([*lines, "end", ""]))

    def ask(self, state: State, played: Sequence[str], limit: Limit) -> str:
        """Ask for an action in a position, of which the bot learns what the rules do not hide."""
        legal = None
        if self.wants_legal:
            legal = [action_text(action, state.edition) for action in state.legal_actions()]
        return self.turn(position_text(state.hide_late()), played, legal, limit)

    def turn(
        self, position: str, played: Sequence[str], legal: Sequence[str] | None, limit: Limit
    ) -> str:
        """Ask for an action; the bot answers ``move``."""
        heard = f"played {' '.join(played)}\n" if played else ""
        may = "" if legal is None else f"legal {' '.join(legal)}\n"
        return self._ask("move", f"{heard}position {position}\n{may}{go_line(limit)}\n")

    def game_over(self, mine: int, theirs: int, result: str) -> str:
        """Tell the bot how the game ended."""
        return f"gameover {mine} {theirs} {result}\n"

    def quit(self) -> str:
        """Ask the bot to exit."""
        return "quit\n"

    def feed(self, line: str) -> Ready | Move | Info | None:
        """Take one line of the bot; None for lines that ask nothing of the caller."""
        word, _, rest = line.partition(" ")
        if word in ("move", "ready"):
            if self.awaiting != word:
                raise self._out_of_turn(line)
            # Before it is read: what cannot be read was the answer all the same, and no second one
            # is owed.
            self.awaiting = None
            if word == "move":
                return self._parse_move(rest, line)
            self._greeting = False
            return Ready()
        if word == "info":
            return Info(rest)
        if word in ("id", "option", "feature"):
            self._introduce(word, rest, line)
        return None

    def _ask(self, word: str, text: str) -> str:
        if self.awaiting:
            raise AssertionError(f"the bot still owes {self.awaiting}")
        self.awaiting = word
        return text

    def _parse_move(self, rest: str, line: str) -> Move:
        if not rest or " " in rest:
            raise ProtocolFault(f"an answer is: move ACTION, not {line[:60]!a}", "answer")
        return tuple.__new__(Move, (rest,))  # half the time of the constructor, on every ply

    def _out_of_turn(self, line: str) -> ProtocolFault:
        expected = f"expected {self.awaiting}" if self.awaiting else "nothing was asked"
        return ProtocolFault(f"spoke out of turn: {line[:60]!a} when {expected}", "turns")

    def _introduce(self, word: str, rest: str, line: str) -> None:
        # Only in the handshake: options are checked, and positions written with or without `legal`,
        # by what the bot has said until then.
        if not self._greeting:
            told = f"{line[:60]!a} belongs in the handshake, before ready"
            raise ProtocolFault(told, "handshake")
        if word == "id":
            key, _, value = rest.partition(" ")
            if key in ("name", "author"):
                self.names[key] = value[:100]
        elif word == "feature":
            self._take_feature(*rest.partition(" ")[::2])
        else:
            option = parse_option(line)
            if len(self.options) >= _MAX_OPTIONS:  # or a bot could fill our memory in its start-up
                raise ProtocolFault(f"more than {_MAX_OPTIONS} options", "options")
            self.options[option.name] = option

    def _take_feature(self, feature: str, value: str) -> None:
        if feature == "legal":
            self.wants_legal = True
        elif feature == "edition":
            if len(self.editions) >= _MAX_OPTIONS:
                raise ProtocolFault(f"more than {_MAX_OPTIONS} editions", "editions")
            if not value or " " in value:
                raise ProtocolFault("an edition is claimed by: feature edition NAME", "editions")
            self.editions.append(value)


def judge_answer(text: str, state: State) -> tuple[Action, State]:
    """Read an answer and play it: return the action, and the position after it.

    Raises `BotFault` for an answer that is no action, or not legal now.
    """
    try:
        action = parse_action(text, state.edition)
        return action, state.apply(action)
    except NotationError as error:
        raise ProtocolFault(str(error), "actions") from error
    except IllegalActionError as error:
        raise BotFault("illegal", f"{quote(text)}: {error}") from error
