"""Run one bot: ``python -m pwtourney.sdk MODULE:CLASS`` or ``… FILE.py[:CLASS]``.

With ``--prepare`` before it the bot gets ready for its first game, and plays none. With
``--template`` it plays none itself, but forks a copy for each game when the runner asks for one.
"""

import gc
import sys

from pwtourney.errors import EXIT_USAGE, BotNotFoundError
from pwtourney.sdk.bot import serve, take_over_stdout
from pwtourney.sdk.bot_class import load_bot, prepare

__all__ = ["main"]


def main(arguments: list[str]) -> int:
    """Load the bot that is named and serve it; return the exit code."""
    if len(arguments) == 2 and arguments[0] == "--prepare":
        return prepare(arguments[1])
    if len(arguments) == 2 and arguments[0] == "--template":
        from pwtourney.sdk.forking import serve_copies  # most of it nobody needs for one game

        return serve_copies(arguments[1])
    if len(arguments) != 1:
        print(
            "usage: python -m pwtourney.sdk [--prepare | --template] MODULE:CLASS", file=sys.stderr
        )
        return EXIT_USAGE
    write = take_over_stdout()  # before the bot is imported: it may print already then
    try:
        bot = load_bot(arguments[0])
    except BotNotFoundError as error:
        print(f"error: {error}", file=sys.stderr)
        return EXIT_USAGE
    gc.freeze()  # what was imported stays to the end: no later collection need look at it
    serve(bot(), write)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
