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
    """Merge the results in FOLDERS, parts of one tournament, into a new folder.

    Prints the standings of the whole. A pair that is in several parts is taken once.
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
    """Take the logs of faults along, and nothing that only leads to a file elsewhere."""
    try:
        for logs in (ResultsFolder(folder).logs for folder in folders):
            for path in sorted(logs.glob("*/*.log")):
                new = target.logs / path.relative_to(logs)
                if path.is_file() and not path.is_symlink() and not new.exists():
                    new.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copyfile(path, new)
    except OSError as error:
        raise StoreError(f"{target.logs}: cannot copy the logs: {error.strerror}") from error
