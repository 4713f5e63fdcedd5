"""A game between two bots, told ply by ply while it is played."""

from collections.abc import Callable

from pwtourney.cli.console import PipeConsole
from pwtourney.match import Game, GameSetup, Ply
from pwtourney.report.boards import Boards
from pwtourney.rules import State
from pwtourney.sanitize import sanitize

__all__ = ["print_final", "print_result", "watcher"]


def watcher(setup: GameSetup, console: PipeConsole, *, show: bool) -> Callable[[State, Ply], None]:
    """Return what prints each ply, and the quilts after it if they are to be shown."""
    boards = Boards(setup.edition)
    names = (setup.bots[0].id, setup.bots[1].id)
    count = 0

    def watch(state: State, ply: Ply) -> None:
        nonlocal count
        count += 1
        console.print(f"{count:>3}. {names[ply.seat]} {ply.action}", markup=False)
        if show:
            boards.put(ply.seat, ply.action)
            console.print(boards.draw(state, names, console.width))

    return watch


def print_final(setup: GameSetup, state: State, game: Game, console: PipeConsole) -> None:
    """Print all plies of a game that was played on the whole screen, and the quilts at its end."""
    boards = Boards(setup.edition)
    for number, ply in enumerate(game.plies, 1):
        boards.put(ply.seat, ply.action)
        console.print(f"{number:>3}. {game.bots[ply.seat]} {ply.action}", markup=False)
    console.print(boards.draw(state, game.bots, console.width))


def print_result(game: Game, console: PipeConsole) -> None:
    """Print faults with the end of standard error, scores, and the winner."""
    for fault in game.faults:
        told = f"{game.bots[fault.seat]}: {fault.verdict}: {sanitize(fault.message)}"
        console.print(told, markup=False, soft_wrap=True)
        for line in fault.stderr.splitlines()[-20:]:
            console.print(f"  | {sanitize(line)}", markup=False, soft_wrap=True)
    scores = f"{game.bots[0]} {game.scores[0]}, {game.bots[1]} {game.scores[1]}"
    winner = "nobody wins" if game.winner is None else f"{game.bots[game.winner]} wins"
    level = f" ({game.automa.level})" if game.automa else ""
    console.print(f"{scores}{level}: {winner}", markup=False, soft_wrap=True)
