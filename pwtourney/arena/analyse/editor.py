"""Compose a position from the fields of a form, and report what is wrong with it."""

import re
from collections.abc import Mapping
from typing import Any

from pwtourney.arena.analyse.study import Study, read_position
from pwtourney.errors import NotationError
from pwtourney.notation import position_text
from pwtourney.notation.game import SEATS
from pwtourney.notation.marks import Marks, placed_text
from pwtourney.notation.words import ABSENT, number_list
from pwtourney.rules import Edition, Player, State

__all__ = ["compose_position", "describe_edited"]

_NUMBERS = ("buttons", "income", "space")
_MOST_DIGITS = 9
"""More digits than any number of a game has, and fewer than the text of a position may have."""


def compose_position(values: Mapping[str, Any], edition: Edition) -> str:
    """Return the text of a position from the values of a form, without a check by the rules.

    ``players`` has an object for each seat: ``quilt`` has the marks of the squares, row by row, as
    in `Marks`; ``buttons``, ``income`` and ``space`` are texts as the user typed them. ``toMove``
    is a seat, ``pending`` the typed number of special patches to place, ``tile`` a seat or null,
    and ``circle`` a list of patches. ``late`` says whether late patches are still to come. Raises
    `NotationError` if a value is missing, or with what the user must type instead.
    """
    try:
        players = [values["players"][seat] for seat in (0, 1)]
        first, second = (_read_marks(player["quilt"], edition) for player in players)
        typed = [[str(player[key]) for key in _NUMBERS] for player in players]
        to_move = int(values["toMove"])
        tile = None if values["tile"] is None else int(values["tile"])
        circle = number_list([int(patch) for patch in values["circle"]])
        pending, late = str(values["pending"]), values["late"]
    except (KeyError, IndexError, TypeError, ValueError, OverflowError) as error:
        raise NotationError("the form of the position is not complete") from error
    numbers = [
        [
            _read_number(value, f"the {key} of the {seat} seat")
            for key, value in zip(_NUMBERS, row, strict=True)
        ]
        for seat, row in zip(SEATS, typed, strict=True)
    ]
    # the form has no fields for values that follow from the others
    front = min(max(row[-1] for row in numbers), edition.last_space)
    drawn = [Player(_pack_quilt(marks), 0, 0, 0) for marks in (first, second)]
    blank = State(edition, (drawn[0], drawn[1]), (), (), 0, 0, None)
    fields = position_text(blank).split(" ")
    fields[1:4], fields[5:8] = (list(map(str, row)) for row in numbers)
    waiting = len(edition.late.patches) if edition.late and late else 0
    fields[8:] = [
        str(to_move),
        str(_read_number(pending, "the special patches to place")),
        number_list(edition.leathers_ahead[front]),
        ABSENT if tile is None else str(tile),
        circle,
        f"?{waiting}" if waiting else ABSENT,
    ]
    return " ".join(filter(None, [*fields, placed_text(Marks((first, second)), edition)]))


def describe_edited(text: str, edition: Edition) -> dict[str, Any]:
    """Return a position as a page shows it, with the number of legal actions.

    Raises `NotationError` with the reason if the position is invalid or impossible.
    """
    try:
        state, marks = read_position(text, edition)
    except NotationError as error:
        # the notation has the numbers of seats, pages show their names
        names = {f"seat {seat}": f"the {name} seat" for seat, name in enumerate(SEATS)}
        named = re.sub(r"\bseat [01]\b", lambda match: names[match[0]], str(error))
        raise NotationError(named) from error
    point = Study.of_position(state, marks).root
    return point.describe() | {"legal": len(point.legal)}


def _read_marks(values: Any, edition: Edition) -> tuple[int, ...]:
    marks = tuple(map(int, values))
    if len(marks) != edition.rows * edition.columns:
        raise ValueError("a quilt has another number of squares")
    return marks


def _pack_quilt(marks: tuple[int, ...]) -> int:
    """Return the covered squares as bits."""
    return sum(1 << square for square, mark in enumerate(marks) if mark)


def _read_number(typed: str, what: str) -> int:
    """Return the number that a user typed, ignoring blanks.

    Raises `NotationError` with what to type if it is empty, too large or not a whole number.
    """
    digits = "".join(typed.split())
    if not digits:
        raise NotationError(f"type a number for {what}")
    if not (digits.isascii() and digits.isdecimal()):
        raise NotationError(f"type {what} as a whole number from 0, with the digits 0 to 9")
    if len(digits) > _MOST_DIGITS:
        raise NotationError(f"the number for {what} is too large: no game comes to it")
    return int(digits)
