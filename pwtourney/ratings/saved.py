"""What playing each deal from both sides is worth."""

import numpy as np

from pwtourney.ratings.games import Columns

__all__ = ["saved_by_pairs"]


def saved_by_pairs(columns: Columns) -> float | None:
    """Return the share of the variance that playing each deal twice, seats swapped, takes away.

    The variance of the points in whole pairs, within pairings, over that of two games with the
    same mean that have nothing to do with each other. Below 0 if pairs cost; None if unknown.
    """
    n = len(columns.bots)
    low, high = np.minimum(columns.first, columns.second), np.maximum(columns.first, columns.second)
    share = np.where(columns.first == low, columns.halves, 2 - columns.halves) / 2
    whole = np.bincount(columns.pair, minlength=columns.pairs) == 2
    total = np.bincount(columns.pair, share, columns.pairs)[whole]
    pairing = np.zeros(columns.pairs, np.int64)
    pairing[columns.pair] = low * n + high
    _, place = np.unique(pairing[whole], return_inverse=True)
    size = np.bincount(place)
    mean = np.bincount(place, total) / np.maximum(size, 1)
    seen = float(((total - mean[place]) ** 2).sum())
    alone = float(((size - 1) * mean * (1 - mean / 2)).sum())
    return 1 - seen / alone if alone > 0 else None
