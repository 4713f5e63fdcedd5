"""Alpha-beta search over purchases, with the opponent buying as well as it can.

Alpha-beta: D. E. Knuth and R. W. Moore, "An analysis of alpha-beta pruning", Artificial
Intelligence 6, 1975. Iterative deepening: D. J. Slate and L. R. Atkin, "Chess 4.5", in Chess Skill
in Man and Machine, 1977. One seat may move several times in a row here, so the sign of a value
changes with the seat and not with every ply.
"""

import math
import time
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from pwtourney.sdk import ADVANCE, Action, Bot, GameStart, Limit, Option, SplitMix64, State, Turn
from pwtourney_bots.prospects import best_placement, prospect
from pwtourney_bots.thinking import FEATURES, draw_late, format_line, mark_rank, plan_seconds

__all__ = ["Lookahead"]

_DEEPEST = 40
_WON = 1e9
"""More than any margin, in points."""


class Lookahead(Bot):
    """Searches every purchase, each with its tidiest placement, one ply deeper while time lasts.

    A position at the end of a line is evaluated by the difference of both prospects. With `depth`
    it searches that many plies, whatever the clock says, and plays the same on every machine.
    """

    name = "lookahead"
    author = "pwtourney"
    features = FEATURES
    clock: Callable[[], float] = staticmethod(time.monotonic)
    options = (Option("depth", "int", "0", ("0", str(_DEEPEST))),)

    def new_game(self, game: GameStart) -> None:
        """Forget the placements of the last game, and start this game's random numbers."""
        self._placements = _Placements()
        self._shuffler = SplitMix64(game.seed)

    def choose(self, turn: Turn) -> Action:
        """Search deeper and deeper; play the best move of the last search that was finished."""
        depth = 0 if turn.limit.infinite else int(self.settings["depth"])
        search = _Search(self._placements, self._find_end(turn.limit, turn.state, depth))
        state = draw_late(turn.state, self._shuffler)
        moves = [*turn.only] or self._placements.list_moves(state)
        # The order matters: the better the first move, the more of the others is cut off. Each
        # search puts its best move first for the next.
        moves.sort(key=lambda move: -prospect(state.apply(move), state.to_move))
        # a single move needs no search, unless its value is asked for
        for plies in range(1, (depth or _DEEPEST) + 1 if len(moves) > 1 or turn.only else 1):
            try:
                best = search.rank(state, moves, plies, turn.lines)
            except _TimeIsUpError:
                break
            first = [variation.line[0] for variation in best]
            moves = first + [move for move in moves if move not in first]
            for rank, (_, margin, line) in enumerate(best, 1):
                said = f"depth {plies} score {margin:.1f} nodes {search.nodes}"
                shown = format_line(line, state.edition)
                self.say(f"{mark_rank(rank, turn.lines)}{said} {shown}")
        return moves[0]

    def _find_end(self, limit: Limit, state: State, depth: int) -> Callable[[], bool]:
        """Return a function that is True once the search has to end, whatever its depth."""
        if limit.infinite:
            return self.must_stop
        end = self.clock() + plan_seconds(limit, state)
        return lambda: not depth and self.clock() > end


class _TimeIsUpError(Exception):
    """The search has to end now."""


class _Placements:
    """The moves to search; the best placement for each quilt and patch is cached."""

    def __init__(self) -> None:
        self._tidiest: dict[tuple[int, int], Action] = {}

    def list_moves(self, state: State) -> list[Action]:
        """Return the tidiest placement of each patch that can be taken, and the advance."""
        actions = state.legal_actions()
        if state.pending:
            # declining, the last action if it is allowed, is left out: it earns nothing
            return [
                self._find_placement(state, 0, actions, 0, len(actions) - state.edition.declining)
            ]
        takings = actions.takings()
        tidiest = [self._find_placement(state, patch, actions, *span) for patch, *span in takings]
        return [*tidiest, ADVANCE]

    def _find_placement(
        self, state: State, patch: int, actions: Sequence[Action], begin: int, count: int
    ) -> Action:
        # keyed by the quilt alone: in the tree most positions share it with many others
        key = state.players[state.to_move].quilt, patch
        if key not in self._tidiest:
            placements = [*actions[begin : begin + count]]
            self._tidiest[key] = best_placement(state, placements)
        return self._tidiest[key]


_Line = tuple[()] | tuple[Action, "_Line"]
"""Moves from a position on: the first, and the line after it."""


def _margin_of(value: float) -> float:
    """Return a value in points: that of a line that ends the game includes a bonus for winning."""
    return value - math.copysign(_WON, value) if abs(value) > _WON / 2 else value


def _list_moves(line: _Line) -> Iterator[Action]:
    while line:
        move, line = line
        yield move


class _Variation(NamedTuple):
    """The value of a move, the same in points, and the line that the move begins."""

    value: float
    margin: float
    line: list[Action]


class _Search:
    """The search for one move; `nodes` counts the positions that were visited.

    `line` is the line of best moves of both players after the position that was evaluated last.
    """

    def __init__(self, placements: _Placements, is_late: Callable[[], bool]) -> None:
        self._placements = placements
        self._is_late = is_late
        self.nodes = 0
        self.line: _Line = ()

    def rank(self, state: State, moves: list[Action], plies: int, lines: int) -> list[_Variation]:
        """Return the best of the moves, at most `lines`, the best first.

        Raises `_TimeIsUpError` if time is up.
        """
        best: list[_Variation] = []
        for move in moves:
            # the others need no exact value
            low = best[-1].value if len(best) == lines else -2 * _WON
            value = self._evaluate_move(state, move, plies, low, 2 * _WON)
            if value > low:
                line = [move, *_list_moves(self.line)]
                best = [*best[: lines - 1], _Variation(value, _margin_of(value), line)]
                best.sort(key=lambda variation: -variation.value)  # of equals the first stays first
        return best

    def _evaluate(self, state: State, plies: int, low: float, high: float) -> float:
        """Return the value of a position for its mover, exact if it is between the bounds."""
        self.nodes += 1
        if self._is_late():
            raise _TimeIsUpError
        mover = state.to_move
        best: _Line = ()
        self.line = best
        if state.is_over:
            margin = state.score(mover) - state.score(1 - mover)
            return margin + (_WON if state.winner == mover else -_WON)
        # a special patch is placed first, or the square that it will cover would count as empty
        if plies <= 0 and not state.pending:
            return prospect(state, mover) - prospect(state, 1 - mover)
        for move in self._placements.list_moves(state):
            value = self._evaluate_move(state, move, plies, low, high)
            if value > low:
                low, best = value, (move, self.line)
            if low >= high:
                break  # the opponent would avoid this position
        self.line = best
        return low

    def _evaluate_move(
        self, state: State, move: Action, plies: int, low: float, high: float
    ) -> float:
        """Return the value of a move for the mover of the position in which it is played."""
        after = state.apply(move)
        if after.to_move == state.to_move:
            return self._evaluate(after, plies - 1, low, high)
        return -self._evaluate(after, plies - 1, -high, -low)
