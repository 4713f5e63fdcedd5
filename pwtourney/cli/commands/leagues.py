"""What `comment` takes."""

import re

import click

from pwtourney.cli.command import Command
from pwtourney.cli.options import ResultsPath

__all__ = ["comment"]

_ADDRESS = re.compile(r"https?://[\w.~:/?#@!$&'*+,;=%-]+", re.ASCII)


def _read_address(_: click.Context, __: click.Parameter, value: str) -> str:
    if value and not _ADDRESS.fullmatch(value):
        raise click.BadParameter(f"expected an address such as https://example.org/, not {value!r}")
    return value


@click.command(
    "comment",
    cls=Command,
    program="pwtourney.cli.league:comment",
    examples=(
        "pwtourney comment league",
        "pwtourney comment results/2026 --before results/2025",
    ),
)
@click.argument("results", type=ResultsPath())
@click.option(
    "--before", type=ResultsPath(), help="The results without the pull request, if there are any."
)
@click.option("--page", default="", callback=_read_address, help="Link to this published page.")
@click.option("--run", default="", callback=_read_address, help="Link to this run.")
def comment() -> None:
    """Print a comment for a pull request: how it changes the standings.

    RESULTS and --before are results folders, their standings.json, or .zip files that hold it.
    """
