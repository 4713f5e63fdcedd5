"""What tests ask of functions that the bots only draw in; numba keeps it from run to run."""

from typing import Any

from numba import njit
from pwtourney_bots.evaluation import evaluate
from pwtourney_bots.placements import exposed_edges
from pwtourney_bots.tree import SOURCES

from pwtourney.simulate.cache import fingerprint

__all__ = ["look_at"]


def _compile_look_at(drawn_in: str) -> Any:
    """Make `look_at`; `drawn_in` is the fingerprint of the functions that it draws in."""

    def look_at(tables: Any, quilts: Any, facts: Any) -> Any:
        """Return what a position looks worth to seat 0, and the frayed edges of both seats."""
        drawn_in  # noqa: B018  # named, so that it is in the closure, which numba keeps it by
        edges = exposed_edges(tables, quilts, 0), exposed_edges(tables, quilts, 1)
        return evaluate(tables, quilts, facts)[0], edges

    return njit(cache=True)(look_at)


look_at = _compile_look_at(fingerprint(*SOURCES))
