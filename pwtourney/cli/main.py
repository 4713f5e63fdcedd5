"""The command group. A command's module is imported when the command is called, not before."""

import os
import sys
from importlib import import_module
from io import TextIOWrapper

import click

from pwtourney.errors import EXIT_INTERNAL, EXIT_INTERRUPTED, EXIT_STORE, PwtourneyError
from pwtourney.sanitize import sanitize
from pwtourney.version import __version__

__all__ = ["COMMANDS", "cli", "main"]

COMMANDS = {
    "run": ("pwtourney.cli.run", "Play a tournament, or continue it, and rate the bots."),
    "duel": ("pwtourney.cli.duel", "Find out whether a new version of a bot is better."),
    "report": ("pwtourney.cli.report", "Print the standings of a results folder again."),
    "serve": ("pwtourney.cli.serve", "Show a tournament in a browser while it runs."),
    "merge": ("pwtourney.cli.merge", "Merge parts of one tournament."),
    "rate": ("pwtourney.cli.rate", "Rate the bots of any table of games."),
    "new-bot": ("pwtourney.cli.new_bot", "Create a bot that plays at once."),
    "check": ("pwtourney.cli.check", "Check a bot against the protocol."),
    "play": ("pwtourney.cli.play", "Play one game between two bots."),
    "replay": ("pwtourney.cli.replay", "Draw a stored game ply by ply."),
    "rerun": ("pwtourney.cli.rerun", "Play a stored game again, or ask one bot about it."),
    "analyse": ("pwtourney.cli.analyse", "Let a bot evaluate every position of a game."),
    "verify": ("pwtourney.cli.verify", "Verify that results are what was played."),
    "perft": ("pwtourney.cli.perft", "Count sequences of actions, to compare engines."),
    "editions": ("pwtourney.cli.editions", "List the editions, or show one."),
    "bots": ("pwtourney.cli.bots", "List the installed bots."),
    "doctor": ("pwtourney.cli.doctor", "Show what this machine offers and lacks."),
    "config": ("pwtourney.cli.config", "Check a tournament file, or print its schema."),
}
"""Each command's module and the line that `--help` shows for it."""

_FIRST_SCREEN = """\
pwtourney plays tournaments between bots for the game Patchwork, and rates them.

Start with one of these:

  pwtourney play greedy random --show   Watch a game between two bundled bots.
  pwtourney run league.yaml             Play a tournament and print its standings.
                                        The file needs only one line:
                                        bots: [random, greedy, frugal]
  pwtourney new-bot magpie              Create your own bot, which plays at once.

All commands: pwtourney --help
"""


class _NobodyReads(Exception):
    """Whoever read our output has gone away."""


class _LazyGroup(click.Group):
    """A group that knows its commands by name and loads each from its module when asked."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(COMMANDS[cmd_name][0]).command
        return command

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not args:
            click.echo(_FIRST_SCREEN, nl=False)
            ctx.exit()
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            raise _NobodyReads from None  # before click makes it an exit code of its own

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items()])


@click.group(cls=_LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="pwtourney")
@click.option("--debug", is_flag=True, help="Show the traceback of an error.")
def cli(debug: bool) -> None:
    """Fair, fast, trustworthy tournaments between programs that play Patchwork."""


def main() -> None:
    """Run the command line and exit; see ``docs/cli.md`` for the codes."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")  # a table beats an error about its dashes
    debug = "--debug" in sys.argv[1:]
    arguments = [each for each in sys.argv[1:] if each != "--debug"]  # it may stand anywhere
    try:
        sys.exit(cli.main(arguments, standalone_mode=False) or 0)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except click.Abort:
        sys.exit(EXIT_INTERRUPTED)
    except KeyboardInterrupt:
        sys.exit(EXIT_INTERRUPTED)
    except _NobodyReads:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # nobody reads any more: end in silence
        sys.exit(0)
    except PwtourneyError as error:
        if debug:
            raise
        for number, line in enumerate(str(error).split("\n")):
            click.echo(f"{'error: ' if number == 0 else '  '}{sanitize(line)}", err=True)
        sys.exit(error.exit_code)
    except OSError as error:
        if debug:
            raise
        where = f"{error.filename}: " if error.filename else ""
        click.echo(f"error: {sanitize(f'{where}{error.strerror}')}", err=True)
        sys.exit(EXIT_STORE)
    except Exception as error:
        if debug:
            raise
        what = sanitize(f"{type(error).__name__}: {error}")
        click.echo(f"internal error: {what}\nRun again with --debug to see where.", err=True)
        sys.exit(EXIT_INTERNAL)
