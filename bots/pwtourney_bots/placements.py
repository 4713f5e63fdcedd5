"""The actions that a search considers: the advance, and the tidiest placements of each patch."""

import numpy as np

from pwtourney.simulate.games import worth_of
from pwtourney.simulate.kernel import (
    COLUMNS,
    COUNT,
    HEAD,
    LINKS,
    OFFER,
    ONE,
    PENDING,
    TO_MOVE,
    compiled,
    count_of,
    nth_of,
    shifted_left,
    shifted_right,
    within,
)

__all__ = ["find_candidates", "rate_tidiness", "sides_of"]

_LESS_TIDY = 0.5
_ADVANCING = 1.5
_ANY = 0.2
_BEST = 8.0
"""The weights of actions, before they are normalised to priors.

They are that of an advance, and for a patch its points per space, up to a bound, and a little for
any patch. Each less tidy placement has half the weight of the one before.
"""


@compiled
def _free_squares(tables, quilts, seat):
    """Return the squares of a quilt that are not covered."""
    return tables.full[0] & ~quilts[2 * seat], tables.full[1] & ~quilts[2 * seat + 1]


@within
def sides_of(tables, low, high):
    """Return the squares above, below, left and right of a set of squares."""
    columns = np.uint64(tables.numbers[COLUMNS])
    edges = tables.edges
    up = shifted_right(low, high, columns)
    down = shifted_left(low, high, columns)
    left = shifted_right(low & ~edges[2, 0], high & ~edges[2, 1], ONE)
    right = shifted_left(low & ~edges[3, 0], high & ~edges[3, 1], ONE)
    return up, down, left, right


@within
def rate_tidiness(tables, low, high):
    """Rate the free squares: the pairs of neighbours, minus three for each square without one."""
    # two of the four sides suffice: all four would count every pair twice
    up, down, left, right = sides_of(tables, low, high)
    pairs = count_of(up[0] & low, up[1] & high) + count_of(left[0] & low, left[1] & high)
    neighbours_low = up[0] | down[0] | left[0] | right[0]
    neighbours_high = up[1] | down[1] | left[1] | right[1]
    return pairs - 3 * count_of(low & ~neighbours_low, high & ~neighbours_high)


@compiled
def _keep(tidiest, tidiness, tidy, index):
    """Insert an action into the sorted list of the tidiest so far; −1 marks an unused entry."""
    # insertion: most placements stop at once behind the last of a few, where sorting all takes long
    rank = tidiest.shape[0]
    while rank > 0 and (tidiest[rank - 1] < 0 or tidiness[rank - 1] < tidy):
        rank -= 1
    if rank == tidiest.shape[0]:
        return
    for k in range(tidiest.shape[0] - 1, rank, -1):
        tidiest[k] = tidiest[k - 1]
        tidiness[k] = tidiness[k - 1]
    tidiest[rank] = index
    tidiness[rank] = tidy


@compiled
def _find_squares(tables, quilts, facts, tidiest, tidiness):
    """Find the tidiest squares for a special patch."""
    low, high = _free_squares(tables, quilts, facts[TO_MOVE])
    for index in range(count_of(low, high)):
        squares_low, squares_high = shifted_left(ONE, np.uint64(0), nth_of(low, high, index))
        _keep(
            tidiest,
            tidiness,
            rate_tidiness(tables, low & ~squares_low, high & ~squares_high),
            index,
        )


@compiled
def _find_placements(tables, quilts, facts, sets, patch, begin, tidiest, tidiness):
    """Find the tidiest placements of a patch; its first action has the number `begin`."""
    low, high = _free_squares(tables, quilts, facts[TO_MOVE])
    index = begin
    for lay in range(tables.first[patch], tables.first[patch + 1]):
        anchors = sets[lay - tables.first[patch]]
        for nth in range(count_of(anchors[0], anchors[1])):
            anchor = nth_of(anchors[0], anchors[1], nth)
            squares_low, squares_high = shifted_left(
                tables.lays[lay, 0], tables.lays[lay, 1], anchor
            )
            _keep(
                tidiest,
                tidiness,
                rate_tidiness(tables, low & ~squares_low, high & ~squares_high),
                index,
            )
            index += 1


@compiled
def _add(tidiest, weight, actions, weights, number):
    """Add the tidiest actions to the candidates, each half as likely as the one before."""
    for k in range(tidiest.shape[0]):
        if tidiest[k] >= 0:
            actions[number] = tidiest[k]
            weights[number] = weight
            weight *= _LESS_TIDY
            number += 1
    return number


@compiled
def find_candidates(tables, quilts, facts, sets, counts, actions, weights, tidiest, tidiness):
    """Choose the actions to consider, with weights for how good they look; return their number.

    `tidiest` and `tidiness` have room for the placements of a patch that are considered.
    """
    tidiest[:] = -1
    if facts[PENDING]:
        # declining is left out: it earns nothing
        _find_squares(tables, quilts, facts, tidiest, tidiness)
        return _add(tidiest, 1.0, actions, weights, 0)
    actions[0] = 0
    weights[0] = _ADVANCING
    number, begin = 1, 1
    patch = facts[HEAD]
    for slot in range(min(tables.numbers[OFFER], facts[COUNT])):
        if counts[slot]:
            tidiest[:] = -1
            _find_placements(tables, quilts, facts, sets[slot], patch, begin, tidiest, tidiness)
            worth = min(max(worth_of(tables, facts, facts[TO_MOVE], patch) / 1000, 0.0), _BEST)
            number = _add(tidiest, _ANY + worth, actions, weights, number)
            begin += counts[slot]  # actions are numbered as in `rules.LegalActions`
        patch = facts[LINKS + patch]
    return number
