"""Which mixture of bots no bot beats: a diagnostic for cycles, not a ranking.

Two players each choose a bot; the one whose bot is likelier to win gains by so much. The maximin
mixture of that game, found by linear programming, puts all its weight on one bot where strength is
one number, and on several that beat each other in a cycle where it is not (Balduzzi and others,
"Re-evaluating evaluation", 2018). How often a bot is in it when the shares are drawn
again, each from a normal distribution with its clustered error, says how much of it is chance.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from pwtourney.errors import UsageError
from pwtourney.ratings.bradley_terry import Floats
from pwtourney.ratings.meetings import HeadToHead

__all__ = ["NashShare", "nash_mixture"]

_DRAWS = 200
_SEED = 2018
_PART = 1e-3


class NashShare(NamedTuple):
    """One bot: its weight in the mixture, and the share of the draws in which it has any."""

    bot: str
    weight: float
    frequency: float


def nash_mixture(bots: Sequence[str], met: Sequence[HeadToHead]) -> list[NashShare]:
    """Return every bot's share, in the order given; pairings that never met are taken for even.

    Raises `UsageError` where scipy is not installed.
    """
    shares, errors = _shares(bots, met)
    weights = _fair(shares - shares.T)
    stream = np.random.default_rng(_SEED)
    often = np.zeros(len(bots))
    for _ in range(_DRAWS):
        noise = np.triu(stream.standard_normal(shares.shape) * errors, 1)
        drawn = np.clip(shares + noise - noise.T, 0.0, 1.0)
        often += _maximin(drawn - drawn.T) > _PART
    frequencies = often / _DRAWS
    rows = zip(bots, weights.tolist(), frequencies.tolist(), strict=True)
    return [NashShare(*each) for each in rows]


def _shares(bots: Sequence[str], met: Sequence[HeadToHead]) -> tuple[Floats, Floats]:
    """Return who gets which share of the points against whom, and its standard error."""
    place = {bot: k for k, bot in enumerate(bots)}
    shares = np.full((len(bots), len(bots)), 0.5)
    errors = np.zeros_like(shares)
    for each in met:
        i, j = place[each.first], place[each.second]
        share = each.points / each.games
        shares[i, j], shares[j, i] = share, 1 - share
        errors[i, j] = errors[j, i] = each.error
    return shares, errors


def _fair(game: Floats) -> Floats:
    """Return the middle of the solutions found from both ends: equal bots share alike."""
    forwards, backwards = _maximin(game), _maximin(game[::-1, ::-1])[::-1]
    middle: Floats = np.maximum((forwards + backwards) / 2, 0.0)
    return middle


def _maximin(game: Floats) -> Floats:
    """Solve a symmetric zero-sum game: max v with pᵀ·game ≥ v, p ≥ 0, Σp = 1."""
    try:
        from scipy.optimize import linprog
    except ImportError as error:
        raise UsageError(
            "the Nash mixture needs scipy; install pwtourney with the extra [analysis]"
        ) from error

    n = len(game)
    found = linprog(
        c=[*([0.0] * n), -1.0],
        A_ub=np.hstack([-game.T, np.ones((n, 1))]),
        b_ub=np.zeros(n),
        A_eq=[[*([1.0] * n), 0.0]],
        b_eq=[1.0],
        bounds=[*([(0, None)] * n), (None, None)],
        method="highs",
    )
    mixture: Floats = np.asarray(found.x[:n], np.float64)
    return mixture
