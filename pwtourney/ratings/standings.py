"""The table: every bot's rating with its uncertainty, and what it is made of."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from pwtourney.ratings.bounds import perfect_score_bound
from pwtourney.ratings.columns import gather
from pwtourney.ratings.counts import Counts, count
from pwtourney.ratings.covariance import ROUGH_BELOW, clustered_covariance, interval_factor
from pwtourney.ratings.fit import NATURAL, Fit, Floats, fit, inverse_information
from pwtourney.ratings.fitness import Fitness, fitness
from pwtourney.ratings.groups import components, extreme_groups, seat_term_exists
from pwtourney.ratings.margins import Margin, margins
from pwtourney.ratings.order import RankInterval, likelihoods, rank_intervals
from pwtourney.ratings.resources import Resources, accounted
from pwtourney.ratings.result import Result
from pwtourney.ratings.tally import Tally, tally

__all__ = ["Line", "Pool", "Standings", "standings"]

_NO_SPREAD = 1e-6
PRIOR = 1.0
"""Virtual games a bot, used only where ratings would be infinite without."""


class Line(NamedTuple):
    """One bot of the table.

    `elo` is relative to the mean of its pool; `plus_minus` half of the 95 % interval, None where
    it is unknown. `bound` is ``>`` for a bot that is unbeaten outside its group and ``<`` for a
    winless one: then `elo` is the one-sided 95 % bound. `rank` counts within the pool, and `ranks`
    is its 95 % interval. `los` is the likelihood that it is stronger than the bot below it, None
    for the last one and where one of the two has no rating.
    """

    rank: int
    bot: str
    elo: float
    plus_minus: float | None
    bound: str
    tally: Tally
    margin: Margin | None
    resources: Resources
    ranks: RankInterval
    los: float | None = None


class Pool(NamedTuple):
    """Bots that are joined by games, best first, and how their ratings were found.

    `seat_elo` is the advantage of the first seat, None where it cannot be told; `prior` the
    virtual games that were needed, 0 as a rule; `rough` is true when there are too few circles
    for a normal interval. `covariance` is that of the ratings, in Elo², in the order of the lines;
    `design_effect` how much larger variances are than those of independent games would be, None
    where that is unknown; `fitness` the test of whether the ratings explain the results.
    """

    lines: tuple[Line, ...]
    circles: int
    seat_elo: float | None
    seat_plus_minus: float | None
    prior: float
    rough: bool
    covariance: tuple[tuple[float, ...], ...] = ()
    design_effect: float | None = None
    fitness: Fitness | None = None


class Standings(NamedTuple):
    """All pools, largest first. Ratings of different pools cannot be compared."""

    pools: tuple[Pool, ...]
    games: int
    voids: int


def standings(bots: Sequence[str] | None, results: Iterable[Result]) -> Standings:
    """Rate bots by their results; every bot has a line, one without games too.

    Without bots they are those of the games.
    """
    resources: defaultdict[str, Resources] = defaultdict(Resources)
    columns = gather(bots, accounted(results, resources))
    bots = columns.bots
    counts = count(columns)
    counted = zip(bots, tally(columns), margins(columns), strict=True)
    entries = [
        Line(0, bot, 0.0, None, "", of_games, margin, resources[bot], RankInterval(1, 1))
        for bot, of_games, margin in counted
    ]
    pools = tuple(
        _pool(counts.only(members), [entries[each] for each in members])
        for members in components(counts)
    )
    return Standings(pools, len(columns.first), int(columns.voids.sum()) // 2)


def _pool(counts: Counts, entries: Sequence[Line]) -> Pool:
    """Rate the bots of one component; the entries hold all but what is worked out here."""
    if len(counts.bots) == 1:
        return Pool((entries[0]._replace(rank=1),), 0, None, None, 0.0, rough=True)
    extremes = extreme_groups(counts)
    prior = PRIOR if extremes.unbeaten or extremes.winless else 0.0
    seat_term = seat_term_exists(counts)
    fitted = fit(counts, seat_term=seat_term, prior=prior)
    covariance = clustered_covariance(counts, fitted)
    factor = interval_factor(counts.circles)
    spread = [_known(factor * value / NATURAL) for value in np.sqrt(np.diag(covariance))]
    lines = [
        entry._replace(elo=float(fitted.theta[k] / NATURAL), plus_minus=spread[k])
        for k, entry in enumerate(entries)
    ]
    for group, bound in ((extremes.unbeaten, ">"), (extremes.winless, "<")):
        lines = _bounded(lines, counts, fitted, group, bound)
    order = _best_first(lines)
    in_elo = covariance[np.ix_(order, order)] / NATURAL**2
    return Pool(
        lines=_ordered([lines[k] for k in order], in_elo),
        circles=counts.circles,
        seat_elo=fitted.gamma / NATURAL if seat_term else None,
        seat_plus_minus=spread[-1] if seat_term else None,
        prior=prior,
        rough=counts.circles < ROUGH_BELOW,
        covariance=tuple(tuple(row) for row in in_elo.tolist()),
        design_effect=_design_effect(covariance, fitted),
        fitness=fitness(counts, fitted) if prior == 0 else None,
    )


def _bounded(
    lines: list[Line], counts: Counts, fitted: Fit, group: frozenset[int], bound: str
) -> list[Line]:
    """Replace the ratings of a group that has no finite ones by bounds."""
    if not group:
        return lines
    shift = perfect_score_bound(counts, fitted, group, won=bound == ">")
    return [
        line._replace(elo=line.elo + shift, plus_minus=None, bound=bound) if k in group else line
        for k, line in enumerate(lines)
    ]


def _best_first(lines: Sequence[Line]) -> list[int]:
    """Order bots: unbeaten ones above all others, winless ones below, then by rating."""
    level = {">": 0, "": 1, "<": 2}
    return sorted(
        range(len(lines)), key=lambda k: (level[lines[k].bound], -lines[k].elo, lines[k].bot)
    )


def _ordered(lines: Sequence[Line], covariance: Floats) -> tuple[Line, ...]:
    """Give lines that stand in order their ranks, and say how sure the order is."""
    known = [k for k, line in enumerate(lines) if not line.bound]
    elos = np.array([lines[k].elo for k in known])
    among = covariance[np.ix_(known, known)]
    above = sum(line.bound == ">" for line in lines)
    ranks = dict(zip(known, rank_intervals(elos, among), strict=True))
    los = likelihoods(elos, among) if np.isfinite(among).all() else None
    done = []
    for k, line in enumerate(lines):
        interval = _of_its_kind(lines, k)
        if k in ranks:
            interval = RankInterval(ranks[k].best + above, ranks[k].worst + above)
        place = known.index(k) if k in ranks else -1
        below = los is not None and 0 <= place < len(known) - 1
        sure = float(los[place, place + 1]) if below and los is not None else None
        done.append(line._replace(rank=k + 1, ranks=interval, los=sure))
    return tuple(done)


def _of_its_kind(lines: Sequence[Line], k: int) -> RankInterval:
    """Return the ranks of all bots that have the same kind of bound as one of them."""
    alike = [place for place, line in enumerate(lines, 1) if line.bound == lines[k].bound]
    return RankInterval(alike[0], alike[-1])


def _design_effect(covariance: Floats, fitted: Fit) -> float | None:
    """Return the mean of clustered over independent variances of the ratings."""
    n = len(fitted.theta)
    centre = np.eye(n + 1)
    centre[:n, :n] -= 1 / n
    independent = np.diag(centre @ inverse_information(fitted) @ centre.T)[:n]
    clustered = np.diag(covariance)[:n]
    if not np.isfinite(clustered).all() or not (independent > 0).all():
        return None
    return float((clustered / independent).mean())


def _known(value: float) -> float | None:
    """Return an interval, None where nothing is known: no two circles, or none that differ."""
    return float(value) if value > _NO_SPREAD else None
