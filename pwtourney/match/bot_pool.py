"""The bots at hand: started for one game, or kept from game to game if they are persistent."""

from contextlib import ExitStack, suppress
from pathlib import Path

from pwtourney.errors import BotFault
from pwtourney.match.conversation import Conversation, find_option_problems
from pwtourney.match.job import BotSpec
from pwtourney.sandbox.orphans import Orphans

__all__ = ["BotPool", "find_wrong_options"]


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

    def open_game(self) -> None:
        """Take notice of which processes are there before a game."""
        # To list all processes of the machine would be a large part of a short game.
        if not self._is_quiet():
            self._orphans = Orphans()

    def take(self, bot: BotSpec) -> Conversation:
        """Return a bot, started just now or in an earlier game; raises `BotFault`."""
        if bot in self._persistent:
            return self._persistent.pop(bot)
        traffic = self._traffic / f"{bot.id}.log" if self._traffic else None
        return Conversation(bot, self._scratch_root, traffic)

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

    def _see_out(self, leaving: list[Conversation]) -> None:
        sweeps = not self._is_quiet(*leaving)  # which only bots that still run can tell
        with ExitStack() as last:  # from below: end all, sweep, then clean up after all
            for bot in leaving:
                last.callback(bot.clean_up)
            if sweeps and self._orphans is not None:
                staying = frozenset(bot.pid for bot in self._persistent.values())
                last.callback(self._orphans.sweep, staying)
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


def find_wrong_options(bot: BotSpec) -> list[str]:
    """Start a bot, shake hands, and return what is wrong with its options.

    A bot that does not get through the handshake has none here; it will lose its games.
    """
    with ExitStack() as last, suppress(BotFault):
        orphans = Orphans()
        # without the options of the config, the first wrong one of which ends the handshake
        conversation = Conversation(bot._replace(options=()))
        last.callback(conversation.clean_up)
        last.callback(orphans.sweep)
        last.callback(conversation.end)
        conversation.greet()
        return list(find_option_problems(bot, conversation.options))
    return []
