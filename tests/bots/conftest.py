"""What the tests of the bundled bots share."""

from pathlib import Path

import pytest
from pwtourney_bots.champion import Champion
from pwtourney_bots.mcts import Mcts

from pwtourney.rules import State
from tests.bots.games import answer, ready
from tests.rules.positions import ORIGINAL
from tests.sharing import Once


@pytest.fixture(scope="session", autouse=True)
def compiled(once: Once) -> None:
    """Let one process compile what searches, while the others wait instead of doing the same."""

    def search(_: Path) -> None:
        for bot in (Mcts(), Champion()):
            answer(ready(bot, ORIGINAL, iterations=2), State.start(ORIGINAL, 1))

    once("compiled", search)
