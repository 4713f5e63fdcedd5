"""The terminal screen for a person's turn: the picture of the position, and the keys."""

import signal
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
from pwtourney.human import Cursor, Question
from pwtourney.notation import action_text, read_action
from pwtourney.report.text.boards import Boards
from pwtourney.rules import Action, Patch, State, shape_rows
from pwtourney.rules.geometry import all_orientations
from pwtourney.sanitize import sanitize
from pwtourney.signals import is_ignored

__all__ = ["ask_person", "draw"]

_LAST_PLIES = 4
_SPACES_PER_LINE = 27
_LATER_PATCHES = 4
_BLOCK_WIDTH = 18
_KEYS = (
    "arrows move · space turns · f flips · Tab next patch · Enter plays · Ctrl-Z takes back",
    "or type: advance, 12:r90:b4, leather:e5, decline, undo, quit (or Ctrl-C)",
)
_SHORT_KEYS = "arrows, space, f, Tab; Enter plays; ? for help"
"""The most important keys, for a terminal without room for all."""

_HELP = """\
arrows          move the patch
space or r      turn it a quarter clockwise
f               flip it left to right
Tab, Shift-Tab  the next patch, or advance
Enter           play what is shown, or typed
Ctrl-Z, undo    take back your last action
Ctrl-C, quit    leave the game

or type: advance, 12:r90:b4 (patch, orientation,
square), leather:e5, decline; Tab completes it

track   1 first seat    2 second seat
        $ pays income   * special patch
quilts  # fits here     ! does not fit
        + can be covered as the patch lies now

any key closes this help
"""
"""The help text, as wide and as high as the smallest terminal."""

_MOVES: dict[str, Callable[[Cursor], Cursor]] = {
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
"""The effect of keys on the patch while nothing is typed."""

_COMMANDS = ("undo", "quit")
_ESCAPE_SECONDS = 0.05
"""The time to wait after Escape for the rest of an arrow key's sequence, in seconds."""

_BELOW = 2
"""The number of lines below the picture: a message, and the input line."""


def ask_person(question: Question) -> Action | None:
    """Show a person the position and return their action; None to take back.

    Raises `KeyboardInterrupt` if they leave the game.
    """
    # in the terminal Ctrl-C arrives as a key; this is about the signal
    return _Turn(question).application.run(handle_sigint=not is_ignored(signal.SIGINT))


def draw(question: Question, cursor: Cursor, width: int, height: int = 48) -> Text:
    """Return the whole picture: the position, and the action that the person prepares.

    If it does not fit the height, the least important parts are left out.
    """
    state = question.state
    names = (sanitize(question.names[0]), sanitize(question.names[1]))
    # from all plies: a position knows which squares are covered, but not by which patch
    boards = Boards(state.edition)
    for ply in question.plies:
        boards.put(ply.seat, ply.action)
    quilts = boards.draw(state, names, width, cursor.ghost())
    needed = [_draw_track(state, width), _draw_offer(cursor), quilts, _describe_action(cursor)]
    keys = Text("".join(f"{line}\n" for line in _KEYS), style="dim")
    # take the first that fits; each leaves out the least important part of the one before it
    for before, between, after in (
        (_list_last_plies(question, names, _LAST_PLIES), Text("\n"), keys),
        (_list_last_plies(question, names, _LAST_PLIES), Text(), Text()),
        (_list_last_plies(question, names, 1), Text(), Text()),
        (Text(), Text(), Text()),
    ):
        # join with an unstyled text: `+` would apply the style of the first part to all
        picture = Text().join([before, between.join(needed), after])
        if picture.plain.count("\n") <= height:
            return picture
    small = Text().join([_draw_offer(cursor, drawn=False), quilts, _describe_action(cursor)])
    if small.plain.count("\n") <= height:
        return small
    return Text("the terminal is too small: 52 columns and 18 rows are needed\n", style="bold red")


def _list_last_plies(question: Question, names: tuple[str, str], count: int) -> Text:
    text = Text(style="dim")
    for number, ply in list(enumerate(question.plies, 1))[-count:]:
        text.append(f"{number:>3}. {names[ply.seat]} {ply.action}\n")
    return text


def _draw_track(state: State, width: int) -> Text:
    """Draw the time track: tokens ``1`` and ``2``, ``$`` pays income, ``*`` special patches."""
    edition = state.edition
    text = Text()
    in_line = min(_SPACES_PER_LINE, max(1, (width - 4) // 2))
    for start in range(0, edition.last_space + 1, in_line):
        text.append(f"{start:>3} ", style="dim")
        for space in range(start, min(start + in_line, edition.last_space + 1)):
            tokens = "".join(str(seat + 1) for seat in (0, 1) if state.players[seat].space == space)
            if tokens:
                mark, style = tokens, "bold magenta"
            elif space in state.leather_left:
                mark, style = "*", "yellow"
            else:
                mark, style = ("$", "green") if space in edition.income_marks else ("·", "dim")
            text.append(f"{mark:<2}", style=style)
        text.append("\n")
    return text


def _draw_offer(cursor: Cursor, *, drawn: bool = True) -> Text:
    """Draw the patches on offer, the chosen one in its orientation, and list those that follow."""
    edition, state = cursor.state.edition, cursor.state
    blocks = []
    for patch in (edition.patch[number] for number in state.offer):
        is_chosen = patch.id == cursor.patch
        is_affordable = patch.cost <= state.players[state.to_move].buttons
        style = "bold" if is_affordable else "dim"
        # the chosen patch as it would be placed, the others as in the edition
        shape = all_orientations(patch.shape)[cursor.turn if is_chosen else 0]
        title = Text(f"{'>' if is_chosen else ' '}{patch.id}: {_format_price(patch)}", style=style)
        rows = (f"  {row.replace('.', ' ')}" for row in shape_rows(shape))
        blocks.append([title, *(Text(row, style=style) for row in rows)])
    text = Text()
    for line in range(max(map(len, blocks), default=0) if drawn else 1):
        for block in blocks:
            part = block[line].copy() if line < len(block) else Text()
            part.pad_right(max(0, _BLOCK_WIDTH - len(part)))
            text.append_text(part)
        text.append("\n")
    later = [f"{n} ({_format_price(edition.patch[n])})" for n in state.circle[edition.offer :]]
    more = " …" if len(later) > _LATER_PATCHES else ""
    rest = f"then {', '.join(later[:_LATER_PATCHES])}{more}" if later else "no more patches"
    hidden = f"; {len(state.late)} enter later" if state.late else ""
    return text.append(f"{rest}{hidden}\n", style="dim")


def _format_price(patch: Patch) -> str:
    """Return cost in buttons, time in spaces, and income."""
    return f"{patch.cost}b {patch.time}t +{patch.income}"


def _describe_action(cursor: Cursor) -> Text:
    """Return what Enter would play and its cost, or why it is illegal."""
    state = cursor.state
    written = action_text(cursor.action, state.edition)
    if problem := cursor.problem:
        return Text(f"{written}: {problem}\n", style="red")
    before = state.players[state.to_move]
    after = state.apply(cursor.action).players[state.to_move]
    cost = (
        f"{before.buttons} → {after.buttons} buttons, +{before.income} → +{after.income},"
        f" space {before.space} → {after.space}"
    )
    return Text(f"Enter plays {written} ({cost})\n", style="green")


class _Words(Completer):
    """Completes the legal actions, part by part: the patch, its orientation, the square."""

    def __init__(self, state: State) -> None:
        self._words = [action_text(action, state.edition) for action in state.legal_actions()]
        self._words += _COMMANDS

    def get_completions(self, document: Document, event: CompleteEvent) -> Iterator[Completion]:
        typed = document.text_before_cursor
        if not typed:
            return
        parts: dict[str, None] = {}  # unique and in order: many words begin with the same part
        for word in self._words:
            if word.startswith(typed):
                end = word.find(":", len(typed))
                parts[word if end < 0 else word[: end + 1]] = None
        for part in parts:
            yield Completion(part, start_position=-len(typed))


class _Turn:
    """One turn of a person: handles keys until something is played."""

    def __init__(self, question: Question) -> None:
        self._question = question
        self._cursor = Cursor.at_start(question.state)
        self._message = ""
        self._has_help = False
        self._words = _Words(question.state)
        self._typed = Buffer(completer=self._words, complete_while_typing=True, multiline=False)
        picture = Window(FormattedTextControl(self._draw), wrap_lines=False)
        message = Window(FormattedTextControl(lambda: self._message or _SHORT_KEYS), height=1)
        line = Window(BufferControl(self._typed, input_processors=[BeforeInput("> ")]), height=1)
        menu = Float(CompletionsMenu(max_height=8), xcursor=True, ycursor=True)
        layout = Layout(FloatContainer(HSplit([picture, message, line]), [menu]), line)
        self.application: Application[Action | None] = Application(
            layout=layout, key_bindings=self._bind_keys(), full_screen=True
        )
        self.application.timeoutlen = self.application.ttimeoutlen = _ESCAPE_SECONDS

    def _draw(self) -> ANSI:
        if self._has_help:
            return ANSI(_HELP)
        size = self.application.output.get_size()
        picture = draw(self._question, self._cursor, size.columns, size.rows - _BELOW)
        # rich renders and prompt_toolkit displays; escape sequences are their common format
        console = Console(
            file=StringIO(), force_terminal=True, width=size.columns, legacy_windows=False
        )
        with console.capture() as capture:
            console.print(picture, end="", soft_wrap=True)
        return ANSI(capture.get())

    def _bind_keys(self) -> KeyBindings:
        keys = KeyBindings()
        # r, f and space turn the patch, but can also be typed as part of an action
        nothing_typed = Condition(lambda: not self._typed.text)
        for key, move in _MOVES.items():
            keys.add(key, filter=nothing_typed)(partial(self._move, move))

        @keys.add("tab", filter=~nothing_typed)
        def complete(_: KeyPressEvent) -> None:
            state = self._typed.complete_state
            if state and state.completions:
                self._typed.complete_next()
                return
            # the menu is not open yet: prompt_toolkit computes its completions after each key, in
            # the background
            request = CompleteEvent(completion_requested=True)
            if first := next(self._words.get_completions(self._typed.document, request), None):
                self._typed.apply_completion(first)

        @keys.add("?", filter=nothing_typed)
        def show_help(_: KeyPressEvent) -> None:
            self._has_help = True
            self._message = ""

        # before all other keys, so that no key plays an action that is hidden by the help
        @keys.add(Keys.Any, filter=Condition(lambda: self._has_help), eager=True)
        def close_help(_: KeyPressEvent) -> None:
            self._has_help = False

        @keys.add("escape")
        def forget(_: KeyPressEvent) -> None:
            self._typed.reset()
            self._message = ""

        @keys.add(Keys.BracketedPaste)
        def paste(event: KeyPressEvent) -> None:
            # only the first line: the others would be played in positions that the person has not
            # seen
            self._typed.insert_text(event.data.strip().split("\n")[0].strip())

        keys.add("enter")(self._enter)
        keys.add("c-z")(self._take_back)
        for key in ("c-c", "c-d", "<sigint>"):
            keys.add(key, eager=True)(self._leave)
        return keys

    def _move(self, move: Callable[[Cursor], Cursor], event: KeyPressEvent) -> None:
        self._cursor = move(self._cursor)
        self._message = ""

    def _enter(self, event: KeyPressEvent) -> None:
        """Play what is typed, or what is shown if nothing is typed."""
        words = self._typed.text.split()
        self._typed.reset()
        if words == ["undo"]:
            self._take_back(event)
        elif words == ["quit"]:
            self._leave(event)
        else:
            state = self._question.state
            text = " ".join(words) or action_text(self._cursor.action, state.edition)
            try:
                action = read_action(text, state)
            except (NotationError, IllegalActionError) as error:
                self._message = sanitize(str(error))
            else:
                self.application.exit(result=action)

    def _take_back(self, event: KeyPressEvent) -> None:
        if problem := self._question.undo_problem:
            self._message = problem
        else:
            event.app.exit(result=None)

    def _leave(self, event: KeyPressEvent) -> None:
        event.app.exit(exception=KeyboardInterrupt)
