"""``pwtourney play``: one game between two bots."""

import secrets
from contextlib import ExitStack
from pathlib import Path

import click

from pwtourney.cli.console import PipeConsole
from pwtourney.cli.game_id import write_game
from pwtourney.cli.seating import milliseconds, sandbox_option, seated, trusted_option
from pwtourney.cli.solo import PREFIX, read_automa, solo_watcher
from pwtourney.cli.stopping import stop_as_by_interrupt
from pwtourney.cli.watching import print_result, watcher
from pwtourney.clock import TimeControl
from pwtourney.errors import EXIT_FAILED, EXIT_OK, UsageError
from pwtourney.match import AUTOMA, BotSpec, GameSetup, play_game
from pwtourney.process import Wanted, become_subreaper, keep_private, make_scratch, remove_scratch
from pwtourney.rules import Edition, deal, find_edition
from pwtourney.rules.automa import Automa
from pwtourney.schedule import derived_seed
from pwtourney.schedule.seeds import BOT_SEED_BITS, GUESSABLE
from pwtourney.store import GameRecord
from pwtourney.tournament import recorded

__all__ = ["command"]


@click.command("play")
@click.argument("a")
@click.argument("b")
@click.option("--edition", help="A name or a .toml file.  [default: original, or anniversary]")
@click.option("--deal", "seed", type=click.IntRange(0, 2**64 - 1), help="The seed of the deal.")
@click.option(
    "--move", default="10s", show_default=True, callback=milliseconds, help="Time for each move."
)
@click.option("--show", is_flag=True, help="Draw the quilts after each ply.")
@sandbox_option
@trusted_option
@click.option("--save", type=click.Path(path_type=Path), help="Write the game to a file.")
def command(
    a: str,
    b: str,
    edition: str | None,
    seed: int | None,
    move: int,
    show: bool,
    sandbox: Wanted,
    trusted: bool,
    save: Path | None,
) -> int:
    """Play one game; A has the first seat.

    A and B are each the name of an installed bot, a Python file, or a command in quotes. B may be
    the Automa: automa:LEVEL or automa:LEVEL:tactical, with a level from 1 (intern) to 5 (legend).
    The exit code is 1 if a bot failed.
    """
    automa = read_automa(b) if b.startswith(PREFIX) else None
    chosen = find_edition(edition or ("anniversary" if automa else "original"))
    if automa and chosen.tile is None:
        raise UsageError(f"the Automa cannot play {chosen.name}: it has no special tile")
    seed = _seed(seed, hidden=automa is not None or chosen.late is not None)
    click.echo(f"deal {seed}, edition {chosen.name}", err=True)
    console = PipeConsole(highlight=False)
    stop_as_by_interrupt()
    become_subreaper()
    keep_private()
    control = TimeControl(move_ms=move)
    bots = seated([a] if automa else [a, b], control, sandbox, trusted=trusted)
    with ExitStack() as last:
        scratch = make_scratch()
        last.callback(remove_scratch, scratch)
        setup = _setup(bots, chosen, seed, automa)
        watch = (solo_watcher if automa else watcher)(setup, console, show=show)
        game = play_game(setup, watch, scratch)
    print_result(game, console)
    if save:
        write_game(save, recorded(GameRecord.of(0, 0, game), chosen))
    return EXIT_FAILED if game.faults else EXIT_OK


def _setup(bots: list[BotSpec], edition: Edition, seed: int, automa: Automa | None) -> GameSetup:
    """Seat the bots, or the bot and the Automa."""
    one, two = (
        derived_seed(seed, "play", 0, bits=BOT_SEED_BITS),
        derived_seed(seed, "automa", bits=BOT_SEED_BITS),
    )
    if automa is None:
        two = derived_seed(seed, "play", 1, bits=BOT_SEED_BITS)
    seated = (bots[0], AUTOMA if automa else bots[1])
    return GameSetup(seated, edition, deal(edition, seed), (one, two), automa)


def _seed(given: int | None, *, hidden: bool) -> int:
    """Return the seed of the deal: so long, if it is drawn, that no bot can try them all."""
    if given is None:
        return secrets.randbits(64)
    if hidden and given < GUESSABLE:
        click.echo("warning: a bot can try out short seeds and learn what is hidden", err=True)
    return given
