"""Test whether one rating per bot explains the results, or some pairings deviate from it.

For every two bots that have met, the points of one are compared with what the ratings expect. The
distribution under chance is computed exactly instead of approximated by a normal one: where bots
are far apart a single lost game is many standard errors, and no surprise among a hundred pairings.
The distribution of a pairing's points is composed of its deals, whose two games are correlated as
strongly as in the whole table. How surprising the worst pairing and the sum of all squares are is
measured on tournaments that are drawn from the ratings and rated again: a parametric bootstrap,
with the worst pairing as in P. H. Westfall and S. S. Young, "Resampling-based multiple testing",
1993. The stated error rate holds for both questions together.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from pwtourney.ratings.bradley_terry import Counts, Fit, Floats, inverse_information, probability
from pwtourney.ratings.dense import have_one_value, number_densely, number_values
from pwtourney.ratings.game_columns import Ints
from pwtourney.ratings.laws import Laws, find_both, find_laws

__all__ = ["Deviation", "Fitness", "fitness"]

_LEVEL = 0.05
_NOISE = 1e-9
_LEAST_FREE = 0.02
"""Below this free share of its variance a pairing is not tested: the ratings follow it closely."""

_TABLES = {50: 999, 100: 199}
"""The number of tournaments to draw, by the largest number of bots: each has to be rated."""

_FAR = 3.0
"""Standard errors; with more bots than in `_TABLES`, only pairings beyond this can stand out.
"""

_PULL = 4
"""The relative spread is shrunk towards 1 as if by this many more degrees of freedom."""

_FEWEST = 30
"""On fewer degrees of freedom the spread is unknown, and chance would look highly significant."""

_AT_A_TIME = 1 << 21
"""The most numbers held in memory for tournaments that are drawn together."""

_FEW = 16
"""Tournaments that are rated together: their numbers fit into the caches of a processor."""

_ROUNDS = 12
_MOST_STEP = 1.0
_CLOSE = 1e-3
"""Rounds, largest step and final precision of Newton's method, which starts near the answer."""

_QUESTIONS = 2
"""The two questions: does a pairing stand out, and is the whole too far off."""

_SEED = 1952


class Deviation(NamedTuple):
    """A pairing that the ratings do not explain: `first` got `points` and should have `expected`.

    `z` is the difference in standard errors of what the fit leaves free. `p` is how often a table
    that the ratings explain has any pairing that is as surprising, corrected for the second
    question about the whole table.
    """

    first: str
    second: str
    points: float
    expected: float
    z: float
    p: float


class Fitness(NamedTuple):
    """The test of all pairings: χ², its degrees of freedom, and the pairings that deviate.

    `p` is how often a table that the ratings explain looks as bad, by its sum of squares or by its
    worst pairing; it never exceeds that of a deviation. `spread` is the variance of a pairing's
    points over that of independent games: above 1 if both games of a pair tend to have the same
    winner, below 1 if the same seat tends to win both.
    """

    chi_square: float
    freedom: int
    p: float
    spread: float
    deviations: tuple[Deviation, ...]


class _Pairings(NamedTuple):
    """The pairings of `bots` bots that have met, by number, from the side of the lower number.

    `games` counts those with the lower bot in the first seat and in the second, and `points` are
    its points. `deals` has a row per kind of deal: the pairing, the games on it with the lower bot
    in the first and in the second seat, and the number of such deals.
    """

    bots: int
    low: Ints
    high: Ints
    games: Ints
    points: Floats
    deals: Ints

    def chances(self, theta: Floats, gamma: float) -> Floats:
        """Return the lower bot's chance by seat (last axis); `theta` may hold several rows."""
        ahead = theta[..., self.low] - theta[..., self.high]
        # with the seat as the outer axis in memory, sums are much faster
        by_seat = np.stack([probability(ahead + gamma), probability(ahead - gamma)])
        return np.moveaxis(by_seat, 0, -1)

    def select(self, pairings: Ints) -> "_Pairings":
        """Return some of the pairings, renumbered in this order."""
        number = np.full(len(self.low), -1, np.int64)
        number[pairings] = np.arange(len(pairings))
        deals = self.deals[number[self.deals[:, 0]] >= 0]
        deals[:, 0] = number[deals[:, 0]]
        low, high, games = (part[pairings] for part in (self.low, self.high, self.games))
        return _Pairings(self.bots, low, high, games, self.points[pairings], deals)

    def sum_games(self, by_seat: Floats) -> Floats:
        """Return for each pairing the sum over its games of a value per seat."""
        total: Floats = self.games[:, 0] * by_seat[..., 0] + self.games[:, 1] * by_seat[..., 1]
        return total


class _Deals(NamedTuple):
    """One row per way in which deals of a pairing went, with the `number` of such deals.

    `games` counts the lower bot's games by its seat, and `points` are its points.
    """

    pairing: Ints
    games: Ints
    points: Floats
    number: Ints


def fitness(counts: Counts, fitted: Fit) -> Fitness | None:
    """Test the ratings of one component; None if there is nothing to test."""
    met, deals = _sum_pairings(counts)
    # γ takes no degree of freedom: over the two games of a pair it adds next to nothing to a bot's
    # points
    freedom = len(met.low) - (met.bots - 1)
    if freedom < 1:
        return None
    chances = met.chances(fitted.theta, fitted.gamma)
    expected, variances = met.sum_games(chances), chances * (1 - chances)
    variance, surplus = met.sum_games(variances), met.points - expected
    spread, certainty = _relative_spread(deals, chances)
    if spread is None or not (variance > 0).all():
        return None
    free = variance - _explained_variance(met, fitted, met.games * variances)
    free = np.maximum(free, _NOISE * variance)
    z = surplus / np.sqrt(spread * free)
    # the ratings follow each pairing, so its residual is smaller than chance makes it; scale it up
    stretch = np.where(free > _LEAST_FREE * variance, np.sqrt(variance / free), 0.0)
    weight = 1 / (spread * variance)
    chi_square = float((surplus**2 * weight).sum())
    tables = next((number for most, number in _TABLES.items() if met.bots <= most), 0)
    # without drawn tables only pairings far out could be rare enough
    judged = np.flatnonzero((np.abs(z) > _FAR) | (tables > 0))
    some = met.select(judged)
    dependence = _find_dependence(met, chances, spread)
    laws = find_laws(some.deals, some.games.sum(axis=1), chances[judged], dependence)
    rare = np.ones(len(z))
    rare[judged] = laws.find_chances((expected + stretch * surplus)[judged])
    squares, rarest = [np.empty(0)], [np.empty(0)]
    for drawn in _draw_surpluses(met, fitted, laws, tables, certainty):
        squares.append((drawn**2 * weight).sum(axis=1))
        rarest.append(laws.find_chances(expected + stretch * drawn).min(axis=1))
    whole, p = _judge(chi_square, rare, np.concatenate(squares), np.concatenate(rarest))
    deviations = tuple(
        Deviation(
            first=counts.bots[int(met.low[k])],
            second=counts.bots[int(met.high[k])],
            points=float(met.points[k]),
            expected=float(expected[k]),
            z=float(z[k]),
            p=float(p[k]),
        )
        for k in np.argsort(rare, kind="stable")
        if p[k] < _LEVEL
    )
    # if nothing was drawn and nothing lies far out, the p of the whole is unknown
    return Fitness(chi_square, freedom, whole, spread, deviations) if tables or deviations else None


def _sum_pairings(counts: Counts) -> tuple[_Pairings, _Deals]:
    """Return the games and points of each pairing, and how often its deals ended in each way.

    The second value is a histogram: its rows count the deals of a pairing that are equal in games
    by seat and in points.
    """
    n = len(counts.bots)
    low, high = np.minimum(counts.first, counts.second), np.maximum(counts.first, counts.second)
    keys, pairing = number_values(low * n + high)
    # points of a pairing are those of the bot with the lower number, in either seat
    swapped = counts.first != low
    halves = np.where(swapped, 2 * counts.games - counts.halves, counts.halves)
    # where only two bots meet on each deal, which is common, the deal's number suffices
    alone = have_one_value(counts.deal, pairing)
    _, deal = number_densely(counts.deal if alone else pairing * counts.deals + counts.deal)
    parts = (counts.games * ~swapped, counts.games * swapped, halves)
    first_games, second_games, got = (np.bincount(deal, part).astype(np.int64) for part in parts)
    owner = np.zeros(len(got), np.int64)
    owner[deal] = pairing
    # as one number, because numpy sorts numbers much faster than rows
    width, most = int(second_games.max()) + 1, int(got.max()) + 1
    kinds, kind = number_values(
        (owner * (int(first_games.max()) + 1) + first_games) * width + second_games
    )
    kinds = np.stack(
        [*np.divmod(kinds // width, int(first_games.max()) + 1), kinds % width], axis=1
    )
    ways, way = number_values(kind * most + got)
    of_way = kinds[ways // most]
    deals = _Deals(of_way[:, 0], of_way[:, 1:], ways % most / 2, np.bincount(way))
    games = [np.bincount(deals.pairing, deals.number * column) for column in deals.games.T]
    met = _Pairings(
        bots=n,
        low=keys // n,
        high=keys % n,
        games=np.stack(games, axis=1).astype(np.int64),
        points=np.bincount(deals.pairing, deals.number * deals.points).astype(np.float64),
        deals=np.column_stack([kinds, np.bincount(kind)]),
    )
    return met, deals


def _relative_spread(deals: _Deals, chances: Floats) -> tuple[float | None, int]:
    """Return the variance of deals within pairings over that of independent games.

    Also returns the degrees of freedom on which it rests. With few of them it is shrunk towards 1,
    its value when the games of a deal are independent. It is None if it cannot be estimated.
    """
    chance = chances[deals.pairing]
    surplus = deals.points - (deals.games * chance).sum(axis=1)
    expected = (deals.games * chance * (1 - chance)).sum(axis=1)
    size = np.bincount(deals.pairing, deals.number)
    mean = np.bincount(deals.pairing, deals.number * surplus) / size
    # Bessel's correction by cluster: each pairing's mean is estimated from its own deals
    seen = float((deals.number * (surplus - mean[deals.pairing]) ** 2).sum())
    fair = float((deals.number * expected * (1 - 1 / size[deals.pairing])).sum())
    certainty = int(deals.number.sum()) - len(size)
    if certainty < _FEWEST or not seen > _NOISE * fair:
        return None, certainty
    return (certainty * seen / fair + _PULL) / (certainty + _PULL), certainty


def _explained_variance(met: _Pairings, fitted: Fit, variances: Floats) -> Floats:
    """Return the part of each pairing's variance that the ratings absorb by being fitted to it.

    With g the derivative of a pairing's expected points by the parameters, it is gᵀ H⁻¹ g.
    """
    rows = np.arange(len(met.low))
    slope = np.zeros((len(rows), met.bots + 1))
    slope[rows, met.low] = variances.sum(axis=1)
    slope[rows, met.high] = -variances.sum(axis=1)
    if fitted.seat_term:
        slope[:, met.bots] = variances[:, 0] - variances[:, 1]
    explained: Floats = ((slope @ inverse_information(fitted)) * slope).sum(axis=1)
    return explained


def _find_dependence(met: _Pairings, chances: Floats, spread: float) -> float:
    """Return the share of deals with full dependence at which points spread as observed.

    It is above 0 if the games of a deal tend to have the same winner, and below 0 if the same seat
    tends to win them.
    """
    pairing, first_games, second_games, number = met.deals.T
    of_deal = chances[pairing]
    single = of_deal * (1 - of_deal)
    alone = first_games * single[:, 0] + second_games * single[:, 1]
    together = find_both(of_deal, alike=spread > 1) - of_deal.prod(axis=1)
    decided = (
        first_games**2 * single[:, 0]
        + second_games**2 * single[:, 1]
        + 2 * first_games * second_games * together
    )
    most = float((number * (decided - alone)).sum())
    excess = (spread - 1) * float((number * alone).sum())
    return float(np.sign(spread - 1)) * min(1.0, excess / most) if excess * most > 0 else 0.0


def _judge(
    chi_square: float, rare: Floats, squares: Floats, rarest: Floats
) -> tuple[float, Floats]:
    """Return the p of the whole and of each pairing, given the same statistics of drawn tables.

    Two questions are asked: how large the sum of squares is, and how rare the rarest pairing is. So
    each drawn table counts by the question in which it looks worse.
    """
    step = 1 / (1 + len(rarest))
    least = np.minimum(_rank(rarest, rarest), _rank(-squares, -squares)) - step  # it counts itself
    rank = _rank(rare, rarest)
    # if no draw is as rare, the number of pairings bounds it (Bonferroni)
    bound = np.where(rank <= step, _QUESTIONS * len(rare) * rare, 1.0)
    p = np.minimum(_rank(rank, least), bound)
    whole = _rank(_rank(-np.array([chi_square]), -squares), least)
    return float(min(whole.min(), p.min())), p


def _rank(values: Floats, drawn: Floats) -> Floats:
    """Return the share of draws that are at most each value, the value itself included."""
    level = values + _NOISE * np.abs(values)
    share: Floats = (1 + np.searchsorted(np.sort(drawn), level, side="right")) / (1 + len(drawn))
    return share


def _draw_surpluses(
    met: _Pairings, fitted: Fit, laws: Laws, tables: int, certainty: int
) -> Iterator[Floats]:
    """Draw tournaments, rate each, and yield the residuals of its ratings, tables × pairings.

    Residuals are relative to the spread that would have been estimated in the drawn table. That
    spread is drawn as a χ² with `certainty` degrees of freedom, as uncertain as the observed one.
    """
    stream = np.random.default_rng(_SEED)
    joined = np.zeros((len(met.low), met.bots))
    joined[np.arange(len(met.low)), met.low] = 1.0
    joined[np.arange(len(met.low)), met.high] = -1.0
    step = max(1, _AT_A_TIME // (met.bots**2 + len(met.low)))
    for begin in range(0, tables, step):
        chance = stream.random((min(step, tables - begin), len(met.low)))
        points = laws.draw(chance)
        spread = stream.chisquare(certainty, (len(points), 1)) / certainty
        spread = (certainty * spread + _PULL) / (certainty + _PULL)
        for few in range(0, len(points), _FEW):
            rows = slice(few, few + _FEW)
            surplus = points[rows] - _rate_anew(met, fitted, joined, points[rows])
            yield surplus / np.sqrt(spread[rows])


def _rate_anew(met: _Pairings, fitted: Fit, joined: Floats, points: Floats) -> Floats:
    """Return the points expected by ratings fitted to other points; `points` has a row per table.

    `joined` has a row per pairing, with 1 for its lower bot and −1 for its higher one.

    The first-seat term stays fixed, because it adds next to nothing to what two bots get from both
    seats.
    """
    theta = np.tile(fitted.theta, (len(points), 1))
    everybody = np.arange(met.bots)
    moving = np.arange(len(points))
    for _ in range(_ROUNDS):
        chances = met.chances(theta[moving], fitted.gamma)
        weight = met.sum_games(chances * (1 - chances))
        information = np.zeros((len(moving), met.bots, met.bots))
        information[:, met.low, met.high] = information[:, met.high, met.low] = -weight
        information[:, everybody, everybody] = -information.sum(axis=2)
        # an equal shift of all ratings changes nothing, and a bot that lost all games has no finite
        # rating
        information += 1.0 / met.bots
        information[:, everybody, everybody] += _NOISE
        score = (points[moving] - met.sum_games(chances)) @ joined
        step = np.linalg.solve(information, score[..., None])[..., 0]
        theta[moving] += np.clip(step, -_MOST_STEP, _MOST_STEP)
        moving = moving[np.abs(step).max(axis=1) > _CLOSE]
        if not len(moving):
            break
    return met.sum_games(met.chances(theta, fitted.gamma))
