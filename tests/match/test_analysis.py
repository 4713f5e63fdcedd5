"""Analysis of stored games: what bots are asked, their margins, and the swings of plies."""

import sys
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

import pytest

from pwtourney.clock import TimeControl
from pwtourney.errors import BotFault
from pwtourney.match import BotPool, BotSpec, RetracedPly, play_game, retrace
from pwtourney.match.analysis import (
    Evaluation,
    Summary,
    add_swings,
    evaluate_ply,
    find_largest_swings,
    grade_ply,
    summarize,
)
from pwtourney.match.conversation import Answer
from pwtourney.notation.game import UNTIMED, Fault, Game, Ply, Verdict
from pwtourney.rules import State
from pwtourney.rules.automa import Automa
from pwtourney.sandbox.launch import Launch
from tests.match.helpers import bot, setup
from tests.match.test_traffic import sent_lines
from tests.rules.positions import ORIGINAL

START = State.start(ORIGINAL, 1)
WREN, ROBIN = bot(name="wren"), bot(name="robin")


@pytest.mark.parametrize(
    ("info", "margin"),
    [
        ("score 12", 12.0),
        ("depth 3 score -0.5 nodes 7", -0.5),
        ("text score 3", None),
        ("depth score 3", None),
        ("score nan", None),
        ("score ٤", None),
        ("score 1e9", None),
        ("scores 4", None),
        ("score 1234567890", None),
        ("score 123456789.123456789", 123456789.123456789),
        ("", None),
    ],
)
def test_a_margin_is_read_as_the_protocol_writes_it(info: str, margin: float | None) -> None:
    """Info has words in pairs and a plain number; the sign is reversed for seat 1."""
    for seat, sign in ((0, 1), (1, -1)):
        assert margin_of(seat, info) == (None if margin is None else sign * margin)
        assert margin_of(seat, "score 7", info) == sign * (7.0 if margin is None else margin)


def margin_of(seat: int, *infos: str) -> float | None:
    """Return the margin that is read from the info lines of a bot in its turn."""
    answer = Answer(START, Ply(seat, "advance", 1), 1, 1, infos)
    evaluation = evaluate_ply(RetracedPly(1, START, Ply(seat, "advance"), answer))
    assert evaluation is not None
    return evaluation.margin


def test_evaluation_has_the_ply_and_the_answer_of_the_bot() -> None:
    """Without an answer those fields are None; without a ply there is no evaluation."""
    answer = Answer(START, Ply(1, "3:r0:a1", 1), 1, 1, ("score 2",))
    ply = Ply(1, "advance")
    evaluation = evaluate_ply(RetracedPly(7, START, ply, answer))
    assert evaluation == (7, 1, "advance", "3:r0:a1", -2.0, None)
    assert evaluate_ply(RetracedPly(8, START, ply, None)) == (8, 1, "advance", None, None, None)
    assert evaluate_ply(RetracedPly(9, START, None, answer)) is None


def evaluations(*plies: tuple[int, str, float | None]) -> list[Evaluation]:
    """Return evaluations from the seat, the action and the margin before each ply."""
    return [Evaluation(number, *ply[:2], None, ply[2]) for number, ply in enumerate(plies, 1)]


def ended(count: int, scores: tuple[int, int], verdict: Verdict = Verdict.FINISHED) -> Game:
    """Return a game with this number of plies."""
    game = Game(
        bots=("a", "b"),
        edition="original",
        deal=setup(WREN, ROBIN).deal,
        seeds=(1, 2),
        plies=(Ply(0, "advance"),) * count,
        verdict=verdict,
        winner=0,
        scores=scores,
    )
    return game if verdict is Verdict.FINISHED else game._replace(faults=(Fault(1, verdict, ""),))


def test_swings_are_counted_for_the_seat_that_played() -> None:
    """The margins are +3 before, +5 after a ply of seat 0, −1 after seat 1, and 0 at the end."""
    before = evaluations((0, "advance", 3.0), (1, "advance", 5.0), (1, "advance", -1.0))
    swung = add_swings(before, ended(3, (7, 7)))
    assert [evaluation.swing for evaluation in swung] == [2.0, 6.0, -1.0]
    assert [evaluation._replace(swing=None) for evaluation in swung] == before
    # the result is 9 points for seat 0, so the last ply lost seat 1 ten of them
    assert add_swings(before, ended(3, (12, 3)))[-1].swing == -10.0


def test_last_swing_of_an_unfinished_game_is_unknown() -> None:
    """The same holds if only some of the plies were evaluated."""
    before = evaluations((0, "advance", 3.0), (1, "advance", 5.0))
    for game in (ended(2, (9, 0), Verdict.CRASH), ended(3, (9, 0))):
        assert [evaluation.swing for evaluation in add_swings(before, game)] == [2.0, None]


def test_ply_without_a_margin_has_no_swing() -> None:
    """The swing of the ply before it is unknown too."""
    before = evaluations((0, "advance", 3.0), (1, "advance", None), (0, "advance", 1.0))
    assert [evaluation.swing for evaluation in add_swings(before, ended(3, (1, 0)))] == [
        None,
        None,
        0.0,
    ]


def test_swing_before_a_card_uses_the_margin_after_the_card() -> None:
    """No bot is asked before a card, so a card has no margin and is skipped."""
    before = evaluations((0, "advance", 3.0), (1, "card:3:7", None), (0, "advance", 4.0))
    assert [evaluation.swing for evaluation in add_swings(before, ended(3, (6, 0)))] == [
        1.0,
        None,
        2.0,
    ]


def test_the_five_largest_swings_are_reported_in_their_order() -> None:
    """Gains and losses both count; swings of zero and unknown swings are left out."""
    swings = [1.0, -7.0, None, 0.0, 2.0, 3.0, -4.0, 5.0]
    given = [Evaluation(n, 0, "advance", None, None, swing) for n, swing in enumerate(swings)]
    assert [evaluation.number for evaluation in find_largest_swings(given)] == [1, 4, 5, 6, 7]
    assert find_largest_swings(given[2:4]) == []


@pytest.mark.parametrize(
    ("swing", "grade"),
    [
        (None, ""),
        (9.0, ""),
        (-1.9, ""),
        (-2.0, "inaccuracy"),
        (-3.9, "inaccuracy"),
        (-4.0, "mistake"),
        (-8.0, "blunder"),
        (-50.0, "blunder"),
    ],
)
def test_ply_is_graded_by_its_loss(swing: float | None, grade: str) -> None:
    """The limits of docs/cli.md are 2, 4 and 8 points; the bot's own choice has no grade."""
    played = Evaluation(1, 0, "advance", "3:r0:a1", 1.0, swing)
    assert grade_ply(played) == grade
    assert grade_ply(played._replace(choice="advance")) == ""


def test_players_are_summed_up_by_what_their_plies_cost() -> None:
    """The first seat lost 3, 0 and 9 points in three of four plies, the second nothing known.

    A gain, and the bot's own choice, cost nothing.
    """
    swings = [(-3.0, "x"), (2.0, "x"), (-9.0, "x"), (None, "x")]
    given = [Evaluation(n, 0, "a", choice, 0.0, swing) for n, (swing, choice) in enumerate(swings)]
    first, second = summarize([*given, Evaluation(9, 1, "a", "a", None, None)])
    assert first == Summary(
        seat=0, plies=3, mean_loss=4.0, accuracy=1 / 3, inaccuracies=1, mistakes=0, blunders=1
    )
    assert second == Summary(1, 0, None, None, 0, 0, 0)
    same, _ = summarize([Evaluation(0, 0, "a", "a", 0.0, -9.0)])
    assert (same.mean_loss, same.accuracy) == (0.0, 1.0)


def ask(
    folder: Path,
    game: Game,
    bots: Mapping[int, BotSpec],
    controls: tuple[TimeControl, TimeControl] | None = None,
) -> list[RetracedPly]:
    """Return a game retraced by bots, with what they receive logged to a folder."""
    with closing(BotPool(traffic=folder)) as pool:
        return list(retrace(game, ORIGINAL, bots, (5, 6), pool, controls))


@pytest.mark.slow
def test_bot_is_asked_about_every_ply_of_its_seat(tmp_path: Path) -> None:
    """The bot plays as it did in the game, so its answers are the plies of its seat."""
    game = play_game(setup(WREN, ROBIN))
    positions = ask(tmp_path, game, {1: ROBIN})
    assert [position.number for position in positions] == list(range(1, len(game.plies) + 1))
    assert [position.ply for position in positions] == list(game.plies)
    assert [position.answer is not None for position in positions] == [
        ply.seat == 1 for ply in game.plies
    ]
    answers = [position.answer.ply.action for position in positions if position.answer]
    assert answers == [ply.action for ply in game.plies if ply.seat == 1]
    assert positions[0].state == START
    assert "newgame edition original seat 1 seed 6" in sent_lines(tmp_path, "robin")


@pytest.mark.slow
def test_retraced_clocks_are_those_of_the_game(tmp_path: Path) -> None:
    """The clocks are ten seconds each, less the time of the plies, in milliseconds rounded down."""
    game = play_game(setup(WREN, ROBIN))
    took = [1_500_000, 2_000_999, UNTIMED, 250_000]
    pairs = list(zip(game.plies, took, strict=False))  # the first four plies
    plies = [ply._replace(micros=micros) for ply, micros in pairs]
    seats = [ply.seat for ply in plies]
    left = [10_000_000, 10_000_000]
    expected = []
    for seat, micros in zip(seats, took, strict=True):
        expected.append((left[seat] // 1000, left[1 - seat] // 1000))
        left[seat] -= max(0, micros)
    controls = (TimeControl(game_ms=10_000), TimeControl(game_ms=10_000))
    ask(tmp_path, game._replace(plies=(*plies, *game.plies[4:])), {0: WREN, 1: ROBIN}, controls)
    requests = {
        seat: [line for line in sent_lines(tmp_path, name) if line.startswith("go")]
        for seat, name in ((0, "wren"), (1, "robin"))
    }
    clocks = [requests[seat].pop(0) for seat in seats]
    assert clocks == [f"go clock {mine} {theirs} increment 0" for mine, theirs in expected]


@pytest.mark.slow
def test_without_controls_each_bot_has_its_own_time(tmp_path: Path) -> None:
    """A seat without a bot has no limit."""
    game = play_game(setup(WREN, ROBIN))
    timed = ROBIN._replace(control=TimeControl(game_ms=9_000))
    plies = tuple(ply._replace(micros=0) for ply in game.plies)
    ask(tmp_path, game._replace(plies=plies), {1: timed})
    requests = {line for line in sent_lines(tmp_path, "robin") if line.startswith("go")}
    assert requests == {"go clock 9000 0 increment 0"}


@pytest.mark.slow
@pytest.mark.parametrize("seat", [0, 1])
def test_position_of_a_fault_is_asked_of_the_seat_that_failed(tmp_path: Path, seat: int) -> None:
    """The position after the last ply goes to that seat only."""
    game = play_game(setup(WREN, bot("crash")))
    assert game.verdict is Verdict.CRASH
    positions = ask(tmp_path, game, {seat: ROBIN})
    assert [position.ply for position in positions] == [*game.plies, None]
    assert (positions[-1].answer is not None) == (seat == 1)
    assert positions[-1].number == len(game.plies) + 1


@pytest.mark.slow
def test_game_without_a_failed_move_ends_with_its_plies(tmp_path: Path) -> None:
    """Void games and games without a ply have no position after the last one."""
    game = play_game(setup(WREN, bot("crash")))
    void = game._replace(verdict=Verdict.RUNNER_ERROR, winner=None, faults=())
    assert [position.ply for position in ask(tmp_path, void, {0: WREN})] == list(game.plies)
    failed = game._replace(plies=(), verdict=Verdict.START, winner=1)
    assert ask(tmp_path, failed, {0: WREN}) == []


@pytest.mark.slow
def test_fault_of_an_asked_bot_is_raised(tmp_path: Path) -> None:
    """The process ends, even if the bot is persistent."""
    game = play_game(setup(WREN, ROBIN))
    crashes = bot("crash")._replace(persistent=True)
    with closing(BotPool()) as pool:
        positions = retrace(game, ORIGINAL, {0: crashes}, (5, 6), pool)
        with pytest.raises(BotFault, match="exited with code 3"):
            list(positions)
        with pytest.raises(BotFault, match="cannot start"):
            gone = WREN._replace(launch=Launch(("/no/such/program",)))
            list(retrace(game, ORIGINAL, {0: gone}, (5, 6), pool))


@pytest.mark.slow
def test_persistent_bot_is_asked_about_several_games(tmp_path: Path) -> None:
    """One process answers for all games, each announced by a new game."""
    code = (
        "import os, sys\n"
        "for line in sys.stdin:\n"
        "    word, *rest = line.split()\n"
        "    if word == 'pwtp': print('feature legal\\nready', flush=True)\n"
        "    elif word == 'end': print('ready', flush=True)\n"
        "    elif word == 'legal': legal = rest\n"
        "    elif word == 'go': print(f'info pid {os.getpid()}\\nmove {legal[0]}', flush=True)\n"
        "    elif word == 'quit': break\n"
    )
    stays = WREN._replace(launch=Launch((sys.executable, "-S", "-c", code)), persistent=True)
    game = play_game(setup(WREN, ROBIN))
    processes: set[str] = set()
    with closing(BotPool()) as pool:
        for _ in range(2):
            positions = retrace(game, ORIGINAL, {0: stays}, (5, 6), pool)
            processes |= {position.answer.infos[0] for position in positions if position.answer}
    assert len(processes) == 1


@pytest.mark.slow
def test_cards_of_the_automa_are_not_sent_to_bots(tmp_path: Path) -> None:
    """The bot of seat 0 never receives what the Automa played."""
    against = setup(WREN, ROBIN)._replace(automa=Automa("intern"))
    game = play_game(against)
    positions = ask(tmp_path, game, {0: WREN})
    cards = [
        position for position in positions if position.ply is not None and position.ply.seat == 1
    ]
    assert cards
    assert all(card.answer is None for card in cards)
    assert not [line for line in sent_lines(tmp_path, "wren") if line.startswith("played")]
