"""Compile what the bots need, once for an installation: ``python -m pwtourney_bots``."""

import sys

from pwtourney.rules import find_edition
from pwtourney.sdk import GameStart
from pwtourney.simulate.__main__ import main as compile_simulator

__all__ = ["main"]


def main() -> int:
    """Let a bot that searches get ready for a game; return 0 if all is compiled."""
    try:
        from pwtourney_bots.mcts import Mcts
    except ImportError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    print("compiling: half a minute, or at once if it was done before", flush=True)
    bot = Mcts()
    bot.patience_s = 3600
    bot.new_game(GameStart(find_edition("original"), 0, 1))
    return compile_simulator()


if __name__ == "__main__":
    sys.exit(main())
