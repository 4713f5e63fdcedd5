"""The bots that evaluate a finished game at its table, without being asked."""

from collections.abc import Container
from typing import Any

__all__ = ["list_evaluators"]

_EVALUATORS: tuple[dict[str, Any], ...] = (
    {"bot": "champion", "option": "iterations", "value": 10_000},
    {"bot": "lookahead", "option": "depth", "value": 3},
    {"bot": "greedy", "ms": 1000},
)
"""The bundled bots that say what they expect, the strongest first, with limits as in a request.

On the ladder of docs/bots.md champion has +1436 Elo with 10,000 iterations, which take 15 ms: a
game of 50 plies takes a second, or some on a slow machine. Three times as many iterations are worth
130 Elo. Fixed numbers give the same marks on every machine. champion cannot run without numba, or
on boards of more than 128 squares; lookahead and greedy can, and take 2 ms a ply.
"""


def list_evaluators(bots: Container[str]) -> list[dict[str, Any]]:
    """Return the evaluators among these bots, each with its limit, the strongest first."""
    return [evaluator for evaluator in _EVALUATORS if evaluator["bot"] in bots]
