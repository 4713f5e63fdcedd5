"""What the first seat is worth to each bot."""

from typing import NamedTuple

import numpy as np

from pwtourney.ratings.covariance import clustered_mean, group_by_bot
from pwtourney.ratings.games import Columns

__all__ = ["SeatGain", "seat_gains"]


class SeatGain(NamedTuple):
    """How much larger a bot's share of points is with the first seat, over its whole pairs.

    `mean` is from −1 to 1; `plus_minus` half of its 95 % interval, clustered by deal, None
    with fewer than two deals.
    """

    pairs: int
    mean: float
    plus_minus: float | None


def seat_gains(columns: Columns) -> list[SeatGain | None]:
    """Return the gain of every bot, in their order; None for one without whole pairs.

    A pair is one deal against one opponent from both seats, so nothing but the seat differs. Both
    bots of a pair gain the same: what the one gets more, the other gets less in the other game.
    """
    size = np.bincount(columns.pair, minlength=columns.pairs)
    low, high = np.minimum(columns.first, columns.second), np.maximum(columns.first, columns.second)
    began = np.bincount(columns.pair, columns.first == low, columns.pairs)
    whole = (size == 2) & (began == 1)
    gain = np.bincount(columns.pair, columns.halves / 2, columns.pairs)[whole] - 1
    one, other, deal = np.zeros((3, columns.pairs), np.int64)
    one[columns.pair], other[columns.pair], deal[columns.pair] = low, high, columns.deal
    bot = np.concatenate([one[whole], other[whole]])
    gains, deals = np.concatenate([gain] * 2), np.concatenate([deal[whole]] * 2)
    return [
        SeatGain(len(values), *clustered_mean(values, on)) if len(values) else None
        for values, on in group_by_bot(len(columns.bots), bot, gains, deals)
    ]
