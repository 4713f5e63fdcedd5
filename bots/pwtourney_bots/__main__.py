"""Compile what the bots need, once for an installation: ``python -m pwtourney_bots``."""

import sys

from pwtourney.rules import find_edition
from pwtourney.sdk import GameStart
from pwtourney.simulate.__main__ import main as compile_simulator

__all__ = ["main"]


def main() -> int:
    """Let a bot that searches get ready for a game; return 0 if all is compiled."""
    from pwtourney_bots.mcts import Mcts

    Mcts().new_game(GameStart(find_edition("original"), 0, 1))
    return compile_simulator()


if __name__ == "__main__":
    sys.exit(main())
