"""Single words: numbers, lists of numbers, squares, actions, and cards of the Automa.

An action is one word, such as ``advance``, ``12:r90:b4`` or ``leather:e5``. Everything is parsed
strictly. Python's own `int` accepts more than the notation does (other scripts' digits,
underscores, signs, any length), so every character is checked before `int` is called.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from pwtourney.errors import IllegalActionError, NotationError
from pwtourney.rules import (
    ADVANCE,
    DECLINE,
    ORIENTATIONS,
    Action,
    Edition,
    State,
    leather,
    square_name,
    take,
    why_illegal,
)

if TYPE_CHECKING:  # bots import this module and never see the Automa's cards
    from pwtourney.rules.automa import AutomaTurn

__all__ = [
    "ABSENT",
    "action_text",
    "card_text",
    "is_card",
    "number_list",
    "parse_action",
    "parse_number",
    "parse_numbers",
    "parse_square",
    "quote",
    "read_action",
]

ABSENT = "-"
"""The text of a field that has no value."""

_CARD = "card:"
_KEPT = 16_384
"""More than the placements of any edition that comes with pwtourney."""
_DIGITS = frozenset("0123456789")
_SMALL = {str(number): number for number in range(128)}
"""Most numbers of a game: looking one up takes a fourth of the time of checking it."""
_SPELT = {number: text for text, number in _SMALL.items()}
_MAX_DIGITS = 18  # such numbers fit 64 bits, for parsers in other languages
_ORIENTATION_NUMBERS = {name: number for number, name in enumerate(ORIENTATIONS)}


def quote(text: str) -> str:
    """Quote a text for an error message: as ASCII, and truncated if it is long."""
    # the text came from a bot or a file: it must not move a cursor or fill a screen
    return ascii(text if len(text) <= 60 else text[:57] + "...")


def parse_number(token: str, what: str) -> int:
    """Parse a whole number of at most 18 ASCII digits without leading zeros."""
    known = _SMALL.get(token)
    if known is not None:
        return known
    if not token or len(token) > _MAX_DIGITS or not _DIGITS.issuperset(token):
        raise NotationError(f"{what} must be a whole number, not {quote(token)}")
    # each number has one spelling, or a text that is parsed and written again would differ
    if token[0] == "0" and token != "0":
        raise NotationError(f"{what} must not begin with a zero: {quote(token)}")
    return int(token)


def number_list(numbers: Sequence[int]) -> str:
    """Return numbers as text with commas between, ``-`` for none."""
    try:
        return ",".join(map(_SPELT.__getitem__, numbers)) or ABSENT
    except KeyError:
        return ",".join(map(str, numbers))


def parse_numbers(token: str, what: str) -> tuple[int, ...]:
    """Parse the format of `number_list`."""
    if token == ABSENT:
        return ()
    return tuple(parse_number(number, what) for number in token.split(","))


def parse_square(token: str, edition: Edition) -> int:
    """Parse a square such as ``b4`` on the edition's board."""
    column = ord(token[0]) - ord("a") if token else -1
    if not 0 <= column < 26 or not token.isascii():
        raise NotationError(f"a square is a column letter and a row number, not {quote(token)}")
    row = parse_number(token[1:], f"the row of the square {quote(token)}") - 1
    if not (column < edition.columns and 0 <= row < edition.rows):
        board = f"{edition.rows} rows and {edition.columns} columns"
        raise NotationError(f"the square {quote(token)} is not on a board of {board}")
    return row * edition.columns + column


def action_text(action: Action, edition: Edition) -> str:
    """Return an action in its canonical spelling."""
    kind = action.kind
    if kind in ("take", "leather"):
        return _placement_text(action, edition.columns)
    return kind


@lru_cache(maxsize=_KEPT)
def _placement_text(action: Action, columns: int) -> str:
    square = square_name(action.square, columns)
    if action.kind == "leather":
        return f"leather:{square}"
    return f"{action.patch}:{ORIENTATIONS[action.orientation]}:{square}"


def parse_action(text: str, edition: Edition) -> Action:
    """Parse an action, whatever the position; raises `NotationError`.

    All spellings that cover the same squares give the same, canonical action.
    """
    if text == "advance":
        return ADVANCE
    if text == "decline":
        return DECLINE
    return _parse_placement(text, edition)


# Bots write the same words again and again. Only well-formed words are cached, which are short.
@lru_cache(maxsize=_KEPT)
def _parse_placement(text: str, edition: Edition) -> Action:
    """Parse an action that places a patch."""
    parts = text.split(":")
    if len(parts) == 2 and parts[0] == "leather":
        return leather(parse_square(parts[1], edition))
    if len(parts) != 3:
        raise NotationError(
            f"{quote(text)} is not an action: write advance, 12:r90:b4, leather:e5 or decline"
        )
    patch = parse_number(parts[0], "the number of a patch")
    if parts[1] not in _ORIENTATION_NUMBERS:
        names = " ".join(ORIENTATIONS)
        raise NotationError(f"{quote(parts[1])} is not an orientation; they are {names}")
    square = parse_square(parts[2], edition)
    orientation = _ORIENTATION_NUMBERS[parts[1]]
    # an unknown patch is well-formed: `why_illegal` reports it
    if patch in edition.patch:
        orientation = edition.aliases[patch][orientation]
    return take(patch, orientation, square)


def read_action(text: str, state: State) -> Action:
    """Parse an action that is legal in a position.

    Raises `NotationError` for a text that is not an action, and `IllegalActionError` for one that
    is not legal now, each with the token and the reason.
    """
    action = parse_action(text, state.edition)
    reason = why_illegal(state, action)
    if reason:
        raise IllegalActionError(f"{quote(text)}: {reason}")
    return action


def card_text(turn: "AutomaTurn") -> str:
    """Return a turn of the Automa as text, ``card:NUMBER:PATCH`` or ``card:NUMBER:pass``."""
    return f"{_CARD}{turn.card.number}:{'pass' if turn.patch is None else turn.patch}"


def is_card(action: str) -> bool:
    """Return True if the text of a ply is a turn of the Automa rather than an action of a bot."""
    return action.startswith(_CARD)
