"""``pwtourney play``: one game between two bots."""

import secrets
from collections.abc import Callable
from pathlib import Path

import click
from rich.console import Console

from pwtourney.clock import TimeControl
from pwtourney.config import bot_entry
from pwtourney.config.duration import parse_duration
from pwtourney.errors import EXIT_FAILED, EXIT_OK
from pwtourney.match import BotSpec, Game, GameSetup, Ply, play_game
from pwtourney.notation import parse_action
from pwtourney.process import become_subreaper
from pwtourney.report.boards import Boards
from pwtourney.rules import Edition, State, deal, find_edition
from pwtourney.schedule import derived_seed
from pwtourney.schedule.seeds import BOT_SEED_BITS
from pwtourney.tournament import find_bot

__all__ = ["command"]


def _milliseconds(_: click.Context, __: click.Parameter, value: str) -> int:
    try:
        return parse_duration(value)
    except ValueError as error:
        raise click.BadParameter(str(error)) from error


@click.command("play")
@click.argument("a")
@click.argument("b")
@click.option("--edition", default="original", show_default=True, help="A name or a .toml file.")
@click.option("--deal", "seed", type=click.IntRange(0, 2**64 - 1), help="The seed of the deal.")
@click.option(
    "--move", default="10s", show_default=True, callback=_milliseconds, help="Time for each move."
)
@click.option("--show", is_flag=True, help="Draw both quilts after each ply.")
def command(a: str, b: str, edition: str, seed: int | None, move: int, show: bool) -> int:
    """Play one game; A has the first seat.

    A and B are each the name of an installed bot, a Python file, or a command in quotes. The exit
    code is 1 if a bot failed.
    """
    become_subreaper()
    setup = _setup(
        (a, b), find_edition(edition), secrets.randbits(32) if seed is None else seed, move
    )
    console = Console(highlight=False)
    game = play_game(setup, _watcher(setup, console, show))
    _print_result(game, console)
    return EXIT_FAILED if game.faults else EXIT_OK


def _setup(bots: tuple[str, str], edition: Edition, seed: int, move: int) -> GameSetup:
    click.echo(f"deal {seed}, edition {edition.name}", err=True)
    entries = [bot_entry(text) for text in bots]
    names = [entry.name for entry in entries]
    if names[0] == names[1]:
        names = [f"{names[0]}-1", f"{names[1]}-2"]
    control = TimeControl(move_ms=move)
    one, two = (
        BotSpec(name, find_bot(entry, Path.cwd()).launch, (), control)
        for name, entry in zip(names, entries, strict=True)
    )
    seeds = [derived_seed(seed, "play", seat, bits=BOT_SEED_BITS) for seat in (0, 1)]
    return GameSetup((one, two), edition, deal(edition, seed), (seeds[0], seeds[1]))


def _watcher(setup: GameSetup, console: Console, show: bool) -> Callable[[State, Ply], None]:
    boards = Boards(setup.edition)
    names = (setup.bots[0].id, setup.bots[1].id)
    count = 0

    def watch(state: State, ply: Ply) -> None:
        nonlocal count
        count += 1
        console.print(f"{count:>3}. {names[ply.seat]} {ply.action}", markup=False)
        if show:
            boards.put(ply.seat, parse_action(ply.action, setup.edition))
            console.print(boards.draw(state, names))

    return watch


def _print_result(game: Game, console: Console) -> None:
    for fault in game.faults:
        console.print(f"{game.bots[fault.seat]}: {fault.verdict}: {fault.message}", markup=False)
        for line in fault.stderr.splitlines()[-20:]:
            inert = "".join(each if each.isprintable() else "?" for each in line)
            console.print(f"  | {inert}", markup=False)
    scores = f"{game.bots[0]} {game.scores[0]}, {game.bots[1]} {game.scores[1]}"
    winner = "nobody wins" if game.winner is None else f"{game.bots[game.winner]} wins"
    console.print(f"{scores}: {winner}", markup=False)
