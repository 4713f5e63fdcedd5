"""The lines that bots receive in a game, by docs/protocol.md."""

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from pwtourney.human import Question, play_with_people
from pwtourney.match import BotPool, BotSpec, GameLoop, PlayedGame, play_game, retrace
from pwtourney.notation import action_text
from pwtourney.notation.game import Game, Ply, Verdict
from pwtourney.rules import Action
from tests.match.helpers import bot, setup
from tests.rules.positions import ORIGINAL

BOTS = (bot(name="wren"), bot(name="robin"))


def play_logged(folder: Path, bots: Sequence[BotSpec] = BOTS) -> Game:
    """Play a game with every line written to a file for each bot."""
    with closing(BotPool(traffic=folder)) as pool:
        return play_game(setup(bots[0], bots[1]), pool=pool)


def sent_lines(folder: Path, name: str) -> list[str]:
    """Return the lines that the runner sent to a bot."""
    stamped = (line.split(maxsplit=2) for line in (folder / f"{name}.log").read_text().splitlines())
    return [text for _, direction, text in stamped if direction == ">"]


def heard_by_turn(lines: Sequence[str]) -> list[list[str]]:
    """Return the actions of the line `played` in each turn; none if the line is absent."""
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
    """Return the opponent's actions between two answers of a seat."""
    turns: list[list[str]] = [[]]
    for ply in plies:
        if ply.seat == seat:
            turns.append([])
        else:
            turns[-1].append(ply.action)
    return turns[:-1]


@pytest.mark.slow
def test_each_opponent_action_is_sent_exactly_once(tmp_path: Path) -> None:
    """Each turn has the opponent's actions since the bot's last answer and none of its own.

    A bot that moves several times in a row receives nothing new, and its opponent then receives all
    of those actions.
    """
    game = play_logged(tmp_path)
    turns = [played_by_turn(game.plies, seat) for seat in (0, 1)]
    assert [] in turns[0][1:] + turns[1][1:], "nobody moved twice in a row"
    assert [heard_by_turn(sent_lines(tmp_path, spec.id)) for spec in BOTS] == turns


@pytest.mark.slow
def test_analysis_sends_the_same_actions_as_the_game(tmp_path: Path) -> None:
    """In either seat the bot receives what was played since its previous turn, once."""
    game = play_game(setup(*BOTS))
    with closing(BotPool(traffic=tmp_path)) as pool:
        for _ in retrace(game, ORIGINAL, {0: BOTS[0], 1: BOTS[1]}, game.seeds, pool):
            pass
    for seat, spec in enumerate(BOTS):
        assert heard_by_turn(sent_lines(tmp_path, spec.id)) == played_by_turn(game.plies, seat)


def test_bot_does_not_receive_undone_moves(tmp_path: Path) -> None:
    """A human moves, is to move again, and takes the first move back.

    The bot receives a new game, and then only what is played from there on.
    """
    kept: list[int] = []

    def answer(question: Question) -> Action | None:
        if not kept and not question.undo_problem and question.plies[-1].seat == 1:
            kept.append(len(question.plies) - 1)
            return None
        return question.state.legal_actions()[0]

    with closing(BotPool(traffic=tmp_path)) as pool:
        game = play_with_people(PlayedGame(setup(*BOTS), people=[1]), answer, pool)
    lines = sent_lines(tmp_path, "wren")
    last_game = max(number for number, line in enumerate(lines) if line.startswith("newgame"))
    assert kept, "nothing was taken back"
    assert heard_by_turn(lines[last_game:]) == played_by_turn(game.plies[kept[0] :], 0)


def test_a_bot_that_joins_a_game_hears_of_no_past(tmp_path: Path) -> None:
    """The game is played elsewhere; the bot hears only what is played there later."""
    plies = [Ply(0, "advance"), Ply(1, "advance")]
    with seated_against_person(tmp_path) as loop:
        loop.catch_up(plies)
        loop.play_ply()
        loop.catch_up([*plies, loop.game.plies[-1], Ply(1, "advance")])
        loop.play_ply()
    assert heard_by_turn(sent_lines(tmp_path, "wren")) == [[], ["advance"]]


def test_a_bot_hears_of_a_new_game_when_plies_were_taken_back_elsewhere(tmp_path: Path) -> None:
    """After that it hears of no ply of the game that it knew."""
    with seated_against_person(tmp_path) as loop:
        other = action_text(loop.game.state.legal_actions()[-1], ORIGINAL)
        loop.play_ply()
        loop.catch_up([Ply(0, other), Ply(1, "advance")])
        assert [ply.action for ply in loop.game.plies] == [other, "advance"]
        loop.play_ply()
    words = [line.split()[0] for line in sent_lines(tmp_path, "wren")]
    assert words.count("newgame") == 2
    assert words[-words[::-1].index("newgame") :].count("played") == 0


@contextmanager
def seated_against_person(folder: Path) -> Iterator[GameLoop]:
    """Start a bot against a person who plays elsewhere; what the bot hears is written to a file."""
    loop = GameLoop(PlayedGame(setup(*BOTS), people=[1]))
    with closing(BotPool(traffic=folder)) as pool:
        pool.open_game()
        loop.seat_bots(pool)
        try:
            yield loop
        finally:
            loop.leave(pool)


@pytest.mark.slow
def test_both_bots_receive_the_result(tmp_path: Path) -> None:
    """Each gets its own score first; the higher score wins."""
    game = play_logged(tmp_path)
    assert game.verdict is Verdict.FINISHED
    first, second = game.scores
    assert first != second, "this deal should not end in a tie"
    results = ("win", "loss") if first > second else ("loss", "win")
    assert sent_lines(tmp_path, "wren")[-2:] == [f"gameover {first} {second} {results[0]}", "quit"]
    assert sent_lines(tmp_path, "robin")[-2:] == [f"gameover {second} {first} {results[1]}", "quit"]


@pytest.mark.parametrize("seat", [0, 1])
def test_opponent_of_a_failed_bot_receives_a_win(tmp_path: Path, seat: int) -> None:
    """The scores do not matter when one bot answers with an invalid action."""
    bots = [*BOTS]
    bots[seat] = bot("nonsense")
    play_logged(tmp_path, bots)
    for name, result in ((BOTS[1 - seat].id, "win"), ("nonsense", "loss")):
        (line,) = (line for line in sent_lines(tmp_path, name) if line.startswith("gameover"))
        assert line.endswith(f" {result}")
