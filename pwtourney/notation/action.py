"""The text of an action: one word, such as ``advance``, ``12:r90:b4`` or ``leather:e5``."""

from pwtourney.errors import IllegalActionError, NotationError
from pwtourney.notation.token import parse_number, parse_square, quote
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

__all__ = ["action_text", "parse_action", "read_action"]

_ORIENTATION_NUMBERS = {name: number for number, name in enumerate(ORIENTATIONS)}


def action_text(action: Action, edition: Edition) -> str:
    """Write an action in its canonical spelling."""
    if action.kind == "take":
        square = square_name(action.square, edition.columns)
        return f"{action.patch}:{ORIENTATIONS[action.orientation]}:{square}"
    if action.kind == "leather":
        return f"leather:{square_name(action.square, edition.columns)}"
    return action.kind


def parse_action(text: str, edition: Edition) -> Action:
    """Read an action, whatever the position; raises `NotationError`.

    Every spelling that covers the same squares gives the same, canonical action.
    """
    if text == "advance":
        return ADVANCE
    if text == "decline":
        return DECLINE
    parts = text.split(":")
    if len(parts) == 2 and parts[0] == "leather":
        return leather(parse_square(parts[1], edition))
    if len(parts) != 3:
        raise NotationError(
            f"{quote(text)} is not an action: write advance, 12:r90:b4, leather:e5 or decline"
        )
    number, orientation, square = parts
    return _parse_taking(number, orientation, square, edition)


def read_action(text: str, state: State) -> Action:
    """Read an action that is legal in a position.

    Raises `NotationError` for a text that is no action at all, `IllegalActionError` for one that
    is not legal now, each with the token and the reason.
    """
    action = parse_action(text, state.edition)
    reason = why_illegal(state, action)
    if reason:
        raise IllegalActionError(f"{quote(text)}: {reason}")
    return action


def _parse_taking(number: str, orientation: str, square: str, edition: Edition) -> Action:
    patch = parse_number(number, "the number of a patch")
    if orientation not in _ORIENTATION_NUMBERS:
        names = " ".join(ORIENTATIONS)
        raise NotationError(f"{quote(orientation)} is not an orientation; they are {names}")
    corner = parse_square(square, edition)
    turned = _ORIENTATION_NUMBERS[orientation]
    if patch in edition.patch:
        turned = edition.aliases[patch][turned]
    return take(patch, turned, corner)
