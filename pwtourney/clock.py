"""Time controls as arithmetic on durations that are handed in; this module reads no clock."""

from typing import NamedTuple

__all__ = ["Clock", "Limit", "TimeControl"]

_NS = 1_000_000


class TimeControl(NamedTuple):
    """How much time a bot has, in whole milliseconds.

    Either `move_ms` for each move, or `game_ms` for the whole game with `increment_ms` added
    after each move; with neither, moves are not timed.
    """

    move_ms: int | None = None
    game_ms: int | None = None
    increment_ms: int = 0

    def __str__(self) -> str:
        if self.move_ms is not None:
            return f"{self.move_ms} ms a move"
        if self.game_ms is not None:
            return f"{self.game_ms} ms a game + {self.increment_ms} ms a move"
        return "no limit"


class Limit(NamedTuple):
    """What a bot is told with one request: time a move, or both clocks and the increment."""

    move_ms: int | None = None
    mine_ms: int | None = None
    theirs_ms: int | None = None
    increment_ms: int = 0


class Clock(NamedTuple):
    """Both clocks of one game; every change is a new value.

    `controls` and `left_ns`, the nanoseconds left, are by seat: bots may play under different
    time controls.
    """

    controls: tuple[TimeControl, TimeControl]
    left_ns: tuple[int, int]

    @classmethod
    def start(cls, controls: tuple[TimeControl, TimeControl]) -> "Clock":
        """Return the clock before the first move."""
        one, two = controls
        return cls(controls, ((one.game_ms or 0) * _NS, (two.game_ms or 0) * _NS))

    def budget_ns(self, seat: int) -> int | None:
        """Return how long this seat may take now; None when its moves are not timed."""
        control = self.controls[seat]
        if control.move_ms is not None:
            return control.move_ms * _NS
        return None if control.game_ms is None else self.left_ns[seat]

    def spend(self, seat: int, spent_ns: int) -> "Clock":
        """Return the clock after a move of this seat took `spent_ns`."""
        control = self.controls[seat]
        if control.game_ms is None:
            return self
        left = max(0, self.left_ns[seat] - spent_ns) + control.increment_ms * _NS
        one, two = self.left_ns
        return self._replace(left_ns=(left, two) if seat == 0 else (one, left))

    def limit(self, seat: int) -> Limit:
        """Return what this seat is told: milliseconds, rounded down."""
        control = self.controls[seat]
        if control.game_ms is None:
            return Limit(move_ms=control.move_ms)
        mine, theirs = self.left_ns[seat] // _NS, self.left_ns[1 - seat] // _NS
        return Limit(None, mine, theirs, control.increment_ms)
