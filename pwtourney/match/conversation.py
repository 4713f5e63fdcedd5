"""One bot in one game: the protocol's state machine joined to the process that it talks to."""

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice

from pwtourney.clock import Clock
from pwtourney.errors import BotFault, IllegalActionError, NotationError
from pwtourney.match.job import BotSpec, Ply
from pwtourney.notation import action_text, position_text, read_action
from pwtourney.process import BotProcess
from pwtourney.protocol import Info, Move, Option, Ready, RunnerSide, decode_line
from pwtourney.rules import Action, Edition, State

__all__ = ["Conversation", "option_problems"]

_NS = 1_000_000
_MAX_INFO = 1000


class Conversation:
    """Starts a bot and asks it things; every method may raise `BotFault`.

    `end` and then `clean_up` must be called in every case.
    """

    def __init__(self, bot: BotSpec, scratch_root: str | None = None) -> None:
        self._bot = bot
        self._side = RunnerSide()
        self._process = BotProcess(bot.launch, bot.limits, scratch_root)
        self._started = time.monotonic_ns()
        self._last_info = ""

    @property
    def stderr(self) -> str:
        """The bot's standard error so far."""
        return self._process.stderr

    @property
    def options(self) -> Mapping[str, Option]:
        """What the bot offered in the handshake, by name."""
        return self._side.options

    def greet(self) -> None:
        """Shake hands and set the options; whatever goes wrong is a failed start."""
        deadline = self._started + self._bot.limits.start_ms * _NS
        try:
            self._process.write(self._side.hello(), deadline)
            self._await(deadline)
            for problem in option_problems(self._bot, self.options):
                raise BotFault("start", problem)
            for name, value in self._bot.options:
                self._process.write(self._side.set_option(name, value), deadline)
        except BotFault as fault:
            raise BotFault("start", str(fault)) from fault

    def new_game(self, edition: Edition, seat: int, seed: int) -> None:
        """Announce a game and wait until the bot is ready for it."""
        self._take_unread()
        self._process.new_game()
        deadline = time.monotonic_ns() + self._bot.limits.start_ms * _NS
        self._process.write(self._side.new_game(edition, seat, seed), deadline)
        self._await(deadline)

    def turn(
        self, state: State, played: Sequence[str], clock: Clock, seat: int
    ) -> tuple[Action, Ply, int]:
        """Ask for an action in a position and judge the answer.

        Returns the action, the ply as it is written down, and the nanoseconds from request to
        answer.
        """
        legal = None
        if self._side.wants_legal:
            legal = [action_text(each, state.edition) for each in state.legal_actions()]
        request = self._side.turn(position_text(state.public()), played, legal, clock.limit(seat))
        text, spent = self._ask(request, clock.budget_ns(seat))
        try:
            action = read_action(text, state)
        except NotationError as error:
            raise BotFault("protocol", str(error)) from error
        except IllegalActionError as error:
            raise BotFault("illegal", str(error)) from error
        canonical = action_text(action, state.edition)
        return action, Ply(seat, canonical, spent // 1000, self._last_info), spent

    def game_over(self, mine: int, theirs: int, result: str) -> None:
        """Tell the bot how the game ended; it owes no answer, and need not be alive."""
        with suppress(BotFault):
            self._process.write(self._side.game_over(mine, theirs, result), time.monotonic_ns())

    def end(self) -> None:
        """Let the bot quit, and see to it that it is gone."""
        self._process.end(self._side.quit())

    def clean_up(self) -> None:
        """Remove what the bot wrote, once nothing of it is running any more."""
        self._process.clean_up()

    def _ask(self, request: str, budget: int | None) -> tuple[str, int]:
        self._take_unread()
        self._last_info = ""
        asked = time.monotonic_ns()
        deadline = None if budget is None else asked + budget
        self._process.write(request, deadline)
        answer, instant = self._await(deadline)
        return answer, instant - asked

    def _await(self, deadline: int | None) -> tuple[str, int]:
        """Read lines until the bot has answered; return the action, empty for ``ready``."""
        while True:
            raw, instant = self._process.read_line(deadline)
            message = self._side.feed(decode_line(raw))
            if isinstance(message, Move):
                return message.action, instant
            if isinstance(message, Ready):
                return "", instant
            if isinstance(message, Info):
                self._last_info = message.text[:_MAX_INFO]

    def _take_unread(self) -> None:
        """Read what came while nothing was asked: chatter is allowed, answers are not."""
        for raw in self._process.unread():
            self._side.feed(decode_line(raw))


def option_problems(bot: BotSpec, offered: Mapping[str, Option]) -> Iterator[str]:
    """Yield what is wrong with the options that the config sets for a bot."""
    for name, value in bot.options:
        option = offered.get(name)
        if option is None:
            known = ", ".join(islice(offered, 20)) or "none"
            yield f"the config sets {name}, but the bot's options are {known}"
        elif problem := option.check(value):
            yield f"the config sets {name} to {value!r}: {problem}"
