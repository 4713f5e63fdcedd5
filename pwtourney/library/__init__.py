"""Tournaments, games and ratings for programs: the API of ``import pwtourney``.

Everything that starts a bot runs in a process of its own (`pwtourney.library.separate_process`),
because it becomes the parent of every process that bots leave behind and ends them. In the caller's
process those would include the caller's own children.
"""

from contextlib import closing
from typing import get_args

from pwtourney.clock import TimeControl
from pwtourney.config import parse_duration
from pwtourney.constants import SandboxChoice
from pwtourney.errors import UsageError
from pwtourney.library.separate_process import Channel, call_apart
from pwtourney.library.tournaments import (
    Tournament,
    TournamentResult,
    TournamentRun,
    game_statistics,
    play_tournament,
    rate,
    stored_games,
    verify,
)
from pwtourney.match import BotPool
from pwtourney.match import play_game as play_setup
from pwtourney.notation.game import Game
from pwtourney.rules import Edition
from pwtourney.tournament.plan import draw_deal_seed, read_lineup, set_up_game
from pwtourney.tournament.room import BotRoom, seat_bots

__all__ = [
    "Tournament",
    "TournamentResult",
    "TournamentRun",
    "game_statistics",
    "play_game",
    "play_tournament",
    "rate",
    "stored_games",
    "verify",
]


def play_game(
    first: str,
    second: str,
    *,
    edition: str | Edition | None = None,
    deal: int | None = None,
    move: str | None = "10s",
    sandbox: SandboxChoice = "auto",
    trusted: bool = False,
) -> Game:
    """Play one game between two bots, as ``pwtourney play`` does, and return it.

    Args:
        first: The bot in the first seat, which starts: the name of an installed bot, a Python file,
            or a command.
        second: The bot in the second seat, or ``automa:LEVEL`` or ``automa:LEVEL:tactical`` with a
            level from 1 to 5.
        edition: The name of an edition, a ``.toml`` file, or an `Edition`; None for the original,
            or for the anniversary edition against the Automa.
        deal: The seed of the deal, from 0 to 2**64 - 1; None for a random one.
        move: Time for each move, such as ``"500ms"`` or ``"2s"``; None for no limit.
        sandbox: How bots are isolated: ``auto``, ``bwrap``, ``unshare`` or ``none``.
        trusted: Whether the bots may do whatever you may.

    Returns:
        The game, frozen: `winner` is a seat (0 or 1) or None, `scores` and `points` are by seat,
        `plies` hold actions and times in microseconds. A bot that fails loses; then `faults` says
        how, and nothing is raised.

    Raises:
        UsageError: A bot cannot be found, prepared or isolated, or the Automa cannot play this.
        EditionError: There is no such edition, or no such level.
    """
    if deal is not None and not 0 <= deal < 1 << 64:
        raise UsageError(f"deal: {deal} is not from 0 to 2**64 - 1")
    if sandbox not in get_args(SandboxChoice):
        raise UsageError(f"sandbox: {sandbox!r} is none of {', '.join(get_args(SandboxChoice))}")
    control = TimeControl()
    if move is not None:
        try:
            control = TimeControl(move_ms=parse_duration(move))
        except ValueError as error:
            raise UsageError(f"move: {error}") from error
        if not control.move_ms:
            raise UsageError("move: a bot needs at least 1ms")
    return call_apart(_play, (first, second), edition, deal, control, sandbox, trusted)


def _play(
    channel: Channel,
    names: tuple[str, str],
    edition: str | Edition | None,
    seed: int | None,
    control: TimeControl,
    sandbox: SandboxChoice,
    trusted: bool,
) -> Game:
    """Play the game in this process."""
    lineup = read_lineup(*names, edition)
    seed = draw_deal_seed(seed, lineup, channel.warn)
    with BotRoom(tell=channel.tell, warn=channel.warn, groups=False) as room:
        bots = seat_bots(room, lineup.bots, control, sandbox, trusted=trusted)
        with closing(BotPool(room.scratch)) as pool:
            return play_setup(set_up_game(lineup, bots, seed), pool=pool)
