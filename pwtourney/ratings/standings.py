"""The table: every bot's rating with its uncertainty, and what it is made of."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from pwtourney.ratings.bounds import perfect_score_bound
from pwtourney.ratings.counts import Counts, count_results
from pwtourney.ratings.covariance import ROUGH_BELOW, clustered_covariance, interval_factor
from pwtourney.ratings.fit import NATURAL, Fit, fit
from pwtourney.ratings.groups import components, extreme_groups, seat_term_exists
from pwtourney.ratings.result import Result
from pwtourney.ratings.tally import Tally, tallied

__all__ = ["Line", "Pool", "Standings", "standings"]

_NO_SPREAD = 1e-6
PRIOR = 1.0
"""Virtual games a bot, used only where ratings would be infinite without."""


class Line(NamedTuple):
    """One bot of the table.

    `elo` is relative to the mean of its pool; `plus_minus` half of the 95 % interval, None where
    it is unknown. `bound` is ``>`` for a bot that is unbeaten outside its group and ``<`` for a
    winless one: then `elo` is the one-sided 95 % bound. `rank` counts within the pool.
    """

    rank: int
    bot: str
    elo: float
    plus_minus: float | None
    bound: str
    tally: Tally


class Pool(NamedTuple):
    """Bots that are joined by games, best first, and how their ratings were found.

    `seat_elo` is the advantage of the first seat, None where it cannot be told; `prior` the
    virtual games that were needed, 0 as a rule; `rough` is true when there are too few circles
    for a normal interval.
    """

    lines: tuple[Line, ...]
    circles: int
    seat_elo: float | None
    seat_plus_minus: float | None
    prior: float
    rough: bool


class Standings(NamedTuple):
    """All pools, largest first. Ratings of different pools cannot be compared."""

    pools: tuple[Pool, ...]
    games: int
    voids: int


def standings(bots: Sequence[str], results: Iterable[Result]) -> Standings:
    """Rate bots by their results; every bot has a line, one without games too."""
    tallies = {bot: Tally() for bot in bots}
    counts = count_results(bots, tallied(results, tallies))
    pools = tuple(
        _pool(counts.only(members), [tallies[bots[each]] for each in members])
        for members in components(counts)
    )
    games = sum(each.played for each in tallies.values()) // 2
    voids = sum(each.voids for each in tallies.values()) // 2
    return Standings(pools, games, voids)


def _pool(counts: Counts, tallies: Sequence[Tally]) -> Pool:
    """Rate the bots of one component."""
    if len(counts.bots) == 1:
        line = Line(1, counts.bots[0], 0.0, None, "", tallies[0])
        return Pool((line,), 0, None, None, 0.0, rough=True)
    extremes = extreme_groups(counts)
    prior = PRIOR if extremes.unbeaten or extremes.winless else 0.0
    seat_term = seat_term_exists(counts)
    fitted = fit(counts, seat_term=seat_term, prior=prior)
    covariance = clustered_covariance(counts, fitted)
    factor = interval_factor(counts.circles)
    spread = [_known(factor * value / NATURAL) for value in np.sqrt(np.diag(covariance))]
    lines = [
        Line(0, bot, float(fitted.theta[k] / NATURAL), spread[k], "", tallies[k])
        for k, bot in enumerate(counts.bots)
    ]
    for group, bound in ((extremes.unbeaten, ">"), (extremes.winless, "<")):
        lines = _bounded(lines, counts, fitted, group, bound)
    return Pool(
        lines=_ranked(lines),
        circles=counts.circles,
        seat_elo=fitted.gamma / NATURAL if seat_term else None,
        seat_plus_minus=spread[-1] if seat_term else None,
        prior=prior,
        rough=counts.circles < ROUGH_BELOW,
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


def _ranked(lines: list[Line]) -> tuple[Line, ...]:
    """Sort best first: unbeaten bots above all others, winless ones below, then by rating."""
    level = {">": 0, "": 1, "<": 2}
    best_first = sorted(lines, key=lambda line: (level[line.bound], -line.elo, line.bot))
    return tuple(line._replace(rank=rank) for rank, line in enumerate(best_first, 1))


def _known(value: float) -> float | None:
    """Return an interval, None where nothing is known: no two circles, or none that differ."""
    return float(value) if value > _NO_SPREAD else None
