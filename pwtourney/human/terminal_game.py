"""A game with people at a terminal: the questions to them, and their clocks."""

import time
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from pwtourney.errors import BotFault
from pwtourney.match import BotPool, GameLoop, PlayedGame, play_loop
from pwtourney.match.played_game import describe_lateness
from pwtourney.notation import action_text
from pwtourney.notation.game import Game, Ply, Verdict
from pwtourney.rules import Action, State

__all__ = ["Player", "Question", "play_with_people"]


class Question(NamedTuple):
    """A question to a person: an action in this position.

    `names` are by seat. `plies` are those played so far. `undo_problem` says why nothing can be
    taken back; empty if the last action of a person can.
    """

    state: State
    names: tuple[str, str]
    plies: tuple[Ply, ...]
    undo_problem: str = ""


Player = Callable[[Question], Action | None]
"""Return a legal action, or None to take back the last action of a person.

None is allowed only for questions without an `undo_problem`.
"""


def play_with_people(game: PlayedGame, player: Player, pool: BotPool) -> Game:
    """Play a game to its end: `player` answers for all people, the others are bots of the pool.

    The time control of people is that of the setup, and is enforced as for bots.
    """
    return play_loop(GameLoop(game, person=partial(_ask, player)), pool)


def _ask(player: Player, game: PlayedGame) -> Ply | None:
    """Return the ply of the person to move, or None to take back; see `Person`."""
    seat, setup = game.state.to_move, game.setup
    begun = time.monotonic_ns()
    names = (setup.bots[0].id, setup.bots[1].id)
    action = player(Question(game.state, names, tuple(game.plies), game.undo_problem))
    if action is None:
        return None
    spent, allowed = time.monotonic_ns() - begun, game.clock.allowance(seat).wall_ns
    if allowed is not None and spent > allowed:
        raise BotFault(Verdict.TIMEOUT, describe_lateness(spent, allowed))
    return Ply(seat, action_text(action, setup.edition), spent // 1000)
