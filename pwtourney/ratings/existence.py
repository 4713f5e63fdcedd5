"""For which bots ratings exist, and what bounds the others: never lost, or never won.

The maximum-likelihood ratings of a Bradley–Terry model are finite exactly if every bot can be
reached from every other along "scored against" (L. R. Ford, "Solution of a ranking problem from
binary comparisons", 1957).
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pwtourney.ratings.bradley_terry import Counts, Floats

__all__ = ["Stratum", "components", "perfect_score_bound", "seat_term_exists", "strata"]

_LEVEL = math.log(0.05)


Relation = NDArray[np.bool_]
"""Who stands in some relation to whom, n × n."""


class Stratum(NamedTuple):
    """Bots (by index) that can be compared with each other by finite ratings.

    `bound` is empty for the group that the table hangs on, ``>`` for one that never lost a point to
    it, not even through others, ``<`` for one that never won one, ``?`` where neither is so.
    """

    members: tuple[int, ...]
    bound: str


def components(counts: Counts) -> list[list[int]]:
    """Return the sets of bots that are joined by games, largest first; the rest share no scale."""
    games, _ = counts.matrices()
    reach = _reach(games + games.T > 0)
    found = {tuple(np.flatnonzero(row).tolist()) for row in reach & reach.T}
    return [list(group) for group in sorted(found, key=lambda group: (-len(group), group))]


def strata(counts: Counts) -> list[Stratum]:
    """Return the groups within which ratings exist, for counts of a single component.

    The one that the table hangs on comes first: the largest; of several the one with the most
    games, then the one in the middle.
    """
    games, halves = counts.matrices()
    scored = (halves > 0) | (2 * games - halves > 0).T
    reach = _reach(scored)
    mutual = reach & reach.T
    # a row of `mutual` is the group of its bot: bots of a group have equal rows
    groups = sorted({tuple(np.flatnonzero(row).tolist()) for row in mutual})
    played = (games + games.T).sum(axis=1)

    def unfitness(group: tuple[int, ...]) -> tuple[int, int, int, int, tuple[int, ...]]:
        above = int((reach[:, group[0]] & ~mutual[:, group[0]]).sum())
        below = int((reach[group[0]] & ~mutual[group[0]]).sum())
        return -len(group), -int(played[list(group)].sum()), abs(above - below), below, group

    main, *others = sorted(groups, key=unfitness)
    here = main[0]
    kind = {(True, False): ">", (False, True): "<", (False, False): "?"}
    rest = [
        Stratum(group, kind[bool(reach[group[0], here]), bool(reach[here, group[0]])])
        for group in others
    ]
    return [Stratum(main, ""), *rest]


def seat_term_exists(counts: Counts) -> bool:
    """Tell whether a finite first-seat advantage can be estimated beside the ratings.

    It cannot if some ratings, shifted along with the advantage, explain every single result; that
    is a system of difference constraints, which is feasible unless it has a negative cycle.
    """
    games, halves = counts.matrices()
    if not games.any():
        return False
    won, lost = halves > 0, 2 * games - halves > 0
    return not any(_explains_all(won, lost, advantage) for advantage in (1, -1))


def _explains_all(won: Relation, lost: Relation, advantage: int) -> bool:
    """Look for θ with θ_i − θ_j + advantage ≥ 0 where the first won, ≤ 0 where it lost."""
    bounds = np.full(won.shape, np.inf)  # θ_column ≤ θ_row + bound
    bounds[won] = advantage
    bounds.T[lost] = np.minimum(bounds.T[lost], -advantage)
    # Bellman–Ford from all bots at once: after n rounds only a negative cycle still improves
    potential = np.zeros(len(bounds))
    for _ in range(len(bounds) + 1):
        better = np.minimum(potential, (potential[:, None] + bounds).min(axis=0))
        if (better == potential).all():
            return True
        potential = better
    return False


def _reach(edges: Relation) -> Relation:
    """Return the transitive closure of a relation, every bot reaching itself."""
    reach: Relation = edges | np.eye(len(edges), dtype=bool)
    while True:
        # squaring doubles the length of the paths that are covered
        further: Relation = (reach.astype(np.int32) @ reach.astype(np.int32)) > 0
        if (further == reach).all():
            return reach
        reach = further


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
        hardest = np.zeros(int(deal.max()) + 1)  # logarithms of chances are at most 0
        np.minimum.at(hardest, deal, won)
        return float(hardest.sum())

    # in natural units 100 is 17,000 Elo: no record is that improbable
    low, high = -100.0, 100.0
    for _ in range(200):
        middle = (low + high) / 2
        if (log_chance(middle) < _LEVEL) == (up > 0):
            low = middle
        else:
            high = middle
    return (low + high) / 2
