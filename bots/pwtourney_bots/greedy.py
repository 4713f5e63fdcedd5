"""One ply of arithmetic: play the action with the best expected points."""

from heapq import nlargest

from pwtourney.sdk import Action, Bot, GameStart, Option, SplitMix64, Turn
from pwtourney_bots.prospects import EDGE_PENALTY, TIME_VALUE, prospect
from pwtourney_bots.thinking import FEATURES, format_line

__all__ = ["Greedy"]


class Greedy(Bot):
    """Looks one action ahead, at its own side only.

    It tries every action, including every placement of each patch, and plays the one with the
    highest `prospect`. In `blunder_percent` of the moves it plays any legal action instead: a
    handicap that makes the steps of a ladder.
    """

    name = "greedy"
    author = "pwtourney"
    features = FEATURES
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
        state, actions = turn.state, turn.allowed
        percent = int(self.settings["blunder_percent"])
        # without a handicap no numbers are drawn, so that the stream does not depend on the play
        if percent and self._stream.below(100) < percent:
            return actions[self._stream.below(len(actions))]
        seat = state.to_move
        values = float(self.settings["time_value"]), float(self.settings["edge_penalty"])

        def value(action: Action) -> float:
            return prospect(state.apply(action), seat, *values)

        opponent = prospect(state, 1 - seat, *values)
        if turn.lines > 1:
            best = nlargest(turn.lines, actions, key=value)
            for rank, action in enumerate(best, 1):
                score = f"score {value(action) - opponent:.1f}"
                self.say(f"multipv {rank} {score} {format_line([action], state.edition)}")
            return best[0]
        # the margin is that of the current position: `pwtourney analyse` compares it from ply to
        # ply
        self.say(f"score {round(prospect(state, seat, *values) - opponent):d}")
        return max(actions, key=value)
