"""Alpha-beta over purchases: what comes of a patch if the opponent then buys as well as it can.

Alpha-beta: D. E. Knuth and R. W. Moore, "An analysis of alpha-beta pruning", Artificial
Intelligence 6, 1975. Iterative deepening: D. J. Slate and L. R. Atkin, "Chess 4.5", in Chess Skill
in Man and Machine, 1977. One seat may move several times in a row here, so the sign of a value
turns with the seat and not with every ply.
"""

import math
import time
from collections.abc import Callable, Sequence

from pwtourney.sdk import ADVANCE, Action, Bot, GameStart, Option, SplitMix64, State, Turn
from pwtourney_bots.budget import seconds_for
from pwtourney_bots.fit import best_placement
from pwtourney_bots.hidden import revealed
from pwtourney_bots.prospects import prospect

__all__ = ["Lookahead"]

_DEEPEST = 40
_WON = 1e9
"""More than any margin, in points."""


class Lookahead(Bot):
    """Looks at every purchase, each with its tidiest placement, a ply deeper while time lasts.

    A position at the end of a line is evaluated by the difference of both `prospects`. With `depth`
    it looks so many plies ahead, whatever the clock says, and plays the same on every machine.
    """

    name = "lookahead"
    author = "pwtourney"
    clock: Callable[[], float] = staticmethod(time.monotonic)
    options = (Option("depth", "int", "0", ("0", str(_DEEPEST))),)

    def new_game(self, game: GameStart) -> None:
        """Forget the placements of the last game; start the stream of random numbers of this."""
        self._placements = _Placements()
        self._shuffler = SplitMix64(game.seed)

    def choose(self, turn: Turn) -> Action:
        """Search deeper and deeper; play what the last search that was finished found."""
        end = self.clock() + seconds_for(turn.limit, turn.state)
        state = revealed(turn.state, self._shuffler)
        depth = int(self.settings["depth"])
        search = _Search(self._placements, lambda: not depth and self.clock() > end)
        moves = self._placements.moves(state)
        moves.sort(key=lambda move: -prospect(state.apply(move), state.to_move))
        for plies in range(1, (depth or _DEEPEST) + 1 if len(moves) > 1 else 1):
            try:
                moves, value = search.ranked(state, moves, plies)
            except _TimeIsUpError:
                break
            self.say(f"depth {plies} score {_margin(value):.1f} nodes {search.nodes}")
        return moves[0]


def _margin(value: float) -> float:
    """Return the points that a value stands for, without what winning counts."""
    return value - math.copysign(_WON, value) if abs(value) > _WON / 2 else value


class _TimeIsUpError(Exception):
    """The search has to end where it is."""


class _Placements:
    """The moves that are looked at; what was found for a quilt and a patch is kept."""

    def __init__(self) -> None:
        self._tidiest: dict[tuple[int, int], Action] = {}

    def moves(self, state: State) -> list[Action]:
        """Return the tidiest placement of each patch that can be had, and the advance."""
        actions = state.legal_actions()
        if state.pending:
            return [self._placement(state, 0, actions, 0, len(actions) - state.edition.declining)]
        takings = actions.takings()
        return [*(self._placement(state, each[0], actions, *each[1:]) for each in takings), ADVANCE]

    def _placement(
        self, state: State, patch: int, actions: Sequence[Action], begin: int, count: int
    ) -> Action:
        key = state.players[state.to_move].quilt, patch
        if key not in self._tidiest:
            placements = [*actions[begin : begin + count]]
            self._tidiest[key] = best_placement(state, placements)
        return self._tidiest[key]


class _Search:
    """One move's search; `nodes` counts the positions that were looked at."""

    def __init__(self, placements: _Placements, is_late: Callable[[], bool]) -> None:
        self._placements = placements
        self._is_late = is_late
        self.nodes = 0

    def ranked(self, state: State, moves: list[Action], plies: int) -> tuple[list[Action], float]:
        """Return the moves with the best first, the others as they were, and what that is worth.

        Raises `_TimeIsUpError` if it is late.
        """
        best, highest = moves[0], -2 * _WON
        for move in moves:
            value = self._after(state, move, plies, highest, 2 * _WON)
            if value > highest:
                best, highest = move, value
        return [best, *(each for each in moves if each != best)], highest

    def _value(self, state: State, plies: int, low: float, high: float) -> float:
        """Return what a position is worth to its mover, exactly if it is between the bounds."""
        self.nodes += 1
        if self._is_late():
            raise _TimeIsUpError
        mover = state.to_move
        if state.is_over:
            margin = state.score(mover) - state.score(1 - mover)
            return margin + (_WON if state.winner == mover else -_WON)
        if plies <= 0 and not state.pending:
            return prospect(state, mover) - prospect(state, 1 - mover)
        for move in self._placements.moves(state):
            low = max(low, self._after(state, move, plies, low, high))
            if low >= high:
                break
        return low

    def _after(self, state: State, move: Action, plies: int, low: float, high: float) -> float:
        after = state.apply(move)
        if after.to_move == state.to_move:
            return self._value(after, plies - 1, low, high)
        return -self._value(after, plies - 1, -high, -low)
