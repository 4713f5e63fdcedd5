"""A bot that takes 40 ms a move by the clock, without computing."""

import time

from pwtourney.sdk import Action, Bot, Turn


class Slow(Bot):
    """A bot that waits, then plays the first legal action."""

    name = "slow"

    def choose(self, turn: Turn) -> Action:
        """Wait 40 ms and return the first legal action."""
        time.sleep(0.04)
        return turn.state.legal_actions()[0]
