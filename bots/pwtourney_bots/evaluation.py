"""What a position is worth, without playing it to its end; and what an end is worth.

The numbers are a logistic regression on games that the champion played against itself, as
``python -m benchmarks.evaluation`` plays them. No exponential function is in here: that differs in
its last digit from machine to machine, and the games with it.
"""

import numpy as np
from numpy.typing import NDArray

from pwtourney.simulate.kernel import (
    BUTTONS,
    COUNT,
    HEAD,
    INCOME,
    LAST,
    OFFER,
    PENDING,
    POINTS,
    SPACE,
    TILE,
    TO_MOVE,
    WINDOW,
    compiled,
    score_of,
    within,
)
from pwtourney_bots.quilts import EMPTY, QUILT_FEATURES, UNCOVERED
from pwtourney_bots.steps import QUILT, next_place

__all__ = [
    *("FEATURES", "QUILT_WEIGHTS", "SIDE_FEATURES", "SIDE_WEIGHTS"),
    *("evaluate", "evaluate_end", "judge_end", "look_at_sides"),
]

SIDE_FEATURES = ("BUTTONS", "PURSE", "INCOME", "SPACE", "TILE", "NEAR", "PENDING", "TURN", "REACH")
"""What `look_at_sides` looks at, seat 0 less seat 1: buttons; those up to ten, which buy patches;
income times the paydays ahead; spaces ahead; the points of the special tile; how near the quilt is
to it while nobody has it, from 0 to 1; special patches to be placed; whose turn it is; and the most
points that a patch on offer which the seat can pay brings, as a share of ten."""

FEATURES = SIDE_FEATURES + QUILT_FEATURES
"""All that is looked at; each counts now, and more or less at the start of the game."""

SIDE_WEIGHTS = np.array(
    [
        (0.169, -0.011),
        (0.0, 0.0),
        (0.178, -0.105),
        (0.423, -0.181),
        (0.158, -0.349),
        (0.0, 0.0),
        (0.571, -0.82),
        (0.029, -0.043),
        (0.0, 0.0),
    ]
)
QUILT_WEIGHTS = np.array(
    [(-0.29, 0.205), (-0.072, 0.062), (0, 0), (0, 0), (0, 0), (0, 0), (0, 0), (0, 0)], dtype=float
)
"""What each adds to the lead at the end of the game, and how much more at its start."""

_STEEP = 0.55
"""How fast a lead turns into certainty: about as fast as on the logistic curve."""

_USUAL_MARGIN = 20.0
"""The margin, in points, that is half way from nothing to everything."""

_PURSE = 10
_NEAR = 12

Floats = NDArray[np.float64]


@within
def look_at_sides(tables, cache, ring, main, nodes, node, seen):
    """Write what `SIDE_FEATURES` names of a row of a tree into `seen`; return the phase.

    The phase is the share of the track that is still ahead, on average over both seats.
    """
    last = tables.numbers[LAST]
    for k in range(len(SIDE_FEATURES)):
        seen[k] = 0.0
    buttons = nodes[node, BUTTONS], nodes[node, BUTTONS + 3]
    paydays = (
        tables.incomes[last] - tables.incomes[nodes[node, SPACE]],
        tables.incomes[last] - tables.incomes[nodes[node, SPACE + 3]],
    )
    for seat in range(2):
        sign = 1.0 - 2.0 * seat
        seen[0] += sign * buttons[seat]
        seen[1] += sign * min(buttons[seat], _PURSE)
        seen[2] += sign * nodes[node, INCOME + 3 * seat] * paydays[seat]
        seen[3] += sign * (last - nodes[node, SPACE + 3 * seat])
        if tables.numbers[WINDOW] and nodes[node, TILE] < 0:
            uncovered = cache.facts[nodes[node, QUILT + seat], UNCOVERED]
            seen[5] += sign * max(0, _NEAR - uncovered) / _NEAR
    if nodes[node, TILE] >= 0:
        seen[4] = (1.0 - 2.0 * nodes[node, TILE]) * tables.numbers[POINTS]
    sign = 1.0 - 2.0 * nodes[node, TO_MOVE]
    seen[6] = sign * nodes[node, PENDING]
    seen[7] = sign
    best = np.int64(0), np.int64(0)
    place = np.int64(nodes[node, HEAD])
    offer = min(tables.numbers[OFFER], nodes[node, COUNT])
    for slot in range(offer):
        patch = ring[place]
        points = 2 * tables.squares[patch] - tables.cost[patch] - tables.time[patch]
        one, two = best
        if tables.cost[patch] <= buttons[0]:
            one = max(one, points + tables.income[patch] * paydays[0])
        if tables.cost[patch] <= buttons[1]:
            two = max(two, points + tables.income[patch] * paydays[1])
        best = one, two
        if slot + 1 < offer:
            place = next_place(nodes, node, main, ring.shape[0], place)
    seen[8] = (best[0] - best[1]) / 10.0
    return 1.0 - 0.5 * (nodes[node, SPACE] + nodes[node, SPACE + 3]) / last


@within
def evaluate(tables, cache, ring, main, nodes, node, weights, seen):
    """Return what a position looks worth to seat 0, from 0 to 1, and the margin it promises.

    `weights` are `SIDE_WEIGHTS`; those of quilts are in the cache.
    """
    phase = look_at_sides(tables, cache, ring, main, nodes, node, seen)
    # One sum of products: the order of the additions decides the last digit, and the games with it.
    late, more = 0.0, 0.0
    for k in range(weights.shape[0]):
        late += weights[k, 0] * seen[k]
        more += weights[k, 1] * seen[k]
    one, two = nodes[node, QUILT], nodes[node, QUILT + 1]
    late += cache.worth[one, 0] - cache.worth[two, 0]
    more += cache.worth[one, 1] - cache.worth[two, 1]
    lead = late + more * phase
    sure = _STEEP * lead
    return 0.5 + 0.5 * sure / np.sqrt(1.0 + sure**2), lead / weights[0, 0]


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
