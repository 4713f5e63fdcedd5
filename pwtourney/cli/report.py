"""``pwtourney report``: the standings of a results folder."""

from contextlib import closing
from pathlib import Path

import click

from pwtourney.cli.common import PipeConsole
from pwtourney.errors import EXIT_OK, UsageError
from pwtourney.report import publish, summarise
from pwtourney.report.collectors import Depth
from pwtourney.report.machine import standings_csv, standings_json
from pwtourney.report.terminal import (
    print_depth,
    print_matrix,
    print_resources,
    print_standings,
)
from pwtourney.report.text import markdown
from pwtourney.store import ResultsFolder, Store

__all__ = ["command"]

_FORMATS = {"markdown": markdown, "json": standings_json, "csv": standings_csv}


@click.command("report")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option(
    "--format",
    "form",
    type=click.Choice(["table", *_FORMATS]),
    default="table",
    help="The format.  [default: table]",
)
@click.option("--resources", is_flag=True, help="Also print what each bot used.")
@click.option("--matrix", is_flag=True, help="Also print the head-to-head matrix.")
@click.option("--bot", help="Print one bot in depth instead.")
@click.option("--out", type=click.Path(path_type=Path), help="Write all reports into this folder.")
def command(
    folder: Path, form: str, resources: bool, matrix: bool, bot: str | None, out: Path | None
) -> int:
    """Print the standings of the results in FOLDER again, from what is stored there."""
    console = PipeConsole()
    with closing(Store.open(ResultsFolder(folder).database)) as store:
        if bot is not None:
            depth = Depth(bot)
            summary = summarise(store, depth.add)  # it adds as the games are read, which is once
            if bot not in summary.bots:
                raise UsageError(f"there is no bot {bot!r}; the bots are {', '.join(summary.bots)}")
            print_depth(depth.tables(), console)
            return EXIT_OK
        summary = summarise(store) if out is None else publish(store, out)
    if form != "table":
        click.echo(_FORMATS[form](summary), nl=False)
        return EXIT_OK
    print_standings(summary, console)
    if matrix:
        print_matrix(summary.standings, console)
    if resources:
        print_resources(summary, console)
    return EXIT_OK
