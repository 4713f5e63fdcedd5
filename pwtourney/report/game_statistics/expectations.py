"""The final margins that bots expected in their games, from their own ``info score``."""

from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import NamedTuple

from pwtourney.notation.game import Game
from pwtourney.notation.info import parse_score

__all__ = [
    "QUARTERS",
    "Expectation",
    "Fall",
    "Statement",
    "change_by_quarter",
    "find_largest_fall",
    "list_statements",
]

QUARTERS = 4
"""The number of equal parts of the track."""


class Statement(NamedTuple):
    """The final margin, in points, that a bot expected with its ply of this number, from 1."""

    ply: int
    margin: float


class Fall(NamedTuple):
    """The largest fall of a bot's expectation in a game, in points.

    `ply` is the number of its ply with which the bot expected `after`, or of the last ply if
    `after` is the result. `before` is what it expected with its ply before, if it said so then.
    """

    ply: int
    before: float
    after: float

    @property
    def points(self) -> float:
        """By how many points the expectation fell."""
        return self.before - self.after


class Expectation(NamedTuple):
    """What a bot expected in games that it lost, as means over those `games`, in points.

    Only games count in which it said a margin at least once. `first` is the first margin that it
    expected. `changes` are the changes of its expectation by the quarter of the track on which its
    token stood when it said the new one; the change from its last one to the result belongs to the
    last quarter.
    """

    games: int
    first: float
    changes: tuple[float, ...]

    @property
    def steps(self) -> tuple[float, ...]:
        """The expectation at first and after each quarter; the last one is the mean result."""
        return tuple(accumulate(self.changes, initial=self.first))


def list_statements(game: Game, seat: int) -> list[Statement]:
    """Return the margins that the bot in a seat expected, from its own view."""
    scores = (
        (number, parse_score(ply.info))
        for number, ply in enumerate(game.plies, 1)
        if ply.info and ply.seat == seat
    )
    return [Statement(number, score) for number, score in scores if score is not None]


def find_largest_fall(game: Game, seat: int) -> Fall | None:
    """Return the largest fall in a game, the first of equal ones.

    Returns None if the bot expected no margin, or if its expectation never fell.
    """
    result = Statement(len(game.plies), game.scores[seat] - game.scores[1 - seat])
    falls = [
        Fall(after.ply, before.margin, after.margin)
        for before, after in pairwise((*list_statements(game, seat), result))
        if after.margin < before.margin
    ]
    return max(falls, key=lambda fall: fall.points, default=None)


def change_by_quarter(
    statements: Sequence[Statement], spaces: Sequence[int], last_space: int, margin: float
) -> list[float]:
    """Return the changes of an expectation by quarter of the track; see `Expectation`.

    `spaces` are those before each ply of the game, and `margin` is its result from the bot's view.
    At least one statement is needed.
    """
    changes = [0.0] * QUARTERS
    for before, after in pairwise(statements):
        quarter = QUARTERS * spaces[after.ply - 1] // last_space
        # a special patch may be placed on the last space
        changes[min(quarter, QUARTERS - 1)] += after.margin - before.margin
    changes[-1] += margin - statements[-1].margin
    return changes
