"""One ply of arithmetic: the action after which the most points are to be expected."""

from pwtourney.sdk import Action, Bot, GameStart, Option, SplitMix64, State, Turn
from pwtourney_bots.prospects import NOOK, PACE, prospect

__all__ = ["Greedy"]


class Greedy(Bot):
    """Looks one action ahead, at its own side only.

    It tries every action, each placement of each patch too, and plays the one after which it may
    expect most: see `prospects`. `slips` of a hundred moves are drawn from all that are legal: a
    handicap that makes steps of a ladder.
    """

    name = "greedy"
    author = "pwtourney"
    options = (
        Option("pace", "float", str(PACE), ("0", "10")),
        Option("nook", "float", str(NOOK), ("0", "10")),
        Option("slips", "int", "0", ("0", "100")),
    )

    def new_game(self, game: GameStart) -> None:
        """Start the stream of random numbers of this game."""
        self._stream = SplitMix64(game.seed)

    def choose(self, turn: Turn) -> Action:
        """Compare all actions by what is to be expected after them."""
        state = turn.state
        actions = state.legal_actions()
        slips = int(self.settings["slips"])
        if slips and self._stream.below(100) < slips:
            return actions[self._stream.below(len(actions))]
        seat = state.to_move
        pace, nook = float(self.settings["pace"]), float(self.settings["nook"])

        def expected(action: Action) -> float:
            return prospect(state.apply(action), seat, pace, nook)

        best = max(actions, key=expected)
        self.say(f"score {self._margin(state, pace, nook):d}")
        return best

    def _margin(self, state: State, pace: float, nook: float) -> int:
        mine, theirs = state.to_move, 1 - state.to_move
        return round(prospect(state, mine, pace, nook) - prospect(state, theirs, pace, nook))
