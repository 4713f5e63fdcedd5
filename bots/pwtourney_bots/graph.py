"""The arrays of a tree that stores the position of every node: nodes and edges."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pwtourney_bots.steps import LEFT

__all__ = [
    "CHILD",
    "MOVE",
    "OPTION",
    "SEEN",
    "SOLVED",
    "Graph",
    "Room",
    "new_graph",
]

MOVE, OPTION, CHILD, SEEN, SOLVED = range(5)
"""The columns of an edge.

They are the index of the patch in the ring, or another action of `steps`; the row of its placement
in the cache; the node that it leads to, −1 if there is none yet; the visits; and whether all
continuations were followed to the end of the game, so that its line is exact.
"""


class Room(NamedTuple):
    """How many nodes, edges and quilts there is room for; the last is a power of two."""

    nodes: int
    edges: int
    quilts: int


class Graph(NamedTuple):
    """Nodes and edges by number; node 0 is the root.

    A row of `nodes` is a position, see `steps`. A row of `sums` has the sums over its visits of the
    value for seat 0, each from 0 to 1, and of the margin. A row of `edges` has the columns above.
    `totals` is the sum of an edge's values for the seat that moves, `lines` the value of the best
    line behind it for that seat, and `priors` the prior of its action. `used` counts nodes and
    edges.
    """

    nodes: NDArray[np.int32]
    sums: NDArray[np.float64]
    edges: NDArray[np.int32]
    totals: NDArray[np.float64]
    lines: NDArray[np.float32]
    priors: NDArray[np.float32]
    used: NDArray[np.int64]


def new_graph(room: Room, ring: int) -> Graph:
    """Make an empty tree, for a ring of `ring` places."""
    nodes, edges, _ = room
    return Graph(
        nodes=np.zeros((nodes, LEFT + (ring + 31) // 32), np.int32),
        sums=np.zeros((nodes, 2)),
        edges=np.zeros((edges, SOLVED + 1), np.int32),
        totals=np.zeros(edges),
        lines=np.zeros(edges, np.float32),
        priors=np.zeros(edges, np.float32),
        used=np.zeros(2, np.int64),
    )
