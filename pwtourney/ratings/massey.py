"""By how much a bot would win against an average one: least squares on the margins.

K. Massey, "Statistical models applied to the rating of sports teams", 1997: the margin of a game
is r_first − r_second + h, with h what the first seat is worth. Errors are clustered by deal,
as those of the ratings are. It is told beside the ratings, because bots play to win.
"""

from typing import NamedTuple

import numpy as np

from pwtourney.ratings.bradley_terry import Floats
from pwtourney.ratings.covariance import clustered_meat
from pwtourney.ratings.games import NO_MARGIN, Columns, Ints
from pwtourney.ratings.significance import interval_factor

__all__ = ["Massey", "massey"]


class Massey(NamedTuple):
    """A bot's rating in points of the game, with half of its 95 % interval (None if unknown)."""

    points: float
    plus_minus: float | None


def massey(columns: Columns) -> list[Massey | None]:
    """Rate the bots of one component; None for all if their margins do not join them."""
    n = len(columns.bots)
    ended = columns.margin != NO_MARGIN
    first, second = columns.first[ended], columns.second[ended]
    margin, deal = columns.margin[ended].astype(np.float64), columns.deal[ended]
    normal, seat_term = _normal_equations(first, second, n)
    if normal is None:
        return [None] * n
    right = np.bincount(first, margin, n + 1) - np.bincount(second, margin, n + 1)
    right[n] = margin.sum() if seat_term else 0.0
    inverse = np.asarray(np.linalg.inv(normal), np.float64)
    solved = inverse @ right
    ratings = solved[:n] - solved[:n].mean()
    left = margin - (solved[first] - solved[second] + solved[n])
    spread = _spread(inverse, clustered_meat(deal, first, second, left, n, seat_term))
    factor = interval_factor(len(np.unique(deal)))
    return [
        Massey(float(rating), float(factor * error) if error > 0 else None)
        for rating, error in zip(ratings, spread, strict=True)
    ]


def _normal_equations(first: Ints, second: Ints, n: int) -> tuple[Floats | None, bool]:
    """Return the matrix, and whether what the first seat is worth can be told beside the bots."""
    games = np.bincount(first * n + second, minlength=n * n).reshape(n, n).astype(np.float64)
    both = games + games.T
    normal = np.zeros((n + 1, n + 1))
    normal[:n, :n] = np.diag(both.sum(axis=1)) - both + 1.0  # + 1: all ratings moved together
    normal[:n, n] = normal[n, :n] = games.sum(axis=1) - games.sum(axis=0)
    normal[n, n] = games.sum()
    if np.linalg.matrix_rank(normal[:n, :n], hermitian=True) < n:
        return None, False
    if np.linalg.matrix_rank(normal, hermitian=True) == n + 1:
        return normal, True
    normal[:n, n] = normal[n, :n] = 0.0
    normal[n, n] = 1.0
    return normal, False


def _spread(inverse: Floats, meat: Floats | None) -> Floats:
    """Return the standard errors of the ratings relative to their mean; NaN if unknown."""
    n = len(inverse) - 1
    if meat is None:
        return np.full(n, np.nan)
    centre = np.eye(n + 1)
    centre[:n, :n] -= 1 / n
    bread = centre @ inverse
    errors: Floats = np.sqrt(np.maximum(np.diag(bread @ meat @ bread.T), 0.0))[:n]
    return errors
