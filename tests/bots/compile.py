"""Compile the bundled bots that search, once for a checkout: ``python -m tests.bots.compile``."""

from pwtourney_bots.champion import Champion
from pwtourney_bots.mcts import Mcts

from pwtourney.rules import State
from tests.bots.games import answer, ready
from tests.rules.positions import ORIGINAL

if __name__ == "__main__":
    for bot in (Mcts(), Champion()):
        answer(ready(bot, ORIGINAL, iterations=2), State.start(ORIGINAL, 1))
