"""What an author's tests are given."""

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
    """Advances when it can, and notes what it hears."""

    wants_legal = True

    def __init__(self) -> None:
        super().__init__()
        self.heard: list[object] = []

    def new_game(self, game: GameStart) -> None:
        """Note the game."""
        self.heard.append((game.edition, game.seat))

    def choose(self, turn: Turn) -> Action:
        """Note what was played and may be."""
        self.heard.append((len(turn.played), turn.legal is not None, turn.limit.move_ms))
        self.say("depth 1")
        return turn.state.legal_actions()[0]

    def game_over(self, result: GameOver) -> None:
        """Note the result."""
        self.heard.append((result.mine, result.theirs, result.result))


class Stubborn(Bot):
    """Declines whatever is asked, in the one edition that it plays."""

    editions = ("original",)

    def choose(self, turn: Turn) -> Action:
        """Decline."""
        return DECLINE


def test_a_game_is_played_to_its_end_and_both_hear_of_it() -> None:
    """The bot hears the game, each turn with what was played since, and the result."""
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
    """Plays the first legal action, and notes what it hears of the opponent's in each turn."""

    def __init__(self) -> None:
        super().__init__()
        self.heard: list[tuple[Action, ...]] = []

    def choose(self, turn: Turn) -> Action:
        """Note what was played."""
        self.heard.append(turn.played)
        return turn.state.legal_actions()[0]


@pytest.mark.parametrize("seat", [0, 1])
def test_a_bot_hears_of_each_action_of_its_opponent_once(seat: int) -> None:
    """In each turn what was played since its last answer, as docs/protocol.md says."""
    bot = Attentive()
    game, _ = play_out(bot, seat=seat)
    expected: list[list[str]] = [[]]
    for ply in game.plies:
        if ply.seat == seat:
            expected.append([])
        else:
            expected[-1].append(ply.action)
    heard = [[action_text(each, ORIGINAL) for each in turn] for turn in bot.heard]
    assert heard == expected[:-1]


def test_a_script_that_is_not_legal_is_reported() -> None:
    """With the action and the reason."""
    with pytest.raises(IllegalActionError, match="there is no special patch"):
        play_out(Scripted("leather:a1"))


def test_one_position_can_be_asked_about() -> None:
    """The answer is judged; an edition that the bot does not play is not asked."""
    assert ask(Listener(), State.start(ORIGINAL, 7)) == ADVANCE
    with pytest.raises(IllegalActionError, match="no special patch"):
        ask(Stubborn(), State.start(ORIGINAL, 7))
    with pytest.raises(NotationError, match="plays only original, not express"):
        ask(Stubborn(), State.start(EXPRESS, 7))


@pytest.mark.thorough
@pytest.mark.slow(4)
def test_a_bot_that_keeps_to_the_protocol_is_conformant() -> None:
    """A file of ours, by its path, as an author names it."""
    place = Path(__file__).parents[1] / "bots" / "pwtourney_bots" / "random_bot.py"
    assert_conformant(str(place), editions=["express"], games=2, dialogues=1)


@pytest.mark.thorough
@pytest.mark.slow
def test_a_broken_bot_fails_the_assertion_with_all_that_is_known() -> None:
    """The step, what was sent, and the paragraph of the protocol."""
    with pytest.raises(AssertionError) as caught:
        assert_conformant(f"python3 -S -I {SCRIPT} BadOption")
    text = str(caught.value)
    assert "Step 2 (greeting) failed" in text
    assert "> pwtp 1" in text
    assert "  The handshake: Its TYPE says what follows:" in text


@pytest.mark.slow
def test_a_bot_that_is_not_there_is_not_a_failure_of_one() -> None:
    """It is an error of its own."""
    with pytest.raises(UsageError, match="there is no file"):
        assert_conformant("nobody.py")
