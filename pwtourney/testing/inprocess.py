"""Python bots asked and played in the process of a test, over the text of the protocol."""

from typing import NamedTuple

from pwtourney.clock import Limit
from pwtourney.notation import action_text, read_action
from pwtourney.rules import Action, Edition, State, find_edition
from pwtourney.sdk import Bot, Turn
from pwtourney.sdk.bot import InProcess

__all__ = ["PlayedOut", "PlayedPly", "Scripted", "ask", "play_out"]


class PlayedPly(NamedTuple):
    """One ply: the seat, and the action in its canonical spelling."""

    seat: int
    action: str


class PlayedOut(NamedTuple):
    """A game that has been played: its last position, and all its plies."""

    state: State
    plies: tuple[PlayedPly, ...]


class Scripted(Bot):
    """Plays the actions that it is given, in turn, and then the first that is legal.

    An action of the script that is not legal when its turn comes raises `IllegalActionError`.
    """

    name = "scripted"

    def __init__(self, *script: str) -> None:
        super().__init__()
        self._script = list(script)

    def choose(self, turn: Turn) -> Action:
        """Take the next word of the script."""
        if self._script:
            return read_action(self._script.pop(0), turn.state)
        return turn.state.legal_actions()[0]


def play_out(
    bot: Bot,
    opponent: Bot | None = None,
    *,
    edition: Edition | str = "original",
    seat: int = 0,
    seed: int = 1,
    move_ms: int = 1000,
) -> PlayedOut:
    """Play a whole game; the opponent is `Scripted` without a script if none is given.

    `seat` is the bot's, `seed` determines the deal, and `move_ms` is what each is told it may
    take; nobody is stopped for taking longer. Raises `NotationError` or `IllegalActionError` when
    a bot answers what it may not, and whatever a bot itself raises.
    """
    played = find_edition(edition) if isinstance(edition, str) else edition
    seated = [bot, opponent or Scripted()]
    if seat:
        seated.reverse()
    lines = [InProcess(each, played, number, seed + number) for number, each in enumerate(seated)]
    state = State.start(played, seed)
    plies: list[PlayedPly] = []
    while not state.is_over:
        mover = state.to_move
        action = lines[mover].choose(state, Limit(move_ms=move_ms))
        ply = PlayedPly(mover, action_text(action, played))
        lines[1 - mover].heard_of(ply.action)
        plies.append(ply)
        state = state.apply(action)
    for line in lines:
        line.end(state)
    return PlayedOut(state, tuple(plies))


def ask(bot: Bot, state: State, *, move_ms: int = 1000) -> Action:
    """Ask a bot about one position, in a game of its own, and return its answer, judged.

    Raises `NotationError` or `IllegalActionError` when it answers what it may not.
    """
    line = InProcess(bot, state.edition, state.to_move, 1)
    return line.choose(state, Limit(move_ms=move_ms))
