"""The group of all commands, and how the program ends: exit codes and error messages."""

import os
import sys
from itertools import chain

import click

from pwtourney.cli.command import Group
from pwtourney.cli.commands import arena, bots, games, leagues, results, tournaments, tuning
from pwtourney.errors import EXIT_INTERNAL, EXIT_INTERRUPTED, EXIT_OK, EXIT_STORE, PwtourneyError
from pwtourney.sanitize import sanitize
from pwtourney.signals import end_at_once, take_own
from pwtourney.streams import OutputUnread, set_up
from pwtourney.version import __version__

__all__ = ["SECTIONS", "cli", "main"]

SECTIONS: dict[str, tuple[click.Command, ...]] = {
    "Tournaments": (
        tournaments.run,
        tournaments.duel,
        tuning.tune,
        tuning.sweep,
        tournaments.pause,
        tournaments.continue_run,
        tournaments.merge,
        tournaments.config,
    ),
    "Results": (results.report, results.list_games, results.verify, results.rate),
    "In the browser": (arena.arena, arena.serve),
    "Leagues in repositories": (leagues.new_league, leagues.comment),
    "Games": (games.play, games.replay, games.rerun, games.analyse),
    "Bots and editions": (bots.new_bot, bots.check, bots.bots, bots.editions, bots.perft),
    "This machine": (bots.doctor,),
}
"""The commands by topic, as `--help` lists them."""

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


class _MainGroup(Group):
    """All commands, in sections."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not args and not ctx.resilient_parsing:  # set while a shell completes
            click.echo(_FIRST_SCREEN, nl=False)
            ctx.exit()
        return super().parse_args(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        # equally wide in all sections: each would align its own otherwise
        width = max(map(len, self.commands))
        for head, commands in SECTIONS.items():
            with formatter.section(head):
                formatter.write_dl(
                    [
                        (f"{command.name:<{width}}", command.get_short_help_str())
                        for command in commands
                    ]
                )


@click.group(
    cls=_MainGroup,
    commands=[*chain.from_iterable(SECTIONS.values())],
    examples=_EXAMPLES,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(__version__, prog_name="pwtourney")
@click.option("--debug", is_flag=True, help="Show the traceback of an error.")
def cli(debug: bool) -> None:
    """Fair, fast, trustworthy tournaments between programs that play Patchwork."""


def main() -> None:
    """Run the command line and exit; see ``docs/cli.md`` for the codes."""
    set_up()
    take_own()
    # Before numpy is loaded. Matrices are small here: more threads would mostly spin at full speed
    # on cores that play games. Bots do not inherit it.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    debug = "--debug" in sys.argv[1:]
    arguments = [word for word in sys.argv[1:] if word != "--debug"]  # it may be at any position
    try:
        # in standalone mode click would drop the return value of a command, its exit code
        sys.exit(cli.main(arguments, standalone_mode=False) or 0)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        sys.exit(EXIT_INTERRUPTED)
    except OutputUnread:
        sys.exit(EXIT_OK)
    except PwtourneyError as error:
        if debug:
            raise
        # names and messages may come from a bot or a file, and must not control the terminal
        for number, line in enumerate(str(error).split("\n")):
            click.echo(f"{'error: ' if number == 0 else '  '}{sanitize(line)}", err=True)
        sys.exit(error.exit_code)
    except OSError as error:  # mostly a full disk, or a folder that cannot be written to
        if debug:
            raise
        where = f"{error.filename}: " if error.filename else ""
        what = f"{where}{error.strerror}"
        if isinstance(error, FileNotFoundError) and not where:  # of the current directory
            what = "the current directory does not exist any more; change to another one"
        click.echo(f"error: {sanitize(what)}", err=True)
        sys.exit(EXIT_STORE)
    except Exception as error:
        if debug:
            raise
        if _is_of_interrupt(error):
            sys.exit(EXIT_INTERRUPTED)
        what = sanitize(f"{type(error).__name__}: {error}")
        click.echo(f"internal error: {what}\nRun again with --debug to see where.", err=True)
        sys.exit(EXIT_INTERNAL)
    finally:
        end_at_once()  # nothing is left to clean up


def _is_of_interrupt(error: BaseException | None) -> bool:
    """Return True if an interrupt caused an error: some libraries convert it to another one."""
    while error is not None:
        if isinstance(error, KeyboardInterrupt):
            return True
        error = error.__cause__ or error.__context__
    return False
