"""One entry of a schedule, and what came of it."""

from collections.abc import Sequence
from typing import NamedTuple

__all__ = ["History", "Meeting", "Pairing", "Played", "PairPoints"]

Meeting = tuple[str, str]
"""Two bots that are to play a pair; the one that is named first has seat 0 in its first game."""

PairPoints = tuple[float | None, float | None]
"""What the bot that is named first got in the first and the second game: 0, ½, 1, None if void."""


class Pairing(NamedTuple):
    """A mirrored pair to be played.

    `number` counts all pairs of the tournament from 0; `first` has seat 0 in the first of its
    two games. Pairs with the same `deal` number share a deal.
    """

    number: int
    first: str
    second: str
    deal: int


class Played(NamedTuple):
    """A pair that has ended."""

    pairing: Pairing
    points: PairPoints

    @property
    def total(self) -> float | None:
        """The points of the bot that is named first, 0 to 2; None if a game is void."""
        one, two = self.points
        return None if one is None or two is None else one + two


History = Sequence[Played]
"""Pairs that have ended, in the order of the schedule, with none left out."""
