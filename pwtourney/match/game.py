"""One game, whoever sits in it."""

from contextlib import ExitStack, closing

from pwtourney.match.company import Company
from pwtourney.match.job import Game, GameSetup
from pwtourney.match.solo import SoloTable
from pwtourney.match.table import Table, Watcher

__all__ = ["play_at", "play_game"]


def play_game(
    setup: GameSetup,
    watch: Watcher | None = None,
    scratch_root: str | None = None,
    company: Company | None = None,
) -> Game:
    """Play one game.

    The bots are started for it and are gone when it returns, but for those that stay in the
    company, if one is given. Whatever a bot does ends in a `Game`; only faults of ours raise.
    """
    if company is None:
        with closing(Company(scratch_root)) as only_this_once:
            return play_game(setup, watch, company=only_this_once)
    return play_at(
        Table(setup, watch) if setup.automa is None else SoloTable(setup, watch), company
    )


def play_at(table: Table, company: Company) -> Game:
    """Play the game of a table, with bots of a company."""
    company.open_game()
    with ExitStack() as last:  # in this order from below, each whatever becomes of the others
        last.callback(table.leave, company)
        last.callback(table.conclude)
        table.play(company)
    return table.game()
