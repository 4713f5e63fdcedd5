"""What a game is worth to an agent when it has ended."""

from typing import Literal

from pwtourney.rules import State

__all__ = ["Reward", "rewards_of"]

Reward = Literal["result", "margin"]
"""``result``: 1 for the winner and −1 for the loser; ``margin``: the difference in points."""


def rewards_of(state: State, reward: Reward) -> tuple[float, float]:
    """Return the rewards of both seats at the end of a game."""
    if reward == "margin":
        margin = float(state.scores[0] - state.scores[1])
        return margin, -margin
    return (1.0, -1.0) if state.winner == 0 else (-1.0, 1.0)
