"""The options of `play`, `replay`, `rerun` and `analyse`."""

import click

from pwtourney.cli.command import Command, Program, heading
from pwtourney.cli.options import (
    BotName,
    EditionName,
    FilePath,
    GameName,
    SeatName,
    deal_option,
    move_option,
    sandbox_option,
    trusted_option,
)

__all__ = ["analyse", "play", "replay", "rerun"]

_AUTOMA = tuple(f"automa:{level}" for level in range(1, 6))


@click.command(
    "play",
    cls=Command,
    short_help="Play one game between two bots.",
    optional_output=("save", "log"),
    examples=(
        "pwtourney play greedy random --show",
        "pwtourney play human automa:3",
        "pwtourney play ./magpie greedy --deal 7 --log logs",
    ),
)
@click.argument("a", type=BotName("human"))
@click.argument("b", type=BotName("human", *_AUTOMA))
@click.option("--show", is_flag=True, help="Draw the quilts after each ply.")
@click.option("--log", type=FilePath(), help="Log the traffic of both bots in this folder.")
@click.option("--save", type=FilePath(), help="Write the game to a file.")
@heading("The game")
@click.option(
    "--edition",
    type=EditionName(),
    help="A name or a .toml file.  [default: original, or anniversary]",
)
@deal_option
@click.option("--position", help="Start from this position instead.")
@move_option("10s")
@click.option("--no-timeout", is_flag=True, help="No time limit.")
@heading("The bots")
@sandbox_option
@trusted_option
def play() -> Program:
    """Play one game; A has the first seat.

    A and B are each the name of an installed bot, a Python file, a command in quotes, or `human`,
    to play in the terminal. B may be the Automa: automa:LEVEL or automa:LEVEL:tactical, with a
    level from 1 (intern) to 5 (legend). The exit code is 1 if a bot failed.
    """
    from pwtourney.cli.games import play as program

    return program


@click.command(
    "replay",
    cls=Command,
    short_help="Draw a stored game ply by ply.",
    optional_output=("html", "save"),
    examples=(
        "pwtourney replay league:12.0",
        "pwtourney replay league:12.0 --html game.html",
        "pwtourney replay league:12.0 --at 20",
    ),
)
@click.argument("game", type=GameName())
@click.option("--at", type=click.IntRange(min=0), help="Draw only the position after this ply.")
@click.option("--html", type=FilePath(), help="Write a page with the game instead.")
@click.option("--save", type=FilePath(), help="Write the game to a file instead.")
def replay() -> Program:
    """Draw GAME ply by ply: a file, or FOLDER:37 or FOLDER:PAIR.GAME from a results folder.

    Every ply is checked against the rules on the way.
    """
    from pwtourney.cli.games import replay as program

    return program


@click.command(
    "rerun",
    cls=Command,
    short_help="Play a stored game again, or ask one bot about it.",
    optional_output=True,
    examples=(
        "pwtourney rerun league:12.0 --file league.yaml",
        "pwtourney rerun league:12.0 --bot magpie.py --seat first",
    ),
)
@click.argument("game", type=GameName())
@click.option(
    "--file",
    type=FilePath(),
    help="The tournament file, which defines how the bots are started.",
)
@click.option("--show", is_flag=True, help="Draw the quilts after each ply.")
@heading("With --bot")
@click.option("--bot", type=BotName(), help="Ask only this bot and compare its answers.")
@click.option("--seat", type=SeatName(), help="The seat of --bot, if its name is new.")
@move_option("10s", "Time for --bot.")
@sandbox_option
@trusted_option
def rerun() -> Program:
    """Play GAME again, with the same deal and seeds: FOLDER:37 or FOLDER:PAIR.GAME.

    With --bot, only that bot is asked what its seat was asked in the game, which may be a file, and
    its answers are compared with the stored ones. It is a bot of the --file, or any bot that `play`
    accepts. Nothing is stored. The exit code is 1 if a bot failed, and with --bot if an answer
    differs.
    """
    from pwtourney.cli.games import rerun as program

    return program


@click.command(
    "analyse",
    cls=Command,
    short_help="Let a bot evaluate every position of a game.",
    examples=("pwtourney analyse league:12.0 --bot greedy",),
)
@click.argument("game", type=GameName())
@click.option(
    "--bot", type=BotName(), required=True, help="The bot that evaluates, named as for `play`."
)
@move_option("1s", "Time for each position.")
@click.option("--json", "as_json", is_flag=True, help="Print the analysis as JSON.")
@sandbox_option
@trusted_option
def analyse() -> Program:
    """Let a bot evaluate every position of GAME: a file, FOLDER:37 or FOLDER:PAIR.GAME.

    You see the action that the bot prefers and, if it sends `info score N`, the margin that it
    expects. The largest swings are printed at the end. The exit code is 1 if the bot failed.
    """
    from pwtourney.cli.games import analyse as program

    return program
