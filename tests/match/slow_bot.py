"""A bot that takes 40 milliseconds a move, by the clock and not by computing."""

import time

from pwtourney.sdk import Action, Bot, Turn


class Slow(Bot):
    """Waits, then plays the first legal action."""

    name = "slow"

    def choose(self, turn: Turn) -> Action:
        """Wait and play."""
        time.sleep(0.04)
        return turn.state.legal_actions()[0]
