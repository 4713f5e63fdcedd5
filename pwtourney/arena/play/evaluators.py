"""The bots that evaluate finished games, each with its limit."""

from collections.abc import Collection, Container
from typing import Any

__all__ = ["list_evaluators", "offer_evaluators"]

_USUAL_MS = 1000
"""The time that a bot without a known limit has for a position."""

_EVALUATORS: tuple[dict[str, Any], ...] = (
    {"bot": "champion", "option": "iterations", "value": 10_000},
    {"bot": "lookahead", "option": "depth", "value": 3},
    {"bot": "greedy", "ms": _USUAL_MS},
)
"""The bundled bots that say what they expect, the strongest first, with limits as in a request.

On the ladder of docs/bots.md champion has +1473 Elo with 10,000 iterations, which take 11 ms: a
game of 50 plies takes a second, or some on a slow machine. Three times as many iterations are worth
about 150 Elo. Fixed numbers give the same marks on every machine. champion cannot run without
numba, or on boards of more than 128 squares; lookahead and greedy can, and take 2 ms a ply.
"""


def list_evaluators(bots: Container[str]) -> list[dict[str, Any]]:
    """Return the evaluators among these bots, each with its limit, the strongest first."""
    return [evaluator for evaluator in _EVALUATORS if evaluator["bot"] in bots]


def offer_evaluators(bots: Collection[str]) -> list[dict[str, Any]]:
    """Return all bots among which a reader chooses an evaluator, each with its limit.

    The evaluators come first; of the others nobody knows whether they say what they expect.
    """
    evaluators = list_evaluators(bots)
    known = {evaluator["bot"] for evaluator in evaluators}
    others = [{"bot": bot, "ms": _USUAL_MS} for bot in bots if bot not in known]
    return [*evaluators, *others]
