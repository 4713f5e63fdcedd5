"""Compose a position from the fields of a form, and report what is wrong with it."""

import re
from collections.abc import Collection, Mapping
from typing import Any

from pwtourney.arena.analyse.changes import apply_change
from pwtourney.arena.analyse.form import (
    MOST_DIGITS,
    NUMBERS,
    Form,
    pack_quilt,
    read_form,
    read_quilt,
)
from pwtourney.arena.analyse.study import Study, read_position
from pwtourney.errors import NotationError
from pwtourney.notation import position_text
from pwtourney.notation.game import SEATS
from pwtourney.notation.marks import Marks, placed_text
from pwtourney.notation.words import ABSENT, number_list
from pwtourney.rules import Edition, Player, State

__all__ = ["check_form", "compose_position", "describe_edited"]

_News = Mapping[str, tuple[str | None, str | None]]
"""The old and the new values of fields, by their names."""

_INCOMPLETE = "the form of the position is not complete"
_MALFORMED = (KeyError, IndexError, TypeError, ValueError, OverflowError)


def check_form(values: Mapping[str, Any], edition: Edition) -> dict[str, Any]:
    """Return the position that a form describes, or the ``problem`` why there is none.

    If the form has a ``change``, apply it first (`apply_change`), and add the ``values`` of the
    form after it; a change that is impossible is a ``misfit``. Fields that are named in ``typed``,
    such as ``buttons:0`` of the first seat or ``pending``, keep what the reader has typed: what
    would follow for them is ``suggested``. ``said`` has what was filled in, ``kept`` what was not.
    """
    changed: dict[str, Any] = {}
    if "change" in values:
        try:
            changed = _change(values, edition)
        except NotationError as error:
            return {"misfit": str(error)}
    try:
        text = compose_position(changed.get("values", values), edition)
        return changed | describe_edited(text, edition)
    except NotationError as error:  # an expected answer, not a failed request
        return changed | {"problem": str(error)}


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
        first, second = (read_quilt(player["quilt"], edition) for player in players)
        typed = [[str(player[key]) for key in NUMBERS] for player in players]
        to_move = int(values["toMove"])
        tile = None if values["tile"] is None else int(values["tile"])
        circle = number_list([int(patch) for patch in values["circle"]])
        pending, late = str(values["pending"]), values["late"]
    except _MALFORMED as error:
        raise NotationError(_INCOMPLETE) from error
    numbers = [
        [
            _read_number(value, f"the {key} of the {seat} seat")
            for key, value in zip(NUMBERS, row, strict=True)
        ]
        for seat, row in zip(SEATS, typed, strict=True)
    ]
    # the form has no fields for values that follow from the others
    front = min(max(row[-1] for row in numbers), edition.last_space)
    drawn = [Player(pack_quilt(marks), 0, 0, 0) for marks in (first, second)]
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


def _read_number(typed: str, what: str) -> int:
    """Return the number that a user typed, ignoring blanks.

    Raises `NotationError` with what to type if it is empty, too large or not a whole number.
    """
    digits = "".join(typed.split())
    if not digits:
        raise NotationError(f"type a number for {what}")
    if not (digits.isascii() and digits.isdecimal()):
        raise NotationError(f"type {what} as a whole number from 0, with the digits 0 to 9")
    if len(digits) > MOST_DIGITS:
        raise NotationError(f"the number for {what} is too large: no game comes to it")
    return int(digits)


def _change(values: Mapping[str, Any], edition: Edition) -> dict[str, Any]:
    """Apply the change of a form; raises `NotationError` if it is impossible or malformed."""
    try:
        before = read_form(values, edition)
        after = apply_change(before, values["change"], edition)
        typed = {str(name) for name in values.get("typed", ())}
        return _fill_in(values, before, after, typed, edition)
    except _MALFORMED as error:
        raise NotationError(_INCOMPLETE) from error


def _fill_in(
    values: Mapping[str, Any],
    before: Form,
    after: Form,
    typed: Collection[str],
    edition: Edition,
) -> dict[str, Any]:
    """Return the values of a changed form, except for what the reader has typed."""
    old = before.numbers.list_fields() if before.numbers else {}
    new = after.numbers.list_fields() if after.numbers else {}
    news = {name: value for name, value in new.items() if value != old[name]}
    suggested = {name: value for name, value in news.items() if name in typed}
    filled = {name: value for name, value in news.items() if name not in typed}
    players = [
        {key: str(values["players"][seat][key]) for key in NUMBERS}
        | {key: filled[f"{key}:{seat}"] for key in NUMBERS if f"{key}:{seat}" in filled}
        | {"quilt": list(after.quilts[seat])}
        for seat in (0, 1)
    ]
    others = {key: filled.get(key, values[key]) for key in ("toMove", "pending", "tile")}
    form = {"players": players, "circle": list(after.circle), "late": values["late"], **others}
    collected = _find_collected(before, after, edition)
    said = _tell({name: (old[name], value) for name, value in filled.items()}, collected)
    kept = _tell({name: (old[name], value) for name, value in suggested.items()}, collected)
    return {"values": form, "said": said, "kept": kept, "suggested": suggested}


def _find_collected(before: Form, after: Form, edition: Edition) -> dict[int, int]:
    """Return the buttons that each seat has collected at the income marks that it passed."""
    if before.numbers is None or after.numbers is None:
        return {}
    passed = edition.incomes_passed
    pairs = zip(before.numbers.players, after.numbers.players, strict=True)
    return {
        seat: (passed[new.space] - passed[old.space]) * max(old.income, new.income)
        for seat, (old, new) in enumerate(pairs)
    }


def _tell(news: _News, collected: Mapping[int, int]) -> str:
    """Say which fields have other values, such as ``First seat: space 0 → 3.``, as a text."""
    sentences = []
    for seat, name in enumerate(SEATS):
        parts = []
        for key in NUMBERS:
            if f"{key}:{seat}" in news:
                old, new = news[f"{key}:{seat}"]
                gain = collected[seat] if key == "buttons" else 0
                pays = f" ({gain:+} of income)" if gain else ""
                parts.append(f"{key} {old} → {new}{pays}")
        if parts:
            sentences.append(f"{name.capitalize()} seat: {', '.join(parts)}.")
    if "pending" in news:
        sentences.append(f"Special patches to place: {news['pending'][1]}.")
    if "tile" in news:
        tile = news["tile"][1]
        owner = "Nobody" if tile is None else f"The {SEATS[int(tile)]} seat"
        sentences.append(f"{owner} has the special tile.")
    if "toMove" in news:
        sentences.append(f"The {SEATS[int(news['toMove'][1] or 0)]} seat is to move.")
    return " ".join(sentences).replace("-", "−")
