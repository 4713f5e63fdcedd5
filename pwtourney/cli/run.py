"""``pwtourney run``: a tournament from its file to its standings."""

import shlex
from collections.abc import Callable
from contextlib import ExitStack, closing
from pathlib import Path

import click

from pwtourney.cli.console import PipeConsole
from pwtourney.cli.logs import LogWriter
from pwtourney.cli.progress import Progress
from pwtourney.cli.stopping import stop_as_by_interrupt
from pwtourney.config import TournamentFile
from pwtourney.errors import EXIT_INTERRUPTED
from pwtourney.executor import LocalExecutor
from pwtourney.executor.local import available_cores
from pwtourney.process import (
    CgroupRoot,
    become_subreaper,
    keep_private,
    make_scratch,
    remove_scratch,
)
from pwtourney.report import summarise, write_reports
from pwtourney.report.terminal import print_standings
from pwtourney.schedule.seeds import GUESSABLE
from pwtourney.store import FaultLogs, ResultsFolder
from pwtourney.tournament import (
    Event,
    Plan,
    build_bots,
    check_options,
    is_complete,
    isolate,
    load_tournament,
    make_plan,
    open_results,
    run_tournament,
    tournament_seed,
)

__all__ = ["command"]


@click.command("run")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--results", type=click.Path(path_type=Path), help="Where results are kept.")
@click.option("--workers", type=click.IntRange(1, 1024), help="Games at a time.")
@click.option("--fresh", is_flag=True, help="Start again; old results are moved aside.")
@click.option("--quiet", is_flag=True, help="No progress, only the standings.")
def command(file: Path, results: Path | None, workers: int | None, fresh: bool, quiet: bool) -> int:
    """Play the tournament that FILE describes, and print its standings.

    Results are kept as they come. If the run is interrupted, the same command goes on where it
    was; if it is complete, it prints the standings again.
    """
    stop_as_by_interrupt()
    tournament = load_tournament(file)
    folder = ResultsFolder(_results_path(tournament, results))
    with folder:
        if fresh and (aside := folder.set_aside()):
            click.echo(f"the old results are now in {aside}", err=True)
        build_bots(tournament)  # under the lock: another run may be using what is built
        plan = make_plan(tournament, tournament_seed(folder))
        _warn_of_a_short_seed(tournament, plan)
        finished = is_complete(folder, plan) or _play(
            plan, tournament, folder, _slots(tournament, workers), quiet
        )
        with closing(open_results(folder, plan)) as store:
            summary = summarise(store)
            write_reports(summary, folder)
    if summary.standings.games or finished:
        print_standings(summary, PipeConsole())
    if finished:
        return 0
    command_line = shlex.join(["pwtourney", "run", str(file), "--results", str(folder.path)])
    click.echo(f"interrupted; to go on: {command_line}", err=True)
    return EXIT_INTERRUPTED


def _play(
    plan: Plan, tournament: TournamentFile, folder: ResultsFolder, workers: int, quiet: bool
) -> bool:
    """Play what is missing; return False if the user stopped it."""
    keep_private()
    become_subreaper()
    with ExitStack() as last:
        groups = CgroupRoot.open()
        if groups:
            last.callback(groups.close)
        plan = _isolated(plan, tournament, folder, groups)
        check_options(tournament, plan)
        store = last.enter_context(closing(open_results(folder, plan)))
        scratch = make_scratch()
        last.callback(remove_scratch, scratch)
        folder.note_scratch(scratch)
        try:
            executor = last.enter_context(closing(LocalExecutor(workers, scratch)))
            progress = last.enter_context(Progress(quiet))
            log = LogWriter(FaultLogs(folder.logs), folder.path, tournament.path.resolve())
            run_tournament(plan, store, executor, lambda event: _tell(event, log, progress))
        except KeyboardInterrupt:
            return False
    return True


def _tell(event: Event, *listeners: Callable[[Event], None]) -> None:
    for listener in listeners:
        listener(event)


def _isolated(
    plan: Plan, tournament: TournamentFile, folder: ResultsFolder, groups: CgroupRoot | None
) -> Plan:
    """Find what keeps the bots apart here, and say what is lacking."""
    private = [folder.path, *folder.set_aside_before(), tournament.path.resolve()]
    done = isolate(plan.entrants, private, groups)
    for warning in done.warnings:
        click.echo(f"warning: {warning}", err=True)
    return plan._replace(entrants=done.entrants)


def _warn_of_a_short_seed(tournament: TournamentFile, plan: Plan) -> None:
    """Say that hidden patches are not hidden from a bot that can guess the seed."""
    if plan.edition.late and tournament.config.seed is not None and plan.seed < GUESSABLE:
        click.echo(
            f"warning: a bot can try out seeds as short as {plan.seed} and so learn the order of"
            " patches that are yet to enter; leave `seed` out to have a long one drawn",
            err=True,
        )


def _results_path(tournament: TournamentFile, given: Path | None) -> Path:
    if given is not None:
        return given
    if tournament.config.results is not None:
        return tournament.path.parent / tournament.config.results
    return Path("results") / (tournament.config.name or tournament.path.stem)


def _slots(tournament: TournamentFile, given: int | None) -> int:
    configured = tournament.config.workers
    return given or (len(available_cores()) if configured == "auto" else configured)
