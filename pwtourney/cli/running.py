"""A note beside the results that says which pairs are being played, for a page that is live."""

import json
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from pwtourney.errors import StoreError
from pwtourney.report.writing import write_whole
from pwtourney.store.folder import RUNNING
from pwtourney.tournament import Event, PairBegun, PairDone

__all__ = ["RunningNote"]

_SECONDS = 1.0


class RunningNote:
    """Listens to a tournament, and keeps the note; a page can do without it, so can a run."""

    def __init__(self, folder: Path, now: Callable[[], float] = time.monotonic) -> None:
        self._path = folder / RUNNING
        self._now = now
        self._pairs: dict[int, PairBegun] = {}
        self._next = now()
        self._written = 0

    def __call__(self, event: Event) -> None:
        """Take notice of what happened; a pair that ends makes room for another one at once."""
        if isinstance(event, PairDone):
            self._pairs.pop(event.pair, None)
        elif isinstance(event, PairBegun):
            self._pairs[event.pair] = event
            few = len(self._pairs) != self._written
            if few or self._now() >= self._next:
                self._write()

    def _write(self) -> None:
        self._next = self._now() + _SECONDS
        self._written = len(self._pairs)
        pairs = [each._asdict() for each in self._pairs.values()]
        with suppress(StoreError):
            write_whole(self._path, json.dumps(pairs) + "\n")

    def remove(self) -> None:
        """Nothing is being played any more."""
        with suppress(OSError):
            self._path.unlink()
