"""Lines put in order, each with its rank and how sure that is."""

import math
from collections.abc import Sequence

import numpy as np

from pwtourney.ratings.bradley_terry import Floats
from pwtourney.ratings.order import RankInterval, likelihoods, rank_intervals
from pwtourney.ratings.tables import Line

__all__ = ["best_first", "placed"]

_LEVELS = {">": 0, "": 1, "?": 1, "<": 2}


def best_first(lines: Sequence[Line]) -> list[int]:
    """Order bots: those above the rated ones first, those below them last, then by rating.

    Bots with equal bounds stand by their share of the points.
    """

    def key(k: int) -> tuple[int, bool, float, float, str]:
        line = lines[k]
        return (
            _LEVELS[line.bound],
            line.bound == "?",
            0.0 if math.isnan(line.elo) else -line.elo,
            -(line.tally.share() or 0.0) if line.bound else 0.0,
            line.bot,
        )

    return sorted(range(len(lines)), key=key)


def placed(lines: Sequence[Line], covariance: Floats) -> tuple[Line, ...]:
    """Give lines that stand in order their ranks, and say how sure the order is.

    `covariance` is that of the ratings in this order. Rated bots are ranked by draws from it. One
    that has only a bound may stand anywhere that its bound allows, and so may the rated ones
    beside it.
    """
    rated = [k for k, line in enumerate(lines) if not line.bound]
    elos = np.array([lines[k].elo for k in rated], np.float64)
    among = covariance[np.ix_(rated, rated)]
    drawn = dict(zip(rated, rank_intervals(elos, among), strict=True))
    los = likelihoods(elos, among) if np.isfinite(among).all() else None
    done = []
    for k, line in enumerate(lines):
        interval = _beside(lines, line, drawn[k]) if k in drawn else _allowed(lines, line)
        place = rated.index(k) if k in drawn else len(rated)
        sure = float(los[place, place + 1]) if los is not None and place < len(rated) - 1 else None
        done.append(line._replace(rank=k + 1, ranks=interval, los=sure))
    return tuple(done)


def _beside(lines: Sequence[Line], line: Line, drawn: RankInterval) -> RankInterval:
    """Widen the ranks of a rated bot by those bots that may be above it, and that must be."""
    best, worst = drawn
    for other in lines:
        if other.bound:
            best += other.bound == ">" and _above(other, line)
            worst += not (other.bound == "<" and _above(line, other))
    return RankInterval(best, worst)


def _allowed(lines: Sequence[Line], line: Line) -> RankInterval:
    """Return the ranks that a bound allows."""
    others = [other for other in lines if other is not line and not other.bound]
    below = sum(line.bound == ">" and _above(line, other) for other in others)
    above = sum(line.bound == "<" and _above(other, line) for other in others)
    return RankInterval(1 + above, len(lines) - below)


def _above(one: Line, two: Line) -> bool:
    return one.elo > two.elo  # not so where one is NaN
