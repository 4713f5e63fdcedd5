"""The options of `tune` and `sweep`."""

import click

from pwtourney.cli.command import Command, Program, heading
from pwtourney.cli.options import FilePath, playing_options

__all__ = ["sweep", "tune"]


@click.command(
    "tune",
    cls=Command,
    short_help="Find the best values of a bot's options.",
    optional_output=True,
    examples=(
        "pwtourney tune magpie.yaml",
        "pwtourney tune magpie.yaml --set tune.probes=2000",
        "pwtourney tune magpie.yaml --confirm",
    ),
)
@click.argument("file", type=FilePath())
@heading("What is played")
@click.option(
    "--confirm/--no-confirm",
    default=None,
    help="Tune no further, and compare the values so far; or tune only. Without either, compare"
    " at the end.",
)
@playing_options
def tune() -> Program:
    """Tune the options that FILE names, and find out whether the new values are better.

    The bot plays with two sets of values at a time, and the better one shows the way. At the end,
    the tuned values play a duel against those at the start, on deals that were not used before.
    Every pair is stored when it ends, and the same command continues.
    """
    from pwtourney.cli.tune import tune as program

    return program


@click.command(
    "sweep",
    cls=Command,
    short_help="Compare values of one or two options of a bot.",
    optional_output=True,
    examples=(
        "pwtourney sweep magpie.yaml",
        "pwtourney sweep magpie.yaml --set budget=10m",
    ),
)
@click.argument("file", type=FilePath())
@heading("What is played")
@playing_options
def sweep() -> Program:
    """Compare the values that FILE lists, and print them as a table and a heat map.

    Each value plays as a bot of its own; most games go to the values that may still be the best.
    Every pair is stored when it ends, and the same command continues.
    """
    from pwtourney.cli.tune import sweep as program

    return program
