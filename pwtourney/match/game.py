"""One game, whoever sits in it."""

from contextlib import ExitStack, closing

from pwtourney.match.bot_pool import BotPool
from pwtourney.match.game_loop import GameLoop, Watcher
from pwtourney.match.job import Game, GameSetup
from pwtourney.match.solo import SoloGameLoop

__all__ = ["play_loop", "play_game"]


def play_game(
    setup: GameSetup,
    watch: Watcher | None = None,
    scratch_root: str | None = None,
    pool: BotPool | None = None,
) -> Game:
    """Play one game.

    The bots are started for it and are gone when it returns, but for those that stay in the
    pool, if one is given. Whatever a bot does ends in a `Game`; only faults of ours raise.
    """
    if pool is None:
        with closing(BotPool(scratch_root)) as only_this_once:
            return play_game(setup, watch, pool=only_this_once)
    return play_loop(
        GameLoop(setup, watch) if setup.automa is None else SoloGameLoop(setup, watch), pool
    )


def play_loop(loop: GameLoop, pool: BotPool) -> Game:
    """Play a game to its end, with bots of the pool."""
    pool.open_game()
    with ExitStack() as last:  # in this order from below, each whatever becomes of the others
        last.callback(loop.leave, pool)
        last.callback(loop.conclude)
        loop.play(pool)
    return loop.game()
