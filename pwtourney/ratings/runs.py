"""Test whether bots played differently in different runs: on other days, or other machines.

A rating takes a bot's strength as constant. For each bot, its points are compared with the mean of
the same pairing and seat over all runs, and these surpluses are summed up by run: a stratified test
of means, as that of N. Mantel, "Chi-square tests with one degree of freedom; extensions of the
Mantel-Haenszel procedure", 1963. So it does not matter whom it met more often in a run. The
covariance of the sums is clustered by deal. Ratings are not used.
"""

import math
from collections.abc import Iterator
from itertools import pairwise, starmap
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pwtourney.ratings.bradley_terry import Floats
from pwtourney.ratings.dense import Ints, number_densely
from pwtourney.ratings.game_columns import Columns

__all__ = ["RunTest", "chi_square_tail", "compare_runs"]

_FEWEST = 20.0
"""The fewest informative deals of a bot in a run; with fewer, χ² approximates its test badly."""

_MOST_RUNS = 32
"""Of more runs, neighbours are taken together, so that memory is bounded."""

_AT_A_TIME = 1 << 16
"""The number of games whose contributions are held in memory together."""

_NO_SPREAD = 1e-9


class RunTest(NamedTuple):
    """The test of the bot that differs most, `bot`: χ² and its degrees of freedom.

    `p` is how often bots whose strength is constant look as different, corrected for the number of
    bots (Bonferroni). `bots` were tested.
    """

    bot: str
    chi_square: float
    freedom: int
    p: float
    bots: int


class _Games(NamedTuple):
    """The games of one bot: sorted deals, its opponent and seat as one number, run, and points."""

    deal: Ints
    pairing: Ints
    run: Ints
    points: Floats

    def select(self, kept: NDArray[np.bool_]) -> "_Games":
        """Return some of the games."""
        return _Games(self.deal[kept], self.pairing[kept], self.run[kept], self.points[kept])


def compare_runs(columns: Columns) -> RunTest | None:
    """Test every bot; None if there are no several runs, or too few deals in them."""
    if columns.run is None:
        return None
    tests = []
    for number, bot in enumerate(columns.bots):
        games = _keep_comparable(_list_games(columns, number))
        if len(games.run):
            chi_square, freedom = _test_games(games)
            if freedom:
                tests.append((chi_square_tail(chi_square, freedom), bot, chi_square, freedom))
    if not tests:
        return None
    least, bot, chi_square, freedom = min(tests)
    # what one of two bots gains, the other loses: their tests are one
    count = 1 if len(columns.bots) == 2 else len(tests)
    return RunTest(bot, chi_square, freedom, min(1.0, count * least), len(tests))


def _list_games(columns: Columns, bot: int) -> _Games:
    assert columns.run is not None
    mine = ((columns.first == bot) | (columns.second == bot)) & (columns.run >= 0)
    is_first = columns.first[mine] == bot
    opponent = np.where(is_first, columns.second[mine], columns.first[mine])
    halves = columns.halves[mine]
    points = np.where(is_first, halves, 2 - halves) / 2
    runs = int(columns.run.max(initial=0)) + 1
    run = columns.run[mine]
    run = run * _MOST_RUNS // runs if runs > _MOST_RUNS else run
    return _Games(columns.deal[mine], 2 * opponent + is_first, run, points)


def _keep_comparable(games: _Games) -> _Games:
    """Return the games of pairings with several runs, of which each says enough; perhaps none."""
    while True:
        games = games.select(_has_several_runs(games))
        share = np.bincount(games.run, minlength=_MOST_RUNS) / max(1, len(games.run))
        enough = _count_informative(games) * share >= _FEWEST
        if enough[games.run].all():
            return games
        games = games.select(enough[games.run])


def _count_informative(games: _Games) -> float:
    """Return the number of deals with equal surpluses that would vary as much (L. Kish, 1965).

    It is small where a bot wins nearly every game, because the others say little.
    """
    _, deal = number_densely(games.deal)
    surplus, _ = _find_surplus(games)
    squares = np.bincount(deal, surplus) ** 2
    return float(squares.sum() ** 2 / max(_NO_SPREAD, float((squares**2).sum())))


def _find_surplus(games: _Games) -> tuple[Floats, Floats]:
    """Return each game's points less the mean of its pairing over all runs, and a factor for it.

    Multiplied by the factor it varies as a game does, because the mean was estimated from the same
    games (Bessel's correction).
    """
    _, pairing = number_densely(games.pairing)
    size = np.bincount(pairing)
    surplus = games.points - (np.bincount(pairing, games.points) / size)[pairing]
    return surplus, np.sqrt(size / np.maximum(size - 1, 1))[pairing]


def _has_several_runs(games: _Games) -> NDArray[np.bool_]:
    """Return for each game whether its pairing was played in more than one run."""
    pairings, pairing = number_densely(games.pairing)
    low, high = np.full(pairings, _MOST_RUNS), np.full(pairings, -1)
    np.minimum.at(low, pairing, games.run)
    np.maximum.at(high, pairing, games.run)
    return (low < high)[pairing]


def _test_games(games: _Games) -> tuple[float, int]:
    """Return χ² and its degrees of freedom, which are 0 if nothing varies."""
    _, pairing = number_densely(games.pairing)
    runs, run = number_densely(games.run)
    pairings = int(pairing.max()) + 1
    played = np.bincount(pairing * runs + run, minlength=pairings * runs).reshape(pairings, runs)
    share = played / played.sum(axis=1, keepdims=True)
    surplus, bessel = _find_surplus(games)
    total, covariance = np.zeros(runs), np.zeros((runs, runs))
    for rows in _cut_at_deals(games.deal):
        own = np.eye(runs)[run[rows]] - share[pairing[rows]]
        starts = np.flatnonzero(np.diff(games.deal[rows], prepend=-1))
        own *= surplus[rows, None]
        total += own.sum(axis=0)
        by_deal = np.add.reduceat(own * bessel[rows, None], starts)
        covariance += by_deal.T @ by_deal
    freedom = int(np.linalg.matrix_rank(covariance, hermitian=True))
    chi_square = float(total @ np.linalg.pinv(covariance, hermitian=True) @ total)
    return max(0.0, chi_square), freedom  # rounding may make it negative


def _cut_at_deals(deal: Ints) -> Iterator[slice]:
    """Yield parts of sorted deals, none of which is cut in two."""
    starts = np.append(np.flatnonzero(np.diff(deal, prepend=-1)), len(deal))
    at = np.searchsorted(starts, np.arange(0, len(deal) + _AT_A_TIME, _AT_A_TIME))
    cuts = np.unique(starts[np.minimum(at, len(starts) - 1)]).tolist()
    yield from starmap(slice, pairwise(cuts))


def chi_square_tail(value: float, freedom: int) -> float:
    """Return P(χ² > value), by recursion over the degrees of freedom.

    Abramowitz and Stegun, 26.4.4–5.
    """
    half = value / 2
    odd = freedom % 2
    tail = math.erfc(math.sqrt(half)) if odd else 0.0
    for k in range(odd, freedom - 1, 2):
        tail += half ** (k / 2) * math.exp(-half) / math.gamma(k / 2 + 1)
    return tail
