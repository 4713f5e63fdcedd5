"""How long to think about a move, from the clock that comes with the request."""

from pwtourney.sdk import Limit, State

__all__ = ["seconds_for"]

_SHARE = 0.85
_RESERVE_MS = 25
"""For what happens between the two ends of the pipe while nobody thinks."""

_SPACES_A_MOVE = 2.2
"""How far a move takes a token: half of the 53 spaces are passed in 12 moves."""

_FEWEST_MOVES = 3
_WITHOUT_CLOCK = 1.0


def seconds_for(limit: Limit, state: State) -> float:
    """Return the seconds that a move may take: all of it if that is timed, or a part of the game's.

    One second without a clock; 0 where there is no time to think at all.
    """
    if limit.move_ms is not None:
        return _safe(limit.move_ms) / 1000
    if limit.mine_ms is None:
        return _WITHOUT_CLOCK
    spaces = state.edition.last_space - state.players[state.to_move].space
    moves = max(_FEWEST_MOVES, spaces / _SPACES_A_MOVE)
    share = limit.mine_ms / moves + _SHARE * limit.increment_ms
    return min(share, _safe(limit.mine_ms)) / 1000


def _safe(milliseconds: float) -> float:
    return max(0.0, _SHARE * milliseconds - _RESERVE_MS)
