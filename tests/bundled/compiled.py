"""Compiled wrappers around functions that the bots only inline; numba caches them."""

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray
from pwtourney_bots.evaluation import evaluate
from pwtourney_bots.inputs import INPUTS
from pwtourney_bots.layers import weigh
from pwtourney_bots.network import Network, find_network
from pwtourney_bots.node_tree import NodeTree
from pwtourney_bots.nodes import NODE_SOURCES
from pwtourney_bots.quilts import QUILT_FEATURES, look_at_quilt

from pwtourney.rules import Edition
from pwtourney.simulate.compile_cache import fingerprint
from pwtourney.simulate.games import Encoder

__all__ = ["count_features", "look_at_root", "weigh_inputs"]


def _compile_looks(drawn_in: str) -> Any:
    """Compile all wrappers; `drawn_in` is the fingerprint of the functions that they inline."""

    def look_at_root(*arguments: Any) -> Any:
        """Return the value of a tree's root for seat 0, and write the network's inputs."""
        drawn_in  # noqa: B018  # used, so that numba's cache key contains it
        tables, cache, ring, main, nodes, network, inputs = arguments
        return evaluate(tables, cache, ring, main, nodes, 0, network, inputs)[0]

    def count(tables: Any, low: Any, high: Any, seen: Any) -> None:
        """Write the features that `QUILT_FEATURES` names into `seen`."""
        drawn_in  # noqa: B018
        look_at_quilt(tables, low, high, seen)

    def weigh_one(network: Any, inputs: Any) -> Any:
        """Return the two results of a network."""
        drawn_in  # noqa: B018
        return weigh(network, inputs)

    return tuple(njit(cache=True)(function) for function in (look_at_root, count, weigh_one))


_look_at_root, _count, _weigh = _compile_looks(fingerprint(*NODE_SOURCES))


def look_at_root(tree: NodeTree, edition: Edition) -> tuple[float, dict[str, float]]:
    """Return the value of the root of a tree for seat 0, and the inputs of the network."""
    inputs = np.zeros(len(INPUTS), np.float32)
    value = _look_at_root(*tree.arrays(), find_network(edition), inputs)
    return value, dict(zip(INPUTS, inputs.tolist(), strict=True))


def count_features(edition: Edition, quilt: int) -> dict[str, float]:
    """Return the features of a quilt board."""
    tables = Encoder(edition)._tables
    seen: NDArray[np.float64] = np.zeros(len(QUILT_FEATURES))
    _count(tables, np.uint64(quilt & (1 << 64) - 1), np.uint64(quilt >> 64), seen)
    return dict(zip(QUILT_FEATURES, seen.tolist(), strict=True))


def weigh_inputs(network: Network, inputs: NDArray[np.float32]) -> tuple[float, float]:
    """Return the logit and the margin of a network."""
    logit, margin = _weigh(network, inputs)
    return float(logit), float(margin)
