"""Means of what was observed on deals, which are not independent within one."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pwtourney.ratings.covariance import numbered
from pwtourney.ratings.games import Ints
from pwtourney.ratings.significance import interval_factor

__all__ = ["by_bot", "clustered_mean"]

Values = NDArray[Any]


def by_bot(bots: int, bot: Ints, values: Values, deal: Ints) -> Iterator[tuple[Values, Ints]]:
    """Yield the values of each bot, in the order of the bots, with the deal of each value."""
    order = np.lexsort((deal, bot))
    edges = np.searchsorted(bot[order], np.arange(bots + 1))
    for start, stop in pairwise(edges.tolist()):
        part = order[start:stop]
        yield values[part], deal[part]


def clustered_mean(values: Values, deal: Ints) -> tuple[float, float | None]:
    """Return the mean of some values and half of its 95 % interval, None with fewer deals than 2.

    The values are sorted by deal. The variance of the mean of N values on G deals is
    G/(G − 1) Σ S² / N², with S the sum of a deal's residuals.
    """
    mean = float(values.mean())
    cluster, count = numbered(deal)
    sums = np.bincount(cluster, values - mean)
    if count < 2:
        return mean, None
    error = float(np.sqrt((sums**2).sum() * count / (count - 1))) / len(values)
    return mean, interval_factor(count) * error
