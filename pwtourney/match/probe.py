"""A look at a bot before the tournament: whether it has the options that the config sets."""

from contextlib import ExitStack, suppress

from pwtourney.errors import BotFault
from pwtourney.match.conversation import Conversation, option_problems
from pwtourney.match.job import BotSpec
from pwtourney.sandbox.orphans import Orphans

__all__ = ["wrong_options"]


def wrong_options(bot: BotSpec) -> list[str]:
    """Start a bot, shake hands, and return what is wrong with its options.

    A bot that does not get through the handshake has none here; it will lose its games.
    """
    with ExitStack() as last, suppress(BotFault):
        orphans = Orphans()
        conversation = Conversation(bot._replace(options=()))
        last.callback(conversation.clean_up)
        last.callback(orphans.sweep)
        last.callback(conversation.end)
        conversation.greet()
        return list(option_problems(bot, conversation.options))
    return []
