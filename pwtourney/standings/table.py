"""The table: every bot's rating with its uncertainty, and what it is made of."""

import math
from typing import NamedTuple

from pwtourney.ratings.fitness import Fitness
from pwtourney.ratings.margins import Margin, Massey
from pwtourney.ratings.order import FEWEST_DEALS, Gap, RankInterval, any_time_factor
from pwtourney.ratings.tally import HeadToHead, SeatGain, Tally
from pwtourney.standings.resources import Resources

__all__ = ["Line", "Pool", "Standings", "RatingOptions"]


class RatingOptions(NamedTuple):
    """How ratings are to be told.

    `anchor` names a bot and the rating that it has by definition; None for a mean of 0. `prior` is
    a number of virtual games of each bot against one rated 0, half of them won, which pulls the
    ratings together; 0 for none but those that are needed.
    """

    anchor: tuple[str, float] | None = None
    prior: float = 0.0


class Line(NamedTuple):
    """One bot of the table.

    `elo` is relative to the mean of its pool, or to its anchor; `plus_minus` half of the 95 %
    interval, None where it is unknown. `bound` is ``>`` for a bot that never lost a point
    to those that have ratings, not even through others, ``<`` for one that never won one, and ``?``
    where neither is so: then `elo` is the one-sided 95 % bound, NaN where there is none. `rank`
    counts within the pool, and `ranks` is its 95 % interval. `los` is the likelihood that it is
    stronger than the bot below it, None for the last one and where one of the two has no rating.
    `margin` and `massey` tell by how much it wins, and would win against an average bot; `seat`
    what the first seat is worth to it.
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
    massey: Massey | None = None
    seat: SeatGain | None = None


class Pool(NamedTuple):
    """Bots that are joined by games, best first, and how their ratings were found.

    `seat_elo` is the advantage of the first seat, None where it cannot be told; `prior` the
    virtual games that were needed, 0 as a rule; `rough` is true when there are too few deals
    for a normal interval. `covariance` is that of the ratings, in Elo², in the order of the lines;
    `design_effect` how much larger variances are than those of independent games would be, None
    where that is unknown; `fitness` the test of whether the ratings explain the results; `saved`
    the share of the variance that mirrored pairs take away. `meetings` are all pairings, `gaps`
    the neighbours in the table. `pairs` counts pairs, or single games where there are no pairs
    (`paired`); `anchor` is the bot that the ratings hang on.
    """

    lines: tuple[Line, ...]
    deals: int
    seat_elo: float | None
    seat_plus_minus: float | None
    prior: float
    rough: bool
    covariance: tuple[tuple[float, ...], ...] = ()
    design_effect: float | None = None
    fitness: Fitness | None = None
    saved: float | None = None
    meetings: tuple[HeadToHead, ...] = ()
    gaps: tuple[Gap, ...] = ()
    pairs: int = 0
    anchor: str | None = None
    paired: bool = True

    def is_separated(self, level: float) -> bool:
        """Tell whether the whole order holds at a level, however often that was asked before.

        Every two bots, either way round, get an equal part of the chance of an error (Bonferroni).
        A bot that won every game against the next is above it when as many coins would not have
        fallen so.
        """
        n = len(self.lines)
        alpha = (1 - level) / max(1, n * (n - 1))
        if self.deals < FEWEST_DEALS:  # the bounds are asymptotic, and would stop too early
            return False
        # neighbours are enough: if each is above the next, all are in order
        factor = any_time_factor(self.deals, 1 - alpha)
        return all(self._is_above(gap, factor, alpha) for gap in self.gaps)

    def tells(self, gap: Gap) -> bool:
        """Tell whether one difference is certain at 95 %, however often that was asked before."""
        factor = any_time_factor(self.deals, 0.975) if self.deals >= FEWEST_DEALS else math.inf
        return gap.error is not None and gap.difference > factor * gap.error

    def _is_above(self, gap: Gap, factor: float, alpha: float) -> bool:
        if gap.error is not None:
            return gap.difference > factor * gap.error
        # without an error one of them has only a bound: what is left is that it won every game
        met = next(
            (each for each in self.meetings if {each.first, each.second} == {gap.above, gap.below}),
            None,
        )
        if met is None:
            return False
        points = met.points if met.first == gap.above else met.games - met.points
        return points == met.games and 0.5**met.deals <= alpha


class Standings(NamedTuple):
    """All pools, largest first. Ratings of different pools cannot be compared.

    `repeated` games are repetitions of others and count once. `unanchored` names the bot that was
    to have a fixed rating, and has none.
    """

    pools: tuple[Pool, ...]
    games: int
    voids: int
    repeated: int = 0
    unanchored: str | None = None
