"""The command group. A command's module is imported when the command is called, not before."""

import os
import sys
from importlib import import_module
from io import TextIOWrapper

import click
from click.exceptions import NoSuchCommand
from click.shell_completion import CompletionItem

from pwtourney.cli.command import Group
from pwtourney.errors import EXIT_INTERNAL, EXIT_INTERRUPTED, EXIT_STORE, PwtourneyError
from pwtourney.sanitize import sanitize
from pwtourney.version import __version__

__all__ = ["COMMANDS", "SECTIONS", "cli", "main"]

COMMANDS = {
    "run": (
        "pwtourney.cli.commands.tournaments:run",
        "Play a tournament, or continue it, and rate the bots.",
    ),
    "duel": (
        "pwtourney.cli.commands.tournaments:duel",
        "Find out whether a new version of a bot is better.",
    ),
    "report": (
        "pwtourney.cli.commands.results:report",
        "Print the standings of a results folder again.",
    ),
    "serve": (
        "pwtourney.cli.commands.results:serve",
        "Show a tournament in a browser while it runs.",
    ),
    "merge": ("pwtourney.cli.commands.tournaments:merge", "Merge parts of one tournament."),
    "rate": ("pwtourney.cli.commands.results:rate", "Rate the bots of any table of games."),
    "new-bot": ("pwtourney.cli.commands.bots:new_bot", "Create a bot that plays at once."),
    "new-league": (
        "pwtourney.cli.commands.leagues:new_league",
        "Create a repository for a league.",
    ),
    "check": ("pwtourney.cli.commands.bots:check", "Check a bot against the protocol."),
    "play": ("pwtourney.cli.commands.games:play", "Play one game between two bots."),
    "replay": ("pwtourney.cli.commands.games:replay", "Draw a stored game ply by ply."),
    "rerun": (
        "pwtourney.cli.commands.games:rerun",
        "Play a stored game again, or ask one bot about it.",
    ),
    "analyse": (
        "pwtourney.cli.commands.games:analyse",
        "Let a bot evaluate every position of a game.",
    ),
    "verify": ("pwtourney.cli.commands.results:verify", "Verify that results are what was played."),
    "comment": (
        "pwtourney.cli.commands.leagues:comment",
        "Print a comment for a league's pull request.",
    ),
    "perft": (
        "pwtourney.cli.commands.bots:perft",
        "Count sequences of actions, to compare engines.",
    ),
    "editions": ("pwtourney.cli.commands.bots:editions", "List the editions, or show one."),
    "bots": ("pwtourney.cli.commands.bots:bots", "List the installed bots."),
    "doctor": ("pwtourney.cli.commands.bots:doctor", "Show what this machine offers and lacks."),
    "config": (
        "pwtourney.cli.commands.tournaments:config",
        "Check a tournament file, or print its schema.",
    ),
}
"""Where each command is, as an entry point, and the line that `--help` shows for it."""

SECTIONS = {
    "Tournaments": ("run", "duel", "merge", "config"),
    "Results": ("report", "serve", "verify", "rate"),
    "Leagues in repositories": ("new-league", "comment"),
    "Games": ("play", "replay", "rerun", "analyse"),
    "Bots and editions": ("new-bot", "check", "bots", "editions", "perft"),
    "This machine": ("doctor",),
}
"""The commands by what they are about, as `--help` lists them."""

_EXAMPLES = (
    "pwtourney play greedy random --show",
    "pwtourney run league.yaml",
    "pwtourney run --help",
)

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


class _LazyGroup(Group):
    """A group that knows its commands by name and loads each from its module when asked."""

    # so `pwtourney --help` needs a tenth of the time that loading all commands would take

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module, _, name = COMMANDS[cmd_name][0].partition(":")
        command: click.Command = getattr(import_module(module), name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except NoSuchCommand as error:  # it would propose only commands that are loaded
            raise NoSuchCommand(error.command_name, possibilities=COMMANDS, ctx=ctx) from None

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not args and not ctx.resilient_parsing:  # which is how a shell completes
            click.echo(_FIRST_SCREEN, nl=False)
            ctx.exit()
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            raise _NobodyReads from None  # before click makes it exit code 1

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        # as wide in all sections: each would align its own otherwise
        width = max(map(len, COMMANDS))
        for head, names in SECTIONS.items():
            with formatter.section(head):
                formatter.write_dl([(f"{name:<{width}}", COMMANDS[name][1]) for name in names])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Offer the commands by their names: click would load every one of them."""
        names = (name for name in COMMANDS if name.startswith(incomplete))
        items = [CompletionItem(name, help=COMMANDS[name][1]) for name in names]
        return items + click.Command.shell_complete(self, ctx, incomplete)


@click.group(
    cls=_LazyGroup,
    examples=_EXAMPLES,
    context_settings={"help_option_names": ["-h", "--help"]},
)
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
    arguments = [word for word in sys.argv[1:] if word != "--debug"]  # it may stand anywhere
    try:
        # alone, click would not hand on what a command returns, which is its exit code
        sys.exit(cli.main(arguments, standalone_mode=False) or 0)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        sys.exit(EXIT_INTERRUPTED)
    except _NobodyReads:
        # Python writes out what is left when it ends, and would complain that it cannot
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        sys.exit(0)
    except PwtourneyError as error:
        if debug:
            raise
        # names and messages may come from a bot or a file, and must not speak to the terminal
        for number, line in enumerate(str(error).split("\n")):
            click.echo(f"{'error: ' if number == 0 else '  '}{sanitize(line)}", err=True)
        sys.exit(error.exit_code)
    except OSError as error:  # mostly a full disk, or a folder that cannot be written to
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
