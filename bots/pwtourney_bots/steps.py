"""The rules on the rows of a tree: from one position to the next, without looking at squares.

A row holds a position with the fact numbers of `pwtourney.simulate.kernel`. But a quilt is its
number in the cache of quilts, and the circle is the set of indexes of a fixed order, the ring, that
still have their patches. A test plays games through these steps and through the rules.
"""

import numpy as np

from pwtourney.simulate.kernel import (
    BUTTONS,
    COUNT,
    HEAD,
    INCOME,
    LAST,
    LATE,
    OFFER,
    PENDING,
    SPACE,
    TILE,
    TO_MOVE,
    WHEN_LEFT,
    WINDOW,
    compiled,
    within,
)
from pwtourney_bots.quilts import EMPTY, UNCOVERED

__all__ = [
    "ADVANCE",
    "DECLINE",
    "SPECIAL",
    "CHILDREN",
    "FIRST",
    "LEFT",
    "PIVOT",
    "QUILT",
    "VISITS",
    "is_over",
    "next_index",
    "step",
]

PIVOT, QUILT, FIRST, CHILDREN, VISITS, LEFT = 12, 13, 15, 16, 17, 18
"""The columns of a row after those of the kernel; `HEAD` is an index in the ring here.

`PIVOT` is the index before which late patches entered, −1 if they did not. `QUILT` and the next
column are the numbers of the quilts. `FIRST` is the first edge, −1 if there are none yet, and
`CHILDREN` their number. From `LEFT` on, bits mark the indexes of the ring that still have their
patch.
"""

ADVANCE, SPECIAL, DECLINE = -1, -2, -3
"""Actions that take no patch; other actions are the index of the patch in the ring."""

_BITS = 32


@within
def is_over(tables, nodes, node):
    """Return True if no player is to move any more."""
    last = tables.numbers[LAST]
    arrived = nodes[node, SPACE] == last and nodes[node, SPACE + 3] == last
    return arrived and nodes[node, PENDING] == 0


@within
def next_index(nodes, node, main, whole, index):
    """Return the next index in the ring that has a patch; there must be one.

    The first `main` indexes are of the original circle, and those up to `whole` of late patches.
    """
    pivot = nodes[node, PIVOT]
    while True:
        index += 1
        if index > main:
            if index == whole:
                index = pivot  # behind the last late patch
        else:
            if index == main:
                index = 0
            if index == pivot:
                index = main  # the late patches entered here
        if nodes[node, LEFT + index // _BITS] >> (index % _BITS) & 1:
            return index


@within
def _cover(tables, cache, nodes, node, seat, quilt):
    """Replace a seat's quilt, and award the special tile if it is earned."""
    nodes[node, QUILT + seat] = quilt
    if tables.numbers[WINDOW] and nodes[node, TILE] < 0 and cache.facts[quilt, UNCOVERED] == 0:
        nodes[node, TILE] = seat


@compiled
def _take(nodes, node, main, whole, index, when_left):
    """Remove the patch at an index of the ring from the circle; late patches may enter."""
    word = LEFT + index // _BITS
    nodes[node, word] &= ~(np.int64(1) << (index % _BITS))
    nodes[node, COUNT] -= 1
    head = index
    if nodes[node, COUNT]:
        head = next_index(nodes, node, main, whole, index)
    if nodes[node, LATE] and nodes[node, COUNT] <= when_left:
        nodes[node, PIVOT] = head if nodes[node, COUNT] else 0
        if nodes[node, COUNT] == 0:
            head = main
        for late in range(main, whole):
            nodes[node, LEFT + late // _BITS] |= np.int64(1) << (late % _BITS)
        nodes[node, COUNT] += nodes[node, LATE]
        nodes[node, LATE] = 0
    nodes[node, HEAD] = head


@within
def _move(tables, cache, nodes, node, seat, target, wage):
    """Move a token, pay, and record the special patches due."""
    own = 3 * seat
    space = nodes[node, SPACE + own]
    ahead = nodes[node, SPACE + 3 * (1 - seat)]
    target = min(target, tables.numbers[LAST])
    paid = tables.incomes[target] - tables.incomes[space]
    nodes[node, BUTTONS + own] += wage * (target - space) + paid * nodes[node, INCOME + own]
    nodes[node, SPACE + own] = target
    if target > ahead:  # the second player to pass a mark gets nothing
        due = tables.leathers[target] - tables.leathers[max(ahead, space)]
        if due and cache.facts[nodes[node, QUILT + seat], EMPTY]:
            nodes[node, PENDING] = due
        else:
            nodes[node, TO_MOVE] = 1 - seat


@within
def _is_broke(tables, ring, main, nodes, node):
    """Return True if the player to move cannot pay for any patch on offer."""
    if nodes[node, PENDING]:
        return False
    index = nodes[node, HEAD]
    buttons = nodes[node, BUTTONS + 3 * nodes[node, TO_MOVE]]
    offer = min(tables.numbers[OFFER], nodes[node, COUNT])
    for slot in range(offer):
        if tables.cost[ring[index]] <= buttons:
            return False
        if slot + 1 < offer:
            index = next_index(nodes, node, main, ring.shape[0], index)
    return True


@within
def _advance(tables, cache, nodes, node):
    """Move the token in front of the other one."""
    seat = nodes[node, TO_MOVE]
    _move(tables, cache, nodes, node, seat, nodes[node, SPACE + 3 * (1 - seat)] + 1, 1)


@within
def step(tables, cache, ring, main, nodes, node, into, index, quilt):
    """Write into a row the position after an action of the player of another row.

    `index` is the index of the patch in the ring or one of the numbers above, and `quilt` is the
    quilt after the placement. Forced advances, because nothing on offer can be paid, are made as
    well.
    """
    for k in range(FIRST):
        nodes[into, k] = nodes[node, k]
    for k in range(LEFT, nodes.shape[1]):
        nodes[into, k] = nodes[node, k]
    nodes[into, FIRST] = -1
    nodes[into, CHILDREN] = 0
    nodes[into, VISITS] = 0
    seat = nodes[into, TO_MOVE]
    if index == ADVANCE:
        _advance(tables, cache, nodes, into)
    elif index >= 0:
        patch = ring[index]
        _cover(tables, cache, nodes, into, seat, quilt)
        nodes[into, BUTTONS + 3 * seat] -= tables.cost[patch]
        nodes[into, INCOME + 3 * seat] += tables.income[patch]
        _take(nodes, into, main, ring.shape[0], index, tables.numbers[WHEN_LEFT])
        target = nodes[into, SPACE + 3 * seat] + tables.time[patch]
        _move(tables, cache, nodes, into, seat, target, 0)
    else:
        if index == SPECIAL:
            _cover(tables, cache, nodes, into, seat, quilt)
        nodes[into, PENDING] -= 1
        if cache.facts[nodes[into, QUILT + seat], EMPTY] == 0:
            nodes[into, PENDING] = 0
        ahead = nodes[into, SPACE + 3 * seat] > nodes[into, SPACE + 3 * (1 - seat)]
        if ahead and nodes[into, PENDING] == 0:
            nodes[into, TO_MOVE] = 1 - seat
    while not is_over(tables, nodes, into) and _is_broke(tables, ring, main, nodes, into):
        _advance(tables, cache, nodes, into)
