"""How often a server does costly work again, such as to rate all games of a folder."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["Pace"]

_SHARE = 10
"""Work is done again after this many times its last duration, so a tenth of a core is the most."""


class Pace:
    """Tells when work may be done again; `now` returns seconds."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._next = float("-inf")

    @property
    def is_due(self) -> bool:
        """True before the first work, and when the last work is old enough."""
        return self._now() >= self._next

    @contextmanager
    def measure(self) -> Iterator[None]:
        """Measure the work of a block; work that fails does not count."""
        began = self._now()
        yield
        ended = self._now()
        self._next = ended + _SHARE * (ended - began)
