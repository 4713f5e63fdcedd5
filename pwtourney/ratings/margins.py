"""By how much bots win and lose: means with intervals clustered by deal.

Margins are told beside ratings and never enter them: bots play to win, not to win by much.
"""

from typing import NamedTuple

import numpy as np

from pwtourney.ratings.covariance import clustered_mean, group_by_bot
from pwtourney.ratings.games import NO_MARGIN, Columns, Ints

__all__ = ["Margin", "margins"]


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


def margins(columns: Columns) -> list[Margin | None]:
    """Return the margins of every bot, in their order; None for one without such games."""
    ended = columns.margin != NO_MARGIN
    bot = np.concatenate([columns.first[ended], columns.second[ended]])
    margin = np.concatenate([columns.margin[ended], -columns.margin[ended]])
    deal = np.concatenate([columns.deal[ended]] * 2)
    seats = np.repeat([0, 1], len(margin) // 2)
    grouped = group_by_bot(len(columns.bots), bot, np.stack([margin, seats], axis=1), deal)
    return [
        _margin(values[:, 0], values[:, 1], on) if len(values) else None for values, on in grouped
    ]


def _margin(margin: Ints, seat: Ints, deal: Ints) -> Margin:
    mean, spread = clustered_mean(margin, deal)
    first, second = (
        float(margin[seat == each].mean()) if (seat == each).any() else None for each in (0, 1)
    )
    tied = float((margin == 0).mean())
    return Margin(len(margin), mean, spread, float(np.median(margin)), first, second, tied)
