"""The inputs of the network of `champion`: counts of a position, the player to move first.

The counts are integers without scaling; the network's weights include their usual size.
"""

from pwtourney.simulate.kernel import (
    BUTTONS,
    COUNT,
    HEAD,
    INCOME,
    LAST,
    PENDING,
    SPACE,
    TILE,
    TO_MOVE,
    WINDOW,
    within,
)
from pwtourney_bots.quilts import QUILT_FEATURES, UNCOVERED
from pwtourney_bots.steps import QUILT, next_index

__all__ = ["INPUTS", "look_at"]

_SIDE = ("BUTTONS", "PURSE", "INCOME", "EARNINGS", "AHEAD", "TILE", "UNCOVERED", "NEAR")
"""The inputs of each player.

They are buttons; buttons up to ten, which buy patches; income; income times the paydays ahead;
spaces ahead; whether the player has the special tile; and, while nobody has it, the free squares of
their fullest window, and by how many these are below twelve.
"""

_PATCH = ("COST", "TIME", "GAIN", "SIZE", "MINE", "THEIRS")
"""The inputs of each patch behind the neutral token.

They are buttons, time, income and squares, and whether the player to move, and the other one, can
pay for it. Patches on offer come first.
"""

_PATCHES = 6
_SHARED = ("FREE", "PENDING", "ONE")
"""Whether the special tile can still be earned, special patches to be placed, and always 1."""

_SIDES = (*_SIDE, *QUILT_FEATURES)
INPUTS = (
    *(f"{side}_{name}" for side in ("OWN", "OTHER") for name in _SIDES),
    *_SHARED,
    *(f"{name}_{number}" for number in range(1, _PATCHES + 1) for name in _PATCH),
)
"""All inputs, in the order of the network's weights."""

_PURSE = 10
_NEAR = 12
_WIDTH = len(_SIDES)
_OF_SIDE = len(_SIDE)
_OF_PATCH = len(_PATCH)
_BEGIN_SHARED = 2 * _WIDTH
_BEGIN_PATCHES = _BEGIN_SHARED + len(_SHARED)


@within
def _look_at_side(tables, cache, nodes, node, seat, is_free, begin, inputs):
    own = 3 * seat
    last = tables.numbers[LAST]
    quilt = nodes[node, QUILT + seat]
    paydays = tables.incomes[last] - tables.incomes[nodes[node, SPACE + own]]
    inputs[begin] = nodes[node, BUTTONS + own]
    inputs[begin + 1] = min(nodes[node, BUTTONS + own], _PURSE)
    inputs[begin + 2] = nodes[node, INCOME + own]
    inputs[begin + 3] = nodes[node, INCOME + own] * paydays
    inputs[begin + 4] = last - nodes[node, SPACE + own]
    inputs[begin + 5] = nodes[node, TILE] == seat
    uncovered = cache.facts[quilt, UNCOVERED]
    inputs[begin + 6] = uncovered if is_free else 0
    inputs[begin + 7] = max(0, _NEAR - uncovered) if is_free else 0
    for k in range(_WIDTH - _OF_SIDE):
        inputs[begin + _OF_SIDE + k] = cache.counts[quilt, k]


@within
def look_at(tables, cache, ring, main, nodes, node, inputs):
    """Write the `INPUTS` of a row of a tree into `inputs`."""
    mover = nodes[node, TO_MOVE]
    is_free = tables.numbers[WINDOW] > 0 and nodes[node, TILE] < 0
    _look_at_side(tables, cache, nodes, node, mover, is_free, 0, inputs)
    _look_at_side(tables, cache, nodes, node, 1 - mover, is_free, _WIDTH, inputs)
    inputs[_BEGIN_SHARED] = is_free
    inputs[_BEGIN_SHARED + 1] = nodes[node, PENDING]
    inputs[_BEGIN_SHARED + 2] = 1
    index = nodes[node, HEAD]
    own, other = nodes[node, BUTTONS + 3 * mover], nodes[node, BUTTONS + 3 * (1 - mover)]
    number = min(_PATCHES, nodes[node, COUNT])
    for k in range(number):
        begin = _BEGIN_PATCHES + k * _OF_PATCH
        patch = ring[index]
        inputs[begin] = tables.cost[patch]
        inputs[begin + 1] = tables.time[patch]
        inputs[begin + 2] = tables.income[patch]
        inputs[begin + 3] = tables.squares[patch]
        inputs[begin + 4] = tables.cost[patch] <= own
        inputs[begin + 5] = tables.cost[patch] <= other
        if k + 1 < number:
            index = next_index(nodes, node, main, ring.shape[0], index)
    for k in range(_BEGIN_PATCHES + number * _OF_PATCH, inputs.shape[0]):
        inputs[k] = 0
