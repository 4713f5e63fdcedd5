"""A tournament played to its end, or as far as the user lets it: what `run` and `duel` share."""

from collections.abc import Callable
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Literal, NamedTuple

import click

from pwtourney.cli.jsonlines import JsonLines
from pwtourney.cli.logs import LogWriter
from pwtourney.cli.progress import Progress
from pwtourney.cli.running import RunningNote
from pwtourney.cli.seating import say, warn
from pwtourney.cli.stopping import SoftStop
from pwtourney.cli.suspects import SuspectWatch
from pwtourney.config import TournamentFile
from pwtourney.process import make_scratch, remove_scratch
from pwtourney.report import Preload, Summary, publish
from pwtourney.sandbox.cgroup import CgroupRoot
from pwtourney.sandbox.orphans import become_subreaper
from pwtourney.sandbox.privileges import keep_private
from pwtourney.schedule.seeds import GUESSABLE
from pwtourney.schedule.shard import Shard
from pwtourney.store import FaultLogs, ResultsFolder
from pwtourney.tournament import (
    Event,
    Plan,
    build_bots,
    check_options,
    executor_of,
    in_league,
    is_complete,
    make_plan,
    make_ready,
    open_results,
    run_tournament,
    split,
    tournament_seed,
)

__all__ = ["Ending", "RunOptions", "Played", "play_tournament"]

_STOPPING = (
    "Stopping: waiting up to {:g} s for running games; press Ctrl-C again to stop now"
    " (results are safe)"
)

Ending = Literal["over", "budget", "interrupted", "suspect"]
"""How a run ended; ``suspect`` if it stopped for a bot that cannot be right."""


class Played(NamedTuple):
    """What is stored now, and how the run ended."""

    summary: Summary
    plan: Plan
    ending: Ending


class RunOptions(NamedTuple):
    """How a run goes on: games at a time, what is told, and how it ends when it is asked to.

    `grace` is how many seconds the pairs under way are given to end; with `fail_fast` a run asks
    itself to stop for a bot that cannot be right.
    """

    workers: int
    fresh: bool = False
    extend: bool = False
    quiet: bool = False
    json: bool = False
    grace: float = 10.0
    shard: Shard | None = None
    fail_fast: bool = False


def play_tournament(
    tournament: TournamentFile, folder: ResultsFolder, options: RunOptions
) -> Played:
    """Play what is missing in a results folder, and write its reports."""
    keep_private()
    become_subreaper()
    with ExitStack() as last:
        groups = None if tournament.config.executor else CgroupRoot.open()
        if groups:
            last.callback(groups.close)
        ready = _Readiness(_private(tournament, folder), groups, options)
        tournament = build_bots(tournament, ready.private, ready.tell)
        if (
            options.fresh or not folder.database.exists()
        ):  # who cannot play is told before it begins
            ready(make_plan(tournament, 0))
        with folder:
            return _play_in(folder, tournament, options, ready)


class _Readiness:
    """Keeps bots apart and lets them prepare; whatever is said of it is said once."""

    def __init__(self, private: list[Path], groups: CgroupRoot | None, options: RunOptions) -> None:
        self.private = private
        self._groups = groups
        self._quiet = options.quiet
        self._said: set[str] = set()

    def __call__(self, plan: Plan) -> Plan:
        """Return the plan with bots that can be started."""
        made = make_ready(plan.entrants, self.private, self._groups, self.tell, self._warn)
        return plan._replace(entrants=made)

    def tell(self, line: str) -> None:
        """Say what goes on, unless nobody wants to know."""
        if not self._quiet:
            say(line)

    def _warn(self, what: str) -> None:
        if what not in self._said:
            self._said.add(what)
            warn(what)


def _play_in(
    folder: ResultsFolder, tournament: TournamentFile, options: RunOptions, ready: _Readiness
) -> Played:
    """Play in a folder that is locked for us."""
    if options.fresh and (aside := folder.set_aside()):
        click.echo(f"the old results are now in {aside}", err=True)
    plan = make_plan(tournament, tournament_seed(folder))
    plan = in_league(plan, folder, extend=options.extend)
    if options.shard:
        plan = split(plan, options.shard, seed_given=tournament.config.seed is not None)
    _warn_of_a_short_seed(tournament, plan)
    preload = None if tournament.config.executor else Preload()  # a pool might fork meanwhile
    complete = is_complete(folder, plan)
    ending = "over" if complete else _play(ready(plan), tournament, folder, options)
    with closing(open_results(folder, plan, extend=options.extend)) as store:
        if complete:
            store.set_meta(over=True)
        if preload:
            preload.wait()
        summary = publish(store, folder.path)
    return Played(summary, plan, ending)


def _play(
    plan: Plan, tournament: TournamentFile, folder: ResultsFolder, options: RunOptions
) -> Ending:
    with ExitStack() as last:
        check_options(tournament, plan)
        store = last.enter_context(closing(open_results(folder, plan, extend=options.extend)))
        scratch = make_scratch()
        last.callback(remove_scratch, scratch)
        folder.note_scratch(scratch)
        suspects: SuspectWatch | None = None
        try:
            executor = executor_of(plan, tournament, options.workers, scratch, warn)
            last.enter_context(closing(executor))
            progress = last.enter_context(Progress(options.quiet))
            note = RunningNote(folder.path)
            last.callback(note.remove)
            stop = last.enter_context(
                SoftStop(options.grace, lambda: progress.say(_STOPPING.format(options.grace)))
            )
            ask = stop.ask if options.fail_fast else None
            suspects = SuspectWatch(plan, tournament, folder.logs, progress.say, ask)
            listeners: list[Callable[[Event], None]] = [
                LogWriter(FaultLogs(folder.logs), folder.path, tournament.path.resolve()),
                progress,
                note,
                suspects,
            ]
            if options.json:
                listeners.append(JsonLines())
            over = run_tournament(
                plan,
                store,
                executor,
                lambda event: _tell(event, *listeners),
                stopping=lambda: stop.asked,
            )
        except KeyboardInterrupt:
            return "suspect" if suspects and suspects.stopped else "interrupted"
    if over:
        return "over"
    if suspects.stopped:
        return "suspect"
    return "interrupted" if stop.asked else "budget"


def _tell(event: Event, *listeners: Callable[[Event], None]) -> None:
    for listener in listeners:
        listener(event)


def _private(tournament: TournamentFile, folder: ResultsFolder) -> list[Path]:
    """Return what no bot of a run may read: its results, and what the organiser wrote."""
    return [folder.path, *folder.set_aside_before(), tournament.path.resolve()]


def _warn_of_a_short_seed(tournament: TournamentFile, plan: Plan) -> None:
    """Say that hidden patches are not hidden from a bot that can guess the seed."""
    if plan.edition.late and tournament.config.seed is not None and plan.seed < GUESSABLE:
        click.echo(
            f"warning: a bot can try out seeds as short as {plan.seed} and so learn the order of"
            " patches that are yet to enter; leave `seed` out to have a long one drawn",
            err=True,
        )
