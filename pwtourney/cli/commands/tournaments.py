"""What `run`, `duel`, `pause`, `continue`, `merge` and `config` take."""

import click

from pwtourney.cli.command import Command, Group
from pwtourney.cli.options import (
    BotName,
    FilePath,
    ResultsPath,
    edition_option,
    fail_fast_option,
    fresh_option,
    move_option,
    read_duration,
    read_shard,
    read_with,
    results_option,
    sandbox_option,
    settings_option,
    trusted_option,
    workers_option,
)

__all__ = ["config", "continue_run", "duel", "merge", "pause", "run"]


@click.command(
    "run",
    cls=Command,
    short_help="Play a tournament, or continue it, and rate the bots.",
    program="pwtourney.cli.run:run",
    optional_output=True,
    examples=(
        "pwtourney run league.yaml",
        "pwtourney run league.yaml --set pairs=50 --workers 4",
        "pwtourney run league.yaml --dry-run",
    ),
    groups={
        "What is played": (
            "extend",
            "shard",
            "settings",
            "untrusted",
        ),
        "Results": (
            "results",
            "fresh",
            "dry",
        ),
        "While it runs": (
            "workers",
            "fail_fast",
            "grace",
            "quiet",
            "as_json",
        ),
    },
)
@click.argument("file", type=FilePath())
@results_option
@workers_option
@fresh_option
@click.option(
    "--extend", is_flag=True, help="Continue with other bots; games of old versions stay."
)
@click.option(
    "--shard", metavar="K/N", callback=read_with(read_shard), help="Play only part K of N."
)
@click.option("--untrusted", is_flag=True, help="Trust neither the bots nor the file.")
@settings_option
@fail_fast_option(default=False)
@click.option("--quiet", is_flag=True, help="Show no progress, only the standings.")
@click.option(
    "--dry-run", "dry", is_flag=True, help="Show the schedule and estimates without playing."
)
@click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON event per line instead of tables."
)
@click.option(
    "--grace",
    default="10s",
    show_default=True,
    callback=read_with(read_duration),
    help="When you stop the run, wait this long for running games.",
)
def run() -> None:
    """Play the tournament that FILE describes, and print its standings.

    Every pair is stored when it ends. If the run is interrupted, the same command continues it;
    if it is complete, the command prints the standings again.
    """


@click.command(
    "duel",
    cls=Command,
    short_help="Find out whether a new version of a bot is better.",
    program="pwtourney.cli.run:duel",
    optional_output=True,
    examples=(
        "pwtourney duel magpie.py greedy",
        "pwtourney duel ./new ./old --move 100ms --elo1 10",
    ),
    groups={
        "The test": (
            "elo0",
            "elo1",
            "alpha",
            "beta",
            "bounds",
        ),
        "The games": (
            "edition",
            "move",
            "seed",
            "sandbox",
            "trusted",
        ),
        "While it runs": (
            "results",
            "workers",
            "fresh",
            "fail_fast",
            "quiet",
        ),
    },
)
@click.argument("new", type=BotName())
@click.argument("old", type=BotName())
@click.option("--elo0", type=float, default=0.0, show_default=True, help="Elo difference under H0.")
@click.option(
    "--elo1", type=float, default=20.0, show_default=True, help="Elo difference under H1."
)
@click.option(
    "--alpha",
    type=float,
    default=0.05,
    show_default=True,
    help="Type I error rate: accepting NEW although it is not better.",
)
@click.option(
    "--beta",
    type=float,
    default=0.05,
    show_default=True,
    help="Type II error rate: rejecting NEW although it is better.",
)
@click.option(
    "--bounds",
    type=click.Choice(["normalised", "logistic"]),
    default="normalised",
    show_default=True,
    help="The unit of elo0 and elo1.",
)
@edition_option
@move_option("1s")
@click.option("--seed", type=click.IntRange(0, 2**63 - 1), help="Determines every deal.")
@sandbox_option
@trusted_option
@results_option
@workers_option
@fresh_option
@fail_fast_option(default=True)  # "worse" would be the wrong answer about a bot without a program
@click.option("--quiet", is_flag=True, help="Show no progress, only the answer.")
def duel() -> None:
    """Find out whether NEW is better than OLD, by a sequential test on mirrored pairs.

    NEW and OLD are each the name of an installed bot, a Python file, or a command in quotes. Pairs
    are played until the test decides. Results are kept, and the same command continues. The exit
    code is 0 if NEW is better, 1 if it is not, and 4 if inconclusive.
    """


@click.command(
    "pause",
    cls=Command,
    short_help="Pause a run: bots and clocks stand still.",
    program="pwtourney.cli.pausing:pause",
    optional_output=True,
    examples=("pwtourney pause results/league",),
)
@click.argument("folder", type=ResultsPath())
def pause() -> None:
    """Pause the run that writes to FOLDER, from another terminal.

    Its bots are stopped and all clocks stand still; no game is lost or played again. Go on with
    `pwtourney continue`. In the terminal of the run, Ctrl-Z and `fg` do the same.
    """


@click.command(
    "continue",
    cls=Command,
    short_help="Continue a run that is paused.",
    program="pwtourney.cli.pausing:continue_run",
    optional_output=True,
    examples=("pwtourney continue results/league",),
)
@click.argument("folder", type=ResultsPath())
def continue_run() -> None:
    """Continue the run in FOLDER that `pwtourney pause` has paused."""


@click.command(
    "merge",
    cls=Command,
    short_help="Merge parts of one tournament.",
    program="pwtourney.cli.results:merge",
    optional_output=True,
    examples=("pwtourney merge league-1-of-2 league-2-of-2 --out results/league",),
)
@click.argument("folders", nargs=-1, required=True, type=ResultsPath())
@click.option("--out", required=True, type=FilePath(), help="The new results folder.")
def merge() -> None:
    """Merge the results in FOLDERS, parts of one tournament, into a new folder.

    Prints the standings of the whole. A pair that is in several parts is taken once.
    """


@click.group("config", cls=Group, examples=("pwtourney config validate league.yaml",))
def config() -> None:
    """Check a tournament file, or print its schema."""


@config.command(
    "validate",
    program="pwtourney.cli.setup:validate",
    optional_output=True,
    examples=("pwtourney config validate league.yaml",),
)
@click.argument("file", type=FilePath())
def validate() -> None:
    """Check FILE and find its bots, without building or starting them."""


@config.command(
    "show",
    program="pwtourney.cli.setup:show",
    examples=("pwtourney config show league.yaml --set clock.move=2s",),
)
@click.argument("file", type=FilePath())
@settings_option
def show() -> None:
    """Print all values that apply to FILE, and where each comes from."""


@config.command(
    "schema",
    program="pwtourney.cli.setup:schema",
    examples=("pwtourney config schema",),
)
def schema() -> None:
    """Print the JSON Schema of a tournament file, for your editor."""
