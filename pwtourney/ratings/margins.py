"""By how much bots win and lose: means, and what it would be against an average bot.

Margins never enter the ratings: bots play to win, not to win by much. Intervals are clustered by
deal, as those of the ratings are.
"""

from typing import NamedTuple

import numpy as np

from pwtourney.ratings.bradley_terry import Floats
from pwtourney.ratings.games import NO_MARGIN, Columns, Ints
from pwtourney.ratings.uncertainty import (
    centring_matrix,
    clustered_mean,
    clustered_meat,
    group_by_bot,
    interval_factor,
)

__all__ = ["Margin", "Massey", "margins", "massey"]


class Margin(NamedTuple):
    """The margins of one bot in games that were played to their end, from its side.

    `plus_minus` is half of the 95 % interval of the mean, None with fewer than two deals. `first`
    and `second` are the means with that seat, None without such games; `tied` is the share of games
    with equal scores, which the tie-break decided.
    """

    games: int
    mean: float
    plus_minus: float | None
    median: float
    first: float | None = None
    second: float | None = None
    tied: float = 0.0


class Massey(NamedTuple):
    """A bot's rating in points of the game, with half of its 95 % interval (None if unknown)."""

    points: float
    plus_minus: float | None


def margins(columns: Columns) -> list[Margin | None]:
    """Return the margins of every bot, in their order; None for one without such games."""
    ended = columns.margin != NO_MARGIN
    bot = np.concatenate([columns.first[ended], columns.second[ended]])
    margin = np.concatenate([columns.margin[ended], -columns.margin[ended]])
    deal = np.concatenate([columns.deal[ended]] * 2)
    # each game stands here twice, once from the side of either bot
    seats = np.repeat([0, 1], len(margin) // 2)
    table = np.stack([margin, seats], axis=1)
    lines: list[Margin | None] = []
    for values, on in group_by_bot(len(columns.bots), bot, table, deal):
        if not len(values):
            lines.append(None)
            continue
        of_bot, seats_of_bot = values[:, 0], values[:, 1]
        mean, plus_minus = clustered_mean(of_bot, on)
        in_seats = (of_bot[seats_of_bot == seat] for seat in (0, 1))
        first, second = (float(part.mean()) if len(part) else None for part in in_seats)
        median, tied = float(np.median(of_bot)), float((of_bot == 0).mean())
        lines.append(Margin(len(of_bot), mean, plus_minus, median, first, second, tied))
    return lines


def massey(columns: Columns) -> list[Massey | None]:
    """Rate the bots of one component by least squares; None for all if margins do not join them.

    K. Massey, "Statistical models applied to the rating of sports teams", 1997: the margin of a
    game is r_first − r_second + h, with h what the first seat is worth.
    """
    n = len(columns.bots)
    ended = columns.margin != NO_MARGIN
    first, second = columns.first[ended], columns.second[ended]
    margin, deal = columns.margin[ended].astype(np.float64), columns.deal[ended]
    normal, seat_term = _normal_equations(first, second, n)
    if normal is None:
        return [None] * n
    right = np.bincount(first, margin, n + 1) - np.bincount(second, margin, n + 1)
    # its equation is replaced by h = 0 where the seat cannot be told
    right[n] = margin.sum() if seat_term else 0.0
    inverse = np.asarray(np.linalg.inv(normal), np.float64)
    solved = inverse @ right
    ratings = solved[:n] - solved[:n].mean()
    # the errors of ordinary least squares would take the games of a deal for independent
    left = margin - (solved[first] - solved[second] + solved[n])
    meat = clustered_meat(deal, first, second, left, n, seat_term)
    if meat is None:
        return [Massey(float(rating), None) for rating in ratings]
    bread = centring_matrix(n) @ inverse
    # rounding may leave a variance of nothing below 0
    errors = np.sqrt(np.maximum(np.diag(bread @ meat @ bread.T), 0.0))[:n]
    factor = interval_factor(len(np.unique(deal)))
    return [
        Massey(float(rating), float(factor * error) if error > 0 else None)
        for rating, error in zip(ratings, errors, strict=True)
    ]


def _normal_equations(first: Ints, second: Ints, n: int) -> tuple[Floats | None, bool]:
    """Return the matrix, and whether what the first seat is worth can be told beside the bots."""
    games = np.bincount(first * n + second, minlength=n * n).reshape(n, n).astype(np.float64)
    both = games + games.T
    normal = np.zeros((n + 1, n + 1))
    normal[:n, :n] = np.diag(both.sum(axis=1)) - both
    normal[:n, :n] += 1.0  # else the matrix is singular: all ratings moved together change nothing
    normal[:n, n] = normal[n, :n] = games.sum(axis=1) - games.sum(axis=0)
    normal[n, n] = games.sum()
    if np.linalg.matrix_rank(normal[:n, :n], hermitian=True) < n:
        return None, False
    # where the seats of two bots never change, what the seat is worth goes with their difference
    if np.linalg.matrix_rank(normal, hermitian=True) == n + 1:
        return normal, True
    normal[:n, n] = normal[n, :n] = 0.0
    normal[n, n] = 1.0
    return normal, False
