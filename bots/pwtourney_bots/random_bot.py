"""Uniformly random play: the floor of every ladder."""

from pwtourney.sdk import Action, Bot, GameStart, SplitMix64, Turn

__all__ = ["RandomBot"]


class RandomBot(Bot):
    """Draws every legal action with the same probability, from the seed of the game."""

    name = "random"
    author = "pwtourney"

    def new_game(self, game: GameStart) -> None:
        """Start the stream of random numbers of this game."""
        self._stream = SplitMix64(game.seed)

    def choose(self, turn: Turn) -> Action:
        """Draw one of the legal actions."""
        actions = turn.state.legal_actions()
        return actions[self._stream.below(len(actions))]
