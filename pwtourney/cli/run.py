"""``pwtourney run``: a tournament from its file to its standings."""

import shutil
import tempfile
from contextlib import closing
from pathlib import Path

import click
from rich.console import Console

from pwtourney.cli.progress import Progress
from pwtourney.config import TournamentFile, load_config
from pwtourney.errors import EXIT_INTERRUPTED
from pwtourney.executor import LocalExecutor
from pwtourney.executor.local import available_cores
from pwtourney.report import summarise, write_reports
from pwtourney.report.terminal import print_standings
from pwtourney.store import ResultsFolder, Store
from pwtourney.tournament import (
    Plan,
    build_bots,
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
    tournament = load_config(file)
    build_bots(tournament)
    folder = ResultsFolder(_results_path(tournament, results))
    with folder:
        if fresh and (aside := folder.set_aside()):
            click.echo(f"the old results are now in {aside}", err=True)
        plan = make_plan(tournament, tournament_seed(folder))
        with closing(open_results(folder, plan)) as store:
            finished = _play(plan, store, folder, _slots(tournament, workers), quiet)
            summary = summarise(store)
            write_reports(summary, folder)
    if summary.standings.games or finished:
        print_standings(summary, Console())
    if finished:
        return 0
    click.echo(f"interrupted; to go on: pwtourney run {file} --results {folder.path}", err=True)
    return EXIT_INTERRUPTED


def _play(plan: Plan, store: Store, folder: ResultsFolder, workers: int, quiet: bool) -> bool:
    """Play what is missing; return False if the user stopped it."""
    if len(store.pairs()) >= plan.pairs:
        return True
    scratch = tempfile.mkdtemp(prefix="pwtourney-")
    folder.note_scratch(scratch)
    try:
        with closing(LocalExecutor(workers, scratch)) as executor, Progress(quiet) as progress:
            run_tournament(plan, store, executor, progress)
    except KeyboardInterrupt:
        return False
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    return True


def _results_path(tournament: TournamentFile, given: Path | None) -> Path:
    if given is not None:
        return given
    if tournament.config.results is not None:
        return tournament.path.parent / tournament.config.results
    return Path("results") / (tournament.config.name or tournament.path.stem)


def _slots(tournament: TournamentFile, given: int | None) -> int:
    configured = tournament.config.workers
    return given or (len(available_cores()) if configured == "auto" else configured)
