"""Questions of an analysis to real processes: their lines, and how they end."""

import os
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pwtourney.clock import Clock, TimeControl
from pwtourney.errors import BotFault
from pwtourney.match import BotSpec, ask_introduction
from pwtourney.match.analysis import LATE_MS
from pwtourney.match.conversation import Conversation
from pwtourney.notation.info import parse_score
from pwtourney.protocol import Query
from tests.match.helpers import shell_bot
from tests.match.test_talk import START, Talk, await_words
from tests.match.test_talk import talk as talk
from tests.match.test_traffic import sent_lines
from tests.rules.positions import EXPRESS

HALF = Clock.start((TimeControl(30_000), TimeControl(30_000)))
ABLE = "echo feature multipv; echo feature searchmoves; echo feature stop;"
ENDLESS = Query(endless=True)
UNTIL_STOP = 'while read -r line; do [ "$line" = stop ] && break; done'
"""Ignores other lines than `stop`."""


def ready(talk: Talk, bot: BotSpec, traffic: Path | None = None) -> Conversation:
    """Start a bot in a new game, in which it has the first seat."""
    conversation = talk(bot, traffic)
    conversation.new_game(EXPRESS, 0, 1)
    return conversation


def after(seconds: float) -> Callable[[], bool]:
    """Return a function that is True after some time."""
    end = time.monotonic() + seconds
    return lambda: time.monotonic() > end


def lines_of_turns(folder: Path, name: str) -> Iterator[str]:
    """Yield the lines of requests that are not about the position."""
    for line in sent_lines(folder, name):
        if line.split()[0] in ("multipv", "searchmoves", "go", "stop"):
            yield line


def test_bot_gets_the_lines_for_its_features(talk: Talk, tmp_path: Path) -> None:
    """In this turn only: the turns of a game, before and after it, have none of them."""
    wren = ready(talk, shell_bot("wren", hello=ABLE), tmp_path / "wren.log")
    assert wren.features == {"multipv", "searchmoves", "stop"}
    wren.turn(START, (), HALF, 0)
    answer = wren.explore(START, Query(3, ("advance",), endless=True), HALF)
    wren.turn(START, (), HALF, 0)
    assert answer.ply.action == "advance"
    assert [*lines_of_turns(tmp_path, "wren")] == [
        "go movetime 30000",
        "multipv 3",
        "searchmoves advance",
        "go infinite",
        "go movetime 30000",
    ]


def test_bot_without_features_is_asked_as_in_a_game(talk: Talk, tmp_path: Path) -> None:
    """It has the limit of the clock, and any of its answers counts."""
    wren = ready(talk, shell_bot("wren"), tmp_path / "wren.log")
    last = "4:r0:a1"
    answer = wren.explore(START, Query(5, (last,), endless=True), HALF, lambda: True)
    assert answer.ply.action == "advance"
    assert [*lines_of_turns(tmp_path, "wren")] == ["go movetime 30000"]


def test_answer_that_is_a_little_late_counts(talk: Talk, tmp_path: Path) -> None:
    """Nobody plays against a bot that is asked in an analysis; it has the limit all the same.

    The sleep is longer than the time without a core that a busy machine adds to its clock.
    """
    wren = ready(talk, shell_bot("wren", "sleep 0.4"), tmp_path / "wren.log")
    control = TimeControl(move_ms=1)
    answer = wren.explore(START, Query(), Clock.start((control, control), LATE_MS))
    assert answer.wall_ns > 50_000_000  # of the millisecond that it had
    assert [*lines_of_turns(tmp_path, "wren")] == ["go movetime 1"]


def test_endless_question_ends_with_a_stop(talk: Talk, tmp_path: Path) -> None:
    """What the bot says before and after it belongs to the same turn."""
    go = f"echo info depth 1; {UNTIL_STOP}; echo info depth 2"
    wren = ready(talk, shell_bot("wren", go, hello=ABLE), tmp_path / "wren.log")
    answer = wren.explore(START, ENDLESS, HALF, after(0.5))
    assert answer.infos == ("depth 1", "depth 2")
    assert answer.wall_ns >= 100_000_000  # a busy machine may give some of the time back
    assert [*lines_of_turns(tmp_path, "wren")] == ["go infinite", "stop"]


def test_bot_may_answer_before_the_stop(talk: Talk, tmp_path: Path) -> None:
    """It is not stopped then, and can be asked again."""
    wren = ready(talk, shell_bot("wren", hello=ABLE), tmp_path / "wren.log")
    for _ in range(2):
        assert wren.explore(START, ENDLESS, HALF).ply.action == "advance"
    assert [*lines_of_turns(tmp_path, "wren")] == ["go infinite"] * 2


def test_stop_that_crosses_an_answer_is_harmless(talk: Talk, tmp_path: Path) -> None:
    """The bot reads it before its next question, and ignores it."""
    bot = shell_bot("wren", "echo info depth 1; echo info depth 2", hello=ABLE)
    wren = ready(talk, bot, tmp_path / "wren.log")
    process = wren._process

    def wait_for_answer(_: str) -> None:
        if b"move" not in process._buffer:
            await_words(wren)
        while time.monotonic_ns() < process.meter.next_look:
            pass

    wren.hear = wait_for_answer
    assert wren.explore(START, ENDLESS, HALF, lambda: True).ply.action == "advance"
    assert wren.explore(START, Query(), HALF).ply.action == "advance"
    lines = [*lines_of_turns(tmp_path, "wren")]
    assert lines == ["go infinite", "stop", "go movetime 30000"]


@pytest.mark.slow(1)
def test_bot_that_ignores_a_stop_is_late(talk: Talk) -> None:
    """It has a second; the message names the line that it ignored."""
    wren = ready(talk, shell_bot("wren", "while read -r line; do :; done", hello=ABLE))
    began = time.monotonic()
    with pytest.raises(BotFault, match=r"^did not answer within 1000 ms of `stop`$") as caught:
        wren.explore(START, ENDLESS, HALF, lambda: True)
    assert caught.value.verdict == "timeout"
    assert 1 <= time.monotonic() - began < 20


def test_bot_that_floods_its_output_is_stopped_all_the_same(talk: Talk) -> None:
    """The runner never waits for a line of it, and still looks at the time."""
    go = "while :; do echo info depth 1; done & flood=$!; read -r line; kill $flood; wait $flood"
    bot = shell_bot("wren", go, hello=ABLE)
    wren = ready(talk, bot._replace(limits=bot.limits._replace(output=1 << 30)))
    answer = wren.explore(START, ENDLESS, HALF, after(0.1))
    assert answer.ply.action == "advance"


def test_bot_that_does_not_read_its_question_is_stopped(talk: Talk) -> None:
    """A pipe holds 64 KiB, and this question is longer."""
    bot = shell_bot("wren", hello=ABLE)
    wren = ready(talk, bot)
    os.kill(wren.pid, signal.SIGSTOP)
    with pytest.raises(BotFault, match="did not read its question before it was stopped"):
        wren.explore(START, Query(only=("advance",) * 20_000, endless=True), HALF, lambda: True)


def test_answer_that_is_not_among_the_actions_is_illegal(talk: Talk) -> None:
    """The rules allow it, but nobody asked for it."""
    wren = ready(talk, shell_bot("wren", hello=ABLE))
    message = r"^advance is not one of the actions of `searchmoves`$"
    with pytest.raises(BotFault, match=message) as caught:
        wren.explore(START, Query(only=("4:r0:a1",)), HALF)
    assert caught.value.verdict == "illegal"


@pytest.mark.parametrize("rank", ["2", "0", "-1", "99", str(10**20), "text"])
def test_info_about_another_line_is_not_that_of_the_ply(rank: str, talk: Talk) -> None:
    """A stored game keeps what the bot said last about its best line."""
    go = f'echo "info score 3 line advance"; echo "info multipv {rank} score 9"'
    wren = ready(talk, shell_bot("wren", go))
    answer = wren.turn(START, (), HALF, 0)
    assert len(answer.infos) == 2
    assert answer.ply.info == wren.said == "score 3 line advance"
    assert parse_score(answer.ply.info) == 3


def test_ply_without_an_info_about_the_best_line_has_none(talk: Talk) -> None:
    """Its score would be that of another line."""
    wren = ready(talk, shell_bot("wren", "echo info multipv 2 score 9"))
    assert wren.turn(START, (), HALF, 0).ply.info == ""


def test_bot_introduces_itself_with_options_and_features() -> None:
    """Features that are not for analyses are not listed."""
    hello = "echo option depth int 3; echo feature stop; echo feature odd;"
    options, features = ask_introduction(shell_bot("wren", hello=hello))
    assert list(options) == ["depth"]
    assert features == {"stop"}
