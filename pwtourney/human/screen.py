"""The screen of a person's turn, in a terminal."""

from collections.abc import Callable, Iterator
from functools import partial
from io import StringIO

from prompt_toolkit.application import Application
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.filters import Condition
from prompt_toolkit.formatted_text import ANSI
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.keys import Keys
from prompt_toolkit.layout import Float, FloatContainer, HSplit, Layout, Window
from prompt_toolkit.layout.controls import BufferControl, FormattedTextControl
from prompt_toolkit.layout.menus import CompletionsMenu
from prompt_toolkit.layout.processors import BeforeInput
from rich.console import Console
from rich.text import Text

from pwtourney.errors import IllegalActionError, NotationError
from pwtourney.human.cursor import Cursor
from pwtourney.human.game_loop import Question
from pwtourney.human.view import SHORT_KEYS, draw
from pwtourney.notation import action_text, read_action
from pwtourney.rules import Action, State
from pwtourney.sanitize import sanitize

__all__ = ["ask_person"]

_COMMANDS = ("undo", "quit")
_ESCAPE_SECONDS = 0.05
"""How long an Escape may turn out to be the beginning of another key."""

_BELOW = 2
"""Lines below the picture: a message, and what is typed."""


def ask_person(question: Question) -> Action | None:
    """Show a person the position and return what they play; None to take back.

    Raises `KeyboardInterrupt` when they leave the game.
    """
    return _Turn(question).ask()


class _Words(Completer):
    """Completes the legal actions, part by part: the patch, how it lies, the square."""

    def __init__(self, state: State) -> None:
        self._words = [action_text(each, state.edition) for each in state.legal_actions()]
        self._words += _COMMANDS

    def get_completions(self, document: Document, event: CompleteEvent) -> Iterator[Completion]:
        typed = document.text_before_cursor
        if not typed:
            return
        parts: dict[str, None] = {}
        for word in self._words:
            if word.startswith(typed):
                end = word.find(":", len(typed))
                parts[word if end < 0 else word[: end + 1]] = None
        for part in parts:
            yield Completion(part, start_position=-len(typed))


class _Turn:
    """One turn of a person: the keys that they press, until something is played."""

    def __init__(self, question: Question) -> None:
        self._question = question
        self._cursor = Cursor.at_start(question.state)
        self._message = SHORT_KEYS
        self._words = _Words(question.state)
        self._typed = Buffer(completer=self._words, complete_while_typing=True, multiline=False)
        self._application: Application[Action | None] = Application(
            layout=self._layout(), key_bindings=self._keys(), full_screen=True
        )
        self._application.timeoutlen = self._application.ttimeoutlen = _ESCAPE_SECONDS

    def ask(self) -> Action | None:
        """Run until there is an answer."""
        return self._application.run()

    def _layout(self) -> Layout:
        picture = Window(FormattedTextControl(self._picture), wrap_lines=False)
        line = Window(BufferControl(self._typed, input_processors=[BeforeInput("> ")]), height=1)
        message = Window(FormattedTextControl(lambda: self._message), height=1)
        menu = Float(CompletionsMenu(max_height=8), xcursor=True, ycursor=True)
        return Layout(FloatContainer(HSplit([picture, message, line]), [menu]), line)

    def _picture(self) -> ANSI:
        size = self._application.output.get_size()
        picture = draw(self._question, self._cursor, size.columns, size.rows - _BELOW)
        return ANSI(_ansi(picture, size.columns))

    def _keys(self) -> KeyBindings:
        keys = KeyBindings()
        nothing_typed = Condition(lambda: not self._typed.text)
        moves: dict[str, Callable[[Cursor], Cursor]] = {
            "up": lambda cursor: cursor.move(-1, 0),
            "down": lambda cursor: cursor.move(1, 0),
            "left": lambda cursor: cursor.move(0, -1),
            "right": lambda cursor: cursor.move(0, 1),
            " ": Cursor.rotate,
            "r": Cursor.rotate,
            "f": Cursor.flip,
            "tab": Cursor.next,
            "s-tab": lambda cursor: cursor.next(-1),
        }
        for key, move in moves.items():
            keys.add(key, filter=nothing_typed)(partial(self._move, move))
        keys.add("tab", filter=~nothing_typed)(self._complete)
        keys.add("escape")(self._forget)
        keys.add("enter")(self._enter)
        keys.add("c-z")(self._take_back)
        for key in ("c-c", "c-d", "<sigint>"):
            keys.add(key)(self._leave)
        keys.add(Keys.BracketedPaste)(self._paste)
        return keys

    def _move(self, move: Callable[[Cursor], Cursor], event: KeyPressEvent) -> None:
        self._cursor = move(self._cursor)
        self._message = ""

    def _complete(self, event: KeyPressEvent) -> None:
        state = self._typed.complete_state
        if state and state.completions:
            self._typed.complete_next()
            return
        asked = CompleteEvent(completion_requested=True)
        for first in self._words.get_completions(self._typed.document, asked):
            self._typed.apply_completion(first)
            return

    def _paste(self, event: KeyPressEvent) -> None:
        """Take the first line of what is pasted; more would be for turns that nobody has seen."""
        self._typed.insert_text(event.data.strip().split("\n")[0].strip())

    def _forget(self, event: KeyPressEvent) -> None:
        self._typed.reset()
        self._message = ""

    def _enter(self, event: KeyPressEvent) -> None:
        """Play what is typed, or what is shown if nothing is."""
        words = self._typed.text.split()
        self._typed.reset()
        if words == ["undo"]:
            self._take_back(event)
        elif words == ["quit"]:
            self._leave(event)
        else:
            self._play(" ".join(words))

    def _play(self, text: str) -> None:
        state = self._question.state
        try:
            action = read_action(text or action_text(self._cursor.action, state.edition), state)
        except (NotationError, IllegalActionError) as error:
            self._message = sanitize(str(error))
        else:
            self._application.exit(result=action)

    def _take_back(self, event: KeyPressEvent) -> None:
        if self._question.undoable:
            event.app.exit(result=None)
        else:
            self._message = "there is nothing to take back"

    def _leave(self, event: KeyPressEvent) -> None:
        event.app.exit(exception=KeyboardInterrupt)


def _ansi(text: Text, width: int) -> str:
    """Write styled text with the escape sequences of a terminal."""
    console = Console(file=StringIO(), force_terminal=True, width=width, legacy_windows=False)
    with console.capture() as capture:
        console.print(text, end="", soft_wrap=True)
    return capture.get()
