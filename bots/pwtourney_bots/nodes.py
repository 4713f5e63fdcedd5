"""A tree that stores the position of every node, so a visit plays one action instead of a path.

Upper confidence bounds for trees: L. Kocsis and C. Szepesvári, "Bandit based Monte-Carlo planning",
ECML 2006; with a prior for each action as in C. Rosin, "Multi-armed bandits with episode context",
Annals of Mathematics and Artificial Intelligence 61, 2011, and D. Silver and others, "Mastering the
game of Go without human knowledge", Nature 550, 2017. One seat may move several times in a row
here, so each edge stores its value for the seat that moves along it. The value of an edge is a mix
of the mean of its visits and the value of its best line: M. Lanctot and others, "Monte Carlo tree
search with heuristic evaluations using implicit minimax backups", CIG 2014. Once all lines behind
an edge have been followed to the end of the game, its value is exact, and they are not visited any
more: M. Winands and others, "Monte-Carlo tree search solver", Computers and Games 2008.
"""

from pathlib import Path
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from pwtourney.simulate.compile_cache import GAME, fingerprint
from pwtourney.simulate.games import Tables
from pwtourney.simulate.kernel import (
    BUTTONS,
    COUNT,
    DECLINING,
    HEAD,
    LAST,
    OFFER,
    PENDING,
    TO_MOVE,
    within,
)
from pwtourney_bots.evaluation import judge
from pwtourney_bots.graph import CHILD, MOVE, OPTION, SEEN, SOLVED
from pwtourney_bots.graph import Graph as Graph
from pwtourney_bots.inputs import INPUTS
from pwtourney_bots.network import Network
from pwtourney_bots.quilts import add_quilt, find_options, is_roomy
from pwtourney_bots.steps import (
    ADVANCE,
    CHILDREN,
    DECLINE,
    FIRST,
    QUILT,
    SPECIAL,
    VISITS,
    is_over,
    next_index,
    step,
)

# `Graph` was once defined here. Numba's old cache files refer to it by this name, and must be
# readable before numba sees that they are outdated.
__all__ = [
    "LINE",
    "NODE_SOURCES",
    "Graph",
    "Growth",
    "Scratch",
    "grow_nodes",
    "move_nodes",
    "new_scratch",
    "plant",
]

_HERE = Path(__file__).parent
NODE_SOURCES = (
    *GAME,
    *(
        _HERE / f"{name}.py"
        for name in (
            "placements",
            "quilts",
            "steps",
            "graph",
            "inputs",
            "network",
            "layers",
            "evaluation",
        )
    ),
)
"""Files whose functions are compiled in (`pwtourney.simulate.compile_cache.fingerprint`)."""

_DOUBT = 0.05
"""The value of an unvisited edge is this much below the evaluation of its first position."""

_KNOWN = 1e6
"""The rank of a solved edge is this much below others: more than the highest bound."""

LINE = 0.5
"""The share of the best line in the value of an edge; the mean of its visits has the rest."""

_ADVANCING = 1.5
_ANY = 0.2
_BEST = 8.0
_DECLINING = 0.1
_LESS_TIDY = 0.5
"""The weights of actions, before they are normalised to priors.

They are that of an advance; for a patch its points per space, up to a bound, and a little for any
patch; to decline a special patch, as a share of its best placement; and each less good placement
has half the weight of the one before.
"""


class Growth(NamedTuple):
    """How a tree grows.

    `candidates` placements of each patch are considered, also of special patches. `exploration` is
    the weight of priors. `network` is that of `evaluation.evaluate`. `is_solo` is 1 in games
    against the Automa, else 0.
    """

    candidates: int
    exploration: float
    network: Network
    is_solo: int


class Scratch(NamedTuple):
    """Arrays that are used during a visit of the tree, and not needed afterwards.

    `sets` and `shifted` are for placements, `inputs` for the network. `path` has a row for each
    ply: a node, and the edge that follows it.
    """

    sets: NDArray[np.uint64]
    shifted: NDArray[np.uint64]
    inputs: NDArray[np.float32]
    path: NDArray[np.int64]


def new_scratch(tables: Tables) -> Scratch:
    """Make the scratch arrays for an edition."""
    last = tables.numbers[LAST]
    # more plies than any game has: spaces, patches and special patches, each used once
    plies = 2 * last + len(tables.cost) + tables.leathers[last] + 1
    return Scratch(
        sets=np.zeros((8, 2), np.uint64),
        shifted=np.zeros((len(tables.shifts) + 1, 2), np.uint64),
        inputs=np.zeros(len(INPUTS), np.float32),
        path=np.zeros((plies + 1, 2), np.int64),
    )


@within
def _add_edge(graph, index, option, prior):
    edge = graph.used[1]
    graph.edges[edge, MOVE] = index
    graph.edges[edge, OPTION] = option
    graph.edges[edge, CHILD] = -1
    graph.edges[edge, SEEN] = 0
    graph.edges[edge, SOLVED] = 0
    graph.totals[edge] = 0.0
    graph.priors[edge] = prior
    graph.used[1] = edge + 1


@within
def _add_placements(cache, graph, index, begin, weight, most):
    for k in range(min(most, cache.options[begin, 0])):
        _add_edge(graph, index, begin + 1 + k, weight)
        weight *= _LESS_TIDY


@within
def _open(tables, cache, ring, main, graph, node, most, scratch):
    """Give a node its edges: the advance, and the best placements of each patch it can pay for."""
    nodes, sets, shifted = graph.nodes, scratch.sets, scratch.shifted
    first = graph.used[1]
    seat = nodes[node, TO_MOVE]
    quilt = nodes[node, QUILT + seat]
    if nodes[node, PENDING]:
        special = tables.cost.shape[0]
        begin = find_options(tables, cache, quilt, special, sets, shifted, most)
        _add_placements(cache, graph, SPECIAL, begin, 1.0, most)
        if tables.numbers[DECLINING]:
            _add_edge(graph, DECLINE, 0, _DECLINING)
    else:
        _add_edge(graph, ADVANCE, 0, _ADVANCING)
        paydays = tables.incomes[tables.numbers[LAST]] - tables.incomes[nodes[node, 2 + 3 * seat]]
        index = np.int64(nodes[node, HEAD])
        offer = min(tables.numbers[OFFER], nodes[node, COUNT])
        for slot in range(offer):
            patch = ring[index]
            if tables.cost[patch] <= nodes[node, BUTTONS + 3 * seat]:
                begin = find_options(tables, cache, quilt, patch, sets, shifted, most)
                points = 2 * tables.squares[patch] + tables.income[patch] * paydays
                worth = (points - tables.cost[patch]) / max(tables.time[patch], 1)
                weight = _ANY + min(max(worth, 0.0), _BEST)
                _add_placements(cache, graph, index, begin, weight, most)
            if slot + 1 < offer:
                index = next_index(nodes, node, main, ring.shape[0], index)
    whole = 0.0
    for edge in range(first, graph.used[1]):
        whole += graph.priors[edge]
    for edge in range(first, graph.used[1]):
        graph.priors[edge] /= whole
    nodes[node, FIRST] = first
    nodes[node, CHILDREN] = graph.used[1] - first


@within
def _look_ahead(tables, cache, ring, main, graph, node, growth, inputs):
    """Evaluate the position after each edge of a node, the first of its line."""
    nodes = graph.nodes
    spare = graph.used[0]  # a row that no node uses yet
    first = np.int64(nodes[node, FIRST])
    for edge in range(first, first + nodes[node, CHILDREN]):
        quilt = cache.options[graph.edges[edge, OPTION], 0]
        step(tables, cache, ring, main, nodes, node, spare, graph.edges[edge, MOVE], quilt)
        value, _ = judge(tables, cache, ring, main, nodes, spare, growth, inputs)
        graph.lines[edge] = 1.0 - value if nodes[node, TO_MOVE] else value


@within
def _best_edge(graph, node, exploration):
    """Return the edge to follow: with a high value so far, or likely and rarely visited.

    Edges that are not solved come first, if there are any.
    """
    visits = graph.nodes[node, VISITS]
    spread = exploration * np.sqrt(visits + 1.0)
    best, highest = np.int64(-1), -2.0 * _KNOWN  # below every bound
    first = np.int64(graph.nodes[node, FIRST])
    for edge in range(first, first + graph.nodes[node, CHILDREN]):
        seen = graph.edges[edge, SEEN]
        share = 1.0 / (1 + seen)
        if graph.edges[edge, SOLVED]:
            value = np.float64(graph.lines[edge]) - _KNOWN
        elif seen == 0:
            value = graph.lines[edge] - _DOUBT
        else:
            value = (1.0 - LINE) * graph.totals[edge] / seen + LINE * graph.lines[edge]
        bound = value + spread * graph.priors[edge] * share
        if bound > highest:
            best, highest = edge, bound
    return best


@within
def _descend(tables, cache, ring, main, graph, growth, scratch):
    """Descend to a position that is new or solved.

    Returns its value, margin and depth, and 1 if it is solved. `path` gets the nodes and edges that
    lead there: each node with the edge after it.
    """
    nodes, path, inputs = graph.nodes, scratch.path, scratch.inputs
    node, depth = np.int64(0), np.int64(0)
    path[0, 0] = 0
    while True:
        if is_over(tables, nodes, node):
            value, margin = judge(tables, cache, ring, main, nodes, node, growth, inputs)
            return value, margin, depth, 1
        if nodes[node, FIRST] < 0:
            # A node is expanded at its second visit, since most are never visited again. The root
            # is expanded at once: its edges are the choices.
            offer = tables.numbers[OFFER] + 1
            most = (offer + 1) * growth.candidates + 2
            full = graph.used[1] + most > graph.edges.shape[0] or not is_roomy(cache, offer)
            full = full or graph.used[0] == nodes.shape[0]
            if full or (node > 0 and nodes[node, VISITS] == 0):
                break
            _open(tables, cache, ring, main, graph, node, growth.candidates, scratch)
            _look_ahead(tables, cache, ring, main, graph, node, growth, inputs)
        edge = _best_edge(graph, node, growth.exploration)
        child = np.int64(graph.edges[edge, CHILD])
        if child < 0:
            child = graph.used[0]
            if child == nodes.shape[0]:
                break
            graph.used[0] = child + 1
            graph.edges[edge, CHILD] = child
            quilt = cache.options[graph.edges[edge, OPTION], 0]
            index = graph.edges[edge, MOVE]
            step(tables, cache, ring, main, nodes, node, child, index, quilt)
            graph.sums[child, 0] = 0.0
            graph.sums[child, 1] = 0.0
        path[depth, 1] = edge
        depth += 1
        path[depth, 0] = child
        if graph.edges[edge, SOLVED]:
            value = np.float64(graph.lines[edge])
            value = 1.0 - value if nodes[node, TO_MOVE] else value
            return value, graph.sums[child, 1] / nodes[child, VISITS], depth, 1
        node = child
    value, margin = judge(tables, cache, ring, main, nodes, node, growth, inputs)
    return value, margin, depth, 0


@within
def _back_up(graph, path, depth, value, margin, solved):
    """Update all nodes and edges on the path with the result, and whether they are solved."""
    nodes, edges = graph.nodes, graph.edges
    line = value
    # from the end of the path to the root: each line is the best of those that follow it
    for k in range(depth, -1, -1):
        node = path[k, 0]
        first = np.int64(nodes[node, FIRST])
        is_second = nodes[node, TO_MOVE] == 1
        if first >= 0:
            best, solved = 0.0, 1
            known, surest = -1.0, first
            for edge in range(first, first + nodes[node, CHILDREN]):
                best = max(best, graph.lines[edge])
                solved &= edges[edge, SOLVED]
                if edges[edge, SOLVED] and graph.lines[edge] > known:
                    known, surest = np.float64(graph.lines[edge]), edge
            line = 1.0 - best if is_second else best
            # solved edges are not followed any more, but the node has at least their value
            if solved or known > (1.0 - value if is_second else value):
                value = 1.0 - known if is_second else known
                child = np.int64(edges[surest, CHILD])
                margin = graph.sums[child, 1] / nodes[child, VISITS]
        nodes[node, VISITS] += 1
        graph.sums[node, 0] += value
        graph.sums[node, 1] += margin
        if solved and first >= 0:  # exact values replace the means of earlier estimates
            graph.sums[node, 0] = value * nodes[node, VISITS]
            graph.sums[node, 1] = margin * nodes[node, VISITS]
        if k:
            # not by depth: one seat may move several times in a row
            mover = nodes[path[k - 1, 0], TO_MOVE]
            edge = path[k - 1, 1]
            edges[edge, SEEN] += 1
            edges[edge, SOLVED] = solved
            graph.totals[edge] += 1.0 - value if mover else value
            graph.lines[edge] = 1.0 - line if mover else line


def _compile_grow(drawn_in):
    """Make `grow_nodes`; `drawn_in` is the fingerprint of the functions compiled into it."""

    # as in the kernel, no reference counting of arrays is needed
    @njit(cache=True, _nrt=False)
    def grow_nodes(tables, cache, ring, main, graph, growth, scratch, iterations):
        """Run this many iterations."""
        drawn_in  # noqa: B018  # in the closure, a part of numba's cache key
        for _ in range(iterations):
            value, margin, depth, solved = _descend(
                tables, cache, ring, main, graph, growth, scratch
            )
            _back_up(graph, scratch.path, depth, value, margin, solved)

    return grow_nodes


grow_nodes = _compile_grow(fingerprint(*NODE_SOURCES))


def _compile_plant(drawn_in):
    """Make `plant`; `drawn_in` is the fingerprint of the functions compiled into it."""

    @njit(cache=True)
    def plant(tables, cache, graph, row, quilts):
        """Make a position the root of an empty tree: its row, and the words of both quilts."""
        drawn_in  # noqa: B018
        for k in range(row.shape[0]):
            graph.nodes[0, k] = row[k]
        for seat in range(2):
            number = add_quilt(tables, cache, quilts[2 * seat], quilts[2 * seat + 1])
            graph.nodes[0, QUILT + seat] = number
        graph.nodes[0, FIRST] = -1
        graph.nodes[0, CHILDREN] = 0
        graph.nodes[0, VISITS] = 0
        graph.sums[0, 0] = 0.0
        graph.sums[0, 1] = 0.0
        graph.used[0] = 1
        graph.used[1] = 0

    return plant


plant = _compile_plant(fingerprint(*NODE_SOURCES))


@njit(cache=True)
def move_nodes(graph, root, into):
    """Copy a node and everything below it into another tree, as its root."""
    # breadth first, so that a node's edges are adjacent, as `FIRST` requires
    source = np.zeros(graph.used[0], dtype=np.int64)
    source[0] = root
    nodes, edges, node = 1, 0, 0
    while node < nodes:
        old = source[node]
        into.nodes[node] = graph.nodes[old]
        into.sums[node] = graph.sums[old]
        if graph.nodes[old, FIRST] >= 0:
            into.nodes[node, FIRST] = edges
            for k in range(graph.nodes[old, CHILDREN]):
                edge = graph.nodes[old, FIRST] + k
                into.edges[edges] = graph.edges[edge]
                into.totals[edges] = graph.totals[edge]
                into.lines[edges] = graph.lines[edge]
                into.priors[edges] = graph.priors[edge]
                if graph.edges[edge, CHILD] >= 0:
                    source[nodes] = graph.edges[edge, CHILD]
                    into.edges[edges, CHILD] = nodes
                    nodes += 1
                edges += 1
        node += 1
    into.used[0] = nodes
    into.used[1] = edges
