"""Time controls as arithmetic on given durations; this module reads no clock."""

from typing import NamedTuple

__all__ = ["Allowance", "Clock", "Limit", "TimeControl"]

_NS = 1_000_000
# A bot that sleeps uses no CPU time: without a limit of wall time its game would not end.
_WALL_FACTOR = 10


class TimeControl(NamedTuple):
    """The time that a bot has, in whole milliseconds.

    Either `move_ms` for each move, or `game_ms` for the whole game with `increment_ms` added after
    each move. With neither, moves are not timed. With `cpu`, CPU time counts, and a move may take
    `wall_ms` of wall time (if None, ten times its CPU time).
    """

    move_ms: int | None = None
    game_ms: int | None = None
    increment_ms: int = 0
    cpu: bool = False
    wall_ms: int | None = None

    def __str__(self) -> str:
        if self.move_ms is None and self.game_ms is None:
            return "no limit"
        if self.game_ms is None:
            time = f"{self.move_ms} ms a move"
        else:
            time = f"{self.game_ms} ms a game + {self.increment_ms} ms a move"
        if not self.cpu:
            return time
        wall = f"{_WALL_FACTOR} times that" if self.wall_ms is None else f"{self.wall_ms} ms a move"
        return f"{time} of the processor, within {wall}"


class Allowance(NamedTuple):
    """The limits of one move, in nanoseconds; None where there is no limit."""

    wall_ns: int | None
    cpu_ns: int | None


class Limit(NamedTuple):
    """The time limit in one request: time per move, or both clocks and the increment.

    With `infinite`, the bot thinks until the runner stops it. Without any of these, it decides
    itself how long it thinks.
    """

    move_ms: int | None = None
    mine_ms: int | None = None
    theirs_ms: int | None = None
    increment_ms: int = 0
    infinite: bool = False


class Clock(NamedTuple):
    """Both clocks of one game; every change returns a new value.

    `controls` and `left_ns`, the nanoseconds left, are by seat, because bots may play under
    different time controls. An answer counts that is at most `late_ms` milliseconds late; bots do
    not know that.
    """

    controls: tuple[TimeControl, TimeControl]
    left_ns: tuple[int, int]
    late_ms: int = 0

    @classmethod
    def start(cls, controls: tuple[TimeControl, TimeControl], late_ms: int = 0) -> "Clock":
        """Return the clock before the first move."""
        first, second = controls
        return cls(controls, ((first.game_ms or 0) * _NS, (second.game_ms or 0) * _NS), late_ms)

    def allowance(self, seat: int) -> Allowance:
        """Return how long this seat may take now."""
        control = self.controls[seat]
        if control.move_ms is None and control.game_ms is None:
            return Allowance(None, None)
        budget = self.left_ns[seat] if control.move_ms is None else control.move_ms * _NS
        late = self.late_ms * _NS
        if not control.cpu:
            return Allowance(budget + late, None)
        wall = _WALL_FACTOR * budget if control.wall_ms is None else control.wall_ms * _NS
        return Allowance(wall + late, budget + late)

    def spend(self, seat: int, wall_ns: int, cpu_ns: int = 0) -> "Clock":
        """Return the clock after a move of this seat took this much wall and CPU time."""
        control = self.controls[seat]
        if control.game_ms is None:
            return self
        spent_ns = cpu_ns if control.cpu else wall_ns
        # Never below zero: a late bot has lost already, and the protocol has no negative times.
        left = max(0, self.left_ns[seat] - spent_ns) + control.increment_ms * _NS
        first, second = self.left_ns
        return self._replace(left_ns=(left, second) if seat == 0 else (first, left))

    def limit(self, seat: int) -> Limit:
        """Return what the bot of this seat receives: milliseconds, rounded down."""
        control = self.controls[seat]
        if control.game_ms is None:
            return Limit(control.move_ms)
        # Rounded down, or a bot that uses all of the announced time would be late.
        mine, theirs = self.left_ns[seat] // _NS, self.left_ns[1 - seat] // _NS
        return Limit(None, mine, theirs, control.increment_ms)
