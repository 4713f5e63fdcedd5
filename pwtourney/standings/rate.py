"""Build the table from games: rate every bot, with its uncertainty."""

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from pwtourney.ratings.anchors import Anchor, rate_anchored
from pwtourney.ratings.bradley_terry import (
    NATURAL,
    Counts,
    Floats,
    Stratum,
    components,
    count,
    perfect_score_bound,
    strata,
)
from pwtourney.ratings.cycles import find_cycle
from pwtourney.ratings.fitness import fitness
from pwtourney.ratings.game_columns import Columns, Result, count_deals, gather
from pwtourney.ratings.meetings import meetings
from pwtourney.ratings.order import (
    Gap,
    RankInterval,
    gaps,
    joint_width,
    likelihoods,
    rank_intervals,
)
from pwtourney.ratings.runs import compare_runs
from pwtourney.ratings.shrinkage import shrink
from pwtourney.ratings.tally import margins, massey, seat_gains, tally
from pwtourney.ratings.uncertainty import (
    LEVEL,
    ROUGH_BELOW,
    GroupRatings,
    interval_factor,
    pair_saving,
)
from pwtourney.standings.table import (
    DIGITS,
    Pool,
    RatingOptions,
    Resources,
    Row,
    Standings,
)

__all__ = ["standings", "tables"]

_NO_SPREAD = 1e-6
"""Smaller intervals, in Elo, are rounding errors of 0."""

_LEVELS = (">", "", "?", "<")
"""Bounds in the order of the table."""

_PLAIN = RatingOptions()


def standings(
    bots: Sequence[str] | None,
    results: Iterable[Result],
    options: RatingOptions = _PLAIN,
    resources: Mapping[str, Resources] | None = None,
    *,
    level: float = LEVEL,
    test_fit: bool = True,
    paired_by_results: bool = False,
) -> Standings:
    """Rate bots by their results; every bot gets a row, even without games.

    Without `bots` they are those of the games. `resources` is what each of them used, if known; it
    may be filled while the results are read. Intervals and bounds hold at the `level`. `test_fit`
    tests whether the ratings explain the results, which takes most of the time. Where bots were
    `paired_by_results`, errors of ratings are unknown.
    """
    columns = gather(bots, results)._replace(paired_by_results=paired_by_results)
    used = defaultdict(Resources) if resources is None else resources
    return tables(columns, used, options, level=level, test_fit=test_fit)


def tables(
    columns: Columns,
    resources: Mapping[str, Resources],
    options: RatingOptions = _PLAIN,
    *,
    level: float = LEVEL,
    test_fit: bool = True,
    hides: Callable[[str], bool] = lambda _: False,
) -> Standings:
    """Rate the bots of games in columns; see `standings`.

    The games of bots that it `hides` count, but they have no row and no rank.
    """
    bots = columns.bots
    # of an anchor without a row, nothing would show what the scale is
    shown = tuple(anchor for anchor in options.anchors if not hides(anchor.bot))
    counts = count(columns)
    entries = _make_entries(columns, resources, level)
    groups = components(counts, _find_anchored(counts, shown))
    whole = len(groups) == 1  # then no copy of all games is needed
    if not test_fit or columns.paired_by_results or columns.chosen_by_results:
        columns = columns._replace(run=None)  # where results ended a run, runs differ by selection
    # a prior moves the ratings away from the maximum that the test assumes
    test_fit = test_fit and not options.prior and not columns.paired_by_results
    pools = tuple(
        _rate_pool(
            columns if whole else columns.select(members),
            counts.select(members),
            [entries[bot] for bot in members],
            options._replace(anchors=shown),
            level=level,
            test_fit=test_fit,
            hides=hides,
        )
        for members in groups
        if not all(hides(bots[bot]) for bot in members)
    )
    voids = int(columns.voids.sum()) // 2  # a void game is counted for both of its bots
    # a bot without games has no rating that could be fixed, which the report must show
    held = {anchor.bot for pool in pools for anchor in pool.anchors}
    unanchored = next((bot for bot, *_ in options.anchors if bot not in held), None)
    return Standings(pools, len(columns.first), voids, columns.repeated, unanchored)


def _find_anchored(counts: Counts, anchors: Iterable[Anchor]) -> list[int]:
    """Return the indices of the anchors that have played."""
    n = len(counts.bots)
    played = np.bincount(counts.first, minlength=n) + np.bincount(counts.second, minlength=n)
    indices = [counts.bots.index(bot) for bot, *_ in anchors if bot in counts.bots]
    return [bot for bot in indices if played[bot]]


def _make_entries(columns: Columns, resources: Mapping[str, Resources], level: float) -> list[Row]:
    """Return a row for each bot with all that does not depend on ratings."""
    numbers = zip(
        columns.bots,
        tally(columns),
        margins(columns, level),
        seat_gains(columns, level),
        strict=True,
    )
    return [
        Row(
            rank=0,
            bot=bot,
            elo=math.nan,
            plus_minus=None,
            bound="",
            tally=games,
            margin=margin,
            resources=resources.get(bot, Resources()),
            ranks=RankInterval(1, 1),
            seat=seat,
        )
        for bot, games, margin, seat in numbers
    ]


class _Rated(NamedTuple):
    """The rated bots of one component: its rows in order, and what they rest on.

    `ratings` are those of the main group, `among` its games, and `anchors` those in it. The
    `covariance` is in the order of the rows. `pairs` is None for single games.
    """

    rows: tuple[Row, ...]
    covariance: Floats
    ratings: GroupRatings
    among: Counts
    anchors: tuple[Anchor, ...]
    pairs: int | None
    strength_spread: float | None


def _rate_pool(
    columns: Columns,
    counts: Counts,
    entries: Sequence[Row],
    options: RatingOptions,
    *,
    level: float,
    test_fit: bool,
    hides: Callable[[str], bool],
) -> Pool:
    """Rate the bots of one component; the entries contain all that is not computed here."""
    if len(counts.bots) == 1:
        # a bot that has met no other: its rating is 0 by convention
        alone = entries[0]._replace(rank=1, elo=0.0)
        return Pool((alone,), 0, None, None, 0.0, rough=True, level=level)
    rows, covariance, ratings, among, anchors, pairs, spread = _rate_rows(
        columns, counts, entries, options, level, hides
    )
    deals = (among if len(among.bots) > 1 else counts).deals
    seat_error = interval_factor(among.deals, level) * (ratings.seat_error or math.nan)
    met = tuple(met for met in meetings(columns, level) if not any(map(hides, met[:2])))
    return Pool(
        rows=rows,
        deals=deals,
        seat_elo=ratings.seat_elo,
        seat_plus_minus=_known_or_none(seat_error),
        prior=options.prior,
        rough=deals < ROUGH_BELOW,
        covariance=tuple(tuple(row) for row in covariance.tolist()),
        design_effect=ratings.design_effect,
        fitness=fitness(among, ratings.fitted) if test_fit and ratings.fitted else None,
        runs=compare_runs(columns),
        saved=pair_saving(columns, level),
        meetings=met,
        gaps=_find_gaps(rows, covariance),
        pairs=len(columns.pair) if pairs is None else pairs,  # or single games
        paired=pairs is not None,
        loose=columns.count_loose_games(),
        hidden=len(entries) - len(rows),
        anchors=anchors,
        paired_by_results=columns.paired_by_results,
        chosen_by_results=columns.chosen_by_results,
        level=level,
        strength_spread=spread,
        cycle=find_cycle(met),
    )


def _rate_rows(
    columns: Columns,
    counts: Counts,
    entries: Sequence[Row],
    options: RatingOptions,
    level: float,
    hides: Callable[[str], bool],
) -> _Rated:
    """Rate the bots of one component, and put them in order, without those that are hidden."""
    # with a prior every rating exists, so no bot needs a bound
    whole = [Stratum(tuple(range(len(counts.bots))), "")]
    tied = _find_anchored(counts, options.anchors)
    groups = whole if options.prior else strata(counts, tied)
    among = counts.select(groups[0].members)
    ratings = rate_anchored(among, options.anchors, options.prior)
    anchors = tuple(anchor for anchor in options.anchors if anchor.bot in among.bots)
    lines = _fill_lines(entries, counts, groups, ratings, options.anchors, level)
    lines = _add_massey(lines, columns, level)
    lines = _add_opponents(lines, counts)
    order = [bot for bot in _sort_bots(lines, groups) if not hides(lines[bot].bot)]
    if columns.paired_by_results:
        ratings, lines = _forget_errors(ratings, lines)
    covariance = _spread_covariance(ratings, groups[0], len(lines), order)
    fixed = frozenset(anchor.bot for anchor in anchors if anchor.is_exact)
    rows = _rank_rows([lines[k] for k in order], covariance, among.deals, fixed, level)
    rows = _add_joint_intervals(rows, covariance, among.deals, level)
    rows, spread = _add_shrunk_los(rows, covariance, among.deals)
    pairs = _count_pairs(columns, lines)
    return _Rated(rows, covariance, ratings, among, anchors, pairs, spread)


def _find_gaps(lines: Sequence[Row], covariance: Floats) -> tuple[Gap, ...]:
    """Return the gaps between neighbours, rounded as in the order, so that none is below 0."""
    elos = [None if line.bound else round(line.elo, DIGITS) for line in lines]
    return gaps([line.bot for line in lines], elos, covariance.tolist())


def _count_pairs(columns: Columns, lines: Iterable[Row]) -> int | None:
    """Return the number of pairs; None for single games, whatever names of pairs they have."""
    if not any(sum(line.tally.pairs) for line in lines):
        return None
    return int(np.count_nonzero(np.bincount(columns.pair)))


def _add_massey(lines: Sequence[Row], columns: Columns, level: float) -> list[Row]:
    """Return rows with the ratings by points."""
    by_points = massey(columns, level)
    return [line._replace(massey=by) for line, by in zip(lines, by_points, strict=True)]


def _add_opponents(lines: Sequence[Row], counts: Counts) -> list[Row]:
    """Return rows with the mean rating of each bot's rated opponents, weighted by games."""
    games, _ = counts.matrices()
    rated = [k for k, line in enumerate(lines) if not line.bound]
    met = (games + games.T)[:, rated]
    elos = np.array([lines[k].elo for k in rated], np.float64)
    return [
        line._replace(opponents_elo=float(own @ elos / own.sum()) if own.any() else None)
        for line, own in zip(lines, met, strict=True)
    ]


def _forget_errors(rated: GroupRatings, lines: list[Row]) -> tuple[GroupRatings, list[Row]]:
    """Remove the errors of ratings where results decided the pairings.

    A bot that was lucky once looks strong to those it meets next. With 16 bots after 5 rounds of 2
    pairs, 91 % of the 95 % intervals would contain the truth, and 78 % of those of the first rated
    bot in the table (`benchmarks/intervals.py`). Bounds treat the ratings of opponents as exact.
    """
    unknown = np.full_like(rated.covariance, np.nan)
    return rated._replace(covariance=unknown, design_effect=None), [
        line._replace(
            elo=math.nan if line.bound else line.elo,
            bound_tells=True,
            plus_minus=None,
            massey=line.massey and line.massey._replace(plus_minus=None),
        )
        for line in lines
    ]


def _spread_covariance(
    rated: GroupRatings, main: Stratum, bots: int, order: Sequence[int]
) -> Floats:
    """Return the covariance of the bots in this order, out of so many.

    It is NaN, not 0, for bots without a rating, so that using their error is noticed. It is NaN for
    all bots if all deals gave the same results: no visible variance does not make the ratings
    exact.
    """
    spread: Floats = np.full((bots, bots), np.nan)
    if len(main.members) == 1 or np.diag(rated.covariance).max() > _NO_SPREAD**2:
        spread[np.ix_(main.members, main.members)] = rated.covariance
    ordered: Floats = spread[np.ix_(order, order)]
    return ordered


def _sort_bots(lines: Sequence[Row], groups: Sequence[Stratum]) -> list[int]:
    """Return the bots best first: those above the rated ones, the rated ones, those below.

    Bots with neither a rating nor a bound follow the rated ones. Bots of a group are ordered by
    their ratings, and other groups by who beat whom, not by the size of a bound.
    """
    group_index = {bot: k for k, group in enumerate(groups) for bot in group.members}

    def key(bot: int) -> tuple[int, int, float, str]:
        line = lines[bot]
        elo = 0.0 if math.isnan(line.elo) else -round(line.elo, DIGITS)
        # by name last, or ties would be in the order of their games
        return _LEVELS.index(line.bound), group_index[bot], elo, line.bot

    return sorted(range(len(lines)), key=key)


def _fill_lines(
    entries: Sequence[Row],
    counts: Counts,
    groups: Sequence[Stratum],
    rated: GroupRatings,
    anchors: Sequence[Anchor],
    level: float,
) -> list[Row]:
    """Give the main group its ratings, and the others bounds from their games against it."""
    main, *others = groups
    lines = list(entries)
    among = counts.select(main.members)
    deals = count_deals(among.deal, among.first, among.second, len(among.bots))
    with_anchor = np.isin(among.first, rated.held) | np.isin(among.second, rated.held)
    of_anchors = len(np.unique(among.deal[with_anchor]))
    # rounding can make a variance of 0 negative
    errors = np.sqrt(np.maximum(np.diag(rated.covariance), 0.0))
    for k, bot in enumerate(main.members):
        # A bot on few deals has a wider interval, by Student's t; a difference to anchors also
        # rests on the anchors' deals.
        fewest = min(deals[k], of_anchors) if rated.held else deals[k]
        lines[bot] = entries[bot]._replace(
            elo=float(rated.elo[k]),
            plus_minus=_known_or_none(interval_factor(fewest, level) * errors[k]),
            deals=deals[k],
        )
    theta = np.zeros(len(lines))
    theta[list(main.members)] = rated.theta
    # the zero of the main group's scale, which may be shifted by an anchor
    zero = float(rated.elo[0]) - float(rated.theta[0]) / NATURAL
    for group in others:
        # no prior: only the differences within the group are used
        within = rate_anchored(counts.select(group.members), anchors, 0.0)
        theta[list(group.members)] = within.theta
        shift = perfect_score_bound(counts, theta, rated.gamma, main, group, level)
        for bot in group.members:
            lines[bot] = lines[bot]._replace(elo=math.nan, bound=group.bound)
            if shift is None:
                continue
            ahead = shift + float(theta[bot])
            lines[bot] = lines[bot]._replace(
                elo=zero + ahead / NATURAL,
                bound_tells=ahead > 0 if group.bound == ">" else ahead < 0,
            )
    return lines


def _known_or_none(value: float) -> float | None:
    """Return the width of an interval, or None if unknown: fewer than two deals, or all alike."""
    return float(value) if value > _NO_SPREAD else None


def _rank_rows(
    lines: Sequence[Row], covariance: Floats, all_deals: int, fixed: frozenset[str], level: float
) -> tuple[Row, ...]:
    """Assign ranks to rows in order, and how sure the order is; equal ratings share a rank.

    `covariance` is that of the ratings in this order; those of `fixed` bots are given. The ranks of
    rated bots come from draws from it. A bot that has only a bound may have any rank that its bound
    allows, which widens the ranks of the rated bots next to it.
    """
    rated = [k for k, line in enumerate(lines) if not line.bound]
    elos = np.array([lines[k].elo for k in rated], np.float64)
    among = covariance[np.ix_(rated, rated)]
    deals = [lines[k].deals for k in rated]
    given = np.array([lines[k].bot in fixed for k in rated], np.bool_)
    drawn = dict(
        zip(rated, rank_intervals(elos, among, deals, all_deals, level, given), strict=True)
    )
    los = likelihoods(elos, among, deals) if np.isfinite(among).all() else None
    ranked: list[Row] = []
    for k, line in enumerate(lines):
        sure = None
        if los is not None and k in drawn and k != rated[-1]:
            row = rated.index(k)
            sure = None if given[row : row + 2].all() else float(los[row, row + 1])
        # comparisons with NaN, for a bot without even a bound, are false: it may have any rank
        if k in drawn:
            best, worst = drawn[k]
            for other in lines:
                if other.bound:
                    best += other.bound == ">" and other.elo > line.elo
                    worst += not (other.bound == "<" and line.elo > other.elo)
        else:
            others = [other for other in lines if not other.bound]
            best = 1 + sum(line.bound == "<" and other.elo > line.elo for other in others)
            worst = len(lines) - sum(line.bound == ">" and line.elo > other.elo for other in others)
        is_level = k > 0 and line.is_level_with(lines[k - 1])
        rank = ranked[-1].rank if is_level else k + 1
        ranked.append(line._replace(rank=rank, ranks=RankInterval(best, worst), los=sure))
    return tuple(ranked)


def _add_joint_intervals(
    rows: Sequence[Row], covariance: Floats, deals: int, level: float
) -> tuple[Row, ...]:
    """Return rows with intervals that hold together; `covariance` is in the order of the rows."""
    rated = [k for k, row in enumerate(rows) if not row.bound]
    width = joint_width(covariance[np.ix_(rated, rated)], deals, level)
    return tuple(
        row._replace(joint_plus_minus=width and row.plus_minus and width * row.plus_minus)
        for row in rows
    )


def _add_shrunk_los(
    rows: Sequence[Row], covariance: Floats, deals: int
) -> tuple[tuple[Row, ...], float | None]:
    """Return rows with the LOS by the spread of the table, and that spread."""
    rated = [k for k, row in enumerate(rows) if not row.bound]
    elos = np.array([rows[k].elo for k in rated], np.float64)
    shrunk = shrink(elos, covariance[np.ix_(rated, rated)], deals)
    if shrunk is None:
        return tuple(rows), None
    by_row = dict(zip(rated, shrunk.los, strict=False))
    return tuple(
        row._replace(shrunk_los=by_row.get(k)) for k, row in enumerate(rows)
    ), shrunk.spread
