"""What a person sees of a position: track, offer and quilts as text in colour."""

from rich.text import Text

from pwtourney.human.cursor import Cursor
from pwtourney.human.game_loop import Question
from pwtourney.notation import action_text
from pwtourney.report.boards import Boards
from pwtourney.rules import Edition, Patch, State, shape_rows
from pwtourney.rules.geometry import all_orientations
from pwtourney.sanitize import sanitize

__all__ = ["SHORT_KEYS", "draw"]

_LAST_PLIES = 4
_PER_LINE = 27
_LATER = 4
_BLOCK = 18
_KEYS = (
    "arrows move · space turns · f flips · Tab next patch · Enter plays · Ctrl-Z takes back",
    "or type: advance, 12:r90:b4, leather:e5, decline, undo, quit (or Ctrl-C)",
)

SHORT_KEYS = "arrows, space, f, Tab; Enter plays"
"""The most needed keys, for where there is no room for all."""


def draw(question: Question, cursor: Cursor, width: int, height: int = 48) -> Text:
    """Return the whole picture: a person's turn with what they are about to play.

    Where it does not fit the height, what is least needed is left out.
    """
    state = question.state
    names = (sanitize(question.names[0]), sanitize(question.names[1]))
    boards = Boards(state.edition)
    for ply in question.plies:
        boards.put(ply.seat, ply.action)
    quilts = boards.draw(state, names, width, cursor.ghost())
    needed = [_track(state, width), _offer(cursor), quilts, _about(cursor)]
    keys = Text("".join(f"{line}\n" for line in _KEYS), style="dim")
    for before, between, after in (
        (_last_plies(question, names, _LAST_PLIES), Text("\n"), keys),
        (_last_plies(question, names, _LAST_PLIES), Text(), Text()),
        (_last_plies(question, names, 1), Text(), Text()),
        (Text(), Text(), Text()),
    ):
        picture = before + between.join(needed) + after
        if picture.plain.count("\n") <= height:
            return picture
    small = Text().join([_offer(cursor, drawn=False), quilts, _about(cursor)])
    if small.plain.count("\n") <= height:
        return small
    return Text("the terminal is too small: 52 columns and 18 rows are needed\n", style="bold red")


def _last_plies(question: Question, names: tuple[str, str], count: int) -> Text:
    text = Text(style="dim")
    for number, ply in list(enumerate(question.plies, 1))[-count:]:
        text.append(f"{number:>3}. {names[ply.seat]} {ply.action}\n")
    return text


def _track(state: State, width: int) -> Text:
    """Draw the time track: tokens 0 and 1, ``$`` where income is paid, ``*`` special patches."""
    edition = state.edition
    text = Text()
    in_line = min(_PER_LINE, max(1, (width - 4) // 2))
    for start in range(0, edition.last_space + 1, in_line):
        text.append(f"{start:>3} ", style="dim")
        for space in range(start, min(start + in_line, edition.last_space + 1)):
            mark, style = _space(state, edition, space)
            text.append(f"{mark:<2}", style=style)
        text.append("\n")
    return text


def _space(state: State, edition: Edition, space: int) -> tuple[str, str]:
    here = "".join(str(seat) for seat in (0, 1) if state.players[seat].space == space)
    if here:
        return here, "bold magenta"
    if space in state.leather_left:
        return "*", "yellow"
    if space in edition.income_marks:
        return "$", "green"
    return "·", "dim"


def _offer(cursor: Cursor, *, drawn: bool = True) -> Text:
    """Draw the patches on offer, the chosen one as it lies, and name those that follow."""
    edition, state = cursor.state.edition, cursor.state
    blocks = [
        _patch_block(cursor, edition.patch[number], number == cursor.patch)
        for number in state.offer
    ]
    text = Text()
    for line in range(max(map(len, blocks), default=0) if drawn else 1):
        for block in blocks:
            part = block[line].copy() if line < len(block) else Text()
            part.pad_right(max(0, _BLOCK - len(part)))
            text.append_text(part)
        text.append("\n")
    later = [f"{n} ({_price(edition.patch[n])})" for n in state.circle[edition.offer :]]
    more = " …" if len(later) > _LATER else ""
    rest = f"then {', '.join(later[:_LATER])}{more}" if later else "no more patches"
    hidden = f"; {len(state.late)} enter later" if state.late else ""
    return text.append(f"{rest}{hidden}\n", style="dim")


def _patch_block(cursor: Cursor, patch: Patch, chosen: bool) -> list[Text]:
    mover = cursor.state.players[cursor.state.to_move]
    style = "bold" if patch.cost <= mover.buttons else "dim"
    mark = ">" if chosen else " "
    shape = all_orientations(patch.shape)[cursor.turn if chosen else 0]
    title = Text(f"{mark}{patch.id}: {_price(patch)}", style=style)
    return [title, *(Text(f"  {row.replace('.', ' ')}", style=style) for row in shape_rows(shape))]


def _price(patch: Patch) -> str:
    """Return cost in buttons, time in spaces, and income."""
    return f"{patch.cost}b {patch.time}t +{patch.income}"


def _about(cursor: Cursor) -> Text:
    """Say what Enter would play, or why it cannot be."""
    written = action_text(cursor.action, cursor.state.edition)
    problem = cursor.problem
    if problem:
        return Text(f"{written}: {problem}\n", style="red")
    return Text(f"Enter plays {written}{_cost(cursor)}\n", style="green")


def _cost(cursor: Cursor) -> str:
    """Say what is left of the buttons, and where the token goes."""
    state = cursor.state
    seat = state.to_move
    after = state.apply(cursor.action).players[seat]
    before = state.players[seat]
    return (
        f" ({before.buttons} → {after.buttons} buttons, +{before.income} → +{after.income},"
        f" space {before.space} → {after.space})"
    )
