"""A tree that keeps the position of every node, so that a visit plays one action and not a path.

Upper confidence bounds for trees: L. Kocsis and C. Szepesvári, "Bandit based Monte-Carlo planning",
ECML 2006; with a prior for each action as in C. Rosin, "Multi-armed bandits with episode context",
Annals of Mathematics and Artificial Intelligence 61, 2011, and D. Silver and others, "Mastering the
game of Go without human knowledge", Nature 550, 2017. One seat may move several times in a row
here, so each edge keeps what it is worth to the seat that moves along it. An edge is worth the mean
of its visits and, in part, what its best line is worth: M. Lanctot and others, "Monte Carlo tree
search with heuristic evaluations using implicit minimax backups", CIG 2014.
"""

from pathlib import Path
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from pwtourney.simulate.cache import GAME, fingerprint
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
from pwtourney_bots.evaluation import evaluate, judge_end
from pwtourney_bots.quilts import add_quilt, find_options, is_roomy
from pwtourney_bots.steps import (
    ADVANCE,
    CHILDREN,
    DECLINE,
    FIRST,
    LEFT,
    QUILT,
    SPECIAL,
    VISITS,
    is_over,
    next_place,
    step,
)

__all__ = [
    *("CHILD", "NODE_SOURCES", "OPTION", "PLACE", "SEEN", "Graph", "Growth"),
    *("Scratch", "grow_nodes", "move_nodes", "new_graph", "new_scratch", "plant"),
]

_HERE = Path(__file__).parent
NODE_SOURCES = (
    *GAME,
    *(_HERE / f"{name}.py" for name in ("placements", "quilts", "steps", "evaluation")),
)
"""The files whose functions are drawn in here; see `pwtourney.simulate.cache.fingerprint`."""

PLACE, OPTION, CHILD, SEEN = range(4)
"""The columns of an edge: the place of the patch in the ring, or another action of `steps`; the
row of its placement in the cache; the node that it leads to, −1 if there is none yet; visits."""

_DOUBT = 0.05
"""How much less an edge is worth that was not looked at yet than what its first position looks."""

_LINE = 0.5
"""The share that the best line has in what an edge is worth; its visits' mean has the rest."""

_ADVANCING = 1.5
_ANY = 0.2
_BEST = 8.0
_DECLINING = 0.1
_LESS_TIDY = 0.5
"""The weight of an action, before it is shared out: that of an advance; for a patch what it brings
in points a space, up to a bound, and a little for any; to decline a special patch, as a share of
its best placement; and each placement that is less good half of the one before."""


class Graph(NamedTuple):
    """Nodes and edges by number; node 0 is the root.

    A row of `nodes` holds a position, see `steps`; of `sums` what its visits were worth to seat 0,
    each from 0 to 1, and their margins. A row of `edges` has the columns above; `totals` is what
    an edge's visits were worth to the seat that moves, `lines` what the best line behind it is
    worth to that seat, `priors` how likely its action looks. `used` counts nodes and edges.
    """

    nodes: NDArray[np.int32]
    sums: NDArray[np.float64]
    edges: NDArray[np.int32]
    totals: NDArray[np.float64]
    lines: NDArray[np.float32]
    priors: NDArray[np.float32]
    used: NDArray[np.int64]


class Growth(NamedTuple):
    """How a tree grows.

    `candidates` placements of each patch are looked at, of special patches likewise. `exploration`
    says how much the prior of an action counts. `weights` are those of `evaluation.evaluate`.
    """

    candidates: int
    exploration: float
    weights: NDArray[np.float64]


class Scratch(NamedTuple):
    """What is written on the way through a tree, and needed no more once it is left.

    `sets` and `shifted` are for placements, `seen` for what the evaluation looks at; `path` has
    a row for each ply: a node, and the edge that follows it.
    """

    sets: NDArray[np.uint64]
    shifted: NDArray[np.uint64]
    seen: NDArray[np.float64]
    path: NDArray[np.int64]


def new_scratch(tables: Tables, weights: int) -> Scratch:
    """Make what a search of an edition needs; its evaluation has so many weights."""
    last = tables.numbers[LAST]
    # More plies than any game has: spaces, patches and special patches, each used once.
    plies = 2 * last + len(tables.cost) + tables.leathers[last] + 1
    return Scratch(
        sets=np.zeros((8, 2), np.uint64),
        shifted=np.zeros((len(tables.shifts) + 1, 2), np.uint64),
        seen=np.zeros(weights),
        path=np.zeros((plies + 1, 2), np.int64),
    )


def new_graph(nodes: int, edges: int, ring: int) -> Graph:
    """Make a tree with room for so many nodes and edges, and a ring of so many places."""
    return Graph(
        nodes=np.zeros((nodes, LEFT + (ring + 31) // 32), np.int32),
        sums=np.zeros((nodes, 2)),
        edges=np.zeros((edges, 4), np.int32),
        totals=np.zeros(edges),
        lines=np.zeros(edges, np.float32),
        priors=np.zeros(edges, np.float32),
        used=np.zeros(2, np.int64),
    )


@within
def _add_edge(graph, place, option, prior):
    edge = graph.used[1]
    graph.edges[edge, PLACE] = place
    graph.edges[edge, OPTION] = option
    graph.edges[edge, CHILD] = -1
    graph.edges[edge, SEEN] = 0
    graph.totals[edge] = 0.0
    graph.priors[edge] = prior
    graph.used[1] = edge + 1


@within
def _add_placements(cache, graph, place, begin, weight, most):
    for k in range(min(most, cache.options[begin, 0])):
        _add_edge(graph, place, begin + 1 + k, weight)
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
        place = np.int64(nodes[node, HEAD])
        offer = min(tables.numbers[OFFER], nodes[node, COUNT])
        for slot in range(offer):
            patch = ring[place]
            if tables.cost[patch] <= nodes[node, BUTTONS + 3 * seat]:
                begin = find_options(tables, cache, quilt, patch, sets, shifted, most)
                points = 2 * tables.squares[patch] + tables.income[patch] * paydays
                worth = (points - tables.cost[patch]) / max(tables.time[patch], 1)
                weight = _ANY + min(max(worth, 0.0), _BEST)
                _add_placements(cache, graph, place, begin, weight, most)
            if slot + 1 < offer:
                place = next_place(nodes, node, main, ring.shape[0], place)
    whole = 0.0
    for edge in range(first, graph.used[1]):
        whole += graph.priors[edge]
    for edge in range(first, graph.used[1]):
        graph.priors[edge] /= whole
    nodes[node, FIRST] = first
    nodes[node, CHILDREN] = graph.used[1] - first


@within
def _look_ahead(tables, cache, ring, main, graph, node, weights, seen):
    """Evaluate what each edge of a node leads to, the first of its line."""
    nodes = graph.nodes
    spare = graph.used[0]  # a row that no node has yet
    first = np.int64(nodes[node, FIRST])
    for edge in range(first, first + nodes[node, CHILDREN]):
        quilt = cache.options[graph.edges[edge, OPTION], 0]
        step(tables, cache, ring, main, nodes, node, spare, graph.edges[edge, PLACE], quilt)
        if is_over(tables, nodes, spare):
            value, _ = judge_end(tables, cache, nodes, spare)
        else:
            value, _ = evaluate(tables, cache, ring, main, nodes, spare, weights, seen)
        graph.lines[edge] = 1.0 - value if nodes[node, TO_MOVE] else value


@within
def _best_edge(graph, node, exploration):
    """Return the edge to follow: worth much so far, or likely and not yet looked at much."""
    visits = graph.nodes[node, VISITS]
    spread = exploration * np.sqrt(visits + 1.0)
    best, highest = np.int64(-1), -1.0  # below every bound: values are from 0, less the doubt
    first = np.int64(graph.nodes[node, FIRST])
    for edge in range(first, first + graph.nodes[node, CHILDREN]):
        seen = graph.edges[edge, SEEN]
        share = 1.0 / (1 + seen)
        value = graph.lines[edge] - _DOUBT
        if seen:
            value = (1.0 - _LINE) * graph.totals[edge] / seen + _LINE * graph.lines[edge]
        bound = value + spread * graph.priors[edge] * share
        if bound > highest:
            best, highest = edge, bound
    return best


@within
def _descend(tables, cache, ring, main, graph, growth, scratch):
    """Go down to a position that is new, or an end; return its value, margin, and how deep it is.

    `path` gets the nodes and the edges that lead there: from each node the edge after it.
    """
    nodes, path, weights = graph.nodes, scratch.path, growth.weights
    node, depth = np.int64(0), np.int64(0)
    path[0, 0] = 0
    while True:
        if is_over(tables, nodes, node):
            value, margin = judge_end(tables, cache, nodes, node)
            return value, margin, depth
        if nodes[node, FIRST] < 0:
            # A node is opened at its second visit, since most are never visited again. The root
            # has to be: its edges are what is chosen from.
            offer = tables.numbers[OFFER] + 1
            most = (offer + 1) * growth.candidates + 2
            full = graph.used[1] + most > graph.edges.shape[0] or not is_roomy(cache, offer)
            full = full or graph.used[0] == nodes.shape[0]
            if full or (node > 0 and nodes[node, VISITS] == 0):
                break
            _open(tables, cache, ring, main, graph, node, growth.candidates, scratch)
            _look_ahead(tables, cache, ring, main, graph, node, weights, scratch.seen)
        edge = _best_edge(graph, node, growth.exploration)
        child = np.int64(graph.edges[edge, CHILD])
        if child < 0:
            child = graph.used[0]
            if child == nodes.shape[0]:
                break
            graph.used[0] = child + 1
            graph.edges[edge, CHILD] = child
            quilt = cache.options[graph.edges[edge, OPTION], 0]
            place = graph.edges[edge, PLACE]
            step(tables, cache, ring, main, nodes, node, child, place, quilt)
            graph.sums[child, 0] = 0.0
            graph.sums[child, 1] = 0.0
        path[depth, 1] = edge
        depth += 1
        path[depth, 0] = child
        node = child
    value, margin = evaluate(tables, cache, ring, main, nodes, node, weights, scratch.seen)
    return value, margin, depth


@within
def _back_up(graph, path, depth, value, margin):
    """Let all nodes and edges on the way know what came of it."""
    for k in range(depth + 1):
        node = path[k, 0]
        graph.nodes[node, VISITS] += 1
        graph.sums[node, 0] += value
        graph.sums[node, 1] += margin
        if k < depth:
            edge = path[k, 1]
            graph.edges[edge, SEEN] += 1
            # Not by depth: one seat may move several times in a row.
            graph.totals[edge] += 1.0 - value if graph.nodes[node, TO_MOVE] else value
    # From the end of the path to the root: each line is the best of those that follow it.
    line = value
    for k in range(depth, 0, -1):
        node = path[k, 0]
        first = np.int64(graph.nodes[node, FIRST])
        if first >= 0:
            best = 0.0
            for edge in range(first, first + graph.nodes[node, CHILDREN]):
                best = max(best, graph.lines[edge])
            line = 1.0 - best if graph.nodes[node, TO_MOVE] else best
        mover = graph.nodes[path[k - 1, 0], TO_MOVE]
        graph.lines[path[k - 1, 1]] = 1.0 - line if mover else line


def _compile_grow(drawn_in):
    """Make `grow_nodes`; `drawn_in` is the fingerprint of the functions that it draws in."""

    # As in the kernel, nobody has to count who uses an array.
    @njit(cache=True, _nrt=False)
    def grow_nodes(tables, cache, ring, main, graph, growth, scratch, iterations):
        """Go through the tree so many times."""
        drawn_in  # noqa: B018  # named, so that it is in the closure, which numba keeps this by
        for _ in range(iterations):
            value, margin, depth = _descend(tables, cache, ring, main, graph, growth, scratch)
            _back_up(graph, scratch.path, depth, value, margin)

    return grow_nodes


grow_nodes = _compile_grow(fingerprint(*NODE_SOURCES))


def _compile_plant(drawn_in):
    """Make `plant`; `drawn_in` is the fingerprint of the functions that it draws in."""

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
    """Copy a node and all below it into another tree, as its root."""
    # Breadth first; a node's edges stand next to each other, as `FIRST` wants it.
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
