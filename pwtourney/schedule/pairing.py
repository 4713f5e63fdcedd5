"""One entry of a schedule."""

from typing import NamedTuple

__all__ = ["Pairing"]


class Pairing(NamedTuple):
    """A mirrored pair to be played.

    `number` counts all pairs of the tournament from 0; `first` has seat 0 in the first of its
    two games.
    """

    number: int
    first: str
    second: str
