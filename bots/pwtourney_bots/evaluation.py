"""The evaluation of positions without playouts, and of ends.

It uses no exponential function, whose last digit differs between machines, and so would the games.
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
"""The weights of `QUILT_FEATURES` in the logit of winning, by which placements are ordered.

Each row has the weight at the end of the game, and its increase at the start.
"""

_STEEP = 0.55
"""How fast a lead turns into certainty: about as fast as on the logistic curve."""

_USUAL_MARGIN = 20.0
"""The margin, in points, that is halfway from nothing to everything."""

_TIME_VALUE = 2.2
_EDGE_PENALTY = 0.8
_SPECIAL = 2.0
"""Points per space still to be used, per open edge, and per special patch to be placed.

They are those of `greedy`, and are used in games against the Automa, for which no network
was learnt.
"""


@within
def evaluate(tables, cache, ring, main, nodes, node, network, inputs):
    """Return the value of a position for seat 0, from 0 to 1, and the expected margin.

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
    """Return the value of an end for seat 0, from 0 to 1, and the margin.

    Half of the value is for winning, half for the margin.
    """
    # as in `State.winner`: the seat to move at the end arrived last, and loses a tie
    won = margin > 0 or (margin == 0 and to_move == 1)
    # half for the margin, so that lines that all win, or all lose, are distinguished
    bounded = 0.5 + 0.5 * margin / (_USUAL_MARGIN + abs(margin))
    return 0.5 * won + 0.5 * bounded, float(margin)


@compiled
def evaluate_end(tables, quilts, facts):
    """Return the value of an end for seat 0, from 0 to 1, and the margin."""
    margin = score_of(tables, quilts, facts, 0) - score_of(tables, quilts, facts, 1)
    return _value_of_end(margin, facts[TO_MOVE])


@within
def judge_end(tables, cache, nodes, node):
    """Return the value of the end in a row of a tree for seat 0, from 0 to 1, and the margin."""
    margin = nodes[node, BUTTONS] - nodes[node, BUTTONS + 3]
    first_quilt, second_quilt = nodes[node, QUILT], nodes[node, QUILT + 1]
    margin -= 2 * (cache.facts[first_quilt, EMPTY] - cache.facts[second_quilt, EMPTY])
    if nodes[node, TILE] >= 0:
        margin += tables.numbers[POINTS] * (1 - 2 * nodes[node, TILE])
    return _value_of_end(margin, nodes[node, TO_MOVE])


@within
def judge(tables, cache, ring, main, nodes, node, growth, inputs):
    """Return the value of a position or an end for seat 0, from 0 to 1, and the margin.

    `inputs` is overwritten.
    """
    if growth.is_solo:
        return _judge_solo(tables, cache, nodes, node)
    if is_over(tables, nodes, node):
        return judge_end(tables, cache, nodes, node)
    return evaluate(tables, cache, ring, main, nodes, node, growth.network, inputs)


@within
def _judge_solo(tables, cache, nodes, node):
    """Evaluate a game against the Automa in seat 1, from 0 to 1, and return the margin.

    The margin is the points that seat 0 may expect, minus those of the Automa. What scores for the
    Automa besides its buttons depends on its level, which the bot does not know.
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
