"""One ply of arithmetic: play the action with the best expected points."""

from pwtourney.sdk import Action, Bot, GameStart, Option, SplitMix64, Turn
from pwtourney_bots.prospects import EDGE_PENALTY, TIME_VALUE, prospect

__all__ = ["Greedy"]


class Greedy(Bot):
    """Looks one action ahead, at its own side only.

    It tries every action, including every placement of each patch, and plays the one with the
    highest `prospect`. In `blunder_percent` of the moves it plays any legal action instead: a
    handicap that makes the steps of a ladder.
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
        """Compare all actions by their expected points."""
        state = turn.state
        actions = state.legal_actions()
        percent = int(self.settings["blunder_percent"])
        # without a handicap no numbers are drawn, so that the stream does not depend on the play
        if percent and self._stream.below(100) < percent:
            return actions[self._stream.below(len(actions))]
        seat = state.to_move
        values = float(self.settings["time_value"]), float(self.settings["edge_penalty"])
        best = max(actions, key=lambda action: prospect(state.apply(action), seat, *values))
        # the margin is that of the current position: `pwtourney analyse` compares it from ply to
        # ply
        margin = prospect(state, seat, *values) - prospect(state, 1 - seat, *values)
        self.say(f"score {round(margin):d}")
        return best
