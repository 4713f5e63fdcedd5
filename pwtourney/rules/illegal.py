"""Why an action is not legal, in words a bot's author can act on."""

from pwtourney.rules.action import ADVANCE, DECLINE, Action
from pwtourney.rules.geometry import ORIENTATIONS, set_bits, square_name
from pwtourney.rules.position import Position

__all__ = ["why_illegal"]


def why_illegal(state: Position, action: Action) -> str:
    """Return the first rule that forbids the action here; an empty text means it is legal."""
    if state.is_over:
        return "the game is over"
    if action.kind in ("leather", "decline"):
        return _why_not_special(state, action)
    if state.pending:
        return "a special patch must be placed first"
    if action.kind == "take":
        return _why_not_take(state, action)
    return "" if action == ADVANCE else f"{action.kind!r} is not a kind of action"


def _why_not_special(state: Position, action: Action) -> str:
    if not state.pending:
        return "there is no special patch to place"
    if action.kind == "decline":
        if not state.edition.declining:
            return "this edition does not allow a special patch to be declined"
        return "" if action == DECLINE else "declining takes no square"
    edition = state.edition
    if action.patch or action.orientation:
        return "a special patch has no number and no orientation"
    if not 0 <= action.square < edition.rows * edition.columns:
        return "the square is outside the board"
    if state.players[state.to_move].quilt >> action.square & 1:
        return f"{square_name(action.square, edition.columns)} is already covered"
    return ""


def _why_not_take(state: Position, action: Action) -> str:
    edition, player = state.edition, state.players[state.to_move]
    patch = edition.patch.get(action.patch)
    if patch is None:
        return f"the edition {edition.name} has no patch {action.patch}"
    if action.patch not in state.offer:
        offer = ", ".join(map(str, state.offer)) or "none"
        return f"patch {action.patch} is not among those on offer ({offer})"
    if patch.cost > player.buttons:
        return (
            f"patch {action.patch} costs {patch.cost} {edition.currency}"
            f" and you have {player.buttons}"
        )
    lay = edition.lays[action.patch].get(action.orientation)
    if lay is None:
        return f"orientation {action.orientation} of patch {action.patch} is not a canonical one"
    if not action.square >= 0 or not lay.fits >> action.square & 1:
        return f"patch {action.patch} turned {ORIENTATIONS[lay.number]} reaches outside the board"
    covered = player.quilt & lay.mask << action.square
    if covered:
        squares = " ".join(square_name(square, edition.columns) for square in set_bits(covered))
        return f"patch {action.patch} overlaps another patch at {squares}"
    return ""
