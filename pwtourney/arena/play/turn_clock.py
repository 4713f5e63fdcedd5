"""The clock of the player to move; it is paused while no browser shows the table."""

from collections.abc import Callable

__all__ = ["TurnClock"]


class TurnClock:
    """A stopwatch for the current turn, in nanoseconds; `now` returns a monotonic time."""

    def __init__(self, now: Callable[[], int]) -> None:
        self._now = now
        self._spent = 0
        self._since: int | None = None

    @property
    def is_running(self) -> bool:
        """True if the clock is running."""
        return self._since is not None

    @property
    def spent_ns(self) -> int:
        """The nanoseconds that this turn has taken so far."""
        return self._spent + (0 if self._since is None else self._now() - self._since)

    def begin(self, spent_ns: int = 0) -> None:
        """Start a new turn with time already spent; a running clock keeps running."""
        self._spent = spent_ns
        if self._since is not None:
            self._since = self._now()

    def run(self) -> None:
        """Start the clock, unless it is running."""
        if self._since is None:
            self._since = self._now()

    def pause(self) -> None:
        """Pause the clock."""
        self._spent, self._since = self.spent_ns, None
