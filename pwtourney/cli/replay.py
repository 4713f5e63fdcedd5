"""``pwtourney replay``: a stored game, drawn ply by ply."""

from contextlib import closing
from pathlib import Path

import click

from pwtourney.cli.console import PipeConsole
from pwtourney.cli.game_id import find_game, game_place, write_game
from pwtourney.errors import UsageError
from pwtourney.notation.record import RecordedGame, replay
from pwtourney.report.boards import Boards
from pwtourney.report.files import write_whole
from pwtourney.report.page import game_page
from pwtourney.sanitize import sanitize
from pwtourney.store import ResultsFolder, Store

__all__ = ["command"]


@click.command("replay")
@click.argument("game")
@click.option("--at", type=click.IntRange(min=0), help="Draw only the position after this ply.")
@click.option("--html", type=click.Path(path_type=Path), help="Write a page with the game instead.")
@click.option("--save", type=click.Path(path_type=Path), help="Write the game to a file instead.")
def command(game: str, at: int | None, save: Path | None, html: Path | None) -> int:
    """Draw GAME ply by ply: a file, or FOLDER:PAIR.GAME from a results folder.

    Every ply is checked against the rules on the way.
    """
    if html is not None:
        _write_page(game, html)
        return 0
    found = find_game(game)
    if save is not None:
        write_game(save, found)
        return 0
    if at is not None and at > len(found.plies):
        raise UsageError(f"--at {at}: the game has {len(found.plies)} plies")
    _draw(found, at, PipeConsole(highlight=False))
    return 0


def _write_page(game: str, path: Path) -> None:
    """Write the page of a stored game."""
    folder, pair, number = game_place(game)
    with closing(Store.open(ResultsFolder(folder).database)) as store:
        text = game_page(store.game(pair, number), store.edition(), store.meta().name)
    write_whole(path, text)


def _draw(game: RecordedGame, at: int | None, console: PipeConsole) -> None:
    boards = Boards(game.edition)
    names = (sanitize(game.bots[0]), sanitize(game.bots[1]))
    for number, state in enumerate(replay(game)):
        if number:
            ply = game.plies[number - 1]
            boards.put(ply.seat, ply.action)
            if at in (None, number):
                console.print(f"{number:>3}. {names[ply.seat]} {ply.action}", markup=False)
        if at in (None, number):
            console.print(boards.draw(state, names, console.width))
    if at is None:
        winner = "nobody wins" if game.winner is None else f"{names[game.winner]} wins"
        scores = f"{names[0]} {game.scores[0]}, {names[1]} {game.scores[1]}"
        console.print(f"{scores}: {winner} ({sanitize(game.verdict)})", markup=False)
