"""What a position is worth, without playing it to its end; and what an end is worth.

The numbers are a logistic regression on games that the champion played against itself, as
``python -m benchmarks.evaluation`` plays them, times 0.7. No exponential function is in here: that
differs in its last digit from machine to machine, and the games with it.
"""

import numpy as np

from pwtourney.simulate.kernel import (
    BUTTONS,
    INCOME,
    LAST,
    PENDING,
    POINTS,
    SPACE,
    TILE,
    TO_MOVE,
    compiled,
    count_of,
    score_of,
)
from pwtourney_bots.placements import exposed_edges, free_squares

__all__ = ["evaluate", "evaluate_end"]

_BUTTON = (0.169, -0.011)
_INCOME = (0.178, -0.105)
_EMPTY = (-0.29, 0.205)
_EXPOSED = (-0.072, 0.062)
_SPACE = (0.423, -0.181)
_TILE = (0.158, -0.349)
_PENDING = (0.571, -0.82)
_TURN = (0.029, -0.043)
"""What each adds to the lead at the end of the game, and how much more at its start."""

_STEEP = 0.55
"""How fast a lead turns into certainty: about as fast as on the logistic curve."""

_USUAL_MARGIN = 20.0
"""The margin, in points, that is half way from nothing to everything."""


@compiled
def _rate_side(tables, quilts, facts, seat, phase):
    """Evaluate one seat's side; `phase` is the share of the track that is still ahead."""
    # One sum of products: the order of the additions decides the last digit, and the games with it.
    last = tables.numbers[LAST]
    space = facts[SPACE + 3 * seat]
    paydays = tables.incomes[last] - tables.incomes[space]
    low, high = free_squares(tables, quilts, seat)
    points = (_BUTTON[0] + _BUTTON[1] * phase) * facts[BUTTONS + 3 * seat]
    points += (_INCOME[0] + _INCOME[1] * phase) * facts[INCOME + 3 * seat] * paydays
    points += (_EMPTY[0] + _EMPTY[1] * phase) * count_of(low, high)
    points += (_EXPOSED[0] + _EXPOSED[1] * phase) * exposed_edges(tables, quilts, seat)
    points += (_SPACE[0] + _SPACE[1] * phase) * (last - space)
    if facts[TILE] == seat:
        points += (_TILE[0] + _TILE[1] * phase) * tables.numbers[POINTS]
    if facts[TO_MOVE] == seat:
        points += (_PENDING[0] + _PENDING[1] * phase) * facts[PENDING]
        points += _TURN[0] + _TURN[1] * phase
    return points


@compiled
def evaluate(tables, quilts, facts):
    """Return what a position looks worth to seat 0, from 0 to 1, and the margin it promises."""
    last = tables.numbers[LAST]
    phase = 1.0 - 0.5 * (facts[SPACE] + facts[SPACE + 3]) / last
    # On average over both: they may be far apart on the track.
    lead = _rate_side(tables, quilts, facts, 0, phase) - _rate_side(tables, quilts, facts, 1, phase)
    sure = _STEEP * lead
    return 0.5 + 0.5 * sure / np.sqrt(1.0 + sure**2), lead / _BUTTON[0]


@compiled
def evaluate_end(tables, quilts, facts):
    """Return what an end is worth to seat 0, half for winning, half for the margin; and that."""
    margin = score_of(tables, quilts, facts, 0) - score_of(tables, quilts, facts, 1)
    # As in `State.winner`: who is to move at the end came last, and loses a tie.
    won = margin > 0 or (margin == 0 and facts[TO_MOVE] == 1)
    # Half for the margin, so that lines that all win, or all lose, are told apart.
    bounded = 0.5 + 0.5 * margin / (_USUAL_MARGIN + abs(margin))
    return 0.5 * won + 0.5 * bounded, float(margin)
