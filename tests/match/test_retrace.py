"""Stored games that are shown to bots again: what the bots hear, and what they answer."""

import os
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest

from pwtourney.clock import TimeControl
from pwtourney.errors import BotFault
from pwtourney.match import AUTOMA, BotPool, PlayedGame, retrace
from pwtourney.match.analysis import Evaluation, evaluate_game
from pwtourney.notation import position_text, read_action
from pwtourney.notation.game import Fault, Game, Ply, Verdict
from pwtourney.rules import State, deal
from pwtourney.rules.automa import Automa
from tests.match.helpers import setup, shell_bot
from tests.match.test_traffic import sent_lines
from tests.rules.positions import ANNIVERSARY, ORIGINAL

PLIES = (
    Ply(0, "15:r0:a1", 1_500_001, 400_000),
    Ply(1, "4:r0:a1", 2_000_000, 3_000_000),
    Ply(1, "advance"),
    Ply(0, "advance", 250_000, 0),
    Ply(1, "advance", 0, 0),
)
"""The first plies of deal 1: patch 15 leads to space 4, patch 4 to space 1, so seat 1 goes on.

After them the seats are on spaces 6 and 7. Patch 15 costs 3 buttons, and patch 4, too.
"""

SCORES = {3: (2 - 2 * 76, 6 - 2 * 78), 4: (5 - 2 * 76, 6 - 2 * 78)}
"""The buttons less two for each of the 81 squares that are empty, after so many of the plies."""


def record(
    plies: Sequence[Ply] = PLIES, verdict: Verdict = Verdict.FINISHED, failed: int | None = None
) -> Game:
    """Return a game with these plies, which the seat `failed` has lost."""
    return Game(
        bots=("wren", "robin"),
        edition="original",
        deal=deal(ORIGINAL, 1),
        seeds=(1, 2),
        plies=tuple(plies),
        verdict=verdict,
        winner=None if failed is None else 1 - failed,
        scores=SCORES.get(len(plies), (0, 0)),
        faults=() if failed is None else (Fault(failed, verdict, ""),),
    )


def heard(folder: Path, name: str) -> list[str]:
    """Return what a bot was sent, without editions, positions and legal actions."""
    words = ("newgame", "played", "go", "gameover", "quit")
    return [line for line in sent_lines(folder, name) if line.split()[0] in words]


def test_retraced_bots_hear_the_actions_and_clocks_of_the_game(tmp_path: Path) -> None:
    """The clocks are worked out by hand, in milliseconds rounded down.

    The first seat has 10 s and gets 0.1 s a move, the second has 20 s; a ply without a time costs
    nothing.
    """
    controls = (TimeControl(game_ms=10_000, increment_ms=100), TimeControl(game_ms=20_000))
    bots = {0: shell_bot("wren"), 1: shell_bot("robin")}
    with closing(BotPool(traffic=tmp_path)) as pool:
        retraced = list(retrace(record(), ORIGINAL, bots, (5, 6), pool, controls))
    assert [(position.number, position.ply) for position in retraced] == list(enumerate(PLIES, 1))
    states = [State.start(ORIGINAL, deal(ORIGINAL, 1))]
    for ply in PLIES[:-1]:
        states.append(states[-1].apply(read_action(ply.action, states[-1])))
    assert [position.state for position in retraced] == states
    answers = [position.answer.ply[:2] for position in retraced if position.answer]
    assert answers == [(ply.seat, "advance") for ply in PLIES]
    assert heard(tmp_path, "wren") == [
        "newgame edition original seat 0 seed 5",
        "go clock 10000 20000 increment 100",
        "played 4:r0:a1 advance",
        "go clock 8599 18000 increment 100",
        "quit",
    ]
    assert heard(tmp_path, "robin") == [
        "newgame edition original seat 1 seed 6",
        "played 15:r0:a1",
        "go clock 20000 8599 increment 0",
        "go clock 18000 8599 increment 0",
        "played advance",
        "go clock 18000 8449 increment 0",
        "quit",
    ]
    positions = [line for line in sent_lines(tmp_path, "robin") if line.startswith("position ")]
    assert positions == [f"position {position_text(states[ply])}" for ply in (1, 2, 4)]


def test_retraced_bot_has_its_own_clock_without_given_ones(tmp_path: Path) -> None:
    """Its clock measures processor time: 9 s less 3 s; the seat without a bot has no clock."""
    timed = shell_bot("robin", control=TimeControl(game_ms=9_000, cpu=True))
    with closing(BotPool(traffic=tmp_path)) as pool:
        positions = list(retrace(record(), ORIGINAL, {1: timed}, (5, 6), pool))
    assert [position.answer is not None for position in positions] == [
        ply.seat == 1 for ply in PLIES
    ]
    assert [line for line in heard(tmp_path, "robin") if line.startswith("go")] == [
        "go clock 9000 0 increment 0",
        "go clock 6000 0 increment 0",
        "go clock 6000 0 increment 0",
    ]


@pytest.mark.parametrize(
    ("game", "count"),
    [
        (record(PLIES[:4], Verdict.CRASH, failed=1), 5),
        (record(PLIES[:3], Verdict.CRASH, failed=0), 4),
        (record(PLIES[:4], Verdict.RESIGNED, failed=0), 4),
        (record(PLIES[:4], Verdict.RUNNER_ERROR), 4),
        (record(PLIES[:4])._replace(winner=0), 4),
        (record((), Verdict.START, failed=0), 0),
    ],
)
def test_last_position_is_retraced_only_for_the_seat_that_failed_there(
    game: Game, count: int
) -> None:
    """After four plies the second seat is to move, on space 5; the first is on space 6.

    After three plies the first seat is to move, on space 4.
    """
    with closing(BotPool()) as pool:
        positions = list(retrace(game, ORIGINAL, {}, (5, 6), pool))
    assert len(positions) == count
    assert [position.ply for position in positions] == [
        *game.plies,
        *[None] * (count - len(game.plies)),
    ]
    assert [position.number for position in positions] == [*range(1, count + 1)]
    assert {position.answer for position in positions} <= {None}
    assert count != 5 or positions[-1].state.to_move == 1


def test_bot_is_asked_in_the_position_where_the_player_failed(tmp_path: Path) -> None:
    """It answers what it would have played instead."""
    game = record(PLIES[:4], Verdict.TIMEOUT, failed=1)
    with closing(BotPool(traffic=tmp_path)) as pool:
        *_, last = retrace(game, ORIGINAL, {1: shell_bot("robin")}, (5, 6), pool)
    assert last.ply is None
    assert last.answer is not None
    assert last.answer.ply[:2] == (1, "advance")
    assert heard(tmp_path, "robin")[-3:] == ["played advance", "go movetime 10000", "quit"]


def test_persistent_bot_is_kept_for_the_next_game_unless_one_was_not_finished() -> None:
    """It may still owe an answer if it failed or if nobody wanted the rest of the game."""
    bot = shell_bot("wren", 'echo "info $$"; [ $n -lt 8 ] || exit 3', persistent=True)

    def ask(pool: BotPool) -> list[str]:
        positions = retrace(record(), ORIGINAL, {1: bot}, (5, 6), pool)
        return [position.answer.infos[0] for position in positions if position.answer]

    with closing(BotPool()) as pool:
        ((first,), (second,)) = set(ask(pool)), set(ask(pool))
        assert first == second
        with pytest.raises(BotFault, match="exited with code 3"):
            ask(pool)
        with pytest.raises(ProcessLookupError):
            os.kill(int(first), 0)
        some = retrace(record(), ORIGINAL, {1: bot}, (5, 6), pool)
        answers = [next(some).answer, next(some).answer]
        some.close()  # type: ignore[attr-defined]
        assert answers[1] is not None
        with pytest.raises(ProcessLookupError):
            os.kill(int(answers[1].infos[0]), 0)


def test_evaluation_asks_a_bot_in_both_seats_with_the_seed_1() -> None:
    """The bot reports a score that is made of its seat and its seed: 0.1 and 1.1."""
    bot = shell_bot("wren", 'set -- $game; echo "info score $4.$6"')
    with closing(BotPool()) as pool:
        game = record(PLIES[:3], Verdict.CRASH, failed=0)
        evaluations = list(evaluate_game(game, ORIGINAL, bot, pool))
    assert evaluations == [
        Evaluation(1, 0, "15:r0:a1", "advance", 0.1),
        Evaluation(2, 1, "4:r0:a1", "advance", -1.1),
        Evaluation(3, 1, "advance", "advance", -1.1),
    ]


def test_bot_that_evaluates_may_be_a_little_late() -> None:
    """It has a millisecond for each move and takes twenty; asked as in its game, it fails."""
    bot = shell_bot("wren", "sleep 0.02", control=TimeControl(move_ms=1))
    with closing(BotPool()) as pool:
        evaluations = list(evaluate_game(record(PLIES[:2]), ORIGINAL, bot, pool))
        assert [evaluation.choice for evaluation in evaluations] == ["advance"] * 2
        with pytest.raises(BotFault, match="did not answer in time"):
            list(retrace(record(PLIES[:2]), ORIGINAL, {0: bot}, (1, 1), pool))


def test_cards_are_neither_evaluated_nor_sent_to_the_bot(tmp_path: Path) -> None:
    """Against the Automa a bot has the first seat only."""
    bot = shell_bot("wren", "echo info score 2")
    played = PlayedGame(
        setup(bot, AUTOMA, 1, ANNIVERSARY)._replace(seeds=(0, 2), automa=Automa("fellow")), (0,)
    )
    for _ in range(2):
        played.follow(Ply(0, "advance"))
        card = played.play_card()
    with closing(BotPool(traffic=tmp_path)) as pool:
        evaluations = list(evaluate_game(played.record(), ANNIVERSARY, bot, pool))
    assert [evaluation[3:5] for evaluation in evaluations] == [("advance", 2.0), (None, None)] * 2
    assert evaluations[3].action == card.action
    assert not [line for line in heard(tmp_path, "wren") if line.startswith("played")]
