"""Perft: how many sequences of actions there are, to find where two engines differ."""

from pwtourney.rules.action import Action
from pwtourney.rules.state import State

__all__ = ["divide", "perft"]


def perft(state: State, depth: int) -> int:
    """Count the sequences of exactly `depth` actions from a position.

    Placing or declining a special patch is an action of its own; placements that cover the same
    squares are one action. Sequences that end with the game before that depth do not count.

    >>> from pwtourney.rules import find_edition
    >>> state = State.start(find_edition("original"), 2014)
    >>> [perft(state, depth) for depth in range(3)]
    [1, 253, 95929]
    """
    if depth == 0:
        return 1
    actions = state.legal_actions()
    if depth == 1:
        return len(actions)
    return sum(perft(state.apply(action), depth - 1) for action in actions)


def divide(state: State, depth: int) -> dict[Action, int]:
    """Return the count below each legal action; they sum to `perft` of the same depth ≥ 1."""
    if depth < 1:
        raise ValueError("a depth of at least 1 is needed to divide")
    return {action: perft(state.apply(action), depth - 1) for action in state.legal_actions()}
