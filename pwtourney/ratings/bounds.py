"""One-sided bounds for bots whose rating has no finite estimate: never lost, or never won."""

import math

import numpy as np

from pwtourney.ratings.bradley_terry import Counts, Floats
from pwtourney.ratings.groups import Stratum

__all__ = ["perfect_score_bound"]

_LEVEL = math.log(0.05)


def perfect_score_bound(
    counts: Counts, theta: Floats, gamma: float, main: Stratum, group: Stratum
) -> float | None:
    """Return how far a group's ratings are above (below) those of the main group, at least.

    The group won (or lost) every game against the main one. The bound is the shift of all its
    ratings at which such a record would have had a chance of 5 %, those of the main group held
    fixed. The games of a deal are not independent, so a deal counts as its hardest game: that
    is the most that its games can have been won together. None without such games. In natural
    units; `theta` holds ratings relative to those of each bot's own group.
    """
    side = np.zeros(len(counts.bots), np.int64)
    side[list(group.members)] = 1
    side[list(main.members)] = -1
    crossing = side[counts.first] * side[counts.second] == -1
    if not crossing.any():
        return None
    first, second = counts.first[crossing], counts.second[crossing]
    ahead = side[first] * (theta[first] - theta[second] + gamma)
    up = 1.0 if group.bound == ">" else -1.0
    _, deal = np.unique(counts.deal[crossing], return_inverse=True)

    def log_chance(shift: float) -> float:
        won = -np.logaddexp(0.0, -up * (ahead + shift))
        hardest = np.zeros(int(deal.max()) + 1)
        np.minimum.at(hardest, deal, won)
        return float(hardest.sum())

    low, high = -100.0, 100.0
    for _ in range(200):
        middle = (low + high) / 2
        if (log_chance(middle) < _LEVEL) == (up > 0):
            low = middle
        else:
            high = middle
    return (low + high) / 2
