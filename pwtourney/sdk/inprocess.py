"""Both ends of a conversation with a Python bot in one process: no pipes, the same text."""

from pwtourney.clock import Limit
from pwtourney.errors import NotationError
from pwtourney.notation import read_action
from pwtourney.protocol import BotSide, Move, RunnerSide
from pwtourney.rules import Action, Edition, State
from pwtourney.sdk.bot import Bot
from pwtourney.sdk.serve import respond

__all__ = ["InProcess"]


class InProcess:
    """A bot in one seat of one game; what one side writes is fed to the other.

    `heard_of` takes what the opponent plays. Every method raises what the bot raises, and
    `NotationError` or `IllegalActionError` when it answers what it may not.
    """

    def __init__(self, bot: Bot, edition: Edition, seat: int, seed: int) -> None:
        self._bot = bot
        self._mine = RunnerSide()
        self._its = BotSide()
        self._seat = seat
        self._unheard: list[str] = []
        self._say(self._mine.hello())
        played = self._mine.editions
        if played and edition.name not in played:
            raise NotationError(f"the bot plays only {', '.join(played)}, not {edition.name}")
        self._say(self._mine.new_game(edition, seat, seed))

    def heard_of(self, action: str) -> None:
        """Note an action of the opponent, in its canonical spelling."""
        self._unheard.append(action)

    def choose(self, state: State, limit: Limit) -> Action:
        """Ask for an action and judge it."""
        request = self._mine.ask(state, self._unheard, limit)
        self._unheard.clear()
        return read_action(self._say(request), state)

    def end(self, state: State) -> None:
        """Tell the result."""
        mine, theirs = state.scores[self._seat], state.scores[1 - self._seat]
        result = "win" if state.winner == self._seat else "loss"
        self._say(self._mine.game_over(mine, theirs, result))

    def _say(self, text: str) -> str:
        """Let the bot hear text; return the action that it answered, if it did."""
        answer = ""
        for line in text.removesuffix("\n").split("\n"):
            message = self._its.feed(line)
            said = None if message is None else respond(self._bot, self._its, message)
            for each in said.removesuffix("\n").split("\n") if said else ():
                heard = self._mine.feed(each)
                answer = heard.action if isinstance(heard, Move) else answer
        return answer
