"""A tree of purchases and their tidiest placements, grown in one compiled call.

Upper confidence bounds for trees: L. Kocsis and C. Szepesvári, "Bandit based Monte-Carlo planning",
ECML 2006; with a prior for each action as in C. Rosin, "Multi-armed bandits with episode context",
Annals of Mathematics and Artificial Intelligence 61, 2011, and D. Silver and others, "Mastering the
game of Go without human knowledge", Nature 550, 2017. One seat may move several times in a row
here, so each node keeps what it is worth to the seat that moved into it.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from pwtourney.simulate.cache import fingerprint
from pwtourney.simulate.kernel import (
    BUTTONS,
    COLUMNS,
    COUNT,
    HEAD,
    INCOME,
    LAST,
    LINKS,
    OFFER,
    ONE,
    PENDING,
    POINTS,
    SPACE,
    TILE,
    TO_MOVE,
    choose,
    count_of,
    legal,
    nth_of,
    play,
    score_of,
    shifted_left,
    shifted_right,
    worth_of,
)

__all__ = ["Knobs", "Tree", "grow", "new_tree", "transplant"]

_LONGEST = 1000
"""More plies than any game has."""

_SPARE = 128
"""More nodes than one position can add."""

_LESS_TIDY = 0.5
_ADVANCING = 1.5
_ANY = 0.2
_BEST = 8.0
"""The weight of a placement, before it is shared out: that of an advance; and for a patch what it
brings in points a space, up to a bound, and a little for any; each placement that is less tidy half
of the one before."""

_DOUBT = 0.1
"""How much less than its parent a child is worth that was not looked at yet."""

_MARGIN = 20.0
"""The margin, in points, that is half way from nothing to everything."""

_BUTTON = (0.169, -0.011)
_INCOME = (0.178, -0.105)
_EMPTY = (-0.29, 0.205)
_EXPOSED = (-0.072, 0.062)
_SPACE = (0.423, -0.181)
_TILE = (0.158, -0.349)
_PENDING = (0.571, -0.82)
_TURN = (0.029, -0.043)
"""What each adds to the logit of winning at the end of the game, and how much more at its start."""

_compiled = njit


class Knobs(NamedTuple):
    """How a tree grows.

    `wide` placements of each patch are looked at, of special patches likewise. `exploration` says
    how much the prior of an action counts. `trust` is the share that the judgement of a position
    has in its value; the rest is what a game of the simulator's policy from there brings.
    """

    wide: int
    exploration: float
    trust: float


class Tree(NamedTuple):
    """Nodes by number, the root 0: an entry of each array is a node.

    `first` is its first child (−1: not looked into), the others follow it; `action` the number of
    the legal action that leads to it, `mover` the seat that plays that, `total` the sum of what its
    visits were worth to that seat, each from 0 to 1.
    """

    visits: NDArray[np.int32]
    first: NDArray[np.int32]
    children: NDArray[np.int16]
    action: NDArray[np.int16]
    mover: NDArray[np.int8]
    total: NDArray[np.float64]
    prior: NDArray[np.float32]


def new_tree(nodes: int) -> Tree:
    """Make a tree with room for so many nodes, that has a root."""
    tree = Tree(
        visits=np.zeros(nodes, np.int32),
        first=np.zeros(nodes, np.int32),
        children=np.zeros(nodes, np.int16),
        action=np.zeros(nodes, np.int16),
        mover=np.zeros(nodes, np.int8),
        total=np.zeros(nodes),
        prior=np.zeros(nodes, np.float32),
    )
    tree.first[0] = -1
    return tree


@_compiled
def _free(tables, quilts, seat):
    return tables.full[0] & ~quilts[2 * seat], tables.full[1] & ~quilts[2 * seat + 1]


@_compiled
def _sides(tables, low, high):
    """Return the squares above, below, left and right of some."""
    columns = np.uint64(tables.numbers[COLUMNS])
    edges = tables.edges
    up = shifted_right(low, high, columns)
    down = shifted_left(low, high, columns)
    left = shifted_right(low & ~edges[2, 0], high & ~edges[2, 1], ONE)
    right = shifted_left(low & ~edges[3, 0], high & ~edges[3, 1], ONE)
    return up, down, left, right


@_compiled
def _tidiness(tables, low, high):
    """Judge what is left free: neighbours are good, three for each square that has none bad."""
    up, down, left, right = _sides(tables, low, high)
    pairs = count_of(up[0] & low, up[1] & high) + count_of(left[0] & low, left[1] & high)
    one = up[0] | down[0] | left[0] | right[0]
    two = up[1] | down[1] | left[1] | right[1]
    return pairs - 3 * count_of(low & ~one, high & ~two)


@_compiled
def _keep(found, tidiness, tidy, index):
    """Put an action among the tidiest so far, which are kept in order; −1 where there is none."""
    place = found.shape[0]
    while place > 0 and (found[place - 1] < 0 or tidiness[place - 1] < tidy):
        place -= 1
    if place == found.shape[0]:
        return
    for k in range(found.shape[0] - 1, place, -1):
        found[k] = found[k - 1]
        tidiness[k] = tidiness[k - 1]
    found[place] = index
    tidiness[place] = tidy


@_compiled
def _special_patches(tables, quilts, facts, found, tidiness):
    """Find the tidiest squares for a special patch."""
    low, high = _free(tables, quilts, facts[TO_MOVE])
    for index in range(count_of(low, high)):
        one, two = shifted_left(ONE, np.uint64(0), nth_of(low, high, index))
        _keep(found, tidiness, _tidiness(tables, low & ~one, high & ~two), index)


@_compiled
def _placements(tables, quilts, facts, sets, patch, begin, found, tidiness):
    """Find the tidiest placements of a patch; its first action has the number `begin`."""
    low, high = _free(tables, quilts, facts[TO_MOVE])
    index = begin
    for lay in range(tables.first[patch], tables.first[patch + 1]):
        anchors = sets[lay - tables.first[patch]]
        for each in range(count_of(anchors[0], anchors[1])):
            anchor = nth_of(anchors[0], anchors[1], each)
            one, two = shifted_left(tables.lays[lay, 0], tables.lays[lay, 1], anchor)
            _keep(found, tidiness, _tidiness(tables, low & ~one, high & ~two), index)
            index += 1


@_compiled
def _add(found, weight, actions, weights, number):
    """Add what was found to the candidates, each half as likely as the one before."""
    for k in range(found.shape[0]):
        if found[k] >= 0:
            actions[number] = found[k]
            weights[number] = weight
            weight *= _LESS_TIDY
            number += 1
    return number


@_compiled
def _candidates(tables, quilts, facts, sets, counts, knobs, actions, weights):
    """Choose the actions that are looked at, with weights for how good they look."""
    found = np.full(knobs.wide, -1, dtype=np.int64)
    tidiness = np.zeros(knobs.wide, dtype=np.int64)
    if facts[PENDING]:
        _special_patches(tables, quilts, facts, found, tidiness)
        return _add(found, 1.0, actions, weights, 0)
    actions[0] = 0
    weights[0] = _ADVANCING
    number, begin = 1, 1
    patch = facts[HEAD]
    for place in range(min(tables.numbers[OFFER], facts[COUNT])):
        if counts[place]:
            found[:] = -1
            _placements(tables, quilts, facts, sets[place], patch, begin, found, tidiness)
            worth = min(max(worth_of(tables, facts, facts[TO_MOVE], patch) / 1000, 0.0), _BEST)
            number = _add(found, _ANY + worth, actions, weights, number)
            begin += counts[place]
        patch = facts[LINKS + patch]
    return number


@_compiled
def _open(tree, node, used, mover, actions, weights, number):
    """Give a node its children; return how many nodes there are now."""
    whole = weights[:number].sum()
    tree.first[node] = used
    tree.children[node] = number
    for k in range(number):
        tree.visits[used + k] = 0
        tree.first[used + k] = -1
        tree.children[used + k] = 0
        tree.action[used + k] = actions[k]
        tree.mover[used + k] = mover
        tree.total[used + k] = 0.0
        tree.prior[used + k] = weights[k] / whole
    return used + number


@_compiled
def _best_child(tree, node, mover, exploration):
    """Return the child to go to: worth much so far, or likely and not yet looked at much."""
    visits = tree.visits[node]
    unseen = 0.5
    if visits:
        unseen = tree.total[node] / visits
        if tree.mover[node] != mover:
            unseen = 1.0 - unseen
    unseen -= _DOUBT
    spread = exploration * np.sqrt(visits + 1.0)
    best, highest = -1, -1.0
    for k in range(tree.first[node], tree.first[node] + tree.children[node]):
        seen = tree.visits[k]
        value = tree.total[k] / seen if seen else unseen
        bound = value + spread * tree.prior[k] / (1 + seen)
        if bound > highest:
            best, highest = k, bound
    return best


@_compiled
def _exposed(tables, quilts, seat):
    """Count the edges between a covered and an empty square, as `fit.exposed_edges` does."""
    low, high = _free(tables, quilts, seat)
    up, down, left, right = _sides(tables, quilts[2 * seat], quilts[2 * seat + 1])
    vertical = count_of(up[0] & low, up[1] & high) + count_of(down[0] & low, down[1] & high)
    return (
        vertical
        + count_of(left[0] & low, left[1] & high)
        + count_of(right[0] & low, right[1] & high)
    )


@_compiled
def _side(tables, quilts, facts, seat, phase):
    """Judge one seat's side, in logits; `phase` is the share of the track that is still ahead."""
    last = tables.numbers[LAST]
    space = facts[SPACE + 3 * seat]
    paydays = tables.incomes[last] - tables.incomes[space]
    low, high = _free(tables, quilts, seat)
    judged = (_BUTTON[0] + _BUTTON[1] * phase) * facts[BUTTONS + 3 * seat]
    judged += (_INCOME[0] + _INCOME[1] * phase) * facts[INCOME + 3 * seat] * paydays
    judged += (_EMPTY[0] + _EMPTY[1] * phase) * count_of(low, high)
    judged += (_EXPOSED[0] + _EXPOSED[1] * phase) * _exposed(tables, quilts, seat)
    judged += (_SPACE[0] + _SPACE[1] * phase) * (last - space)
    if facts[TILE] == seat:
        judged += (_TILE[0] + _TILE[1] * phase) * tables.numbers[POINTS]
    if facts[TO_MOVE] == seat:
        judged += (_PENDING[0] + _PENDING[1] * phase) * facts[PENDING]
        judged += _TURN[0] + _TURN[1] * phase
    return judged


@_compiled
def _judged(tables, quilts, facts):
    """Return what a position looks worth to seat 0, from 0 to 1."""
    last = tables.numbers[LAST]
    phase = 1.0 - 0.5 * (facts[SPACE] + facts[SPACE + 3]) / last
    lead = _side(tables, quilts, facts, 0, phase) - _side(tables, quilts, facts, 1, phase)
    # about the logistic curve; an exponential differs in its last digit from machine to machine
    return 0.5 + 0.5 * (0.55 * lead) / np.sqrt(1.0 + (0.55 * lead) ** 2)


@_compiled
def _outcome(tables, quilts, facts):
    """Return what the end of a game is worth to seat 0: half for winning, half for the margin."""
    margin = score_of(tables, quilts, facts, 0) - score_of(tables, quilts, facts, 1)
    won = margin > 0 or (margin == 0 and facts[TO_MOVE] == 1)
    return 0.5 * won + 0.5 * (0.5 + 0.5 * margin / (_MARGIN + abs(margin)))


def _grower(of_kernel):
    """Make `grow`; see `pwtourney.simulate.cache.fingerprint` for what the kernel's is good for."""

    @njit(cache=True)
    def grow(tables, quilts, facts, stream, rounds, knobs, tree, used):
        """Go through the tree so many times; return how many nodes it has now."""
        of_kernel  # noqa: B018
        offer = max(1, tables.numbers[OFFER])
        sets = np.zeros((offer, 8, 2), dtype=np.uint64)
        counts = np.zeros(offer, dtype=np.int64)
        shifted = np.zeros((tables.shifts.shape[0] + 1, 2), dtype=np.uint64)
        actions = np.zeros(1 + (offer + 1) * knobs.wide, dtype=np.int64)
        weights = np.zeros(actions.shape[0])
        path = np.zeros(_LONGEST, dtype=np.int64)
        own_quilts = quilts.copy()
        own_facts = facts.copy()
        for _ in range(rounds):
            own_quilts[:] = quilts
            own_facts[:] = facts
            node, depth = 0, 0
            while True:
                total = legal(tables, own_quilts, own_facts, sets, counts, shifted)
                if total == 0:
                    break
                if tree.first[node] < 0:
                    full = used + actions.shape[0] > tree.visits.shape[0]
                    if full or (node > 0 and tree.visits[node] == 0):
                        break
                    number = _candidates(
                        tables, own_quilts, own_facts, sets, counts, knobs, actions, weights
                    )
                    used = _open(tree, node, used, own_facts[TO_MOVE], actions, weights, number)
                node = _best_child(tree, node, own_facts[TO_MOVE], knobs.exploration)
                play(tables, own_quilts, own_facts, sets, counts, tree.action[node])
                depth += 1
                path[depth] = node
            value = 0.0
            if total and knobs.trust > 0:
                value += knobs.trust * _judged(tables, own_quilts, own_facts)
            if total == 0 or knobs.trust < 1:
                share = 1.0 if total == 0 else 1.0 - knobs.trust
                while total:
                    index = choose(tables, own_quilts, own_facts, sets, counts, total, stream)
                    play(tables, own_quilts, own_facts, sets, counts, index)
                    total = legal(tables, own_quilts, own_facts, sets, counts, shifted)
                value += share * _outcome(tables, own_quilts, own_facts)
            for k in range(depth + 1):
                node = path[k]
                tree.visits[node] += 1
                tree.total[node] += value if tree.mover[node] == 0 else 1.0 - value
        return used

    return grow


grow = _grower(fingerprint())


@njit(cache=True)
def transplant(tree, root, into):
    """Copy a node and all below it into another tree, as its root; return how many nodes that are.

    Both trees have room for as many.
    """
    source = np.zeros(tree.visits.shape[0], dtype=np.int64)
    source[0] = root
    used = 1
    node = 0
    while node < used:
        old = source[node]
        into.visits[node] = tree.visits[old]
        into.total[node] = tree.total[old]
        into.mover[node] = tree.mover[old]
        into.action[node] = tree.action[old]
        into.prior[node] = tree.prior[old]
        into.children[node] = tree.children[old]
        into.first[node] = -1
        if tree.first[old] >= 0:
            into.first[node] = used
            for k in range(tree.children[old]):
                source[used + k] = tree.first[old] + k
            used += tree.children[old]
        node += 1
    return used
