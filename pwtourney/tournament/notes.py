"""What a run writes next to its results while it goes on: logs of faults, and what is being played.

Both are made from events, and nothing else depends on them.
"""

import json
import shlex
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Self

from pwtourney.errors import StoreError
from pwtourney.report.writing import write_whole
from pwtourney.store import FaultLogs
from pwtourney.store.folder import RUNNING
from pwtourney.tournament.events import Event, FaultSeen, PairBegun, PairDone

__all__ = ["LogWriter", "RunningNote"]

_SECONDS = 1.0


class LogWriter:
    """Listens to a tournament and writes one file for each fault of a bot.

    In it stands the command that plays the game again.
    """

    def __init__(self, logs: FaultLogs, folder: Path, file: Path) -> None:
        self._logs = logs
        self._folder = folder
        self._file = file

    def __call__(self, event: Event) -> None:
        """Take notice of what happened."""
        if not isinstance(event, FaultSeen) or event.bot is None:
            return
        game = f"{self._folder}:{event.pair}.{event.game}"
        again = shlex.join(["pwtourney", "rerun", game, "--file", str(self._file)])
        head = f"game {event.pair}.{event.game}: {event.bot}: {event.verdict}: {event.message}"
        lines = [head, f"to play it again: {again}", *event.log.split("\n")]
        self._logs.write(event.pair, event.game, event.bot, lines)


class RunningNote:
    """Listens to a tournament, and notes which pairs are being played, for a page that is live.

    As a context manager it removes the note at the end. A page can do without it, and so can a run.
    """

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

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(OSError):
            self._path.unlink()
