"""What tests ask of functions that the bots only draw in; numba keeps it from run to run."""

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray
from pwtourney_bots.evaluation import SIDE_FEATURES, SIDE_WEIGHTS, evaluate
from pwtourney_bots.node_tree import NodeTree
from pwtourney_bots.nodes import NODE_SOURCES
from pwtourney_bots.quilts import QUILT_FEATURES, look_at_quilt

from pwtourney.rules import Edition
from pwtourney.simulate.cache import fingerprint
from pwtourney.simulate.games import Encoder

__all__ = ["count_features", "look_at_root"]


def _compile_looks(drawn_in: str) -> Any:
    """Make both functions; `drawn_in` is the fingerprint of the functions that they draw in."""

    def look_at_root(*arguments: Any) -> Any:
        """Return what the root of a tree looks worth to seat 0; `seen` gets what is looked at."""
        drawn_in  # noqa: B018  # named, so that it is in the closure, which numba keeps it by
        tables, cache, ring, main, nodes, weights, seen = arguments
        return evaluate(tables, cache, ring, main, nodes, 0, weights, seen)[0]

    def count(tables: Any, low: Any, high: Any, seen: Any) -> None:
        """Write what `QUILT_FEATURES` names into `seen`."""
        drawn_in  # noqa: B018
        look_at_quilt(tables, low, high, seen)

    return njit(cache=True)(look_at_root), njit(cache=True)(count)


_look_at_root, _count = _compile_looks(fingerprint(*NODE_SOURCES))


def look_at_root(tree: NodeTree) -> tuple[float, dict[str, float]]:
    """Return what the root of a tree looks worth to seat 0, and what is looked at of the sides."""
    seen = np.zeros(len(SIDE_FEATURES))
    value = _look_at_root(*tree.arrays(), SIDE_WEIGHTS, seen)
    return value, dict(zip(SIDE_FEATURES, seen.tolist(), strict=True))


def count_features(edition: Edition, quilt: int) -> dict[str, float]:
    """Return what is counted of a quilt."""
    tables = Encoder(edition)._tables
    seen: NDArray[np.float64] = np.zeros(len(QUILT_FEATURES))
    _count(tables, np.uint64(quilt & (1 << 64) - 1), np.uint64(quilt >> 64), seen)
    return dict(zip(QUILT_FEATURES, seen.tolist(), strict=True))
