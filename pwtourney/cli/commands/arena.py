"""The options of `arena` and `serve`."""

import click

from pwtourney.cli.command import Command, Program, heading
from pwtourney.cli.options import BotName, EditionName, FilePath, ResultsPath

__all__ = ["arena", "serve"]

_port_option = click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8000,
    show_default=True,
    help="The port; 0 takes any free one.",
)


@click.command(
    "arena",
    cls=Command,
    short_help="Watch, play and analyse games in the browser.",
    optional_output=True,
    examples=(
        "pwtourney arena",
        "pwtourney arena league --bot ./magpie --no-open",
    ),
)
@click.argument("folder", type=ResultsPath(), required=False)
@heading("What can be chosen")
@click.option(
    "--bot",
    "bots",
    type=BotName(),
    multiple=True,
    help="Also offer this bot: a Python file or a command (repeatable).",
)
@click.option(
    "--edition",
    "editions",
    type=EditionName(),
    multiple=True,
    help="Also offer this edition: a .toml file (repeatable).",
)
@click.option(
    "--games",
    type=FilePath(),
    help="Keep the games of people in this folder.  [default: in your data folder]",
)
@heading("The server")
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="The address to listen on; other machines need the token that is printed.",
)
@_port_option
@click.option("--no-open", is_flag=True, help="Do not open the browser.")
def arena() -> Program:
    """Open the arena in the browser, with the tournament in FOLDER, or else with a sample.

    The run in FOLDER may begin later. A folder of several results folders shows all of them.
    Listens on localhost only, unless --host names another address. Needs the extra [web].
    """
    from pwtourney.cli.arena import arena as program

    return program


@click.command(
    "serve",
    cls=Command,
    short_help="Show a tournament in a browser while it runs.",
    optional_output=True,
    examples=("pwtourney serve league --port 8080",),
)
@click.argument("folder", type=ResultsPath())
@_port_option
def serve() -> Program:
    """Serve the page of the results in FOLDER on this machine, as it changes.

    The run may begin later.
    Listens on localhost only; read-only. Needs the extra [web].
    """
    from pwtourney.cli.arena import serve as program

    return program
