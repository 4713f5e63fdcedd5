"""Bradley–Terry: ratings by maximum likelihood, and for which bots they exist.

P(the first seat wins) = σ(θ_first − θ_second + γ), with θ = rating · ln 10 / 400 and γ the same
advantage in all games (R. A. Bradley and M. E. Terry, "Rank analysis of incomplete block designs",
1952; γ after R. R. Davidson and R. J. Beaver, "On extending the Bradley–Terry model to incorporate
within-pair order effects", 1977). Everything in this module is in natural units: divide by
`NATURAL` for Elo.

The ratings are finite exactly if every bot can be reached from every other along "scored against"
(L. R. Ford, "Solution of a ranking problem from binary comparisons", 1957). A bot that never lost,
or never won, has a bound instead.

The likelihood needs only counts by deal and ordered pairing. They are integers in a fixed order, so
results are bit-identical whatever the order in which the games arrived.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pwtourney.ratings.dense import number_densely
from pwtourney.ratings.game_columns import Columns, Ints, Result, gather, select_members

__all__ = [
    "NATURAL",
    "Counts",
    "Fit",
    "Floats",
    "Stratum",
    "climb",
    "components",
    "count",
    "count_results",
    "derivatives",
    "fit",
    "inverse_information",
    "perfect_score_bound",
    "probability",
    "seat_term_exists",
    "strata",
]

NATURAL = math.log(10) / 400
"""Natural units in one Elo point."""

Floats = NDArray[np.float64]

_MAX_ROUNDS = 100
_MAX_STEP = 2.0
"""Newton's method overshoots where one side wins most games; 2 is about 350 Elo."""

_TOLERANCE = 1e-11

_Relation = NDArray[np.bool_]
"""A relation between bots as a matrix, n × n."""


class Counts(NamedTuple):
    """One row per deal and ordered pairing that has games, sorted by deal.

    `bots` are ids, and `deals` is the number of deals. `deal`, `first` and `second` are indices,
    `games` counts, and `halves` the half points of the first seat.
    """

    bots: tuple[str, ...]
    deals: int
    deal: Ints
    first: Ints
    second: Ints
    games: Ints
    halves: Ints

    def matrices(self) -> tuple[Ints, Ints]:
        """Return games and half points of the first seat by (first, second), each n × n."""
        n = len(self.bots)
        pairing = self.first * n + self.second
        games = np.bincount(pairing, self.games, n * n).astype(np.int64)
        halves = np.bincount(pairing, self.halves, n * n).astype(np.int64)
        return games.reshape(n, n), halves.reshape(n, n)

    def select(self, members: Sequence[int]) -> "Counts":
        """Return the games among some of the bots, which are renumbered in the given order."""
        first, second, kept = select_members(self.first, self.second, len(self.bots), members)
        # deals on which none of these bots played must not count as clusters
        deals, deal = number_densely(self.deal[kept])
        if kept.all() and deals == self.deals and tuple(members) == tuple(range(len(self.bots))):
            return self
        return Counts(
            bots=tuple(self.bots[member] for member in members),
            deals=deals,
            deal=deal,
            first=first,
            second=second,
            games=self.games[kept],
            halves=self.halves[kept],
        )


class Stratum(NamedTuple):
    """Bots (by index) that can be compared with each other by finite ratings.

    `bound` relates the group to the main group, which is the reference of the table and has an
    empty bound. It is ``>`` for a group that never lost a point to the main group, not even through
    others, ``<`` for one that never won one, and ``?`` if neither holds.
    """

    members: tuple[int, ...]
    bound: str


class Fit(NamedTuple):
    """Ratings θ with mean 0, the first-seat term γ (0 if not fitted), and the information matrix.

    `information` is minus the second derivative of the log-likelihood over (θ, γ), (n + 1) square,
    before anything is added for directions in which it is flat. The row of γ is zero if it was not
    fitted.
    """

    theta: Floats
    gamma: float
    information: Floats
    seat_term: bool
    prior: float


def count(columns: Columns) -> Counts:
    """Count games by deal and ordered pairing."""
    n = len(columns.bots)
    key = (columns.deal * n + columns.first) * n + columns.second
    keys, row = np.unique(key, return_inverse=True)
    return Counts(
        bots=columns.bots,
        deals=columns.deals,
        deal=keys // (n * n),
        first=keys // n % n,
        second=keys % n,
        games=np.bincount(row, minlength=len(keys)).astype(np.int64),
        halves=np.bincount(row, columns.halves, len(keys)).astype(np.int64),
    )


def count_results(bots: Sequence[str], results: Iterable[Result]) -> Counts:
    """Count results between the given bots; void games are left out."""
    return count(gather(bots, results))


def probability(difference: Floats) -> Floats:
    """Return σ(difference), the first seat's chance, without overflow."""
    # 1/(1 + exp(−x)) overflows for bots far apart, tanh does not
    chance: Floats = 0.5 * (1 + np.tanh(difference / 2))
    return chance


def fit(counts: Counts, *, seat_term: bool = True, prior: float = 0.0) -> Fit:
    """Maximise the likelihood by Newton's method with a cap on the step.

    `prior` adds that many virtual games of each bot against one rated 0, half of them won. Without
    a prior the ratings must exist (see `strata`).
    """
    games, halves = counts.matrices()
    n = len(counts.bots)

    def find_step(values: Floats) -> Floats:
        gradient, information = derivatives(games, halves, values, seat_term, prior)
        regular = _fill_flat_directions(information, seat_term, prior)
        return np.asarray(np.linalg.solve(regular, gradient), np.float64)

    # a prior ties the ratings to 0 by itself, and then their mean need not be 0
    values = climb(np.zeros(n + 1), find_step, centred=0 if prior else n)
    # the last step has changed the ratings since the information was computed
    _, information = derivatives(games, halves, values, seat_term, prior)
    return Fit(values[:n] - values[:n].mean(), float(values[n]), information, seat_term, prior)


def climb(start: Floats, find_step: Callable[[Floats], Floats], centred: int = 0) -> Floats:
    """Return where the steps of Newton's method end, with the mean of the first values at 0.

    `centred` is the number of these values. The log-likelihood is concave, so the method needs a
    bound on its steps only.
    """
    values = start.copy()
    for _ in range(_MAX_ROUNDS):
        step = find_step(values)
        largest = float(np.abs(step).max())
        values += step * min(1.0, _MAX_STEP / largest) if largest else 0.0
        if centred:
            values[:centred] -= values[:centred].mean()
        if largest < _TOLERANCE:
            break
    return values


def derivatives(
    games: Ints, halves: Ints, values: Floats, seat_term: bool, prior: float
) -> tuple[Floats, Floats]:
    """Return the gradient and the information of the log-likelihood at (θ, γ)."""
    theta, gamma = values[:-1], values[-1]
    n = len(theta)
    chance = probability(theta[:, None] - theta[None, :] + gamma)
    surplus = halves / 2 - games * chance
    weight = games * chance * (1 - chance)
    gradient = np.zeros(n + 1)
    information = np.zeros((n + 1, n + 1))
    # row i, column j: games with i in the first seat; each adds to i and subtracts from j
    gradient[:n] = surplus.sum(axis=1) - surplus.sum(axis=0)
    both: Floats = weight + weight.T
    information[:n, :n] = np.diag(both.sum(axis=1)) - both
    if seat_term:
        gradient[n] = surplus.sum()
        information[n, n] = weight.sum()
        information[:n, n] = information[n, :n] = weight.sum(axis=1) - weight.sum(axis=0)
    if prior:
        level = probability(theta)
        gradient[:n] += prior * (0.5 - level)
        information[np.arange(n), np.arange(n)] += prior * level * (1 - level)
    return gradient, information


def inverse_information(fitted: Fit) -> Floats:
    """Return the inverse of the information, with flat directions filled."""
    regular = _fill_flat_directions(fitted.information, fitted.seat_term, fitted.prior)
    return np.asarray(np.linalg.inv(regular), np.float64)


def components(counts: Counts, tied: Sequence[int] = ()) -> list[list[int]]:
    """Return the sets of bots joined by games, largest first; two sets share no scale.

    `tied` are bots whose differences are known without games.
    """
    games, _ = counts.matrices()
    reach = _reach((games + games.T > 0) | _tie(len(games), tied))
    groups = {tuple(np.flatnonzero(row).tolist()) for row in reach & reach.T}
    return [list(group) for group in sorted(groups, key=lambda group: (-len(group), group))]


def strata(counts: Counts, tied: Sequence[int] = ()) -> list[Stratum]:
    """Return the groups within which ratings exist, for counts of a single component.

    The main group comes first: the largest one; of several, the one with the most games, then the
    one in the middle. The other groups are ordered by how many bots are above them, and equals by
    their share of points. So no bot comes after one that it has scored against, also through
    others, and that never scored against it. The order does not depend on the size of a bound.
    """
    games, halves = counts.matrices()
    # a half point counts as scored, too: a draw bounds both
    reach = _reach((halves > 0) | (2 * games - halves > 0).T | _tie(len(games), tied))
    mutual = reach & reach.T
    # a row of `mutual` is the group of its bot: bots of one group have equal rows
    groups = sorted({tuple(np.flatnonzero(row).tolist()) for row in mutual})
    played = (games + games.T).sum(axis=1)

    def unfitness(group: tuple[int, ...]) -> tuple[int, int, int, int, tuple[int, ...]]:
        above = int((reach[:, group[0]] & ~mutual[:, group[0]]).sum())
        below = int((reach[group[0]] & ~mutual[group[0]]).sum())
        return -len(group), -int(played[list(group)].sum()), abs(above - below), below, group

    main, *others = sorted(groups, key=unfitness)
    here = main[0]
    points = halves.sum(axis=1) + (2 * games - halves).sum(axis=0)
    # a bot above another has fewer bots above it: those are above both, and it is not one of them
    above = (reach & ~mutual).sum(axis=0)

    def sort_key(group: tuple[int, ...]) -> tuple[int, float, int, tuple[int, ...]]:
        members = list(group)
        won, count = int(points[members].sum()), int(played[members].sum())
        return int(above[group[0]]), -won / count, -won, group

    kind = {(True, False): ">", (False, True): "<", (False, False): "?"}
    rest = [
        Stratum(group, kind[bool(reach[group[0], here]), bool(reach[here, group[0]])])
        for group in sorted(others, key=sort_key)
    ]
    return [Stratum(main, ""), *rest]


def seat_term_exists(counts: Counts, tied: Sequence[int] = ()) -> bool:
    """Return True if a finite first-seat advantage can be estimated along with the ratings.

    It cannot if some ratings, shifted along with the advantage, explain every single result. That
    is a system of difference constraints, which is feasible unless it has a negative cycle. `tied`
    bots, whose differences are known, are shifted together.
    """
    games, halves = counts.matrices()
    if not games.any():
        return False
    won, lost = halves > 0, 2 * games - halves > 0
    # search for θ with θ_i − θ_j + advantage ≥ 0 where the first seat won, and ≤ 0 where it lost,
    # for both signs, because the advantage may diverge to either infinity
    for advantage in (1, -1):
        bounds = np.full(won.shape, np.inf)  # θ_column ≤ θ_row + bound
        bounds[won] = advantage
        bounds.T[lost] = np.minimum(bounds.T[lost], -advantage)
        bounds[_tie(len(games), tied)] = np.minimum(bounds[_tie(len(games), tied)], 0.0)
        # Bellman–Ford from all bots at once: after n rounds only a negative cycle still improves
        potential = np.zeros(len(bounds))
        for _ in range(len(bounds) + 1):
            better = np.minimum(potential, (potential[:, None] + bounds).min(axis=0))
            if (better == potential).all():
                return False
            potential = better
    return True


def perfect_score_bound(
    counts: Counts, theta: Floats, gamma: float, main: Stratum, group: Stratum, level: float
) -> float | None:
    """Return how far a group's ratings are above (below) those of the main group, at least.

    The group won (or lost) every game against the main one. The bound is the shift of all its
    ratings at which such a record has a chance of 1 − `level`, with the ratings of the main group
    fixed. The games of a deal are not independent, so a deal counts as its hardest game: the chance
    of winning all of its games is at most that. Returns None without games between the groups. The
    bound and `theta` are in natural units; `theta` holds ratings relative to each bot's own group.
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

    # 100 natural units are 17,000 Elo, more than any record needs
    low, high = -100.0, 100.0
    for _ in range(200):
        middle = (low + high) / 2
        if (log_chance(middle) < math.log(1 - level)) == (up > 0):
            low = middle
        else:
            high = middle
    return (low + high) / 2


def _fill_flat_directions(information: Floats, seat_term: bool, prior: float) -> Floats:
    """Fill the flat directions: an equal shift of all ratings, and an unfitted seat term."""
    n = len(information) - 1
    regular = information.copy()
    if prior == 0:  # 1·1ᵀ fills only the direction of equal shifts, which centring removes again
        regular[:n, :n] += 1.0
    if not seat_term:
        regular[n, n] = 1.0
    return regular


def _tie(bots: int, tied: Sequence[int]) -> _Relation:
    """Return the relation between bots whose differences are known without games."""
    relation: _Relation = np.zeros((bots, bots), dtype=bool)
    relation[np.ix_(tied, tied)] = True
    return relation


def _reach(edges: _Relation) -> _Relation:
    """Return the transitive closure of a relation, in which every bot reaches itself."""
    reach: _Relation = edges | np.eye(len(edges), dtype=bool)
    while True:
        # Squaring doubles the length of the paths that are covered. Products of floats take a
        # fiftieth of the time of products of integers, and no count here is rounded to 0.
        paths = reach.astype(np.float32)
        further: _Relation = (paths @ paths) > 0
        if (further == reach).all():
            return reach
        reach = further
