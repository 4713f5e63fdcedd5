"""By how much bots win and lose: means with intervals clustered on the circle.

Margins are told beside ratings and never enter them: bots play to win, not to win by much.
"""

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from pwtourney.ratings.columns import NO_MARGIN, Columns, Ints
from pwtourney.ratings.covariance import interval_factor

__all__ = ["Margin", "margins"]


class Margin(NamedTuple):
    """The margins of one bot in games that were played to their end, from its side.

    `plus_minus` is half of the 95 % interval of the mean, None with fewer than two circles.
    """

    games: int
    mean: float
    plus_minus: float | None
    median: float


def margins(columns: Columns) -> list[Margin | None]:
    """Return the margins of every bot, in their order; None for one without such games."""
    ended = columns.margin != NO_MARGIN
    bot = np.concatenate([columns.first[ended], columns.second[ended]])
    margin = np.concatenate([columns.margin[ended], -columns.margin[ended]])
    circle = np.concatenate([columns.circle[ended]] * 2)
    order = np.lexsort((circle, bot))
    bot, margin, circle = bot[order], margin[order], circle[order]
    edges = np.searchsorted(bot, np.arange(len(columns.bots) + 1))
    parts = [slice(int(a), int(b)) for a, b in pairwise(edges)]
    return [_margin(margin[part], circle[part]) for part in parts]


def _margin(margin: Ints, circle: Ints) -> Margin | None:
    games = len(margin)
    if not games:
        return None
    mean = float(margin.mean())
    _, cluster = np.unique(circle, return_inverse=True)
    sums = np.bincount(cluster, margin - mean)
    count = len(sums)
    spread = None
    if count > 1:
        error = float(np.sqrt((sums**2).sum() * count / (count - 1))) / games
        spread = interval_factor(count) * error
    return Margin(games, mean, spread, float(np.median(margin)))
