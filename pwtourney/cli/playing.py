"""Games played by a command: the room for single ones, and whole tournaments as they go on."""

import shlex
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import click

from pwtourney.cli.common import say, warn
from pwtourney.cli.progress import Progress
from pwtourney.clock import TimeControl
from pwtourney.config import TournamentFile
from pwtourney.registry import sdk_spec
from pwtourney.report import Summary
from pwtourney.store import ResultsFolder
from pwtourney.tournament import Event, Plan, SuspectBot
from pwtourney.tournament.events import event_json
from pwtourney.tournament.room import BotRoom
from pwtourney.tournament.session import (
    Ending,
    RunOptions,
    SoftStop,
    open_session,
    stop_as_by_interrupt,
)

__all__ = ["STOPPED", "Played", "diagnose_failure", "open_room", "play_tournament"]

STOPPED = "stopped by --fail-fast: see the warning above; results are kept"

_STOPPING = (
    "Stopping: waiting up to {:g} s for running games; press Ctrl-C again to stop now"
    " (results are safe)"
)
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


@contextmanager
def open_room(private: Sequence[Path] = ()) -> Iterator[BotRoom]:
    """Make this process one that may start bots; none of them may read what is `private`.

    Whatever ends the program ends the block first.
    """
    stop_as_by_interrupt()
    with BotRoom(private, tell=say, warn=warn, groups=False) as room:
        yield room


class Played(NamedTuple):
    """What is stored now, and how the run ended."""

    summary: Summary
    plan: Plan
    ending: Ending


def play_tournament(
    tournament: TournamentFile,
    folder: ResultsFolder,
    options: RunOptions,
    *,
    quiet: bool = False,
    json: bool = False,
    grace: float = 10.0,
) -> Played:
    """Play what is missing in a results folder, and write its reports.

    When it is asked to stop, pairs under way have `grace` seconds to end.
    """
    tell = _ignore if quiet else say
    with open_session(tournament, folder, options, tell=tell, warn=warn) as session:
        if session.aside:
            click.echo(f"the old results are now in {session.aside}", err=True)
        with Progress(quiet) as progress:
            stop = SoftStop(grace, lambda: progress.say(_STOPPING.format(grace)))
            suspects = _SuspectWatch(session.plan, tournament, folder.logs, progress.say)
            lines = _JsonLines() if json else _ignore

            def listen(event: Event) -> None:
                progress(event)
                suspects(event)
                lines(event)

            ending = session.play(listen, stop)
        return Played(session.publish(), session.plan, ending)


def _ignore(_: object) -> None:
    """Take something that nobody wants to know."""


class _JsonLines:
    """Prints each event as a line for programs; goes silent when nobody reads any more."""

    def __init__(self) -> None:
        self._open = True

    def __call__(self, event: Event) -> None:
        if not self._open:
            return
        try:
            click.echo(event_json(event))
        except OSError:  # the tournament goes on: its results are worth more than its events
            self._open = False


class _SuspectWatch:
    """Says of each bot that cannot be right what is probably wrong, and how to see it."""

    def __init__(
        self, plan: Plan, file: TournamentFile, logs: Path, say: Callable[[str], None]
    ) -> None:
        self._bots = {}
        for entry, entrant in zip(file.config.bots, plan.entrants, strict=True):
            spec = entrant.spec
            # with whole paths, for `check` may be called in another folder than the file's
            text = entry.bot or sdk_spec(spec.launch) or shlex.join(spec.launch.command)
            self._bots[spec.id] = (text, spec.control)
        self._logs = logs
        self._say = say

    def __call__(self, event: Event) -> None:
        if not isinstance(event, SuspectBot):
            return
        log = self._logs / event.bot / f"{event.pair}.{event.game}.log"
        self._say(
            f"warning: {event.bot} {_LOST[event.verdict]} ({event.message}):"
            f" {diagnose_failure(event.verdict, *self._bots[event.bot])}"
            f" (and the log {shlex.quote(str(log))})"
        )


def diagnose_failure(verdict: str, bot: str, control: TimeControl) -> str:
    """Say what is probably wrong with a bot that fails before its first action, and how to see it.

    `check` gives it as much time as it has for a move.
    """
    time = () if control.move_ms is None else ("--move", f"{control.move_ms}ms")
    check = shlex.join(["pwtourney", "check", bot, *time])
    return f"{_CAUSES[verdict]}; see it with: {check}"
