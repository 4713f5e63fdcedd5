"""The clock of the player to move; it stands still while nobody looks at the table."""

from collections.abc import Callable

__all__ = ["TurnClock"]


class TurnClock:
    """The time of one turn after the other, in nanoseconds; `now` is a monotonic clock."""

    def __init__(self, now: Callable[[], int]) -> None:
        self._now = now
        self._taken = 0
        self._since: int | None = None

    @property
    def is_running(self) -> bool:
        """Whether time passes."""
        return self._since is not None

    @property
    def spent_ns(self) -> int:
        """How long this turn has taken so far."""
        return self._taken + (0 if self._since is None else self._now() - self._since)

    def begin(self, spent_ns: int = 0) -> None:
        """Begin a turn, of which some time may have been spent before; it runs if this did."""
        self._taken = spent_ns
        if self._since is not None:
            self._since = self._now()

    def run(self) -> None:
        """Let time pass."""
        if self._since is None:
            self._since = self._now()

    def pause(self) -> None:
        """Stand still."""
        self._taken, self._since = self.spent_ns, None
