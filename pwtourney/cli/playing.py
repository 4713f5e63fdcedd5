"""A tournament played to its end, or as far as the user lets it: what `run` and `duel` share."""

from typing import NamedTuple

import click

from pwtourney.cli.jsonlines import JsonLines
from pwtourney.cli.progress import Progress
from pwtourney.cli.seating import say, warn
from pwtourney.cli.suspects import SuspectWatch
from pwtourney.config import TournamentFile
from pwtourney.report import Summary
from pwtourney.store import ResultsFolder
from pwtourney.tournament import Event, Plan
from pwtourney.tournament.session import Ending, RunOptions, Session, SoftStop, open_session

__all__ = ["Played", "play_tournament"]

_STOPPING = (
    "Stopping: waiting up to {:g} s for running games; press Ctrl-C again to stop now"
    " (results are safe)"
)


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
        ending = _play(session, tournament, folder, quiet=quiet, json=json, grace=grace)
        return Played(session.publish(), session.plan, ending)


def _play(
    session: Session,
    tournament: TournamentFile,
    folder: ResultsFolder,
    *,
    quiet: bool,
    json: bool,
    grace: float,
) -> Ending:
    with Progress(quiet) as progress:
        stop = SoftStop(grace, lambda: progress.say(_STOPPING.format(grace)))
        suspects = SuspectWatch(session.plan, tournament, folder.logs, progress.say)
        lines = JsonLines() if json else _ignore

        def listen(event: Event) -> None:
            progress(event)
            suspects(event)
            lines(event)

        return session.play(listen, stop)


def _ignore(_: object) -> None:
    """Take something that nobody wants to know."""
