"""The options of `report`, `games`, `verify` and `rate`."""

import click

from pwtourney.cli.command import Command, Program, heading
from pwtourney.cli.options import (
    FilePath,
    ResultsPath,
    all_tables_option,
    details_option,
    level_option,
    los_option,
    matrix_option,
    read_prior,
    read_replays,
    read_with,
)

__all__ = ["list_games", "rate", "report", "verify"]


@click.command(
    "report",
    cls=Command,
    short_help="Print the standings of a results folder again.",
    optional_output=("out",),
    examples=(
        "pwtourney report league --matrix",
        "pwtourney report league --bot greedy",
    ),
)
@click.argument("folder", type=ResultsPath())
@click.option(
    "--format",
    "form",
    type=click.Choice(["table", "markdown", "json", "csv"]),
    default="table",
    help="The format.  [default: table]",
)
@level_option
@click.option("--out", type=FilePath(), help="Write all reports into this folder.")
@click.option(
    "--replays",
    metavar="N|all",
    callback=read_with(read_replays),
    help="With --out: open this many of the newest games in its page.  [default: 3 MB of them]",
)
@heading("More tables")
@click.option("--resources", is_flag=True, help="Also print what each bot used.")
@matrix_option
@los_option
@details_option
@all_tables_option
@click.option("--bot", help="Print instead how one bot did.")
def report() -> Program:
    """Print the standings of the results in FOLDER again, from what is stored there."""
    from pwtourney.cli.results import report as program

    return program


@click.command(
    "games",
    cls=Command,
    short_help="List the games of a results folder.",
    examples=(
        "pwtourney games league",
        "pwtourney games league --bot greedy --verdict fault",
        "pwtourney games league --all --format csv",
    ),
)
@click.argument("folder", type=ResultsPath())
@click.option("--most", type=click.IntRange(min=1), help="How many games.  [default: 20]")
@click.option("--all", "everything", is_flag=True, help="List all games.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["table", "csv"]),
    default="table",
    help="The format.  [default: table]",
)
@heading("Which games")
@click.option("--bot", help="Games of this bot only.")
@click.option("--opponent", help="With --bot: its games against this one.")
@click.option(
    "--verdict",
    metavar="VERDICT",
    help="Games that ended this way, such as finished or timeout; `fault`: any fault.",
)
@click.option("--min-margin", type=click.IntRange(min=0), help="Games won by this or more.")
@click.option("--max-margin", type=click.IntRange(min=0), help="Games won by this or less.")
def list_games() -> Program:
    """List the games in FOLDER, the newest first.

    Each has a number, and the name of its pair and game. Both open it: FOLDER:37 and
    FOLDER:18.0 are the same game for `replay`, `rerun` and `analyse`.
    """
    from pwtourney.cli.results import list_games as program

    return program


@click.command(
    "verify",
    cls=Command,
    short_help="Verify that results are what was played.",
    optional_output=True,
    examples=("pwtourney verify league --file league.yaml",),
)
@click.argument("folder", type=ResultsPath())
@click.option(
    "--file",
    type=FilePath(),
    help="A tournament file; also check that its bots are still those that played.",
)
def verify() -> Program:
    """Check the results in FOLDER: replay every game, recompute every hash, score and table.

    The exit code is 1 if anything differs from what was played.
    """
    from pwtourney.cli.results import verify as program

    return program


@click.command(
    "rate",
    cls=Command,
    short_help="Rate the bots of any table of games.",
    examples=(
        "pwtourney rate games.csv --anchor greedy=1000",
        "pwtourney rate results/2025 results/2026",
    ),
)
@click.argument("files", nargs=-1, required=True, type=ResultsPath())
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@heading("More tables")
@matrix_option
@los_option
@details_option
@all_tables_option
@click.option("--bot", help="Also print how one bot did against each opponent.")
@click.option("--nash", is_flag=True, help="Also print the mixture that no bot beats.")
@heading("The ratings")
@level_option
@click.option(
    "--anchor",
    metavar="BOT=ELO",
    multiple=True,
    help="Fix the rating of this bot (repeatable); BOT=ELO~ERROR: it is known to that error.",
)
@click.option(
    "--prior",
    type=float,
    callback=read_with(read_prior),
    default=0.0,
    help="Virtual games per bot that pull ratings together.  [default: none]",
)
def rate() -> Program:
    """Rate the games in FILES: results folders, CSV or JSON Lines.

    A table has the columns first, second and score (of the bot that moved first: 1, 0, 0.5, or
    empty for a void game) or winner, and may have pair, deal and margin; or white, black and
    result. Several files make one table. Names of pairs and deals count per file, except in
    results folders: there, equal names mean equal deals.
    """
    from pwtourney.cli.rate import rate as program

    return program
