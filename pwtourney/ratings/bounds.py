"""One-sided bounds for bots whose rating has no finite estimate: never lost, or never won."""

import math

import numpy as np

from pwtourney.ratings.counts import Counts
from pwtourney.ratings.fit import NATURAL, Fit

__all__ = ["perfect_score_bound"]

_LEVEL = math.log(0.05)


def perfect_score_bound(counts: Counts, fitted: Fit, group: frozenset[int], *, won: bool) -> float:
    """Return how far, in Elo, a group's ratings may move from the fit before 5 % is reached.

    The group won (or lost) every game against the others. The bound is the shift of all its
    ratings at which such a record would have had a chance of exactly 5 %, the other ratings held
    fixed: the exact one-sided 95 % bound for a perfect score.
    """
    inside = np.array([each in group for each in range(len(counts.bots))])
    crossing = inside[counts.first] != inside[counts.second]
    sign = np.where(inside[counts.first[crossing]], 1.0, -1.0)
    difference = fitted.theta[counts.first] - fitted.theta[counts.second] + fitted.gamma
    ahead = sign * difference[crossing]
    games = counts.games[crossing]
    direction = 1.0 if won else -1.0

    def log_chance(shift: float) -> float:
        return float(-(games * np.logaddexp(0.0, -direction * (ahead + shift))).sum())

    low, high = -100.0, 100.0
    for _ in range(200):
        middle = (low + high) / 2
        if (log_chance(middle) < _LEVEL) == won:
            low = middle
        else:
            high = middle
    return (low + high) / 2 / NATURAL
