"""Compile what searches and simulates, once a checkout: ``python -m tests.bots.compile``."""

from pwtourney_bots.champion import Champion
from pwtourney_bots.mcts import Mcts

from pwtourney.rules import State
from pwtourney.simulate.__main__ import main
from pwtourney.simulate.games import Encoder
from tests.bots.compiled import look_at
from tests.bots.games import answer, ready
from tests.rules.positions import ORIGINAL

if __name__ == "__main__":
    main()
    look_at(*Encoder(ORIGINAL).encode(State.start(ORIGINAL, 1)))
    for bot in (Mcts(), Champion()):
        answer(ready(bot, ORIGINAL, iterations=2), State.start(ORIGINAL, 1))
