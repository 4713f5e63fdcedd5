"""The options of `run`, `duel`, `pause`, `continue`, `merge` and `config`."""

from collections.abc import Callable
from typing import Any, get_args

import click

from pwtourney.cli.command import Command, Group, Program, heading
from pwtourney.cli.options import (
    BotName,
    FilePath,
    ResultsPath,
    edition_option,
    fail_fast_option,
    fresh_option,
    move_option,
    playing_options,
    read_shard,
    read_with,
    results_option,
    sandbox_option,
    settings_option,
    trusted_option,
    workers_option,
)
from pwtourney.constants import ALPHA, BETA, BOUNDS, ELO0, ELO1, BoundsUnit, Described

__all__ = ["config", "continue_run", "duel", "merge", "pause", "run"]


@click.command(
    "run",
    cls=Command,
    short_help="Play a tournament, or continue it, and rate the bots.",
    optional_output=True,
    examples=(
        "pwtourney run league.yaml",
        "pwtourney run league.yaml --set pairs=50 --workers 4",
        "pwtourney run league.yaml --dry-run",
    ),
)
@click.argument("file", type=FilePath())
@heading("What is played")
@click.option(
    "--extend", is_flag=True, help="Continue with other bots; games of old versions stay."
)
@click.option(
    "--add-pairs",
    metavar="N",
    type=click.IntRange(min=1),
    help="Play N pairs more for each two bots than are stored.",
)
@click.option(
    "--shard", metavar="K/N", callback=read_with(read_shard), help="Play only part K of N."
)
@playing_options
def run() -> Program:
    """Play the tournament that FILE describes, and print its standings.

    Every pair is stored when it ends. If the run is interrupted, the same command continues it;
    if it is complete, the command prints the standings again.
    """
    from pwtourney.cli.run import run as program

    return program


def _described_option(name: str, kind: Any, what: Described[Any]) -> Callable[[Any], Any]:
    """Return the option for a value that is a config key as well."""
    return click.option(
        name, type=kind, default=what.default, show_default=True, help=what.description
    )


@click.command(
    "duel",
    cls=Command,
    short_help="Find out whether a new version of a bot is better.",
    optional_output=True,
    examples=(
        "pwtourney duel magpie.py greedy",
        "pwtourney duel ./new ./old --move 100ms --elo1 10",
    ),
)
@click.argument("new", type=BotName())
@click.argument("old", type=BotName())
@heading("The test")
@_described_option("--elo0", float, ELO0)
@_described_option("--elo1", float, ELO1)
@_described_option("--alpha", float, ALPHA)
@_described_option("--beta", float, BETA)
@_described_option("--bounds", click.Choice(get_args(BoundsUnit)), BOUNDS)
@heading("The games")
@edition_option
@move_option("1s")
@click.option("--seed", type=click.IntRange(0, 2**63 - 1), help="Determines every deal.")
@sandbox_option
@trusted_option
@heading("While it runs")
@results_option
@workers_option
@fresh_option
@fail_fast_option(default=True)
@click.option("--quiet", is_flag=True, help="Show no progress, only the answer.")
def duel() -> Program:
    """Find out whether NEW is better than OLD, by a sequential test on mirrored pairs.

    NEW and OLD are each the name of an installed bot, a Python file, or a command in quotes. Pairs
    are played until the test decides. Results are kept, and the same command continues. The exit
    code is 0 if NEW is better, 1 if that is not shown, and 4 if inconclusive. If elo0 is below 0,
    it is 0 if NEW is not worse by that much.
    """
    from pwtourney.cli.run import duel as program

    return program


@click.command(
    "pause",
    cls=Command,
    short_help="Pause a run: bots and clocks stand still.",
    optional_output=True,
    examples=("pwtourney pause results/league",),
)
@click.argument("folder", type=ResultsPath())
def pause() -> Program:
    """Pause the run that writes to FOLDER, from another terminal.

    Its bots are stopped and all clocks stand still; no game is lost or played again. Go on with
    `pwtourney continue`. In the terminal of the run, Ctrl-Z and `fg` do the same.
    """
    from pwtourney.cli.pausing import pause as program

    return program


@click.command(
    "continue",
    cls=Command,
    short_help="Continue a run that is paused.",
    optional_output=True,
    examples=("pwtourney continue results/league",),
)
@click.argument("folder", type=ResultsPath())
def continue_run() -> Program:
    """Continue the run in FOLDER that `pwtourney pause` has paused."""
    from pwtourney.cli.pausing import continue_run as program

    return program


@click.command(
    "merge",
    cls=Command,
    short_help="Merge parts of one tournament.",
    optional_output=True,
    examples=("pwtourney merge league-1-of-2 league-2-of-2 --out results/league",),
)
@click.argument("folders", nargs=-1, required=True, type=ResultsPath())
@click.option("--out", required=True, type=FilePath(), help="The new results folder.")
def merge() -> Program:
    """Merge the results in FOLDERS, parts of one tournament, into a new folder.

    Prints the standings of the whole. A pair that is in several parts is taken once.
    """
    from pwtourney.cli.results import merge as program

    return program


@click.group("config", cls=Group, examples=("pwtourney config validate league.yaml",))
def config() -> None:
    """Check a tournament file, or print its schema."""


@config.command(
    "validate",
    optional_output=True,
    examples=("pwtourney config validate league.yaml",),
)
@click.argument("file", type=FilePath())
def validate() -> Program:
    """Check FILE and find its bots, without building or starting them."""
    from pwtourney.cli.setup import validate as program

    return program


@config.command(
    "show",
    examples=("pwtourney config show league.yaml --set clock.move=2s",),
)
@click.argument("file", type=FilePath())
@settings_option
def show() -> Program:
    """Print all values that apply to FILE, and where each comes from."""
    from pwtourney.cli.setup import show as program

    return program


@config.command(
    "schema",
    examples=("pwtourney config schema",),
)
def schema() -> Program:
    """Print the JSON Schema of a tournament file, for your editor."""
    from pwtourney.cli.setup import schema as program

    return program
