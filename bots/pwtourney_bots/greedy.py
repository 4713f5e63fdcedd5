"""One ply of arithmetic: the action after which the most points are to be expected."""

from pwtourney.sdk import Action, Bot, GameStart, Option, SplitMix64, State, Turn
from pwtourney_bots.prospects import EDGE_PENALTY, TIME_VALUE, prospect

__all__ = ["Greedy"]


class Greedy(Bot):
    """Looks one action ahead, at its own side only.

    It tries every action, each placement of each patch too, and plays the one after which it may
    expect most: see `prospects`. In `blunder_percent` of the moves it plays any legal action
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
        if percent and self._stream.below(100) < percent:
            return actions[self._stream.below(len(actions))]
        seat = state.to_move
        values = float(self.settings["time_value"]), float(self.settings["edge_penalty"])

        def expected(action: Action) -> float:
            return prospect(state.apply(action), seat, *values)

        best = max(actions, key=expected)
        self.say(f"score {self._margin(state, *values):d}")
        return best

    def _margin(self, state: State, time_value: float, edge_penalty: float) -> int:
        mine, theirs = state.to_move, 1 - state.to_move
        values = (time_value, edge_penalty)
        return round(prospect(state, mine, *values) - prospect(state, theirs, *values))
