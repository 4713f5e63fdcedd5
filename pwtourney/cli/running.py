"""A note beside the results that says which pairs are being played, for a page that is live."""

import json
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from pwtourney.report.writing import write_whole
from pwtourney.store.folder import RUNNING
from pwtourney.tournament import Ended, Event, PairBegun, PairDone

__all__ = ["RunningNote"]

_SECONDS = 1.0


class RunningNote:
    """Listens to a tournament, and writes the note at most once a second."""

    def __init__(self, folder: Path, now: Callable[[], float] = time.monotonic) -> None:
        self._path = folder / RUNNING
        self._now = now
        self._pairs: dict[int, PairBegun] = {}
        self._next = now()

    def __call__(self, event: Event) -> None:
        """Take notice of what happened."""
        if isinstance(event, PairBegun):
            self._pairs[event.pair] = event
        elif isinstance(event, PairDone):
            self._pairs.pop(event.pair, None)
        elif isinstance(event, Ended):
            self.remove()
            return
        if self._now() >= self._next:
            self._next = self._now() + _SECONDS
            pairs = [each._asdict() for each in self._pairs.values()]
            write_whole(self._path, json.dumps(pairs) + "\n")

    def remove(self) -> None:
        """Nothing is being played any more."""
        with suppress(OSError):
            self._path.unlink()
