"""``pwtourney rate``: ratings from any table of games."""

from collections.abc import Iterator
from pathlib import Path

import click

from pwtourney.cli.console import PipeConsole
from pwtourney.gametable import read_games
from pwtourney.ratings import Result, standings
from pwtourney.report.cells import table_notes
from pwtourney.report.machine import tables_json
from pwtourney.report.terminal import print_tables

__all__ = ["command"]


@click.command("rate")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print JSON, with the whole covariance.")
def command(files: tuple[Path, ...], as_json: bool) -> int:
    """Rate the games in FILES: results folders, CSV or JSON Lines.

    A table has the columns first, second and score (that of the bot that moved first: 1, 0, 0.5,
    or empty for a void game), and may have pair, circle and margin. Several files are one table;
    their circles and pairs are told apart.
    """
    found = standings(None, _games(files))
    if as_json:
        click.echo(tables_json(found), nl=False)
        return 0
    counted = f"{found.games} games" + (f", {found.voids} void" if found.voids else "")
    print_tables(found, "ratings", [counted, *table_notes(found)], PipeConsole())
    return 0


def _games(files: tuple[Path, ...]) -> Iterator[Result]:
    if len(files) == 1:
        yield from read_games(files[0])
        return
    for number, file in enumerate(files):
        for game in read_games(file):
            pair = f"{number} {game.pair}" if game.pair else ""
            yield game._replace(circle=f"{number} {game.circle}", pair=pair)
