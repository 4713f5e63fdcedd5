"""`pwtourney.testing`, which authors use in tests of their bots."""

from pathlib import Path

import pytest

from pwtourney.errors import IllegalActionError, NotationError, UsageError
from pwtourney.notation import action_text, read_action
from pwtourney.rules import ADVANCE, DECLINE, Action, State
from pwtourney.sdk import Bot, GameOver, GameStart, Turn
from pwtourney.testing import Scripted, ask, assert_conformant, play_out
from tests.conformance.test_check import SCRIPT
from tests.rules.positions import EXPRESS, ORIGINAL


class Listener(Bot):
    """Advances when it can, and notes what it is sent."""

    wants_legal = True

    def __init__(self) -> None:
        super().__init__()
        self.heard: list[object] = []

    def new_game(self, game: GameStart) -> None:
        """Note the game."""
        self.heard.append((game.edition, game.seat))

    def choose(self, turn: Turn) -> Action:
        """Note the played actions, and whether legal actions are given."""
        self.heard.append((len(turn.played), turn.legal is not None, turn.limit.move_ms))
        self.say("depth 1")
        return turn.state.legal_actions()[0]

    def game_over(self, result: GameOver) -> None:
        """Note the result."""
        self.heard.append((result.mine, result.theirs, result.result))


class Stubborn(Bot):
    """Always declines; it plays only one edition."""

    editions = ("original",)

    def choose(self, turn: Turn) -> Action:
        """Decline."""
        return DECLINE


def test_game_is_played_to_its_end_with_all_messages() -> None:
    """The bot gets the game, the actions since its last turn, and the result."""
    bot = Listener()
    game, final = play_out(bot, Scripted("advance"), seat=1, seed=7, move_ms=50)
    assert final.is_over
    assert bot.heard[0] == (ORIGINAL, 1)
    assert bot.heard[1] == (1, True, 50)
    theirs, mine = final.scores
    assert bot.heard[-1] == (mine, theirs, "win" if final.winner == 1 else "loss")
    replayed = State.start(ORIGINAL, 7)
    for ply in game.plies:
        assert ply.seat == replayed.to_move
        replayed = replayed.apply(read_action(ply.action, replayed))
    assert replayed == final
    assert (game.scores, game.winner) == (final.scores, final.winner)


class Attentive(Bot):
    """Plays the first legal action, and notes the opponent's actions in each turn."""

    def __init__(self) -> None:
        super().__init__()
        self.heard: list[tuple[Action, ...]] = []

    def choose(self, turn: Turn) -> Action:
        """Note the played actions."""
        self.heard.append(turn.played)
        return turn.state.legal_actions()[0]


@pytest.mark.parametrize("seat", [0, 1])
def test_bot_gets_each_action_of_its_opponent_once(seat: int) -> None:
    """Each turn has the actions since its last answer, as docs/protocol.md specifies."""
    bot = Attentive()
    game, _ = play_out(bot, seat=seat)
    expected: list[list[str]] = [[]]
    for ply in game.plies:
        if ply.seat == seat:
            expected.append([])
        else:
            expected[-1].append(ply.action)
    heard = [[action_text(action, ORIGINAL) for action in turn] for turn in bot.heard]
    assert heard == expected[:-1]


def test_illegal_script_is_reported() -> None:
    """With the action and the reason."""
    with pytest.raises(IllegalActionError, match="there is no special patch"):
        play_out(Scripted("leather:a1"))


def test_bot_can_be_asked_about_one_position() -> None:
    """The answer is checked; a bot is not asked in an edition that it does not play."""
    assert ask(Listener(), State.start(ORIGINAL, 7)) == ADVANCE
    with pytest.raises(IllegalActionError, match="no special patch"):
        ask(Stubborn(), State.start(ORIGINAL, 7))
    with pytest.raises(NotationError, match="plays only original, not express"):
        ask(Stubborn(), State.start(EXPRESS, 7))


@pytest.mark.thorough
@pytest.mark.slow(4)
def test_bot_that_follows_the_protocol_is_conformant() -> None:
    """The bot is one of our files, given by its path as an author would."""
    path = Path(__file__).parents[1] / "bots" / "pwtourney_bots" / "random_bot.py"
    assert_conformant(str(path), editions=["express"], games=2, dialogues=1)


@pytest.mark.thorough
@pytest.mark.slow
def test_broken_bot_fails_the_assertion_with_all_details() -> None:
    """The step, what was sent, and the paragraph of the protocol."""
    with pytest.raises(AssertionError) as caught:
        assert_conformant(f"python3 -S -I {SCRIPT} BadOption")
    text = str(caught.value)
    assert "Step 2 (greeting) failed" in text
    assert "> pwtp 1" in text
    assert "  The handshake: Its TYPE says what follows:" in text


@pytest.mark.slow
def test_missing_bot_is_an_error_and_not_a_failure() -> None:
    """It raises `UsageError` instead of `AssertionError`."""
    with pytest.raises(UsageError, match="there is no file"):
        assert_conformant("nobody.py")
