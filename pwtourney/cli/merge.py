"""``pwtourney merge``: parts of one tournament, played apart, become one."""

import shutil
from contextlib import closing
from pathlib import Path

import click

from pwtourney.cli.console import PipeConsole
from pwtourney.errors import StoreError
from pwtourney.report import publish
from pwtourney.report.terminal import print_standings
from pwtourney.store import ResultsFolder, Store
from pwtourney.tournament import merge

__all__ = ["command"]


@click.command("merge")
@click.argument("folders", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--out", required=True, type=click.Path(path_type=Path), help="The new results folder."
)
def command(folders: tuple[Path, ...], out: Path) -> int:
    """Put the results in FOLDERS, parts of one tournament, into a new folder, and print standings.

    Pairs that are in several parts are taken once.
    """
    with ResultsFolder(out) as target:
        merged = merge(folders, target)
        _copy_logs(folders, target)
        with closing(Store.open(target.database, write=True)) as store:
            summary = publish(store, target.path)
    print_standings(summary, PipeConsole())
    told = f", {merged.duplicates} of them in several parts" if merged.duplicates else ""
    click.echo(f"{merged.pairs} pairs{told}", err=True)
    return 0


def _copy_logs(folders: tuple[Path, ...], target: ResultsFolder) -> None:
    """Take the logs of faults along."""
    try:
        for folder in folders:
            logs = ResultsFolder(folder).logs
            if logs.is_dir():
                shutil.copytree(logs, target.logs, dirs_exist_ok=True)
    except (OSError, shutil.Error) as error:
        raise StoreError(f"{target.logs}: cannot copy the logs: {error}") from error
