"""``pwtourney report``: the standings of a results folder."""

from contextlib import closing
from pathlib import Path

import click

from pwtourney.cli.console import PipeConsole
from pwtourney.report import summarise
from pwtourney.report.machine import standings_json
from pwtourney.report.markdown import markdown
from pwtourney.report.terminal import print_matrix, print_resources, print_standings
from pwtourney.store import ResultsFolder, Store

__all__ = ["command"]


@click.command("report")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option(
    "--format",
    "form",
    type=click.Choice(["table", "markdown", "json"]),
    default="table",
    help="How to print.  [default: table]",
)
@click.option("--resources", is_flag=True, help="Print the table of what each bot used, too.")
@click.option("--matrix", is_flag=True, help="Print who got how much against whom, too.")
def command(folder: Path, form: str, resources: bool, matrix: bool) -> int:
    """Print the standings of the results in FOLDER, from what is stored there and nothing else."""
    with closing(Store.open(ResultsFolder(folder).database)) as store:
        summary = summarise(store)
    if form == "json":
        click.echo(standings_json(summary), nl=False)
    elif form == "markdown":
        click.echo(markdown(summary), nl=False)
    else:
        print_standings(summary, PipeConsole())
        if matrix:
            print_matrix(summary.standings, PipeConsole())
        if resources:
            print_resources(summary, PipeConsole())
    return 0
