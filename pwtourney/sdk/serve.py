"""The loop between a `Bot` and the runner, over standard input and output."""

import os
import sys
from collections.abc import Callable

from pwtourney.protocol import (
    BotSide,
    GameOver,
    GameStart,
    Hello,
    Quit,
    SetOption,
    Turn,
)
from pwtourney.sdk.bot import Bot

__all__ = ["Writer", "respond", "serve", "take_over_stdout"]

Writer = Callable[[str], None]
"""Sends text to the runner."""


def serve(bot: Bot, write: Writer | None = None) -> None:
    """Talk to the runner until it says ``quit`` or closes the pipe.

    `write` is what `take_over_stdout` returned, if it was called before; else it is called now.
    """
    write = write or take_over_stdout()
    side = BotSide()
    bot.say = lambda text: write(side.info(text))
    for raw in sys.stdin.buffer:
        message = side.feed(raw.decode("utf-8", "replace").rstrip("\n"))
        if isinstance(message, Quit):
            return
        if message is not None:
            answer = respond(bot, side, message)
            if answer:
                write(answer)


def respond(
    bot: Bot, side: BotSide, message: Hello | SetOption | GameStart | Turn | GameOver | Quit
) -> str | None:
    """Let the bot act on one message and return the text to send, if any."""
    if isinstance(message, Turn):
        return side.move(bot.choose(message))
    if isinstance(message, GameStart):
        bot.new_game(message)
        return side.ready()
    if isinstance(message, Hello):
        return side.introduction(
            bot.name, bot.author, bot.options, legal=bot.wants_legal, editions=bot.editions
        )
    if isinstance(message, SetOption):
        bot.settings[message.name] = message.value
    elif isinstance(message, GameOver):
        bot.game_over(message)
    return None


def take_over_stdout() -> Writer:
    """Keep standard output for the protocol and point every other user of it at standard error.

    Whatever is printed afterwards, in Python or in a library underneath, cannot break the
    conversation.
    """
    sys.stdout.flush()
    channel = os.dup(1)
    os.dup2(2, 1)
    sys.stdout = sys.stderr

    def write(text: str) -> None:
        data = text.encode()
        while data:
            data = data[os.write(channel, data) :]

    return write
