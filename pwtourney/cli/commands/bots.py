"""The options of `new-bot`, `check`, `bots`, `editions`, `perft` and `doctor`.

Their programs are in ``cli/authors.py`` and ``cli/setup.py``.
"""

import click

from pwtourney.cli.command import Command, Program, heading
from pwtourney.cli.options import (
    BotName,
    EditionName,
    FilePath,
    deal_option,
    edition_option,
    move_option,
    sandbox_option,
    trusted_option,
)
from pwtourney.scaffold.languages import LANGUAGES

__all__ = ["bots", "check", "doctor", "editions", "new_bot", "perft"]


@click.command(
    "new-bot",
    cls=Command,
    short_help="Create a bot that plays at once.",
    optional_output=True,
    examples=(
        "pwtourney new-bot magpie",
        "pwtourney new-bot magpie --lang rust",
    ),
)
@click.argument("name")
@click.option(
    "--lang",
    type=click.Choice(list(LANGUAGES)),
    default="python",
    show_default=True,
    help="The language to write it in.",
)
@click.option("--single-file", is_flag=True, help="One file instead of a folder.")
@click.option("--source", help="What CI installs pwtourney from; see `pip install`.")
def new_bot() -> Program:
    """Create a bot called NAME that plays at once.

    It is a folder with the bot, its test, a README, and a workflow for CI.
    """
    from pwtourney.cli.authors import new_bot as program

    return program


@click.command(
    "check",
    cls=Command,
    short_help="Check a bot against the protocol.",
    optional_output=True,
    examples=(
        "pwtourney check magpie.py",
        "pwtourney check 'node bird.js' --edition original --keep-going",
    ),
)
@click.argument("bot", type=BotName())
@click.option("--keep-going", is_flag=True, help="Continue with the other steps after a failure.")
@click.option("--json", "as_json", is_flag=True, help="Print all findings as JSON.")
@click.option("--junit", type=FilePath(), help="Also write a JUnit report.")
@heading("What is checked")
@click.option(
    "--edition",
    "editions",
    type=EditionName(),
    multiple=True,
    help="Check this edition (repeatable).",
)
@move_option("1s")
@click.option(
    "--games", type=click.IntRange(0, 10_000), default=50, show_default=True, help="Whole games."
)
@click.option(
    "--dialogues",
    type=click.IntRange(0, 10_000),
    default=20,
    show_default=True,
    help="Random dialogues within the rules.",
)
@click.option(
    "--seed",
    type=click.IntRange(0, 2**53 - 1),  # the largest integer that JavaScript represents exactly
    default=1,
    show_default=True,
    help="Determines games and dialogues.",
)
@heading("The bot")
@sandbox_option
@trusted_option
def check() -> Program:
    """Check BOT against the protocol, step by step.

    BOT is the name of an installed bot, a Python file, or a command in quotes. For a
    failed step you see what was sent, what came back, and what the protocol says; the exit code
    is then 1.
    """
    from pwtourney.cli.setup import check as program

    return program


@click.command(
    "bots",
    cls=Command,
    short_help="List the installed bots.",
    examples=("pwtourney bots",),
)
def bots() -> Program:
    """List the installed bots, whose names you can use in tournament files."""
    from pwtourney.cli.authors import bots as program

    return program


@click.command(
    "editions",
    cls=Command,
    short_help="List the editions, or show one.",
    examples=(
        "pwtourney editions",
        "pwtourney editions express",
    ),
)
@click.argument("name", required=False, type=EditionName())
def editions() -> Program:
    """List the editions, or show one with its board, track, patches and sources.

    NAME is an edition's name or a .toml file of your own.
    """
    from pwtourney.cli.authors import editions as program

    return program


@click.command(
    "perft",
    cls=Command,
    short_help="Count sequences of actions, to compare engines.",
    examples=("pwtourney perft --deal 7 --depth 3",),
)
@edition_option
@deal_option
@click.option("--position", "text", help="A position in notation, instead of a deal.")
@click.option(
    "--depth", type=click.IntRange(0, 20), required=True, help="Length of the sequences in actions."
)
@click.option("--divide", "divided", is_flag=True, help="Show the count for each first action.")
def perft() -> Program:
    """Count the sequences of legal actions from a position.

    Placing a special patch is an action of its own, and placements that cover the same squares are
    one action.
    """
    from pwtourney.cli.authors import perft as program

    return program


@click.command(
    "doctor",
    cls=Command,
    short_help="Show what this machine offers and lacks.",
    optional_output=("bot", "results"),
    examples=(
        "pwtourney doctor",
        "pwtourney doctor --results results/league",
        "pwtourney doctor --self-play greedy --pairs 50",
    ),
)
@click.option(
    "--self-play",
    "bot",
    type=BotName(),
    help="Play this bot against itself and compare the two copies.",
)
@click.option("--file", type=FilePath(), help="The tournament file that contains BOT.")
@click.option(
    "--pairs", type=click.IntRange(2, 10_000), default=20, show_default=True, help="Pairs to play."
)
@click.option(
    "--workers", type=click.IntRange(1, 1024), default=1, show_default=True, help="Games at a time."
)
@click.option("--results", type=FilePath(), help="Check whether this folder can keep results.")
def doctor() -> Program:
    """Show what this machine offers for tournaments, and how to install what is missing.

    With --results, it checks instead whether a folder can keep results: locks, disk space, network
    file systems. With --self-play, a bot plays against a copy of itself. This shows whether the
    machine treats both alike in score, time and processor time. In both cases the exit code is 1
    if something is wrong.
    """
    from pwtourney.cli.setup import doctor as program

    return program
