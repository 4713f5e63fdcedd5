"""Limits how often a server repeats costly work, such as rating all games of a folder."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from pwtourney.arena.tournament_state import RunState

__all__ = ["Pace"]

_SHARE = 10
"""Work is done again after this many times its last duration, so a tenth of a core is the most."""


class Pace:
    """Tells when work on a tournament is to be done again; `now` returns seconds."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._next = float("-inf")
        self._done: RunState | None = None

    def is_due(self, state: RunState) -> bool:
        """Return True if the work was not done for this state, and the last work is old enough.

        The end of a tournament does not wait: no other state follows soon.
        """
        return state != self._done and (state.is_over or self._now() >= self._next)

    @contextmanager
    def measure(self, state: RunState) -> Iterator[None]:
        """Measure the work for a state in a block; work that fails does not count."""
        began = self._now()
        yield
        ended = self._now()
        self._next = ended + _SHARE * (ended - began)
        self._done = state
