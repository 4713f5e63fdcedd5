"""The base class of Python bots, and the conversation between a bot and the runner."""

import os
import sys
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, ClassVar

from pwtourney.clock import Limit
from pwtourney.errors import NotationError
from pwtourney.notation import read_action
from pwtourney.protocol import (
    BotSide,
    GameOver,
    GameStart,
    Hello,
    Move,
    Option,
    Quit,
    RunnerMessage,
    RunnerSide,
    SetOption,
    Turn,
)
from pwtourney.rules import Action, Edition, State
from pwtourney.sdk.listening import RunnerLines

if TYPE_CHECKING:
    from pathlib import Path  # most bots do not need it, and start faster without

__all__ = [
    "CACHE_VARIABLE",
    "Bot",
    "InProcess",
    "RequirementMissing",
    "Writer",
    "converse",
    "make_writer",
    "serve",
    "take_over_stdout",
]

CACHE_VARIABLE = "PWTOURNEY_CACHE"
"""The environment variable with the folder of the bot's prepared files."""

Writer = Callable[[str], None]
"""A function that sends text to the runner."""


def _find_cache() -> "Path | None":
    folder = os.environ.get(CACHE_VARIABLE)
    if not folder:
        return None
    from pathlib import Path

    return Path(folder)


class Bot:
    """A player. Override `choose`; the other methods are optional.

    `options` lists what an organiser may set. The values, including defaults, arrive in `settings`
    as text before the first game. `wants_legal` asks the runner to send all legal actions as words
    with each turn. `editions` names the editions that the bot plays; empty for all. `features` says
    what else the bot can do in an analysis: ``multipv``, ``searchmoves`` and ``stop``.

    A bot that has to compile, unpack or compute something before it can play defines `prepare`, and
    says in `preparing` what that is and how long it takes. What it stored is in the folder `cache`,
    which is None if the bot was not prepared, as in your own tests.
    """

    name: ClassVar[str] = "unnamed"
    author: ClassVar[str] = ""
    options: ClassVar[tuple[Option, ...]] = ()
    wants_legal: ClassVar[bool] = False
    editions: ClassVar[tuple[str, ...]] = ()
    features: ClassVar[tuple[str, ...]] = ()
    preparing: ClassVar[str] = "once, may take a minute"
    cache: "ClassVar[Path | None]" = _find_cache()

    @classmethod
    def prepare(cls, cache: "Path") -> None:
        """Do slow work once, and store the results in the folder `cache`.

        The runner calls this before the first game, without a clock, once for each version of the
        bot's files and of what is installed. In games the same folder is read-only. The folder may
        already contain what another bot of the same package has stored.
        """

    @classmethod
    def warm_up(cls, edition: Edition) -> None:
        """Load what every game of an edition needs, such as compiled functions and tables.

        If the runner forks a copy of one process for each game, it calls this in that process once,
        before the first fork. The bot must also play without it, because it is not called where
        each game gets a process of its own. It must not leave a thread running or draw random
        numbers.
        """

    def __init__(self) -> None:
        self.settings: dict[str, str] = {option.name: option.default for option in self.options}
        self.say: Writer = lambda _: None  # until there is a runner that listens
        """Send one line of free text about the current thinking (``info``)."""
        self.must_stop: Callable[[], bool] = lambda: False
        """Return True once the answer is wanted now; cheap enough to be asked at every node."""

    def new_game(self, game: GameStart) -> None:
        """Prepare for a game; seed your random numbers with the seed in `game`."""

    def choose(self, turn: Turn) -> Action:
        """Return the action to play, one of `turn.allowed`."""
        raise NotImplementedError(f"{type(self).__name__} must define choose(turn)")

    def game_over(self, result: GameOver) -> None:
        """Learn from the result, if you like."""


class RequirementMissing(ImportError):
    """Something that a bot needs is not installed; `install` is the command that installs it.

    Raise it while the bot is imported, or in `Bot.prepare`: the runner then starts nothing and
    reports both in one line, instead of letting the bot lose all its games.
    """

    def __init__(self, message: str, *, install: str = "") -> None:
        super().__init__(f"{message}; to install it: {install}" if install else message)
        self.install = install


def serve(bot: Bot, write: Writer | None = None) -> None:
    """Talk to the runner until it says ``quit`` or closes the pipe.

    `write` is the result of `take_over_stdout`; if it is missing, this calls it.
    """
    lines = RunnerLines(sys.stdin.fileno())
    bot.must_stop = lines.must_stop
    converse(bot, lines, write or take_over_stdout())


def converse(bot: Bot, lines: Iterable[str], write: Writer) -> None:
    """Answer lines of the runner until they end, or until one says ``quit``."""
    side = BotSide()
    bot.say = lambda text: write(side.info(text))
    for line in lines:
        message = side.feed(line)
        if isinstance(message, Quit):
            return
        if message is not None and (answer := _respond(bot, side, message)):
            write(answer)


def take_over_stdout() -> Writer:
    """Reserve standard output for the protocol, and redirect all other output to standard error.

    Nothing that is printed afterwards, in Python or in a library below it, can break the
    conversation.
    """
    sys.stdout.flush()
    # By descriptor and not only by `sys.stdout`: C code and child processes write to number 1.
    channel = os.dup(1)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return make_writer(channel)


def make_writer(channel: int) -> Writer:
    """Return a function that writes text to a descriptor."""

    def write(text: str) -> None:
        data = text.encode()
        while data:  # a pipe may take only a part
            data = data[os.write(channel, data) :]

    return write


class InProcess:
    """A bot in one seat of one game; what one side writes is fed to the other.

    `hear` takes the opponent's actions. Every method raises what the bot raises, and
    `NotationError` or `IllegalActionError` if its answer is not allowed.
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

    def hear(self, action: str) -> None:
        """Add an action of the opponent, in its canonical spelling, for the next request."""
        self._unheard.append(action)

    def choose(self, state: State, limit: Limit) -> Action:
        """Ask for an action, and check the answer."""
        request = self._mine.ask(state, self._unheard, limit)
        self._unheard.clear()
        return read_action(self._say(request), state)

    def end(self, state: State) -> None:
        """Tell the bot the result."""
        mine, theirs = state.scores[self._seat], state.scores[1 - self._seat]
        result = "win" if state.winner == self._seat else "loss"
        self._say(self._mine.game_over(mine, theirs, result))

    def _say(self, text: str) -> str:
        """Send text to the bot; return the action that it answered, or an empty text."""
        answer = ""
        for line in text.removesuffix("\n").split("\n"):
            message = self._its.feed(line)
            said = None if message is None else _respond(self._bot, self._its, message)
            for reply in said.removesuffix("\n").split("\n") if said else ():
                heard = self._mine.feed(reply)
                answer = heard.action if isinstance(heard, Move) else answer
        return answer


def _respond(bot: Bot, side: BotSide, message: RunnerMessage) -> str | None:
    """Let the bot act on one message and return the text to send, if any."""
    if isinstance(message, Turn):
        action: object = bot.choose(message)
        if not isinstance(action, Action):
            raise TypeError(_describe_answer(bot, action))
        return side.move(action)
    if isinstance(message, GameStart):
        bot.new_game(message)
        return side.accept()
    if isinstance(message, Hello):
        return side.introduction(
            bot.name,
            bot.author,
            bot.options,
            legal=bot.wants_legal,
            editions=bot.editions,
            features=bot.features,
        )
    if isinstance(message, SetOption):
        bot.settings[message.name] = message.value
    elif isinstance(message, GameOver):
        bot.game_over(message)
    return None


def _describe_answer(bot: Bot, answer: object) -> str:
    """Return the message that `choose` returned no action, with the location of `choose`."""
    code = getattr(type(bot).choose, "__code__", None)
    location = (
        f" ({os.path.basename(code.co_filename)}, line {code.co_firstlineno})" if code else ""
    )
    missing = "; is a `return` missing?" if answer is None else ""
    name = type(bot).__name__
    return f"{name}.choose returned {repr(answer)[:60]}, not an action{missing}{location}"
