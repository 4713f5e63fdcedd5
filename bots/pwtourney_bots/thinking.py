"""Shared by bots that look ahead: the thinking time, hidden orders, and reported lines."""

from collections.abc import Iterable
from itertools import islice

from pwtourney.sdk import Action, Edition, Limit, SplitMix64, State, action_text

__all__ = ["FEATURES", "draw_late", "format_line", "longest_seconds", "mark_rank", "plan_seconds"]

FEATURES = ("multipv", "searchmoves", "stop")
"""The features that bots which look ahead declare for an analysis."""

_SHARE = 0.9
_RESERVE_MS = 25
"""Reserved for the time between the two ends of the pipe, in milliseconds."""

_LONGER = 2.5
"""On the clock of a game, a move that matters may take this many times its planned time."""

_SPACES_A_MOVE = 2.2
"""How far a move takes a token: half of the 53 spaces are passed in 12 moves."""

_FEWEST_MOVES = 3
_WITHOUT_CLOCK = 1.0

_MOST_SHOWN = 8
"""The most actions of a reported line; what is further ahead changes with every report."""


def format_line(actions: Iterable[Action], edition: Edition) -> str:
    """Return the expected line in the format of ``info``."""
    return (
        f"line {','.join(action_text(action, edition) for action in islice(actions, _MOST_SHOWN))}"
    )


def mark_rank(rank: int, lines: int) -> str:
    """Return the words before the info about a line of play: none if only the best is shown."""
    return f"multipv {rank} " if lines > 1 else ""


def plan_seconds(limit: Limit, state: State) -> float:
    """Return the seconds for a move: all of a move's limit, or a part of the game's clock.

    It is one second without a clock, and 0 if there is no time to think at all.
    """
    if limit.move_ms is not None:
        return _hold_back(limit.move_ms) / 1000
    if limit.mine_ms is None:
        return _WITHOUT_CLOCK
    spaces = state.edition.last_space - state.players[state.to_move].space
    # near the end some moves are still to come, whatever the spaces say: special patches, and moves
    # that take no time
    moves = max(_FEWEST_MOVES, spaces / _SPACES_A_MOVE)
    share = limit.mine_ms / moves + _SHARE * limit.increment_ms
    # the increment comes after the move, so it may not be spent before
    return min(share, _hold_back(limit.mine_ms)) / 1000


def longest_seconds(limit: Limit, state: State) -> float:
    """Return the seconds that a move may take if the choice is not clear yet.

    This is more than planned only if later moves can do with less.
    """
    planned = plan_seconds(limit, state)
    if limit.move_ms is not None or limit.mine_ms is None:
        return planned
    return max(planned, min(_LONGER * planned, _hold_back(limit.mine_ms) / 2000))


def _hold_back(milliseconds: float) -> float:
    return max(0.0, _SHARE * milliseconds - _RESERVE_MS)


def draw_late(state: State, stream: SplitMix64) -> State:
    """Return a position with a random order of its hidden late patches."""
    late = state.edition.late
    if late is None or not state.is_late_hidden:
        return state
    patches = [*late.patches]
    stream.shuffle(patches)
    return state.reveal(tuple(patches))
