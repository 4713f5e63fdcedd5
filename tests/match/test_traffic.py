"""What bots hear in a game, in the lines that they were sent, by docs/protocol.md."""

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest

from pwtourney.human import HumanGameLoop, Question
from pwtourney.match import BotPool, BotSpec, play_game, play_loop, retrace
from pwtourney.notation.game import Game, Ply, Verdict
from pwtourney.rules import Action
from tests.match.helpers import bot, setup
from tests.rules.positions import ORIGINAL

BOTS = (bot(name="wren"), bot(name="robin"))


def play_logged(folder: Path, bots: Sequence[BotSpec] = BOTS) -> Game:
    """Play a game of which every line is written to a file for each bot."""
    with closing(BotPool(traffic=folder)) as pool:
        return play_game(setup(bots[0], bots[1]), pool=pool)


def sent_lines(folder: Path, name: str) -> list[str]:
    """Return what the runner sent to a bot."""
    stamped = (line.split(maxsplit=2) for line in (folder / f"{name}.log").read_text().splitlines())
    return [text for _, direction, text in stamped if direction == ">"]


def heard_by_turn(lines: Sequence[str]) -> list[list[str]]:
    """Return the actions of the line `played` in each turn, nothing where it is absent."""
    turns: list[list[str]] = [[]]
    for line in lines:
        word, *actions = line.split()
        if word == "played":
            assert actions, "the line is absent if nothing was played"
            turns[-1] += actions
        elif word == "go":
            turns.append([])
    return turns[:-1]


def played_by_turn(plies: Sequence[Ply], seat: int) -> list[list[str]]:
    """Return what the opponent played between two answers of a seat."""
    turns: list[list[str]] = [[]]
    for ply in plies:
        if ply.seat == seat:
            turns.append([])
        else:
            turns[-1].append(ply.action)
    return turns[:-1]


@pytest.mark.slow
def test_a_bot_hears_what_its_opponent_played_once(tmp_path: Path) -> None:
    """In each turn the actions since its last answer: none twice, none left out, none of its own.

    One that moves several times in a row hears nothing new, and its opponent then hears them all.
    """
    game = play_logged(tmp_path)
    turns = [played_by_turn(game.plies, seat) for seat in (0, 1)]
    assert [] in turns[0][1:] + turns[1][1:], "nobody moved twice in a row"
    assert [heard_by_turn(sent_lines(tmp_path, spec.id)) for spec in BOTS] == turns


@pytest.mark.slow
def test_a_bot_that_is_put_before_a_stored_game_hears_the_same(tmp_path: Path) -> None:
    """In the seat of either bot, what was played since its turn before, once."""
    game = play_game(setup(*BOTS))
    with closing(BotPool(traffic=tmp_path)) as pool:
        for _ in retrace(game, ORIGINAL, {0: BOTS[0], 1: BOTS[1]}, game.seeds, pool):
            pass
    for seat, spec in enumerate(BOTS):
        assert heard_by_turn(sent_lines(tmp_path, spec.id)) == played_by_turn(game.plies, seat)


def test_a_bot_does_not_hear_what_a_person_took_back(tmp_path: Path) -> None:
    """A person moves, is to move again, and takes the first move back: it is not heard twice.

    The bot hears of a new game, and then only of what is played from there on.
    """
    kept: list[int] = []

    def answer(question: Question) -> Action | None:
        if not kept and not question.undo_problem and question.plies[-1].seat == 1:
            kept.append(len(question.plies) - 1)
            return None
        return question.state.legal_actions()[0]

    loop = HumanGameLoop(setup(*BOTS), answer, people=[1])
    with closing(BotPool(traffic=tmp_path)) as pool:
        game = play_loop(loop, pool)
    lines = sent_lines(tmp_path, "wren")
    last_game = max(number for number, line in enumerate(lines) if line.startswith("newgame"))
    assert kept, "nothing was taken back"
    assert heard_by_turn(lines[last_game:]) == played_by_turn(game.plies[kept[0] :], 0)


@pytest.mark.slow
def test_both_bots_hear_who_won(tmp_path: Path) -> None:
    """Each its own score first; the higher one wins, by the rules of the game."""
    game = play_logged(tmp_path)
    assert game.verdict is Verdict.FINISHED
    first, second = game.scores
    assert first != second, "this deal should not end in a tie"
    results = ("win", "loss") if first > second else ("loss", "win")
    assert sent_lines(tmp_path, "wren")[-2:] == [f"gameover {first} {second} {results[0]}", "quit"]
    assert sent_lines(tmp_path, "robin")[-2:] == [f"gameover {second} {first} {results[1]}", "quit"]


@pytest.mark.parametrize("seat", [0, 1])
def test_the_opponent_of_a_bot_that_fails_hears_that_it_won(tmp_path: Path, seat: int) -> None:
    """Whatever the scores are when one of them answers with what is no action."""
    bots = [*BOTS]
    bots[seat] = bot("nonsense")
    play_logged(tmp_path, bots)
    for name, result in ((BOTS[1 - seat].id, "win"), ("nonsense", "loss")):
        (line,) = (line for line in sent_lines(tmp_path, name) if line.startswith("gameover"))
        assert line.endswith(f" {result}")
