"""A tree of purchases and their tidiest placements, grown in one compiled call.

Upper confidence bounds for trees: L. Kocsis and C. Szepesvári, "Bandit based Monte-Carlo planning",
ECML 2006; with a prior for each action as in C. Rosin, "Multi-armed bandits with episode context",
Annals of Mathematics and Artificial Intelligence 61, 2011, and D. Silver and others, "Mastering the
game of Go without human knowledge", Nature 550, 2017. One seat may move several times in a row
here, so each node stores its value for the seat that moved into it.
"""

from pathlib import Path
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from pwtourney.simulate.compile_cache import GAME, fingerprint
from pwtourney.simulate.games import choose
from pwtourney.simulate.kernel import LAST, OFFER, TO_MOVE, compiled, count_legal, play
from pwtourney_bots.evaluation import evaluate_end
from pwtourney_bots.placements import find_candidates

__all__ = ["SOURCES", "Knobs", "Tree", "grow", "new_tree", "transplant"]

_HERE = Path(__file__).parent
SOURCES = (*GAME, _HERE / "placements.py", _HERE / "evaluation.py")
"""Files whose functions are compiled in (`pwtourney.simulate.compile_cache.fingerprint`)."""

_DOUBT = 0.1
"""The value of an unvisited child is this much below its parent's."""


class Knobs(NamedTuple):
    """How a tree grows.

    `candidates` placements of each patch are considered, also of special patches. `exploration` is
    the weight of priors.
    """

    candidates: int
    exploration: float


class Tree(NamedTuple):
    """Nodes by number, the root 0: each array has one entry per node.

    `first` is the first child (−1: not expanded), and the others follow it. `action` is the number
    of the legal action that leads to the node, and `mover` the seat that plays it. `total` is the
    sum over the visits of the value for that seat, each from 0 to 1, and `margin` that of the
    margins.
    """

    visits: NDArray[np.int32]
    first: NDArray[np.int32]
    children: NDArray[np.int16]
    action: NDArray[np.int16]
    mover: NDArray[np.int8]
    total: NDArray[np.float64]
    margin: NDArray[np.float64]
    prior: NDArray[np.float32]


def new_tree(nodes: int) -> Tree:
    """Make a tree with room for `nodes` nodes, that has a root."""
    tree = Tree(
        visits=np.zeros(nodes, np.int32),
        first=np.zeros(nodes, np.int32),
        children=np.zeros(nodes, np.int16),
        action=np.zeros(nodes, np.int16),
        mover=np.zeros(nodes, np.int8),
        total=np.zeros(nodes),
        margin=np.zeros(nodes),
        prior=np.zeros(nodes, np.float32),
    )
    tree.first[0] = -1
    return tree


@compiled
def _open(tree, node, used, mover, actions, weights, number):
    """Give a node its children; return the new number of nodes."""
    # everything is set: after a transplant the arrays contain entries of an older tree
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
        tree.margin[used + k] = 0.0
        tree.prior[used + k] = weights[k] / whole
    return used + number


@compiled
def _best_child(tree, node, mover, exploration):
    """Return the child to visit: with a high value so far, or likely and rarely visited."""
    visits = tree.visits[node]
    # an unvisited child counts as a little less than its parent, seen from the mover's side
    unseen = 0.5
    if visits:
        unseen = tree.total[node] / visits
        if tree.mover[node] != mover:
            unseen = 1.0 - unseen
    unseen -= _DOUBT
    spread = exploration * np.sqrt(visits + 1.0)
    best, highest = -1, -1.0  # below every bound: values are from 0, minus the doubt
    for k in range(tree.first[node], tree.first[node] + tree.children[node]):
        seen = tree.visits[k]
        value = tree.total[k] / seen if seen else unseen
        bound = value + spread * tree.prior[k] / (1 + seen)
        if bound > highest:
            best, highest = k, bound
    return best


@compiled
def _descend(
    tables, quilts, facts, sets, counts, shifted, exploration, tree, used, path,
    actions, weights, tidiest, tidiness,
):  # fmt: skip
    """Descend to a position to evaluate, and expand nodes that were evaluated before.

    Returns how many legal actions there are, the number of nodes, and the depth; `path` gets the
    nodes, the root first.
    """
    node, depth = 0, 0
    path[0] = 0
    while True:
        total = count_legal(tables, quilts, facts, sets, counts, shifted)
        if total == 0:
            break
        if tree.first[node] < 0:
            # A node is expanded at its second visit, since most are never visited again. The root
            # is expanded at once: its children are the choices.
            full = used + actions.shape[0] > tree.visits.shape[0]
            if full or (node > 0 and tree.visits[node] == 0):
                break
            number = find_candidates(
                tables, quilts, facts, sets, counts, actions, weights, tidiest, tidiness
            )
            used = _open(tree, node, used, facts[TO_MOVE], actions, weights, number)
        node = _best_child(tree, node, facts[TO_MOVE], exploration)
        play(tables, quilts, facts, sets, counts, tree.action[node])
        depth += 1
        path[depth] = node
    return total, used, depth


@compiled
def _play_to_end(tables, quilts, facts, sets, counts, shifted, total, stream):
    """Play a position to its end; return the value for seat 0, and the margin."""
    while total:
        index = choose(tables, quilts, facts, sets, counts, total, stream)
        play(tables, quilts, facts, sets, counts, index)
        total = count_legal(tables, quilts, facts, sets, counts, shifted)
    return evaluate_end(tables, quilts, facts)


@compiled
def _back_up(tree, path, depth, value, margin):
    """Update all nodes on the path with the result, each for the seat that moved into it."""
    for k in range(depth + 1):
        node = path[k]
        tree.visits[node] += 1
        # not by depth: one seat may move several times in a row
        tree.total[node] += value if tree.mover[node] == 0 else 1.0 - value
        tree.margin[node] += margin if tree.mover[node] == 0 else -margin


def _compile_grow(drawn_in):
    """Make `grow`; `drawn_in` is the fingerprint of the functions compiled into it."""

    @njit(cache=True)
    def grow(tables, quilts, facts, stream, iterations, knobs, tree, used):
        """Run this many iterations; return the new number of nodes."""
        drawn_in  # noqa: B018  # in the closure, a part of numba's cache key
        offer = max(1, tables.numbers[OFFER])
        sets = np.zeros((offer, 8, 2), dtype=np.uint64)
        counts = np.zeros(offer, dtype=np.int64)
        shifted = np.zeros((tables.shifts.shape[0] + 1, 2), dtype=np.uint64)
        actions = np.zeros(1 + (offer + 1) * knobs.candidates, dtype=np.int64)
        weights = np.zeros(actions.shape[0])
        tidiest = np.zeros(knobs.candidates, dtype=np.int64)
        tidiness = np.zeros(knobs.candidates, dtype=np.int64)
        # more plies than any game has: spaces, patches and special patches, each used once
        last = tables.numbers[LAST]
        plies = 2 * last + tables.cost.shape[0] + tables.leathers[last] + 1
        path = np.zeros(plies + 1, dtype=np.int64)
        own_quilts, own_facts = quilts.copy(), facts.copy()
        for _ in range(iterations):
            own_quilts[:] = quilts
            own_facts[:] = facts
            total, used, depth = _descend(
                tables, own_quilts, own_facts, sets, counts, shifted, knobs.exploration, tree,
                used, path, actions, weights, tidiest, tidiness,
            )  # fmt: skip
            value, margin = _play_to_end(
                tables, own_quilts, own_facts, sets, counts, shifted, total, stream
            )
            _back_up(tree, path, depth, value, margin)
        return used

    return grow


grow = _compile_grow(fingerprint(*SOURCES))


@njit(cache=True)
def transplant(tree, root, into, used):
    """Copy a node and everything below it into another tree, as its root; return the node count.

    `tree` has `used` nodes, and `into` has room for as many.
    """
    # breadth first, so that children of one node are adjacent, as `first` requires
    source = np.zeros(used, dtype=np.int64)
    source[0] = root
    copied = 1
    node = 0
    while node < copied:
        old = source[node]
        into.visits[node] = tree.visits[old]
        into.total[node] = tree.total[old]
        into.margin[node] = tree.margin[old]
        into.mover[node] = tree.mover[old]
        into.action[node] = tree.action[old]
        into.prior[node] = tree.prior[old]
        into.children[node] = tree.children[old]
        into.first[node] = -1
        if tree.first[old] >= 0:
            into.first[node] = copied
            for k in range(tree.children[old]):
                source[copied + k] = tree.first[old] + k
            copied += tree.children[old]
        node += 1
    return copied
