"""``pwtourney play``: one game between two bots, or people, or against the Automa."""

import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import click

from pwtourney.cli.common import PipeConsole, read_move_time, sandbox_option, trusted_option, warn
from pwtourney.cli.games import write_game
from pwtourney.cli.playing import diagnose_failure, open_room
from pwtourney.clock import TimeControl
from pwtourney.errors import EXIT_FAILED, EXIT_OK, UsageError
from pwtourney.match import HUMAN, BotPool, BotSpec, GameSetup, play_game, play_loop
from pwtourney.notation import parse_position
from pwtourney.notation.game import Game
from pwtourney.report.narration import make_watcher, print_final, print_result
from pwtourney.rules import Edition, State, deal
from pwtourney.sandbox.isolation import Wanted
from pwtourney.tournament import find_early_fault
from pwtourney.tournament.plan import draw_deal_seed, read_lineup, set_up_game
from pwtourney.tournament.room import BotRoom, seat_bots

__all__ = ["command"]

_PEOPLE = (HUMAN.id, f"{HUMAN.id}-1", f"{HUMAN.id}-2")
"""What people are called: the only one, or the first and the second."""


@click.command("play")
@click.argument("a")
@click.argument("b")
@click.option("--edition", help="A name or a .toml file.  [default: original, or anniversary]")
@click.option("--deal", "seed", type=click.IntRange(0, 2**64 - 1), help="The seed of the deal.")
@click.option("--position", help="Start from this position instead.")
@click.option(
    "--move", default="10s", show_default=True, callback=read_move_time, help="Time for each move."
)
@click.option("--no-timeout", is_flag=True, help="No time limit.")
@click.option("--show", is_flag=True, help="Draw the quilts after each ply.")
@click.option(
    "--log", type=click.Path(path_type=Path), help="Log the traffic of both bots in this folder."
)
@sandbox_option
@trusted_option
@click.option("--save", type=click.Path(path_type=Path), help="Write the game to a file.")
def command(
    a: str,
    b: str,
    edition: str | None,
    seed: int | None,
    position: str | None,
    move: int,
    no_timeout: bool,
    show: bool,
    log: Path | None,
    sandbox: Wanted,
    trusted: bool,
    save: Path | None,
) -> int:
    """Play one game; A has the first seat.

    A and B are each the name of an installed bot, a Python file, a command in quotes, or `human`,
    to play in the terminal. B may be the Automa: automa:LEVEL or automa:LEVEL:tactical, with a
    level from 1 (intern) to 5 (legend). The exit code is 1 if a bot failed.
    """
    lineup = read_lineup(a, b, edition)
    chosen = lineup.edition
    if position is not None and lineup.automa:
        raise UsageError("--position does not go with the Automa; use --deal")
    if position is not None and save is not None:
        raise UsageError("--save does not go with --position: only games from a deal can be saved")
    seed = draw_deal_seed(seed, lineup, warn)
    start = None if position is None else _read_start(position, chosen, seed)
    control = TimeControl() if no_timeout else TimeControl(move_ms=move)
    console = PipeConsole(highlight=False)
    with open_room() as room:
        bots = _seat_players(room, lineup.bots, control, sandbox, trusted=trusted)
        setup = set_up_game(lineup, bots, seed)._replace(start=start)
        # before the game, so that it can be played again however it ends
        click.echo(f"deal {seed}, edition {chosen.name}", err=True)
        if log is not None:
            _make_log_folder(log, bots)
        with closing(BotPool(room.scratch, log)) as pool:
            game = _play(setup, pool, console, show=show)
    print_result(game, console)
    for seat, text in enumerate([a, b]):
        if fault := find_early_fault(game, seat):
            what = diagnose_failure(fault.verdict, text, control)
            click.echo(f"warning: {game.bots[seat]}: {what}", err=True)
    if save:
        write_game(save, game, chosen)
    return EXIT_FAILED if game.faults else EXIT_OK


def _read_start(position: str, edition: Edition, seed: int) -> State:
    """Return the position to start from, with all patches in an order that a game can be played."""
    start = parse_position(position, edition)
    if start.is_over:
        raise UsageError("--position: in this position the game is over")
    if start.is_late_hidden:  # written with a hidden order: that of the deal
        start = start.reveal(deal(edition, seed).late)
    return start


def _play(setup: GameSetup, pool: BotPool, console: PipeConsole, *, show: bool) -> Game:
    """Play the game: told ply by ply, or on the whole screen if a person plays."""
    people = [seat for seat, bot in enumerate(setup.bots) if bot.id in _PEOPLE]
    if not people:
        return play_game(setup, make_watcher(setup, console, show=show), pool=pool)
    # here, because they load prompt_toolkit, which games of bots do without
    from pwtourney.human import HumanGameLoop
    from pwtourney.human.screen import ask_person

    loop = HumanGameLoop(setup, ask_person, people)
    game = play_loop(loop, pool)
    print_final(setup, loop.state, game, console)
    return game


def _seat_players(
    room: BotRoom, texts: Sequence[str], control: TimeControl, sandbox: Wanted, *, trusted: bool
) -> list[BotSpec]:
    """Seat bots and people; a person needs a terminal."""
    people = [text == HUMAN.id for text in texts]
    if any(people) and not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageError("`human` needs an interactive terminal")
    named = [text for text in texts if text != HUMAN.id]
    bots = seat_bots(room, named, control, sandbox, trusted=trusted)
    for bot in bots:
        if bot.id in _PEOPLE:  # people are known by their ids, also in what is saved
            raise UsageError(
                f"{bot.id}: this name is reserved for a person at the terminal; rename the bot"
            )
    seats, names = iter(bots), iter(_PEOPLE[1:] if all(people) and len(people) > 1 else _PEOPLE)
    return [HUMAN._replace(id=next(names)) if person else next(seats) for person in people]


def _make_log_folder(folder: Path, bots: list[BotSpec]) -> None:
    """Make the folder for what is said, and see that its files can be written."""
    names = [bot.id for bot in bots if bot.id not in _PEOPLE]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name in names:
            for kind in ("log", "stderr"):
                # they are appended to: what is there is of another game
                (folder / f"{name}.{kind}").write_text("")
    except OSError as error:
        raise UsageError(f"--log: {error.filename}: {error.strerror}") from error
