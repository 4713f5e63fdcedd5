"""What a position is worth, without playing it to its end; and what an end is worth.

No exponential function is in here: that differs in its last digit from machine to machine, and the
games with it.
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
    score_of,
    within,
)
from pwtourney_bots.inputs import look_at
from pwtourney_bots.layers import weigh
from pwtourney_bots.quilts import EMPTY, EXPOSED
from pwtourney_bots.steps import QUILT, is_over

__all__ = ["QUILT_WEIGHTS", "evaluate", "evaluate_end", "judge", "judge_end"]

QUILT_WEIGHTS = np.array(
    [(-0.29, 0.205), (-0.072, 0.062), (0, 0), (0, 0), (0, 0), (0, 0), (0, 0), (0, 0)], dtype=float
)
"""What each of `QUILT_FEATURES` adds to the logit of winning at the end of the game, and how much
more at its start: by this, placements of a patch are ordered."""

_STEEP = 0.55
"""How fast a lead turns into certainty: about as fast as on the logistic curve."""

_USUAL_MARGIN = 20.0
"""The margin, in points, that is half way from nothing to everything."""

_TIME_VALUE = 2.2
_EDGE_PENALTY = 0.8
_SPECIAL = 2.0
"""Points for a space still to be used, against an open edge, and for a special patch to be placed,
as `greedy` counts them; for games against the Automa, of which no network was learnt."""


@within
def evaluate(tables, cache, ring, main, nodes, node, network, inputs):
    """Return what a position looks worth to seat 0, from 0 to 1, and the margin it promises.

    `inputs` is overwritten.
    """
    look_at(tables, cache, ring, main, nodes, node, inputs)
    logit, margin = weigh(network, inputs)
    sure = _STEEP * logit
    value = 0.5 + 0.5 * sure / np.sqrt(1.0 + sure**2)
    if nodes[node, TO_MOVE]:
        return 1.0 - value, -margin
    return value, margin


@compiled
def _value_of_end(margin, to_move):
    """Return what an end is worth to seat 0, half for winning, half for the margin; and that."""
    # As in `State.winner`: who is to move at the end came last, and loses a tie.
    won = margin > 0 or (margin == 0 and to_move == 1)
    # Half for the margin, so that lines that all win, or all lose, are told apart.
    bounded = 0.5 + 0.5 * margin / (_USUAL_MARGIN + abs(margin))
    return 0.5 * won + 0.5 * bounded, float(margin)


@compiled
def evaluate_end(tables, quilts, facts):
    """Return what an end is worth to seat 0, from 0 to 1, and the margin."""
    margin = score_of(tables, quilts, facts, 0) - score_of(tables, quilts, facts, 1)
    return _value_of_end(margin, facts[TO_MOVE])


@within
def judge_end(tables, cache, nodes, node):
    """Return what the end in a row of a tree is worth to seat 0, from 0 to 1, and the margin."""
    margin = nodes[node, BUTTONS] - nodes[node, BUTTONS + 3]
    one, two = nodes[node, QUILT], nodes[node, QUILT + 1]
    margin -= 2 * (cache.facts[one, EMPTY] - cache.facts[two, EMPTY])
    if nodes[node, TILE] >= 0:
        margin += tables.numbers[POINTS] * (1 - 2 * nodes[node, TILE])
    return _value_of_end(margin, nodes[node, TO_MOVE])


@within
def judge(tables, cache, ring, main, nodes, node, growth, inputs):
    """Return what a position or an end is worth to seat 0, from 0 to 1, and the margin.

    `inputs` is overwritten.
    """
    if growth.is_solo:
        return _judge_solo(tables, cache, nodes, node)
    if is_over(tables, nodes, node):
        return judge_end(tables, cache, nodes, node)
    return evaluate(tables, cache, ring, main, nodes, node, growth.network, inputs)


@within
def _judge_solo(tables, cache, nodes, node):
    """Judge a game against the Automa in seat 1: the points that seat 0 may expect, less its own.

    What scores for the Automa besides its buttons depends on its level, which nobody tells.
    """
    last = tables.numbers[LAST]
    quilt = nodes[node, QUILT]
    space = nodes[node, SPACE]
    paydays = tables.incomes[last] - tables.incomes[space]
    margin = np.float64(nodes[node, BUTTONS] + paydays * nodes[node, INCOME])
    margin -= nodes[node, BUTTONS + 3] + 2 * cache.facts[quilt, EMPTY]
    if nodes[node, TILE] >= 0:
        margin += tables.numbers[POINTS] * (1 - 2 * nodes[node, TILE])
    if nodes[node, TO_MOVE] == 0:
        margin += _SPECIAL * nodes[node, PENDING]
    if space < last:
        margin += _TIME_VALUE * (last - space) - _EDGE_PENALTY * cache.counts[quilt, EXPOSED]
    return 0.5 + 0.5 * margin / (_USUAL_MARGIN + abs(margin)), margin
