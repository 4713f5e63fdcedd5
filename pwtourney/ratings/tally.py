"""Counts for each bot, and for every two that met: games, pairs, seats, and margins.

A mirrored pair is one deal from both sides, so what its two games have in common comes from the
deal, and what differs comes from the seat.

Margins never enter the ratings: bots play to win, not to win by much. Intervals of margins are
clustered by deal, as those of the ratings are.
"""

from typing import NamedTuple

import numpy as np

from pwtourney.ratings.bradley_terry import Floats
from pwtourney.ratings.dense import number_values
from pwtourney.ratings.game_columns import NO_MARGIN, Columns, Ints, count_deals
from pwtourney.ratings.pairs import SHARES, PairCounts
from pwtourney.ratings.uncertainty import (
    LEVEL,
    centring_matrix,
    clustered_mean,
    clustered_meat,
    group_by_bot,
    interval_factor,
)

__all__ = [
    "Margin",
    "Massey",
    "SeatGain",
    "Tally",
    "count_pairs",
    "margins",
    "massey",
    "seat_gains",
    "tally",
]


class Tally(NamedTuple):
    """Counts of one bot.

    Games and half points are counted by seat: (as first, as second). In games that pwtourney plays,
    `draws` are technical ones, in which both bots failed. `voids` are not among the games. `pairs`
    counts the whole pairs with fewer points than the opponent, as many, and more. `deals` is how
    many deals the bot played on.
    """

    games: tuple[int, int] = (0, 0)
    halves: tuple[int, int] = (0, 0)
    wins: int = 0
    losses: int = 0
    draws: int = 0
    voids: int = 0
    pairs: tuple[int, int, int] = (0, 0, 0)
    deals: int = 0

    @property
    def game_count(self) -> int:
        """The number of games that count."""
        return sum(self.games)

    def share(self, seat: int | None = None) -> float | None:
        """Return the share of points won, in one seat or in both; None without games."""
        games = self.game_count if seat is None else self.games[seat]
        halves = sum(self.halves) if seat is None else self.halves[seat]
        return halves / 2 / games if games else None


class SeatGain(NamedTuple):
    """The gain in a bot's share of points from having the first seat, over its whole pairs.

    `mean` is from −1 to 1. `plus_minus` is half of its interval, clustered by deal, None with fewer
    than two deals.
    """

    pairs: int
    mean: float
    plus_minus: float | None


def tally(columns: Columns) -> list[Tally]:
    """Count every bot's games, in the order of the bots."""
    n = len(columns.bots)
    mirrored = 2 - columns.halves  # in half points, so that technical draws stay whole numbers
    by_seat = [(columns.first, columns.halves), (columns.second, mirrored)]
    # by bot and half points, n × 3, for each seat
    by_points = [
        np.bincount(3 * bot + points, minlength=3 * n).reshape(n, 3) for bot, points in by_seat
    ]
    games = [counts.sum(axis=1) for counts in by_points]
    halves = [counts @ np.arange(3) for counts in by_points]
    lost, drawn, won = (by_points[0] + by_points[1]).T
    pairs = np.zeros((n, 3), np.int64)
    for key, counts in count_pairs(columns).items():
        # two wins and a win with a draw count alike here: more points than the opponent
        outcomes = sum(counts[:2]), counts[2], sum(counts[3:])
        pairs[key // n] += outcomes
        pairs[key % n] += outcomes[::-1]
    deals = count_deals(columns.deal, columns.first, columns.second, n)
    return [
        Tally(
            games=(int(games[0][k]), int(games[1][k])),
            halves=(int(halves[0][k]), int(halves[1][k])),
            wins=int(won[k]),
            losses=int(lost[k]),
            draws=int(drawn[k]),
            voids=int(columns.voids[k]),
            pairs=(int(pairs[k, 0]), int(pairs[k, 1]), int(pairs[k, 2])),
            deals=deals[k],
        )
        for k in range(n)
    ]


def seat_gains(columns: Columns, level: float = LEVEL) -> list[SeatGain | None]:
    """Return the gain of every bot, in their order; None for one without whole pairs.

    A pair is one deal against one opponent from both seats, so only the seat differs. Both bots of
    a pair have the same gain: what one bot gains in one game, the other loses in the other game.
    """
    low, high = np.minimum(columns.first, columns.second), np.maximum(columns.first, columns.second)
    whole = columns.find_whole_pairs()
    gain = np.bincount(columns.pair, columns.halves / 2, columns.pairs)[whole] - 1
    lower, higher, deal = np.zeros((3, columns.pairs), np.int64)
    lower[columns.pair], higher[columns.pair], deal[columns.pair] = low, high, columns.deal
    bot = np.concatenate([lower[whole], higher[whole]])
    gains, deals = np.concatenate([gain] * 2), np.concatenate([deal[whole]] * 2)
    return [
        SeatGain(len(values), *clustered_mean(values, on, level)) if len(values) else None
        for values, on in group_by_bot(len(columns.bots), bot, gains, deals)
    ]


def count_pairs(columns: Columns) -> dict[int, PairCounts]:
    """Return how many whole pairs of two bots gave the lower one 0, ½, 1, 1½ and 2 points.

    The keys are pairing numbers: the lower bot times the number of bots, plus the higher bot.
    """
    n = len(columns.bots)
    low, high = np.minimum(columns.first, columns.second), np.maximum(columns.first, columns.second)
    halves = np.where(columns.first == low, columns.halves, 2 - columns.halves)
    got = np.bincount(columns.pair, halves, columns.pairs).astype(np.int64)
    pairing = np.zeros(columns.pairs, np.int64)
    # every game of a pair writes the same two bots, so it does not matter which one is last
    pairing[columns.pair] = low * n + high
    whole = columns.find_whole_pairs()
    pairings, row = number_values(pairing[whole])
    classes = len(SHARES)
    counts = np.bincount(classes * row + got[whole], minlength=classes * len(pairings))
    rows = zip(pairings.tolist(), counts.reshape(-1, classes).tolist(), strict=True)
    return {key: (a, b, c, d, e) for key, (a, b, c, d, e) in rows}


class Margin(NamedTuple):
    """The margins of one bot in games that were played to their end, from its side.

    `plus_minus` is half of the interval of the mean, None with fewer than two deals. `first` and
    `second` are the means in that seat, None without such games. `tied` is the share of games with
    equal scores, which the tie-break decided.
    """

    games: int
    mean: float
    plus_minus: float | None
    median: float
    first: float | None = None
    second: float | None = None
    tied: float = 0.0


class Massey(NamedTuple):
    """A bot's rating in points of the game, with half of its interval (None if unknown)."""

    points: float
    plus_minus: float | None


def margins(columns: Columns, level: float = LEVEL) -> list[Margin | None]:
    """Return the margins of every bot, in their order; None for one without such games."""
    ended = columns.margin != NO_MARGIN
    bot = np.concatenate([columns.first[ended], columns.second[ended]])
    margin = np.concatenate([columns.margin[ended], -columns.margin[ended]])
    deal = np.concatenate([columns.deal[ended]] * 2)
    # each game appears twice, once from the side of either bot
    seats = np.repeat([0, 1], len(margin) // 2)
    table = np.stack([margin, seats], axis=1)
    lines: list[Margin | None] = []
    for values, on in group_by_bot(len(columns.bots), bot, table, deal):
        if not len(values):
            lines.append(None)
            continue
        of_bot, seats_of_bot = values[:, 0], values[:, 1]
        mean, plus_minus = clustered_mean(of_bot, on, level)
        in_seats = (of_bot[seats_of_bot == seat] for seat in (0, 1))
        first, second = (float(part.mean()) if len(part) else None for part in in_seats)
        median, tied = float(np.median(of_bot)), float((of_bot == 0).mean())
        lines.append(Margin(len(of_bot), mean, plus_minus, median, first, second, tied))
    return lines


def massey(columns: Columns, level: float = LEVEL) -> list[Massey | None]:
    """Rate the bots of one component by least squares; None for all if margins do not join them.

    K. Massey, "Statistical models applied to the rating of sports teams", 1997: the margin of a
    game is r_first − r_second + h, with h the advantage of the first seat.
    """
    n = len(columns.bots)
    ended = columns.margin != NO_MARGIN
    first, second = columns.first[ended], columns.second[ended]
    margin, deal = columns.margin[ended].astype(np.float64), columns.deal[ended]
    normal, seat_term = _normal_equations(first, second, n)
    if normal is None:
        return [None] * n
    right = np.bincount(first, margin, n + 1) - np.bincount(second, margin, n + 1)
    # the equation becomes h = 0 if the advantage of the seat cannot be estimated
    right[n] = margin.sum() if seat_term else 0.0
    inverse = np.asarray(np.linalg.inv(normal), np.float64)
    solved = inverse @ right
    ratings = solved[:n] - solved[:n].mean()
    # errors of ordinary least squares would treat the games of a deal as independent
    left = margin - (solved[first] - solved[second] + solved[n])
    meat = clustered_meat(deal, first, second, left, n, seat_term)
    if meat is None:
        return [Massey(float(rating), None) for rating in ratings]
    bread = centring_matrix(n) @ inverse
    # rounding may make a variance of 0 negative
    errors = np.sqrt(np.maximum(np.diag(bread @ meat @ bread.T), 0.0))[:n]
    # a bot on few deals has a wider interval, by Student's t
    factors = (interval_factor(own, level) for own in count_deals(deal, first, second, n))
    return [
        Massey(float(rating), float(factor * error) if factor * error > 0 else None)
        for rating, error, factor in zip(ratings, errors, factors, strict=True)
    ]


def _normal_equations(first: Ints, second: Ints, n: int) -> tuple[Floats | None, bool]:
    """Return the matrix, or None if singular, and whether the seat's advantage can be estimated."""
    games = np.bincount(first * n + second, minlength=n * n).reshape(n, n).astype(np.float64)
    both = games + games.T
    normal = np.zeros((n + 1, n + 1))
    normal[:n, :n] = np.diag(both.sum(axis=1)) - both
    normal[:n, :n] += 1.0  # else it is singular: an equal shift changes nothing
    normal[:n, n] = normal[n, :n] = games.sum(axis=1) - games.sum(axis=0)
    normal[n, n] = games.sum()
    if np.linalg.matrix_rank(normal[:n, :n], hermitian=True) < n:
        return None, False
    # if bots never swap seats, the advantage of the seat cannot be separated from their difference
    if np.linalg.matrix_rank(normal, hermitian=True) == n + 1:
        return normal, True
    normal[:n, n] = normal[n, :n] = 0.0
    normal[n, n] = 1.0
    return normal, False
