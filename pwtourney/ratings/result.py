"""What the ratings need to know of a game."""

from typing import NamedTuple

__all__ = ["Result", "SeatStats"]


class SeatStats(NamedTuple):
    """How one seat spent its time: plies, microseconds in all and at most; its fault, if any."""

    plies: int = 0
    micros: int = 0
    slowest: int = 0
    fault: str | None = None


class Result(NamedTuple):
    """One game: the bots by seat and what the first seat got.

    `points` is 1, 0, ½ when both bots failed, or None for a void game, which counts nowhere.
    `circle` names the deal; games on one circle are not independent. `margin` is the first
    seat's score minus the second's, None unless the game was played to its end.
    """

    first: str
    second: str
    points: float | None
    circle: str
    margin: int | None = None
    stats: tuple[SeatStats, SeatStats] = (SeatStats(), SeatStats())
