"""The pool of bots: starts them, keeps persistent ones for later games, and ends them."""

from collections.abc import Mapping
from contextlib import ExitStack, suppress
from functools import lru_cache, partial
from pathlib import Path
from typing import NamedTuple

from pwtourney.errors import BotFault
from pwtourney.match.conversation import Conversation, find_option_problems
from pwtourney.match.job import BotSpec
from pwtourney.process import Templates
from pwtourney.process.starting import StartedProcess
from pwtourney.protocol import Option, RunnerSide
from pwtourney.rules import Edition
from pwtourney.sandbox.orphans import Orphans

__all__ = ["BotPool", "Introduction", "ask_introduction", "ask_options", "find_wrong_options"]


class BotPool:
    """Starts and ends the bots of games, one game at a time.

    Close the pool when no more games are played. If `traffic` is a folder, all lines from and to
    each bot are written to a file there, named by the bot's id.
    """

    def __init__(self, scratch_root: str | None = None, traffic: Path | None = None) -> None:
        self._scratch_root = scratch_root
        self._traffic = traffic
        self._persistent: dict[BotSpec, Conversation] = {}
        self._orphans: Orphans | None = None
        self._templates = Templates(scratch_root)
        self._remarks: list[str] = []

    def open_game(self) -> None:
        """Prepare for a game: record which processes run, to find orphans after it."""
        # To list all processes of the machine would take a large part of a short game.
        if not self._is_quiet():
            self._orphans = Orphans()

    def take(self, bot: BotSpec, edition: Edition) -> Conversation:
        """Return a bot, started now or in an earlier game; raises `BotFault`.

        A new process may be a copy of a template that is prepared for games of the edition.
        """
        if bot in self._persistent:
            return self._persistent.pop(bot)
        traffic = self._traffic / f"{bot.id}.log" if self._traffic else None
        if not bot.forked:
            return Conversation(bot, self._scratch_root, traffic)
        return Conversation(bot, self._scratch_root, traffic, partial(self._copy, bot, edition))

    def take_remarks(self) -> tuple[str, ...]:
        """Return the remarks on how bots were started since the last call."""
        remarks, self._remarks = self._remarks, []
        return tuple(remarks)

    def _copy(self, bot: BotSpec, edition: Edition) -> StartedProcess | None:
        """Return a process forked from the bot's template; None if it cannot have one."""
        game = _announce(edition)
        started, note = self._templates.start(bot.launch, bot.limits, bot.isolation, game)
        if note:
            self._remarks.append(f"{bot.id} gets a new process for each game: {note}")
        return started

    def close_game(self, seated: list[Conversation], failed: bool) -> None:
        """End the bots of a game, in a fixed order; a step that fails does not stop the others.

        Persistent bots are kept, unless the game ended in a fault.
        """
        leaving = [bot for bot in seated if failed or not bot.spec.persistent]
        self._persistent |= {bot.spec: bot for bot in seated if bot not in leaving}
        self._see_out(leaving)

    def close(self) -> None:
        """End the persistent bots and the templates."""
        leaving = list(self._persistent.values())
        self._persistent.clear()
        self._see_out(leaving)
        self._templates.close()

    def _see_out(self, leaving: list[Conversation]) -> None:
        sweeps = not self._is_quiet(*leaving)  # ask now: only running bots can tell
        with ExitStack() as last:  # runs in reverse order: end all, sweep, then clean up
            for bot in leaving:
                last.callback(bot.clean_up)
            if sweeps and self._orphans is not None:
                staying = frozenset(bot.pid for bot in self._persistent.values())
                last.callback(self._orphans.sweep, staying | self._templates.roots)
            for bot in reversed(leaving):
                last.callback(bot.end)

    def _is_quiet(self, *leaving: Conversation) -> bool:
        """Return True if there can be no unknown processes, without listing all.

        That is so if no process has started since `open_game` and if no bot, leaving or staying,
        has child processes that could become orphans. Call it while leaving bots still run.
        """
        if self._orphans is None or not self._orphans.nothing_began:
            return False
        return all(bot.is_single() for bot in (*leaving, *self._persistent.values()))


@lru_cache(maxsize=16)
def _announce(edition: Edition) -> str:
    """Return the line that announces a game of an edition, for templates."""
    return RunnerSide().new_game(edition, 0, 0)


def find_wrong_options(bot: BotSpec) -> list[tuple[str, str]]:
    """Start a bot, shake hands, and return its wrong options: names and problems.

    For a bot that fails the handshake the list is empty; it will lose its games.
    """
    with suppress(BotFault):
        offered = ask_options(bot)
        return [
            (option[0], problem)
            for option in bot.options
            for problem in find_option_problems(bot._replace(options=(option,)), offered)
        ]
    return []


class Introduction(NamedTuple):
    """The declarations of a bot in the handshake: its options by name, and its features."""

    options: Mapping[str, Option]
    features: frozenset[str]


def ask_options(bot: BotSpec) -> Mapping[str, Option]:
    """Start a bot without the options of its spec, and return those that it offers.

    Raises `BotFault`.
    """
    return ask_introduction(bot).options


def ask_introduction(bot: BotSpec) -> Introduction:
    """Start a bot, shake hands, and return what it says of itself; raises `BotFault`."""
    with ExitStack() as last:
        orphans = Orphans()
        # without the options of the config: a wrong one would end the handshake
        conversation = Conversation(bot._replace(options=()))
        last.callback(conversation.clean_up)
        last.callback(orphans.sweep)
        last.callback(conversation.end)
        conversation.greet()
        return Introduction(conversation.options, conversation.features)
