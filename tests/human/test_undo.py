"""Which actions people may take back, in whole games whose players are functions."""

from contextlib import closing

import pytest

from pwtourney.human import Question, play_with_people
from pwtourney.match import AUTOMA, HUMAN, BotPool, GameSetup, PlayedGame
from pwtourney.notation import is_card
from pwtourney.notation.game_text import replay
from pwtourney.rules import Action, deal
from pwtourney.rules.automa import Automa
from tests.rules.positions import ANNIVERSARY, EXPRESS, ORIGINAL

TWO = GameSetup((HUMAN, HUMAN), ORIGINAL, deal(ORIGINAL, 1), (1, 2))


class Waverer:
    """A player who takes every action back once if possible, and then plays it again."""

    def __init__(self) -> None:
        self.questions: list[Question] = []
        self.taken_back: set[int] = set()

    def __call__(self, question: Question) -> Action | None:
        """Play the last legal action, so that patches are taken."""
        self.questions.append(question)
        count = len(question.plies)
        if not question.undo_problem and count not in self.taken_back:
            self.taken_back.add(count)
            return None
        return question.state.legal_actions()[-1]


def play(setup: GameSetup, people: list[int]) -> Waverer:
    """Play a game to its end, and check that its record replays."""
    player = Waverer()
    with closing(BotPool()) as pool:
        game = play_with_people(PlayedGame(setup, people), player, pool)
    *_, last = replay(game, setup.edition)
    assert last.is_over
    return player


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_undo_never_reveals_the_order_of_late_patches(seed: int) -> None:
    """Once they have entered, no later position hides them again."""
    setup = TWO._replace(edition=EXPRESS, deal=deal(EXPRESS, seed))
    questions = play(setup, [0, 1]).questions
    entered = [not question.state.late for question in questions]
    assert True in entered
    first = entered.index(True)
    assert all(entered[first:])
    reason = "this cannot be taken back: since then, the order of the late patches is known"
    assert questions[first].undo_problem == reason
    # later actions can be taken back again
    assert "" in {question.undo_problem for question in questions[first + 1 :]}


def test_undo_never_returns_a_card_of_the_automa() -> None:
    """The number of cards before each question never decreases."""
    setup = GameSetup((HUMAN, AUTOMA), ANNIVERSARY, deal(ANNIVERSARY, 1), (1, 2), Automa("fellow"))
    player = play(setup, [0])
    cards = [sum(is_card(ply.action) for ply in question.plies) for question in player.questions]
    assert cards == sorted(cards)
    assert cards[-1] > 5
    assert player.taken_back
    problems = {question.undo_problem for question in player.questions}
    assert problems == {
        "",
        "there is nothing to take back",
        "this cannot be taken back: since then, the Automa has turned over a card",
    }


def test_everything_can_be_taken_back_if_nothing_is_hidden() -> None:
    """In the original edition this holds for all but the first question."""
    problems = [question.undo_problem for question in play(TWO, [0, 1]).questions]
    assert problems[0] == "there is nothing to take back"
    assert sum(map(bool, problems)) == problems.count("there is nothing to take back")
    assert problems.count("") > 40
