"""What is said of a bot that cannot be right."""

import shlex
from collections.abc import Callable
from pathlib import Path

from pwtourney.clock import TimeControl
from pwtourney.config import TournamentFile
from pwtourney.match import BotSpec
from pwtourney.registry import sdk_spec
from pwtourney.tournament import Event, Plan, SuspectBot

__all__ = ["STOPPED", "SuspectWatch", "check_command", "probable_cause"]

STOPPED = "stopped by --fail-fast: see the warning above; results are kept"

_LOST = {
    "start": "did not start for its first two games",
    "timeout": "timed out on its first move in its first two games",
}
_CAUSES = {
    "start": "it probably lacks a program, a module or a file, or does not speak the protocol",
    "timeout": (
        "it probably prepares something while its clock runs, needs more time for a move, or"
        " waits for lines that are not sent"
    ),
}


class SuspectWatch:
    """Listens to a tournament for bots that cannot be right.

    Of each it says what is probably wrong and how to see it.
    """

    def __init__(
        self, plan: Plan, file: TournamentFile, logs: Path, say: Callable[[str], None]
    ) -> None:
        self._commands = {
            entrant.spec.id: check_command(entry.bot or _words(entrant.spec), entrant.spec.control)
            for entry, entrant in zip(file.config.bots, plan.entrants, strict=True)
        }
        self._logs = logs
        self._say = say

    def __call__(self, event: Event) -> None:
        """Take notice of what happened."""
        if not isinstance(event, SuspectBot):
            return
        log = self._logs / event.bot / f"{event.pair}.{event.game}.log"
        self._say(
            f"warning: {event.bot} {_LOST[event.verdict]} ({event.message}):"
            f" {probable_cause(event.verdict)}; see it with: {self._commands[event.bot]}"
            f" (and the log {shlex.quote(str(log))})"
        )


def probable_cause(verdict: str) -> str:
    """Say what is probably wrong with a bot that fails so before its first action."""
    return _CAUSES[verdict]


def check_command(bot: str, control: TimeControl) -> str:
    """Return the command that looks into a bot, with as much time as it has for a move."""
    time = () if control.move_ms is None else ("--move", f"{control.move_ms}ms")
    return shlex.join(["pwtourney", "check", bot, *time])


def _words(bot: BotSpec) -> str:
    """Return a file or a command as `check` takes it, wherever it is called."""
    return sdk_spec(bot.launch) or shlex.join(bot.launch.command)
