"""The referee's loop: whose fault it is, what people and watchers see, clocks, and the record."""

import os
import signal
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from pwtourney.clock import TimeControl
from pwtourney.errors import BotFault, TheftFault
from pwtourney.match import HUMAN, BotPool, BotSpec, GameLoop, PlayedGame, play_game, play_loop
from pwtourney.match.game_loop import Thought
from pwtourney.notation import action_text
from pwtourney.notation.game import Fault, Ply, Usage, Verdict
from pwtourney.rules import State
from pwtourney.sandbox.isolation import Isolation
from tests.match.helpers import setup, shell_bot
from tests.match.test_traffic import sent_lines
from tests.rules.positions import EXPRESS

CRASHES = shell_bot("robin", "exit 3")
"""A bot that ends a game quickly: it crashes in its first turn."""


@contextmanager
def seated(first: BotSpec, second: BotSpec, people: tuple[int, ...] = ()) -> Iterator[GameLoop]:
    """Yield a loop whose bots have a seat."""
    loop = GameLoop(PlayedGame(setup(first, second, 1, EXPRESS), people))
    with closing(BotPool()) as pool:
        pool.open_game()
        loop.seat_bots(pool)
        try:
            yield loop
        finally:
            loop.leave(pool)


def play_people(
    answers: list[Ply | BotFault | None],
) -> tuple[GameLoop, list[tuple[State, Ply]]]:
    """Play a game between two people who give these answers; return what a watcher sees."""
    seen: list[tuple[State, Ply]] = []
    queue = iter(answers)

    def ask(game: PlayedGame) -> Ply | None:
        answer = next(queue)
        if isinstance(answer, BotFault):
            raise answer
        return answer

    game = PlayedGame(setup(HUMAN, HUMAN, 1, EXPRESS), (0, 1))
    loop = GameLoop(game, lambda state, ply: seen.append((state, ply)), person=ask)
    with closing(BotPool()) as pool:
        play_loop(loop, pool)
    return loop, seen


def test_watcher_sees_each_ply_that_people_play() -> None:
    """Taking back is no ply; the loser is the person who resigned."""
    first, second, other = Ply(0, "advance", 5), Ply(1, "advance", 6), Ply(1, "4:r0:a1", 7)
    loop, seen = play_people([first, second, None, other, BotFault("resigned", "gave up")])
    assert [ply for _, ply in seen] == [first, second, other]
    start = PlayedGame(setup(HUMAN, HUMAN, 1, EXPRESS))
    for number, ply in ((0, first), (2, other)):
        start.follow(ply)
        assert seen[number][0] == start.state
    record = loop.record()
    assert record.plies == (first, other)
    loser = start.state.to_move
    assert record.faults == (Fault(loser, Verdict.RESIGNED, "gave up", log="gave up"),)
    assert record.winner == 1 - loser
    assert record.profiles == ("", "")
    assert record.usage == (Usage(), Usage())
    assert (loop.bots, loop.current_thought()) == ([], Thought(0, ""))


@pytest.mark.parametrize("plies", [0, 1])
def test_theft_is_a_fault_of_the_seat_that_is_not_to_move(plies: int) -> None:
    """It is noticed in the turn of the seat that was robbed."""
    stolen = TheftFault("took too much")
    loop, _ = play_people([*[Ply(0, "advance")] * plies, stolen])
    (fault,) = loop.record().faults
    assert (fault.seat, fault.verdict) == (1 - plies, Verdict.THEFT)
    assert loop.record().winner == plies


def test_bots_of_a_game_are_paused_together() -> None:
    """Each knows its opponent: in a pause of either, the kernel shows both as stopped (T)."""
    with seated(shell_bot("wren"), shell_bot("robin")) as loop:
        assert [bot.spec.id for bot in loop.bots] == ["wren", "robin"]
        for bot in loop.bots:
            with bot._process.meter.standstill():
                for other in loop.bots:
                    assert read_state(other.pid) == "T"
            assert [read_state(other.pid) for other in loop.bots] == ["S", "S"]


def read_state(pid: int) -> str:
    """Return the letter of a process's state, as soon as the process is not running."""
    state, end = "R", time.monotonic() + 20
    while state == "R" and time.monotonic() < end:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    return state


@pytest.mark.parametrize("cpu", [False, True])
def test_clock_of_a_bot_loses_the_time_of_its_ply(cpu: bool) -> None:
    """It is wall time, or processor time; the ply has the same time in microseconds."""
    control = TimeControl(game_ms=60_000, increment_ms=0, cpu=cpu, wall_ms=50_000)
    with seated(shell_bot("wren", control=control), HUMAN, (1,)) as loop:
        loop.play_ply()
        (ply,) = loop.game.plies
        spent = 60_000_000_000 - loop.game.clock.left_ns[0]
        assert spent // 1000 == (ply.cpu if cpu else ply.micros)
        assert ply.cpu < ply.micros
        assert loop.game.clock.left_ns[1] == 0


def test_thought_is_that_of_the_bot_to_move() -> None:
    """It has the time of its last request and its last words; a person has none."""
    alone = GameLoop(PlayedGame(setup(HUMAN, HUMAN, 1, EXPRESS), (0, 1)))
    assert alone.current_thought() == Thought(0, "")
    began = time.monotonic_ns()
    with seated(shell_bot("wren", "echo info hm"), HUMAN, (1,)) as loop:
        assert loop.current_thought() == Thought(0, "")
        loop.play_ply()
        assert loop.current_thought() == Thought(0, "")
        follow = Ply(1, "4:r0:a1")
        loop.catch_up([*loop.game.plies, follow])
        while loop.game.state.to_move == 1:
            loop.catch_up([*loop.game.plies, Ply(1, "advance")])
        since, info = loop.current_thought()
        assert began < since < time.monotonic_ns()
        assert info == "hm"
        loop.game.lose(Fault(1, Verdict.RESIGNED, ""))
        assert loop.current_thought() == Thought(0, "")


def test_record_has_usage_and_profile_of_each_bot(tmp_path: Path) -> None:
    """The bot that failed loses; both hear the result, their own score first."""
    wren = shell_bot("wren", "echo info hm", isolation=Isolation(pondering="allow"))
    with closing(BotPool(traffic=tmp_path)) as pool:
        game = play_game(setup(wren, CRASHES, 1, EXPRESS), pool=pool)
    assert (game.winner, game.verdict, len(game.plies)) == (0, Verdict.CRASH, 1)
    assert game.profiles == (wren.isolation.profile, "none")
    assert [usage.written for usage in game.usage] == [
        len("ready\ninfo hm\nmove advance\n"),
        len("ready\n"),
    ]
    first, second = game.scores
    (heard,) = (line for line in sent_lines(tmp_path, "wren") if line.startswith("gameover"))
    assert heard == f"gameover {first} {second} win"


def test_single_game_is_watched_and_leaves_nothing(tmp_path: Path) -> None:
    """Scratch folders are made below the given one, and are removed."""
    seen: list[Ply] = []
    where = f"pwd > {tmp_path}/where; cd /"
    (tmp_path / "where").touch()
    (tmp_path / "where").chmod(0o666)
    (tmp_path / "scratch").mkdir()
    game = play_game(
        setup(shell_bot("wren", where), CRASHES, 1, EXPRESS),
        lambda _, ply: seen.append(ply),
        str(tmp_path / "scratch"),
    )
    assert tuple(seen) == game.plies
    assert len(seen) == 1
    assert Path((tmp_path / "where").read_text().strip()).parent == tmp_path / "scratch"
    assert os.listdir(tmp_path / "scratch") == []


def test_bot_that_died_loses_when_a_game_elsewhere_begins_again() -> None:
    """The plies of the new game are not followed."""
    with seated(shell_bot("wren"), HUMAN, (1,)) as loop:
        other = action_text(loop.game.state.legal_actions()[-1], EXPRESS)
        loop.play_ply()
        (bot,) = loop.bots
        os.kill(bot.pid, signal.SIGKILL)
        os.waitid(os.P_PID, bot.pid, os.WEXITED | os.WNOWAIT)
        loop.catch_up([Ply(0, other), Ply(1, "advance")])
        assert [fault.seat for fault in loop.game.faults] == [0]
        assert loop.game.plies == []
        assert loop.game.winner == 1
