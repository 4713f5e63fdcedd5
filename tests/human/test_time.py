"""The time that people take at a terminal."""

import time
from contextlib import closing

from pwtourney.clock import TimeControl
from pwtourney.human import Question, play_with_people
from pwtourney.match import HUMAN, BotPool, GameSetup, PlayedGame
from pwtourney.rules import Action, deal
from tests.rules.positions import ORIGINAL


def test_person_loses_by_timeout() -> None:
    """A player who answers later than the clock allows loses by timeout."""

    def dawdle(question: Question) -> Action:
        limit = time.monotonic_ns() + 3_000_000
        while time.monotonic_ns() < limit:
            pass
        return question.state.legal_actions()[0]

    quick = HUMAN._replace(control=TimeControl(move_ms=2))
    setup = GameSetup((HUMAN, quick), ORIGINAL, deal(ORIGINAL, 1), (0, 0))
    with closing(BotPool()) as pool:
        game = play_with_people(PlayedGame(setup, (0, 1)), dawdle, pool)
    assert (game.verdict, game.winner, len(game.plies)) == ("timeout", 0, 1)
    assert "0.0 s were left" in game.faults[0].message
