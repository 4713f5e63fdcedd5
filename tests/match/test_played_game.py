"""Games without bots: plies that are followed, their clocks, and what is taken back."""

import pytest

from pwtourney.clock import TimeControl
from pwtourney.errors import BotFault, IllegalActionError, NotationError
from pwtourney.match import AUTOMA, HUMAN, GameLoop, GameSetup, PlayedGame
from pwtourney.match.played_game import describe_fault, describe_lateness
from pwtourney.notation.game import Ply, Verdict
from pwtourney.rules import ADVANCE, State, deal
from pwtourney.rules.automa import Automa
from tests.rules.positions import ANNIVERSARY, ORIGINAL

TIMED = HUMAN._replace(control=TimeControl(game_ms=60_000, increment_ms=1_000))
DEAL = deal(ORIGINAL, 1)


def follow(*plies: Ply) -> PlayedGame:
    """Return a game of two people, so far."""
    game = PlayedGame(GameSetup((TIMED, TIMED), ORIGINAL, DEAL, (0, 0)), (0, 1))
    for ply in plies:
        game.follow(ply)
    return game


def test_a_game_that_is_followed_has_the_position_and_the_clocks() -> None:
    """Each ply takes its time from its seat's clock and adds the increment.

    A clock that measures processor time loses only that.
    """
    game = follow(Ply(0, "advance", 2_500_000), Ply(1, "advance", 1_000_000))
    assert game.state == State.start(ORIGINAL, DEAL).apply(ADVANCE).apply(ADVANCE)
    assert game.clock.left_ns == (58_500_000_000, 60_000_000_000)
    assert game.clock.allowance(0).wall_ns == 58_500_000_000
    measured = TIMED._replace(control=TimeControl(game_ms=60_000, cpu=True))
    game = PlayedGame(GameSetup((measured, TIMED), ORIGINAL, DEAL, (0, 0)), (0, 1))
    game.follow(Ply(0, "advance", 2_500_000, 300_000))
    assert game.clock.left_ns == (59_700_000_000, 60_000_000_000)


def test_what_was_taken_back_elsewhere_is_forgotten() -> None:
    """The game begins once more, with the plies that are left, and the clocks with it."""
    game = follow(Ply(0, "advance", 5_000_000), Ply(1, "advance", 1_000_000))
    GameLoop(game).catch_up([Ply(0, "advance", 5_000_000)])
    assert [ply.action for ply in game.plies] == ["advance"]
    assert game.clock.left_ns == (56_000_000_000, 60_000_000_000)
    assert game.undo_count == 0
    game.take_back()
    assert not game.plies
    assert game.undo_problem == "there is nothing to take back"


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
    game = follow()
    start = game.checkpoint()
    for play in (game.check, game.follow):
        with pytest.raises(error, match=reason):
            play(ply)
    assert game.checkpoint() == start


def test_the_automa_plays_the_card_that_lies_on_top() -> None:
    """No other one can be followed."""
    setup = GameSetup((HUMAN, AUTOMA), ANNIVERSARY, deal(ANNIVERSARY, 1), (0, 2), Automa("fellow"))
    game = PlayedGame(setup, (0,))
    while game.state.to_move == 0:
        game.follow(Ply(0, "advance"))
    card = game.draw_card()
    number = int(card.action.split(":")[1])
    with pytest.raises(IllegalActionError, match="the Automa plays card:"):
        game.follow(card._replace(action=f"card:{number % 12 + 1}:pass"))
    before = game.checkpoint()
    game.follow(card)
    assert game.plies[-1] == card
    assert card.micros == 0
    followed = game.checkpoint()
    game.restore(before)
    assert game.play_card() == card
    assert game.checkpoint() == followed


def test_a_person_who_resigns_has_lost() -> None:
    """The verdict says so, and the game cannot go on."""
    game = follow(Ply(0, "advance", 1))
    game.lose(describe_fault(0, BotFault(Verdict.RESIGNED, "gave up")))
    assert (game.is_over, game.record().verdict, game.record().winner) == (True, "resigned", 1)
    assert game.record().faults[0].log == "gave up"
    with pytest.raises(IllegalActionError, match=r"^the game is over$"):
        game.follow(Ply(1, "advance"))


def test_a_checkpoint_brings_everything_back() -> None:
    """Position, clocks, plies and what a person can take back are as they were at that point."""
    game = follow(Ply(0, "advance", 3_000_000))
    checkpoint = game.checkpoint()
    for seat in (1, 0):
        game.follow(Ply(seat, "advance", 7_000_000))
    assert game.undo_count == 2
    game.restore(checkpoint)
    assert game.state == State.start(ORIGINAL, DEAL).apply(ADVANCE)
    assert game.clock.left_ns == (58_000_000_000, 60_000_000_000)
    assert [ply.micros for ply in game.plies] == [3_000_000]
    assert (game.undo_count, game.undo_problem) == (0, "")


def test_only_actions_of_people_are_taken_back() -> None:
    """What the seat of a bot has answered goes with the person's action before it."""
    game = PlayedGame(GameSetup((HUMAN, HUMAN), ORIGINAL, DEAL, (0, 0)), (1,))
    game.follow(Ply(0, "advance"))
    assert game.undo_problem == "there is nothing to take back"
    for seat in (1, 0):
        game.follow(Ply(seat, "advance"))
    assert game.undo_count == 1
    game.take_back()
    assert [ply.seat for ply in game.plies] == [0]


def test_lateness_is_described_in_seconds() -> None:
    """They are rounded to tenths: 1.26 s were used of 1.04 s."""
    message = describe_lateness(1_260_000_000, 1_040_000_000)
    assert message == "the turn took 1.3 s, and 1.0 s were left"
