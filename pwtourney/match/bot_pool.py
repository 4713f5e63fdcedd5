"""The bots that sit in games: started, kept for later games, and seen out."""

from collections.abc import Mapping
from contextlib import ExitStack, suppress
from functools import lru_cache, partial
from pathlib import Path

from pwtourney.errors import BotFault
from pwtourney.match.conversation import Conversation, find_option_problems
from pwtourney.match.job import BotSpec
from pwtourney.process import Templates
from pwtourney.process.starting import Started
from pwtourney.protocol import Option, RunnerSide
from pwtourney.rules import Edition
from pwtourney.sandbox.orphans import Orphans

__all__ = ["BotPool", "ask_options", "find_wrong_options"]


class BotPool:
    """Starts bots and sees them out; one game at a time takes its bots from it.

    Close it when no more games are played. What is said to and by each bot is written to a file of
    its id in the folder `traffic`, if there is one.
    """

    def __init__(self, scratch_root: str | None = None, traffic: Path | None = None) -> None:
        self._scratch_root = scratch_root
        self._traffic = traffic
        self._persistent: dict[BotSpec, Conversation] = {}
        self._orphans: Orphans | None = None
        self._templates = Templates(scratch_root)
        self._remarks: list[str] = []

    def open_game(self) -> None:
        """Take notice of which processes are there before a game."""
        # To list all processes of the machine would be a large part of a short game.
        if not self._is_quiet():
            self._orphans = Orphans()

    def take(self, bot: BotSpec, edition: Edition) -> Conversation:
        """Return a bot, started just now or in an earlier game; raises `BotFault`.

        A process that is made for it may be made for games of the edition.
        """
        if bot in self._persistent:
            return self._persistent.pop(bot)
        traffic = self._traffic / f"{bot.id}.log" if self._traffic else None
        if not bot.forked:
            return Conversation(bot, self._scratch_root, traffic)
        return Conversation(bot, self._scratch_root, traffic, partial(self._copy, bot, edition))

    def take_remarks(self) -> tuple[str, ...]:
        """Return what is to be said of how bots were started since this was last asked."""
        remarks, self._remarks = self._remarks, []
        return tuple(remarks)

    def _copy(self, bot: BotSpec, edition: Edition) -> Started | None:
        """Return a copy of the bot's template, if it can have one."""
        game = _announce(edition)
        started, note = self._templates.start(bot.launch, bot.limits, bot.isolation, game)
        if note:
            self._remarks.append(f"{bot.id} gets a new process for each game: {note}")
        return started

    def close_game(self, seated: list[Conversation], failed: bool) -> None:
        """See out the bots of a game, in this order whatever becomes of each step.

        Persistent bots are kept, unless the game ended in a fault.
        """
        leaving = [bot for bot in seated if failed or not bot.spec.persistent]
        self._persistent |= {bot.spec: bot for bot in seated if bot not in leaving}
        self._see_out(leaving)

    def close(self) -> None:
        """See out the persistent bots."""
        leaving = list(self._persistent.values())
        self._persistent.clear()
        self._see_out(leaving)
        self._templates.close()

    def _see_out(self, leaving: list[Conversation]) -> None:
        sweeps = not self._is_quiet(*leaving)  # which only bots that still run can tell
        with ExitStack() as last:  # from below: end all, sweep, then clean up after all
            for bot in leaving:
                last.callback(bot.clean_up)
            if sweeps and self._orphans is not None:
                staying = frozenset(bot.pid for bot in self._persistent.values())
                last.callback(self._orphans.sweep, staying | self._templates.roots)
            for bot in reversed(leaving):
                last.callback(bot.end)

    def _is_quiet(self, *leaving: Conversation) -> bool:
        """Tell whether there can be no process but those we know, without looking at them all.

        None began since we looked, and no bot, leaving or staying, has one below it that could be
        left to us. To be asked while those that leave are still there.
        """
        if self._orphans is None or not self._orphans.nothing_began:
            return False
        return all(bot.is_single() for bot in (*leaving, *self._persistent.values()))


@lru_cache(maxsize=16)
def _announce(edition: Edition) -> str:
    """Return the text that announces a game of an edition, for templates."""
    return RunnerSide().new_game(edition, 0, 0)


def find_wrong_options(bot: BotSpec) -> list[tuple[str, str]]:
    """Start a bot, shake hands, and return the names of wrong options with what is wrong.

    A bot that does not get through the handshake has none here; it will lose its games.
    """
    with suppress(BotFault):
        offered = ask_options(bot)
        return [
            (option[0], problem)
            for option in bot.options
            for problem in find_option_problems(bot._replace(options=(option,)), offered)
        ]
    return []


def ask_options(bot: BotSpec) -> Mapping[str, Option]:
    """Start a bot, shake hands, and return the options that it offers; raises `BotFault`."""
    with ExitStack() as last:
        orphans = Orphans()
        # without the options of the config, the first wrong one of which ends the handshake
        conversation = Conversation(bot._replace(options=()))
        last.callback(conversation.clean_up)
        last.callback(orphans.sweep)
        last.callback(conversation.end)
        conversation.greet()
        return conversation.options
