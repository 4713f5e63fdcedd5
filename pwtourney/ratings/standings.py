"""From games to the table: every bot rated, with how sure that is."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

import numpy as np

from pwtourney.ratings.bounds import perfect_score_bound
from pwtourney.ratings.columns import Columns, gather
from pwtourney.ratings.counts import Counts, count
from pwtourney.ratings.covariance import ROUGH_BELOW, clustered_covariance, interval_factor
from pwtourney.ratings.fit import NATURAL, Fit, Floats, fit, inverse_information
from pwtourney.ratings.fitness import fitness
from pwtourney.ratings.groups import components, extreme_groups, seat_term_exists
from pwtourney.ratings.margins import margins
from pwtourney.ratings.massey import massey
from pwtourney.ratings.meetings import meetings, saved_by_pairs
from pwtourney.ratings.order import RankInterval, likelihoods, rank_intervals
from pwtourney.ratings.resources import Resources, accounted
from pwtourney.ratings.result import Result
from pwtourney.ratings.seats import seat_gains
from pwtourney.ratings.separation import gaps
from pwtourney.ratings.tables import Line, Pool, Standings, Terms
from pwtourney.ratings.tally import tally

__all__ = ["standings"]

_NO_SPREAD = 1e-6
PRIOR = 1.0
"""Virtual games a bot, used only where ratings would be infinite without."""

_PLAIN = Terms()


def standings(
    bots: Sequence[str] | None, results: Iterable[Result], terms: Terms = _PLAIN
) -> Standings:
    """Rate bots by their results; every bot has a line, one without games too.

    Without bots they are those of the games.
    """
    resources: defaultdict[str, Resources] = defaultdict(Resources)
    columns = gather(bots, accounted(results, resources))
    bots = columns.bots
    counts = count(columns)
    counted = zip(bots, tally(columns), margins(columns), seat_gains(columns), strict=True)
    entries = [
        Line(0, bot, 0.0, None, "", of_games, margin, resources[bot], RankInterval(1, 1), seat=seat)
        for bot, of_games, margin, seat in counted
    ]
    groups = components(counts)
    whole = len(groups) == 1
    pools = tuple(
        _pool(
            columns if whole else columns.only(members),
            counts.only(members),
            [entries[each] for each in members],
            terms,
        )
        for members in groups
    )
    voids = int(columns.voids.sum()) // 2
    held = terms.anchor is None or any(pool.anchor for pool in pools)
    unanchored = None if held or terms.anchor is None else terms.anchor[0]
    return Standings(pools, len(columns.first), voids, columns.repeated, unanchored)


def _pool(columns: Columns, counts: Counts, entries: Sequence[Line], terms: Terms) -> Pool:
    """Rate the bots of one component; the entries hold all but what is worked out here."""
    if len(counts.bots) == 1:
        return Pool((entries[0]._replace(rank=1),), 0, None, None, 0.0, rough=True)
    extremes = extreme_groups(counts)
    prior = terms.prior or (PRIOR if extremes.unbeaten or extremes.winless else 0.0)
    seat_term = seat_term_exists(counts)
    fitted = fit(counts, seat_term=seat_term, prior=prior)
    anchor = _anchor(counts, terms, extremes.unbeaten | extremes.winless)
    free = clustered_covariance(counts, fitted)
    covariance = _relative_to(anchor, free)
    zero = 0.0 if anchor is None or terms.anchor is None else _zero(fitted, anchor, terms.anchor[1])
    factor = interval_factor(counts.circles)
    spread = [_known(factor * value / NATURAL) for value in _errors(covariance)]
    lines = [
        entry._replace(elo=float(fitted.theta[k] / NATURAL) + zero, plus_minus=spread[k], massey=by)
        for k, (entry, by) in enumerate(zip(entries, massey(columns), strict=True))
    ]
    for group, bound in ((extremes.unbeaten, ">"), (extremes.winless, "<")):
        lines = _bounded(lines, counts, fitted, group, bound)
    order = _best_first(lines)
    in_elo = covariance[np.ix_(order, order)] / NATURAL**2
    ordered = _ordered([lines[k] for k in order], in_elo)
    return Pool(
        lines=ordered,
        circles=counts.circles,
        seat_elo=fitted.gamma / NATURAL if seat_term else None,
        seat_plus_minus=spread[-1] if seat_term else None,
        prior=prior,
        rough=counts.circles < ROUGH_BELOW,
        covariance=tuple(tuple(row) for row in in_elo.tolist()),
        design_effect=_design_effect(free, fitted),
        fitness=fitness(counts, fitted) if prior == 0 else None,
        saved=saved_by_pairs(columns),
        meetings=meetings(columns),
        gaps=gaps(
            [line.bot for line in ordered],
            [None if line.bound else line.elo for line in ordered],
            in_elo.tolist(),
        ),
        pairs=int(np.count_nonzero(np.bincount(columns.pair))),
        anchor=None if anchor is None else counts.bots[anchor],
    )


def _anchor(counts: Counts, terms: Terms, unrated: frozenset[int]) -> int | None:
    """Return the bot that the ratings hang on, if it is here and has one."""
    if terms.anchor is None or terms.anchor[0] not in counts.bots:
        return None
    place = counts.bots.index(terms.anchor[0])
    return None if place in unrated else place


def _zero(fitted: Fit, anchor: int, rating: float) -> float:
    """Return what is added to ratings of mean 0 to give the anchor the rating it has."""
    return rating - float(fitted.theta[anchor] / NATURAL)


def _relative_to(anchor: int | None, covariance: Floats) -> Floats:
    """Return the covariance of ratings that hang on a bot instead of their mean."""
    if anchor is None:
        return covariance
    shift = np.eye(len(covariance))
    shift[:-1, anchor] -= 1.0
    relative: Floats = shift @ covariance @ shift.T
    return relative


def _errors(covariance: Floats) -> Floats:
    errors: Floats = np.sqrt(np.maximum(np.diag(covariance), 0.0))
    return errors


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
