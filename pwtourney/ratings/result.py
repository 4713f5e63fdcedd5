"""What the ratings need to know of a game."""

from typing import NamedTuple

__all__ = ["Result", "SeatStats"]


class SeatStats(NamedTuple):
    """What one seat used: times in microseconds, memory in KiB, streams in bytes.

    `micros` holds the wall time of each ply; `cpu` is the processor time of all of them,
    `pondering` that used in the opponent's time, `start` the time from the start of the process
    until it was ready (0 if it was running already), `peak` the most memory. `fault` is the verdict
    it lost by.
    """

    micros: tuple[int, ...] = ()
    cpu: int = 0
    fault: str | None = None
    start: int = 0
    pondering: int = 0
    peak: int = 0
    received: int = 0
    written: int = 0
    stderr: int = 0


class Result(NamedTuple):
    """One game: the bots by seat and what the first seat got.

    `points` is 1, 0, ½ when both bots failed, or None for a void game, which counts nowhere.
    `deal` is its id; games on one deal are not independent. `margin` is the first
    seat's score minus the second's, None unless the game was played to its end. `pair` names the
    mirrored pair, empty where that is not known; `stats` is what both seats used.
    `moves` is a hash of the actions, 0 to 2**63 − 1, by which a repetition is told, None if that is
    not known.
    """

    first: str
    second: str
    points: float | None
    deal: str
    margin: int | None = None
    stats: tuple[SeatStats, SeatStats] | None = None
    pair: str = ""
    moves: int | None = None
