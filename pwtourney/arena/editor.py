"""A position put together field by field: its text, or what is wrong with it."""

from collections.abc import Mapping
from typing import Any

from pwtourney.arena.study import Study, read_position
from pwtourney.errors import NotationError
from pwtourney.notation import parse_number, position_text
from pwtourney.notation.words import ABSENT, number_list
from pwtourney.rules import Edition, Player, State

__all__ = ["compose_position", "describe_edited"]

_NUMBERS = ("buttons", "income", "space")


def compose_position(values: Mapping[str, Any], edition: Edition) -> str:
    """Return the text of a position from the values of a form; what they mean is judged elsewhere.

    ``players`` are by seat: ``quilt`` (a list of 0 and 1, row by row), ``buttons``, ``income`` and
    ``space`` as they were typed. ``toMove``, ``pending`` and ``tile`` (null for nobody) as well;
    ``circle`` is a list of patches, and ``late`` says whether the late ones have yet to enter.
    Raises `NotationError` if something of that is missing.
    """
    try:
        players = [values["players"][seat] for seat in (0, 1)]
        quilts = [_read_quilt(player["quilt"], edition) for player in players]
        numbers = [[_word(player[key]) for key in _NUMBERS] for player in players]
        tile = values["tile"]
        circle = number_list(int(patch) for patch in values["circle"])
        to_move, pending, late = _word(values["toMove"]), _word(values["pending"]), values["late"]
    except (KeyError, IndexError, TypeError, ValueError) as error:
        raise NotationError("the form of the position is not complete") from error
    spaces = [parse_number(numbers[seat][2], f"the space of seat {seat}") for seat in (0, 1)]
    # what follows from the rest is not asked for
    front = min(max(spaces), edition.last_space)
    drawn = [Player(quilt, 0, 0, 0) for quilt in quilts]
    blank = State(edition, (drawn[0], drawn[1]), (), (), 0, 0, None)
    fields = position_text(blank).split(" ")
    fields[1:4], fields[5:8] = numbers[0], numbers[1]
    waiting = len(edition.late.patches) if edition.late and late else 0
    fields[8:] = [
        *(to_move, pending, number_list(edition.leathers_ahead[front])),
        *(ABSENT if tile is None else _word(tile), circle),
        f"?{waiting}" if waiting else ABSENT,
    ]
    return " ".join(fields)


def describe_edited(text: str, edition: Edition) -> dict[str, Any]:
    """Return a position as a page shows it, with how many actions are legal.

    Raises `NotationError` with what forbids the position.
    """
    point = Study.of_position(read_position(text, edition)).root
    return point.describe() | {"legal": len(point.legal)}


def _read_quilt(marks: Any, edition: Edition) -> int:
    if len(marks) != edition.rows * edition.columns:
        raise ValueError("a quilt has another number of squares")
    return sum(1 << square for square, mark in enumerate(marks) if mark)


def _word(value: Any) -> str:
    """Return what was typed, without the blanks around it; one word, as fields of a text are."""
    return "".join(str(value).split()) or "nothing"
