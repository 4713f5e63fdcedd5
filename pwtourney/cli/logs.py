"""The logs of faults, with the command that plays the game again."""

import shlex
from pathlib import Path

from pwtourney.store import FaultLogs
from pwtourney.tournament import Event, FaultSeen

__all__ = ["LogWriter"]


class LogWriter:
    """Listens to a tournament and writes one file for each fault of a bot."""

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
