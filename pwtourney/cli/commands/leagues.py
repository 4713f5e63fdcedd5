"""The options of `new-league` and `comment`."""

import re

import click

from pwtourney.cli.command import Command, Program
from pwtourney.cli.options import FilePath, ResultsPath, read_with

__all__ = ["comment", "new_league"]

_ADDRESS = re.compile(r"https?://[\w.~:/?#@!$&'*+,;=%-]+", re.ASCII)


def _read_address(text: str) -> str:
    """Return an address, which may be empty; raises ValueError."""
    if text and not _ADDRESS.fullmatch(text):
        raise ValueError(f"expected an address such as https://example.org/, not {text!r}")
    return text


@click.command(
    "new-league",
    cls=Command,
    short_help="Create a repository for a league.",
    optional_output=True,
    examples=("pwtourney new-league birds", "pwtourney new-league birds --repository OWNER/birds"),
)
@click.argument("folder", type=FilePath(), default=".")
@click.option("--repository", metavar="OWNER/NAME", help="Where you will push it on GitHub.")
@click.option("--action", metavar="OWNER/NAME@COMMIT", help="The action that plays the league.")
def new_league() -> Program:
    """Create a repository for a league in FOLDER, by default in the current one.

    It holds the tournament file, a first bot, workflows that check pull requests and play every
    week, and a README with badges. Nothing is overwritten.
    """
    from pwtourney.cli.league import new_league as program

    return program


@click.command(
    "comment",
    cls=Command,
    short_help="Print a comment for a league's pull request.",
    examples=(
        "pwtourney comment league",
        "pwtourney comment results/2026 --before results/2025",
    ),
)
@click.argument("results", type=ResultsPath())
@click.option(
    "--before", type=ResultsPath(), help="The results without the pull request, if there are any."
)
@click.option(
    "--page", default="", callback=read_with(_read_address), help="Link to this published page."
)
@click.option("--run", default="", callback=read_with(_read_address), help="Link to this run.")
def comment() -> Program:
    """Print a comment for a pull request: how it changes the standings.

    RESULTS and --before are results folders, their standings.json, or .zip files that hold it.
    """
    from pwtourney.cli.league import comment as program

    return program
