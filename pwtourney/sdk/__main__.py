"""Run one bot: ``python -m pwtourney.sdk MODULE:CLASS`` or ``… FILE.py[:CLASS]``.

A file that defines no bot, but reads and prints the lines of the protocol itself, is run as it is.
With ``--prepare`` before it, the bot prepares for its first game and plays none. With
``--template``, this process does not play, but forks a copy for each game that the runner asks for.
"""

import gc
import sys

from pwtourney.errors import EXIT_USAGE, BotNotFoundError
from pwtourney.sdk.bot import serve, take_over_stdout
from pwtourney.sdk.bot_class import load_bot, prepare
from pwtourney.sdk.program import plays_by_itself, run_program

__all__ = ["main"]


def main(arguments: list[str]) -> int:
    """Load the named bot and serve it; return the exit code."""
    if len(arguments) == 2 and arguments[0] == "--prepare":
        return prepare(arguments[1])
    if len(arguments) == 2 and arguments[0] == "--template":
        from pwtourney.sdk.forking import serve_copies  # not needed for a single game

        return serve_copies(arguments[1])
    if len(arguments) != 1:
        print(
            "usage: python -m pwtourney.sdk [--prepare | --template] MODULE:CLASS", file=sys.stderr
        )
        return EXIT_USAGE
    if plays_by_itself(arguments[0]):
        run_program(arguments[0])
        return 0
    write = take_over_stdout()  # before the bot is imported, because the import may print
    try:
        bot = load_bot(arguments[0])
    except BotNotFoundError as error:
        print(f"error: {error}", file=sys.stderr)
        return EXIT_USAGE
    gc.freeze()  # imported objects stay to the end, so no later collection needs to visit them
    serve(bot(), write)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
