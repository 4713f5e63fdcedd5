"""``pwtourney rate``: ratings from any table of games."""

import gc
import math
from collections import defaultdict
from pathlib import Path

import click

from pwtourney.cli.common import PipeConsole
from pwtourney.config.problems import LEAST_PRIOR, MOST_ELO, MOST_PRIOR
from pwtourney.errors import EXIT_OK, UsageError
from pwtourney.ratings.games import gather_blocks
from pwtourney.report.game_table import read_games
from pwtourney.report.machine import tables_json
from pwtourney.report.terminal import print_matrix, print_nash, print_tables
from pwtourney.report.text import table_notes
from pwtourney.standings import RatingOptions, Resources
from pwtourney.standings.rate import tables

__all__ = ["command"]


def _read_prior(_: click.Context, __: click.Parameter, value: float) -> float:
    if value == 0 or LEAST_PRIOR <= value <= MOST_PRIOR:
        return value
    raise click.BadParameter(f"{value:g} is not 0, nor from {LEAST_PRIOR:g} to {MOST_PRIOR:g}")


@click.command("rate")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print JSON, including the covariance.")
@click.option("--matrix", is_flag=True, help="Also print the head-to-head matrix.")
@click.option("--anchor", metavar="BOT=ELO", help="Fix the rating of this bot.")
@click.option(
    "--prior",
    type=float,
    callback=_read_prior,
    default=0.0,
    help="Virtual games per bot that pull ratings together.  [default: as few as needed]",
)
@click.option("--nash", is_flag=True, help="Also print the mixture that no bot beats.")
def command(
    files: tuple[Path, ...],
    as_json: bool,
    matrix: bool,
    anchor: str | None,
    prior: float,
    nash: bool,
) -> int:
    """Rate the games in FILES: results folders, CSV or JSON Lines.

    A table has the columns first, second and score (of the bot that moved first: 1, 0, 0.5, or
    empty for a void game), and may have pair, deal and margin. Several files make one table.
    Names of pairs and deals count per file, except in results folders: there, equal names mean
    equal deals.
    """
    options = RatingOptions(None if anchor is None else _read_anchor(anchor), prior)
    gc.disable()  # a million rows make no cycles, and the collector would walk them all
    resources: defaultdict[str, Resources] = defaultdict(Resources)
    blocks = (
        block
        for number, file in enumerate(files)
        # numbered, for pair 1 of one file is not pair 1 of the next one
        for block in read_games(file, str(number) if len(files) > 1 else "", resources)
    )
    standings = tables(gather_blocks(None, blocks), resources, options)
    if standings.unanchored:
        raise UsageError(f"--anchor {anchor}: no such bot has a rating that could be fixed")
    if as_json:
        click.echo(tables_json(standings), nl=False)
        return EXIT_OK
    games = f"{standings.games} games" + (f", {standings.voids} void" if standings.voids else "")
    print_tables(standings, "ratings", [games, *table_notes(standings)], PipeConsole())
    if matrix:
        print_matrix(standings, PipeConsole())
    if nash:
        print_nash(standings, PipeConsole())
    return EXIT_OK


def _read_anchor(text: str) -> tuple[str, float]:
    bot, _, rating = text.rpartition("=")  # the last one: a name of somebody else's may have some
    try:
        elo = float(rating)
    except ValueError:
        elo = math.nan
    if not bot or not abs(elo) <= MOST_ELO:  # so written, it is also true of "nan"
        raise UsageError(
            f"--anchor {text}: expected BOT=ELO, such as greedy=1000, within ±{MOST_ELO:g}"
        )
    return bot, elo
