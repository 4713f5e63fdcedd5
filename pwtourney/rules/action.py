"""The actions of a player, as values."""

from typing import NamedTuple

__all__ = ["ADVANCE", "DECLINE", "Action", "leather", "take"]


class Action(NamedTuple):
    """One action. `kind` is ``advance``, ``take``, ``leather`` or ``decline``.

    To take a patch, `patch` is its id, `orientation` the number of the orientation (the lowest of
    those that give the shape, so that placements covering the same squares are equal) and `square`
    the top-left corner of the bounding box. A special patch uses only `square`.
    """

    kind: str
    patch: int = 0
    orientation: int = 0
    square: int = 0


ADVANCE = Action("advance")
DECLINE = Action("decline")


def take(patch: int, orientation: int, square: int) -> Action:
    """Return the action that takes a patch and places it."""
    return Action("take", patch, orientation, square)


def leather(square: int) -> Action:
    """Return the action that places a special patch on one square."""
    return Action("leather", 0, 0, square)
