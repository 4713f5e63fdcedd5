"""The table of all bots as plain data: ratings with their uncertainty, and resources."""

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from pwtourney.notation.game import Game, Usage
from pwtourney.ratings.anchors import Anchor
from pwtourney.ratings.bradley_terry import NATURAL
from pwtourney.ratings.fitness import Fitness
from pwtourney.ratings.meetings import HeadToHead
from pwtourney.ratings.order import (
    FEWEST_DEALS,
    Gap,
    MorePairs,
    RankInterval,
    any_time_factor,
    likelihoods,
    pairs_to_separate,
)
from pwtourney.ratings.runs import RunTest
from pwtourney.ratings.tally import Margin, Massey, SeatGain, Tally
from pwtourney.ratings.uncertainty import LEVEL, PairSaving, two_sided

__all__ = [
    "DIGITS",
    "LEAST_PRIOR",
    "MOST_ELO",
    "MOST_PRIOR",
    "Row",
    "Pool",
    "Quantiles",
    "RatingOptions",
    "Resources",
    "Standings",
    "count_resources",
]

DIGITS = 6
"""The decimals of ratings, in Elo, that count for their order; further ones are rounding errors."""

_MOST_SHOWN = 3
_RATIO = 1.02
_LOG = math.log(_RATIO)


@dataclass
class Quantiles:
    """Counts positive integers in classes that are 2 % wide; answers are accurate to 1 %.

    The times of a million moves need at most about a thousand counts; no value is kept.
    """

    classes: Counter[int] = field(default_factory=Counter)
    count: int = 0

    def add(self, *values: int) -> None:
        """Count values; values below 1 count as 1."""
        # classes of equal ratio: the error is relative, for a move of 1 ms as for one of 10 s
        log = math.log
        self.classes.update([int(log(value) / _LOG) if value > 1 else 0 for value in values])
        self.count += len(values)

    def at(self, share: float) -> float | None:
        """Return the value below which this share lies; None without values.

        >>> quantiles = Quantiles()
        >>> for value in range(1, 1001): quantiles.add(value)
        >>> round(quantiles.at(0.5), -1), round(quantiles.at(0.99), -1)
        (500.0, 990.0)
        """
        remaining = share * self.count
        # sorted on demand: there are far more values than queries
        for number, count in sorted(self.classes.items()):
            remaining -= count
            if remaining <= 0:
                # the middle of the class, so the error is at most half a class
                return math.exp((number + 0.5) * _LOG)
        return None


@dataclass
class Resources:
    """The resources that one bot used in all games that count, and its faults in all games.

    `starts` counts the processes that were started for it. `wall` and `cpu` are the sums of the
    time of its moves and its processor time in them, in microseconds; `slowest` is its longest
    move. `usage` is what else it used in all games together. `times` holds the wall times of its
    moves. `faults` counts its verdicts, also in games that do not count.
    """

    games: int = 0
    starts: int = 0
    wall: int = 0
    slowest: int = 0
    cpu: int = 0
    usage: Usage = field(default_factory=Usage)
    times: Quantiles = field(default_factory=Quantiles)
    faults: Counter[str] = field(default_factory=Counter)

    @property
    def mean_ms(self) -> float | None:
        """Mean milliseconds per move."""
        return self.wall / self.times.count / 1000 if self.times.count else None

    def add(self, game: Game, seat: int) -> None:
        """Count one game, in which the bot had this seat."""
        usage = game.usage[seat]
        self.games += 1
        self.starts += usage.start > 0  # 0 means that the process was already running
        self.usage = self.usage.add(usage)
        plies = [ply for ply in game.plies if ply.seat == seat]
        times = [ply.micros for ply in plies]
        self.wall += sum(times)
        self.slowest = max(self.slowest, *times) if times else self.slowest
        self.cpu += sum([ply.cpu for ply in plies])
        self.times.add(*times)


LEAST_PRIOR, MOST_PRIOR = 0.01, 1000.0
MOST_ELO = 100_000.0
"""The largest rating, in Elo, that is accepted as meaningful."""

LEAST_ERROR = 0.01
"""The smallest error of a loose anchor, in Elo: with less, the equations lose their digits."""


class RatingOptions(NamedTuple):
    """Options of the computation and the scale of ratings.

    `anchors` are bots with given ratings; without any the mean is 0. `prior` is a number of virtual
    games of each bot against one rated 0, half of them won, which pulls the ratings together; 0 for
    none.
    """

    anchors: tuple[Anchor, ...] = ()
    prior: float = 0.0

    def problems(self) -> Iterator[tuple[str, str]]:
        """Yield the name of each setting that is out of range, and what is wrong with it."""
        for anchor in self.anchors:
            # written this way, the conditions are also true for NaN
            if not abs(anchor.elo) <= MOST_ELO:
                rating = f"{anchor.elo:g}"
                yield "anchor", f"expected a rating within ±{MOST_ELO:g}, not {rating}"
            if anchor.error != 0 and not LEAST_ERROR <= anchor.error <= MOST_ELO:
                bounds = f"{LEAST_ERROR:g} to {MOST_ELO:g}"
                yield "anchor", f"expected an error of 0, or from {bounds}, not {anchor.error:g}"
        if len({anchor.bot for anchor in self.anchors}) < len(self.anchors):
            yield "anchor", "a bot is named twice"
        if self.prior and (len(self.anchors) > 1 or any(anchor.error for anchor in self.anchors)):
            what = "several or loose anchors fix the scale; for a bot that won or lost every game,"
            yield "prior", f"{what} use a loose anchor with a large error instead"
        if self.prior != 0 and not LEAST_PRIOR <= self.prior <= MOST_PRIOR:
            bounds = f"{LEAST_PRIOR:g} to {MOST_PRIOR:g}"
            yield "prior", f"expected 0, or a number from {bounds}, not {self.prior:g}"


class Row(NamedTuple):
    """One bot of the table.

    `elo` is relative to the mean of its pool, or to its anchors. `plus_minus` is half of its
    interval, None if unknown; `joint_plus_minus` is half of an interval such that those of all bots
    hold together. `bound` is ``>`` for a bot that never lost a point to bots that have ratings, not
    even through others, ``<`` for one that never won one, and ``?`` if neither holds. With a bound,
    `elo` is the one-sided bound, or NaN if there is none; `bound_tells` is False if it does not
    even say that the bot is better (worse) than the average bot with a rating, as on fewer than
    five deals against equals. `rank` counts within the pool, and is that of the first of equal
    ratings; `ranks` is its interval. `los` is the likelihood that the bot is stronger than the one
    below it, None for the last one and if one of the two has no rating; `shrunk_los` is the same by
    the spread of this table. `margin` is by how much it wins, and `massey` by how much it would win
    against an average bot. `seat` is the advantage of the first seat for it. `deals` counts those
    on which it met bots with ratings; games against others do not inform about its rating.
    `opponents_elo` is the mean rating of its opponents in these games, None without any.
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
    joint_plus_minus: float | None = None
    shrunk_los: float | None = None
    massey: Massey | None = None
    seat: SeatGain | None = None
    deals: int = 0
    bound_tells: bool = True
    opponents_elo: float | None = None

    @property
    def shown_elo(self) -> float:
        """The rating or bound to show people: NaN for a bound that tells them nothing."""
        return self.elo if self.bound_tells else math.nan

    def is_level_with(self, other: "Row") -> bool:
        """Return True if both have the same rating or bound, as far as it can be computed."""
        return self.bound == other.bound and round(self.elo, DIGITS) == round(other.elo, DIGITS)

    @property
    def knows_use(self) -> bool:
        """True if times and faults are known; a table of games from elsewhere has none."""
        played = self.tally.game_count or self.tally.voids
        return bool(self.resources.games or self.resources.faults or not played)


class Pool(NamedTuple):
    """Bots that are joined by games, best first, and how they were rated.

    `seat_elo` is the advantage of the first seat, None if it cannot be estimated. `prior` is the
    number of virtual games per bot, usually 0. `rough` is True if there are too few deals for a
    normal interval. `covariance` is that of the ratings, in Elo², in the order of the rows.
    `design_effect` is how much larger variances are than those of independent games, None if
    unknown. `fitness` is the test of whether the ratings explain the results, and `runs` that of
    whether bots played differently in different runs, None without several. `saved` is what
    mirrored pairs save. `meetings` are all pairings, and `gaps` the neighbours in the table.
    `pairs` counts pairs, or single games if there are no pairs (`paired` is False). `loose` counts
    games with neither a pair nor a deal, which are taken as independent. `anchors` are the bots
    with given ratings. `hidden` bots have no row, and their games count. If bots were
    `paired_by_results`, errors of ratings are unknown; if the number of their games was
    `chosen_by_results`, intervals are too narrow. Intervals and bounds hold at the `level`, 0.95
    for 95 %. `strength_spread` is the standard deviation of the strengths in Elo, None if unknown.
    Each bot of a `cycle` certainly beats the next, and the last one the first.
    """

    rows: tuple[Row, ...]
    deals: int
    seat_elo: float | None
    seat_plus_minus: float | None
    prior: float
    rough: bool
    covariance: tuple[tuple[float, ...], ...] = ()
    design_effect: float | None = None
    fitness: Fitness | None = None
    runs: RunTest | None = None
    saved: PairSaving | None = None
    meetings: tuple[HeadToHead, ...] = ()
    gaps: tuple[Gap, ...] = ()
    pairs: int = 0
    anchors: tuple[Anchor, ...] = ()
    hidden: int = 0
    paired: bool = True
    loose: int = 0
    paired_by_results: bool = False
    chosen_by_results: bool = False
    level: float = LEVEL
    strength_spread: float | None = None
    cycle: tuple[str, ...] = ()

    @property
    def anchor(self) -> str | None:
        """The bot with a fixed rating, if no other rating is given."""
        (name,) = self.fixed_bots if len(self.anchors) == 1 and self.fixed_bots else (None,)
        return name

    @property
    def fixed_bots(self) -> frozenset[str]:
        """The bots with a fixed rating; their order is given, and no game tells it."""
        return frozenset(anchor.bot for anchor in self.anchors if anchor.is_exact)

    def is_separated(self, level: float) -> bool:
        """Return True if the whole order holds at a level; valid however often it is called.

        Every ordered two bots get an equal part of the chance of an error (Bonferroni). A bot that
        won every game against the next is above it if as many coins, one per deal, would rarely all
        show one side.
        """
        alpha = self._share_error(level)
        if self.deals < FEWEST_DEALS:  # the bounds are asymptotic, and would stop too early
            return False
        # neighbours suffice: if each is above the next, all are in order
        for gap in self.gaps:
            if gap.error is not None:
                if not self._tells(gap, 1 - alpha):
                    return False
                continue
            if self.fixed_bots >= {gap.above, gap.below}:
                continue
            # one of them has only a bound: the remaining evidence is that it won every game
            met = self.find_meeting(gap.above, gap.below)
            if met is None or met.points < met.games:
                return False
            # deals, not games: the two games of a pair may be fully dependent
            if 0.5**met.deals > alpha:
                return False
        return True

    def is_best_found(self, level: float, within: float = 0.0) -> bool:
        """Return True if the first is the best at a level, or at most `within` Elo behind the best.

        The result is valid however often it is called, like that of `is_separated`.
        """
        if self.deals < FEWEST_DEALS or len(self.rows) < 2:
            return False
        alpha = self._share_error(level)
        best, *others = self.rows
        for index, line in enumerate(others, 1):
            if self.fixed_bots >= {best.bot, line.bot}:
                continue
            if best.bound or line.bound:
                # for a bot that won everything, or nothing, the evidence is the number of deals
                if 0.5 ** min(best.deals if best.bound else line.deals, self.deals) > alpha:
                    return False
                continue
            variance = self.covariance[0][0] + self.covariance[index][index]
            variance -= 2 * self.covariance[0][index]
            error = math.sqrt(variance) if variance > 0 else None
            gap = Gap(best.bot, line.bot, best.elo - line.elo + within, error)
            if not self._tells(gap, 1 - alpha):
                return False
        return True

    def tells(self, gap: Gap) -> bool:
        """Return True if one difference is certain; valid however often it is called."""
        return self._tells(gap, two_sided(self.level))

    def more_pairs(self, gap: Gap, order: float | None = None) -> MorePairs | None:
        """Return how many more pairs make one difference certain, 0 if it is; None if unknown.

        Certain means by the rule of `tells` or, with the level of a whole `order`, of
        `is_separated`.
        """
        level = two_sided(self.level) if order is None else 1 - self._share_error(order)
        if self._tells(gap, level):
            return MorePairs(0, 0, gap.difference)
        # the variance of a result is p(1 − p), in units of NATURAL
        p = 1 / (1 + math.exp(-NATURAL * gap.difference)) if gap.error else 0.5
        games = 2 if self.paired else 1
        information = games * p * (1 - p) * NATURAL**2 / (self.design_effect or 1.0)
        more = pairs_to_separate(gap, self.pairs, self._count_deals(gap), level, information)
        # with only two bots all pairs are of these two
        return more._replace(of_two=more.of_all) if more and len(self.rows) == 2 else more

    def _share_error(self, level: float) -> float:
        """Return the chance of an error per ordered two bots."""
        n = len(self.rows)
        return (1 - level) / max(1, n * (n - 1))

    def _tells(self, gap: Gap, level: float) -> bool:
        """Return True if a difference is certain at a one-sided level, at every look."""
        deals = self._count_deals(gap)
        if gap.error is None or deals < FEWEST_DEALS:
            return False
        return gap.difference > any_time_factor(deals, level) * gap.error

    def _count_deals(self, gap: Gap) -> int:
        """Return the fewest deals of either bot: a new bot has played on few of the table's."""
        own = (row.deals for row in self.rows if row.bot in (gap.above, gap.below))
        return min([self.deals, *own])

    def likelihoods(self) -> list[list[float | None]]:
        """Return P(bot of the row is stronger than bot of the column), in the order of the rows.

        It is None for a bot and itself, if one of the two has no rating or no known error, and if
        both ratings are fixed.
        """
        table: list[list[float | None]] = [[None] * len(self.rows) for _ in self.rows]
        rated = [k for k, line in enumerate(self.rows) if not line.bound]
        if len(rated) < 2:
            return table
        covariance = np.array([[self.covariance[i][j] for j in rated] for i in rated])
        if not np.isfinite(covariance).all():
            return table
        lines = [self.rows[k] for k in rated]
        elos = np.array([line.elo for line in lines])
        los = likelihoods(elos, covariance, [line.deals for line in lines]).tolist()
        for row, i in enumerate(rated):
            for column, j in enumerate(rated):
                if i != j and not self.fixed_bots >= {self.rows[i].bot, self.rows[j].bot}:
                    table[i][j] = los[row][column]
        return table

    def find_meeting(self, bot: str, other: str) -> HeadToHead | None:
        """Return the games of two bots from the side of the first; None if they have not met."""
        for met in self.meetings:
            if (met.first, met.second) in ((bot, other), (other, bot)):
                return met.seen_from(bot)
        return None


class Standings(NamedTuple):
    """All pools, largest first. Ratings of different pools cannot be compared.

    `repeated` counts games that are repetitions of others and were left out. `unanchored` names the
    first bot that was to have a given rating and has none. `hidden_pools`, with `hidden_bots` in
    them, were removed by `hide_small_pools`.
    """

    pools: tuple[Pool, ...]
    games: int
    voids: int
    repeated: int = 0
    unanchored: str | None = None
    hidden_pools: int = 0
    hidden_bots: int = 0

    def hide_small_pools(self) -> "Standings":
        """Return the standings with the largest pool alone, if there are more than three.

        A run of many bots that is stopped early has a hundred pools of two or three bots.
        """
        if len(self.pools) <= _MOST_SHOWN:
            return self
        largest, *others = self.pools
        bots = sum(len(pool.rows) for pool in others)
        return self._replace(pools=(largest,), hidden_pools=len(others), hidden_bots=bots)

    def find_row(self, bot: str) -> tuple[Pool, Row]:
        """Return a bot's row and the pool that it is in; raises `LookupError`."""
        for pool in self.pools:
            for row in pool.rows:
                if row.bot == bot:
                    return pool, row
        raise LookupError(f"{bot} has not played")

    def find_meeting(self, bot: str, other: str) -> HeadToHead:
        """Return the games of two bots from the side of the first; raises `LookupError`."""
        for pool in self.pools:
            met = pool.find_meeting(bot, other)
            if met is not None:
                return met
        raise LookupError(f"{bot} and {other} have not met")


def count_resources(game: Game, resources: Mapping[str, Resources]) -> None:
    """Add the resources that both bots used in a game."""
    for fault in game.faults:  # in a void game, too: gates on faults must not miss any
        resources[game.bots[fault.seat]].faults[fault.verdict] += 1
    if game.points is not None:
        for seat, bot in enumerate(game.bots):
            resources[bot].add(game, seat)
