"""One ply of arithmetic: the action after which the most points are to be expected."""

from pwtourney.sdk import Action, Bot, GameStart, Option, SplitMix64, Turn
from pwtourney_bots.prospects import EDGE_PENALTY, TIME_VALUE, prospect

__all__ = ["Greedy"]


class Greedy(Bot):
    """Looks one action ahead, at its own side only.

    It tries every action, each placement of each patch too, and plays the one after which it may
    expect most: see `prospect`. In `blunder_percent` of the moves it plays any legal action
    instead: a handicap that makes steps of a ladder.
    """

    name = "greedy"
    author = "pwtourney"
    options = (
        Option("time_value", "float", str(TIME_VALUE), ("0", "10")),
        Option("edge_penalty", "float", str(EDGE_PENALTY), ("0", "10")),
        Option("blunder_percent", "int", "0", ("0", "100")),
    )

    def new_game(self, game: GameStart) -> None:
        """Start the stream of random numbers of this game."""
        self._stream = SplitMix64(game.seed)

    def choose(self, turn: Turn) -> Action:
        """Compare all actions by what is to be expected after them."""
        state = turn.state
        actions = state.legal_actions()
        percent = int(self.settings["blunder_percent"])
        # Nothing is drawn without a handicap, so that the stream does not depend on how it plays.
        if percent and self._stream.below(100) < percent:
            return actions[self._stream.below(len(actions))]
        seat = state.to_move
        values = float(self.settings["time_value"]), float(self.settings["edge_penalty"])
        best = max(actions, key=lambda action: prospect(state.apply(action), seat, *values))
        # Of the position as it is: `pwtourney analyse` compares what it says from ply to ply.
        margin = prospect(state, seat, *values) - prospect(state, 1 - seat, *values)
        self.say(f"score {round(margin):d}")
        return best
