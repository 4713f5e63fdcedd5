"""Games of people that are played elsewhere and followed; and their clocks."""

import time
from contextlib import closing

import pytest

from pwtourney.clock import TimeControl
from pwtourney.errors import BotFault, IllegalActionError, NotationError
from pwtourney.human import HumanGameLoop, Question
from pwtourney.match import AUTOMA, HUMAN, BotPool, GameSetup, play_loop
from pwtourney.notation.game import Ply, Verdict
from pwtourney.rules import ADVANCE, Action, State, deal
from pwtourney.rules.automa import Automa
from tests.rules.positions import ANNIVERSARY, ORIGINAL

TIMED = HUMAN._replace(control=TimeControl(game_ms=60_000, increment_ms=1_000))
DEAL = deal(ORIGINAL, 1)


def follow(plies: list[Ply], setup: GameSetup | None = None) -> HumanGameLoop:
    """Return a game that two people play elsewhere, so far."""
    setup = setup or GameSetup((TIMED, TIMED), ORIGINAL, DEAL, (0, 0))
    loop = HumanGameLoop(setup, None, (0, 1))
    loop.catch_up(plies)
    return loop


def test_a_game_that_is_followed_has_the_position_and_the_clocks() -> None:
    """Each ply takes its time from its seat's clock and adds the increment."""
    loop = follow([Ply(0, "advance", 2_500_000), Ply(1, "advance", 1_000_000)])
    assert loop.state == State.start(ORIGINAL, DEAL).apply(ADVANCE).apply(ADVANCE)
    assert loop.left_ns == (58_500_000_000, 60_000_000_000)
    assert loop.allowance(0) == 58_500_000_000


def test_what_was_taken_back_elsewhere_is_forgotten() -> None:
    """The game begins once more, with the plies that are left, and the clocks with it."""
    loop = follow([Ply(0, "advance", 5_000_000), Ply(1, "advance", 1_000_000)])
    loop.catch_up([Ply(0, "advance", 5_000_000)])
    assert [ply.action for ply in loop.plies] == ["advance"]
    assert loop.left_ns == (56_000_000_000, 60_000_000_000)
    assert loop.undo_count == 0
    loop.take_back()
    assert not loop.plies
    assert loop.undo_problem == "there is nothing to take back"


@pytest.mark.parametrize(
    ("ply", "error", "reason"),
    [
        (Ply(1, "advance"), IllegalActionError, "seat 0 is to move"),
        (Ply(0, "leather:a1"), IllegalActionError, "there is no special patch to place"),
        (Ply(0, "jump"), NotationError, "is not an action"),
    ],
)
def test_a_ply_that_cannot_be_played_changes_nothing(
    ply: Ply, error: type[Exception], reason: str
) -> None:
    """The reason is the rules engine's."""
    loop = follow([])
    with pytest.raises(error, match=reason):
        loop.follow(ply)
    assert not loop.plies


def test_the_automa_plays_the_card_that_lies_on_top() -> None:
    """No other one can be followed."""
    setup = GameSetup((HUMAN, AUTOMA), ANNIVERSARY, deal(ANNIVERSARY, 1), (0, 2), Automa("fellow"))
    loop = HumanGameLoop(setup, None, (0,))
    while loop.state.to_move == 0:
        loop.follow(Ply(0, "advance"))
    card = loop.draw_card()
    number = int(card.action.split(":")[1])
    with pytest.raises(IllegalActionError, match="the Automa plays card:"):
        loop.follow(card._replace(action=f"card:{number % 12 + 1}:pass"))
    loop.follow(card)
    assert loop.plies[-1] == card


def test_a_person_who_resigns_has_lost() -> None:
    """The verdict says so, and the game cannot go on."""
    loop = follow([Ply(0, "advance", 1)])
    loop.lose(0, BotFault(Verdict.RESIGNED, "gave up"))
    assert (loop.is_over, loop.game().verdict, loop.game().winner) == (True, "resigned", 1)
    with pytest.raises(IllegalActionError, match="the game is over"):
        loop.follow(Ply(1, "advance"))


def test_the_time_of_a_person_is_judged() -> None:
    """A player who answers later than the clock allows loses by timeout."""

    def dawdle(question: Question) -> Action:
        limit = time.monotonic_ns() + 3_000_000
        while time.monotonic_ns() < limit:
            pass
        return question.state.legal_actions()[0]

    quick = HUMAN._replace(control=TimeControl(move_ms=2))
    setup = GameSetup((HUMAN, quick), ORIGINAL, DEAL, (0, 0))
    with closing(BotPool()) as pool:
        game = play_loop(HumanGameLoop(setup, dawdle, (0, 1)), pool)
    assert (game.verdict, game.winner, len(game.plies)) == ("timeout", 0, 1)
    assert "0.0 s were left" in game.faults[0].message
