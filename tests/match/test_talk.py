"""A bot that is talked to directly, without a game: what it is sent, and what is kept of it."""

import os
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pwtourney.clock import Clock, TimeControl
from pwtourney.errors import BotFault
from pwtourney.match import BotSpec
from pwtourney.match.conversation import Conversation
from pwtourney.notation.game import Hindrance, Verdict
from pwtourney.rules import State, deal
from pwtourney.sandbox.isolation import Isolation
from pwtourney.sandbox.launch import Launch
from tests.match.helpers import LIMITS, shell_bot
from tests.match.test_traffic import sent_lines
from tests.rules.positions import EXPRESS

START = State.start(EXPRESS, deal(EXPRESS, 1))
UNTIMED = Clock.start((TimeControl(), TimeControl()))

Talk = Callable[..., Conversation]


@pytest.fixture
def talk() -> Iterator[Talk]:
    """Return a function that starts a bot; all are ended after the test."""
    started: list[Conversation] = []

    def start(bot: BotSpec, traffic: Path | None = None) -> Conversation:
        started.append(Conversation(bot, None, traffic))
        return started[-1]

    yield start
    for conversation in started:
        conversation.end()
        conversation.clean_up()


OFFER = 'echo "option depth int 3 1 9"; echo "option book bool true";'


def test_options_of_the_config_are_set_before_the_first_game(talk: Talk, tmp_path: Path) -> None:
    """They come in the order of the config, once; the handshake is not repeated."""
    options = (("book", "false"), ("depth", "5"))
    wren = talk(shell_bot("wren", hello=OFFER, options=options), tmp_path / "wren.log")
    for seat, seed in ((1, 7), (0, 8)):
        wren.new_game(EXPRESS, seat, seed)
    kept = [line for line in sent_lines(tmp_path, "wren") if line.split()[0] != "patch"]
    words = ("pwtp", "set", "newgame", "end")
    assert [line for line in kept if line.split()[0] in words] == [
        "pwtp 1",
        "set book false",
        "set depth 5",
        "newgame edition express seat 1 seed 7",
        "end",
        "newgame edition express seat 0 seed 8",
        "end",
    ]


def test_wrong_option_is_a_failed_start_with_the_last_line_of_stderr(talk: Talk) -> None:
    """The first problem is reported."""
    hello = f"{OFFER} echo one >&2; echo two >&2;"
    wren = talk(shell_bot("wren", hello=hello, options=(("width", "1"), ("depth", "0"))))
    with pytest.raises(BotFault) as caught:
        wren.new_game(EXPRESS, 0, 1)
    message = "the config sets width, but the bot's options are depth, book: two"
    assert (caught.value.verdict, str(caught.value)) == ("start", message)
    silent = talk(shell_bot("silent", hello=f"{OFFER}", options=(("depth", "0"),)))
    with pytest.raises(BotFault) as caught:
        silent.greet()
    assert str(caught.value) == "the config sets depth to '0': it must be from 1 to 9"


def test_usage_of_a_game_counts_every_byte_of_it(talk: Talk, tmp_path: Path) -> None:
    """The lines of the traffic file are counted, each with its end; the handshake is not."""
    go = "echo abc >&2; echo info x"
    wren = talk(shell_bot("wren", go, hello="echo hello >&2;"), tmp_path / "wren.log")
    began = time.monotonic_ns()
    wren.new_game(EXPRESS, 0, 1)
    wren.turn(START, (), UNTIMED, 0)
    first = wren.usage()
    assert first.start > 0
    lines = [line.split(maxsplit=2) for line in (tmp_path / "wren.log").read_text().splitlines()]
    begin = next(number for number, line in enumerate(lines) if line[2].startswith("newgame"))
    sent = [line[2] for line in lines[begin:] if line[1] == ">"]
    said = [line[2] for line in lines[begin:] if line[1] == "<"]
    assert said == ["ready", "info x", "move advance"]
    assert first.received == sum(len(line) + 1 for line in sent)
    assert first.written == len("ready\ninfo x\nmove advance\n")
    assert first.stderr == len("hello\nabc\n")
    assert 100 < first.peak < 100_000  # in KiB; dash and bash need some hundred to some thousand
    wren.new_game(EXPRESS, 1, 1)
    second = wren.usage()
    assert second.start == 0
    assert second.written == len("ready\n")
    assert first.start * 1000 < time.monotonic_ns() - began + 10**9


def test_infos_of_a_turn_are_heard_and_the_last_hundred_kept(talk: Talk) -> None:
    """Each is cut at 1,000 characters; what comes after the answer belongs to no turn."""
    long = "x" * 1_200
    go = f'i=0; while [ $i -lt 101 ]; do i=$((i+1)); echo "info $i"; done; echo info {long}'
    wren = talk(shell_bot("wren", f"[ $n -gt 1 ] || {{ {go}; }}"))
    heard: list[str] = []
    wren.new_game(EXPRESS, 0, 1)
    wren.hear = heard.append
    assert wren.said == ""
    answer = wren.turn(START, (), UNTIMED, 0)
    every = [*map(str, range(1, 102)), "x" * 1_000]
    assert heard == every
    assert answer.infos == tuple(every[-100:])
    assert answer.ply.info == wren.said == "x" * 1_000
    again = wren.turn(START, (), UNTIMED, 0)
    assert (again.infos, again.ply.info, wren.said) == ((), "", "")


def test_answer_has_the_position_after_it_and_its_times(talk: Talk) -> None:
    """Times are in nanoseconds, those of the ply in microseconds rounded down."""
    wren = talk(shell_bot("wren"))
    wren.new_game(EXPRESS, 0, 1)
    assert wren.asked_ns == 0
    began = time.monotonic_ns()
    answer = wren.turn(START, (), UNTIMED, 0)
    ended = time.monotonic_ns()
    assert began <= wren.asked_ns <= ended
    assert answer.after == START.apply(START.legal_actions()[0])
    assert answer.ply[:2] == (0, "advance")
    assert 0 < answer.wall_ns <= ended - began
    assert answer.ply.micros == answer.wall_ns // 1000
    assert answer.ply.cpu == answer.cpu_ns // 1000
    with wren._process.meter.standstill():
        assert wren.asked_ns == 0


@pytest.mark.parametrize(
    ("move_ms", "control"),
    [(40, TimeControl(60_000)), (60_000, TimeControl(40)), (40, TimeControl())],
)
def test_turn_ends_at_the_shorter_of_clock_and_limit(
    move_ms: int, control: TimeControl, talk: Talk
) -> None:
    """A bot that does not answer times out after 40 ms; its clock does not depend on the limit."""
    wren = talk(shell_bot("wren", "read -r more", limits=LIMITS._replace(move_ms=move_ms)))
    wren.new_game(EXPRESS, 0, 1)
    began = time.monotonic()
    with pytest.raises(BotFault, match=r"^did not answer in time: it waits for more") as caught:
        wren.turn(START, (), Clock.start((control, TimeControl(9))), 0)
    assert caught.value.verdict == "timeout"
    assert 0.04 <= time.monotonic() - began < 20


def test_bot_that_computes_past_its_processor_time_is_late(talk: Talk) -> None:
    """Its wall time would suffice; a loop of 20,000 steps takes several milliseconds."""
    work = "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done"
    wren = talk(shell_bot("wren", work))
    wren.new_game(EXPRESS, 0, 1)
    control = TimeControl(move_ms=2, cpu=True, wall_ms=60_000)
    with pytest.raises(BotFault, match=r"^used \d+ ms of the processor$") as caught:
        wren.turn(START, (), Clock.start((control, control)), 0)
    assert caught.value.verdict == "timeout"


def test_lines_before_a_request_are_infos_or_a_fault(talk: Talk) -> None:
    """An answer that nobody asked for loses; an info is not one of the turn that follows."""
    wren = talk(shell_bot("wren", 'late="info late"; [ $n -lt 2 ] || late="move advance"'))
    program = wren.spec.launch.command[-1].replace('"move $action"', '"move $action\n$late"')
    wren = talk(BotSpec("wren", Launch(("/bin/sh", "-c", program)), limits=LIMITS))
    wren.new_game(EXPRESS, 0, 1)
    wren.turn(START, (), UNTIMED, 0)
    # both lines are in the pipe at once
    assert wren.turn(START, (), UNTIMED, 0).infos == ()
    with pytest.raises(BotFault, match="spoke out of turn: 'move advance'") as caught:
        wren.turn(START, (), UNTIMED, 0)
    assert caught.value.verdict == "protocol"


def await_words(conversation: Conversation) -> None:
    """Wait until a bot has written something that was not read."""
    end = time.monotonic() + 20
    while not conversation._process._spoken.poll(100):
        assert time.monotonic() < end, "it wrote nothing"


def test_traceback_that_a_bot_survived_is_not_its_end(talk: Talk) -> None:
    """It explains exit code 1, which Python has after an exception, and no other."""
    raised = 'printf "Traceback (most recent call last):\\nValueError: no\\n" >&2; exit'
    for code, reason in ((1, "exited with code 1: ValueError: no"), (3, "exited with code 3")):
        wren = talk(shell_bot("wren", f"{raised} {code}"))
        wren.new_game(EXPRESS, 0, 1)
        with pytest.raises(BotFault) as caught:
            wren.turn(START, (), UNTIMED, 0)
        assert (caught.value.verdict, str(caught.value)) == ("crash", reason)


def test_clock_of_a_seat_is_read_again_when_it_changed(talk: Talk, tmp_path: Path) -> None:
    """The bot of the second seat has 9 s, and 8 s after a move of one second."""
    wren = talk(shell_bot("wren"), tmp_path / "wren.log")
    wren.new_game(EXPRESS, 1, 1)
    after = START.apply(START.legal_actions()[0])
    clock = Clock.start((TimeControl(game_ms=7_000), TimeControl(game_ms=9_000)))
    wren.turn(after, ("advance",), clock, 1)
    wren.turn(after, (), clock.spend(1, 10**9), 1)
    lines = [line for line in sent_lines(tmp_path, "wren") if line.split()[0] in ("go", "played")]
    assert lines == [
        "played advance",
        "go clock 9000 7000 increment 0",
        "go clock 8000 7000 increment 0",
    ]


def test_record_of_a_fault_tells_its_author_everything(talk: Talk) -> None:
    """Its message is cut at 500 characters; the log has the machine, if that held the bot up."""
    isolation = Isolation(pondering="allow")
    bot = shell_bot("wren", hello="echo one >&2; echo two >&2;", isolation=isolation)
    wren = talk(bot._replace(control=TimeControl(game_ms=5_000, increment_ms=10)))
    wren.greet()
    fault = wren.fault(1, BotFault("crash", "x" * 501))
    assert (fault.seat, fault.verdict, fault.message) == (1, Verdict.CRASH, "x" * 500)
    assert (fault.stderr, fault.machine) == ("one\ntwo\n", None)
    lines = fault.log.split("\n")
    assert lines[0] == f"process: is running; sandbox: {isolation.profile}"
    assert lines[1] == "clock: 5000 ms a game + 10 ms a move"
    assert lines[2].startswith("limits: start_ms 20000, end_ms 100, move_ms None, ")
    assert lines[3] == "the last lines (milliseconds, > to the bot, < from it):"
    assert [line.partition(".")[2][4:] for line in lines[4:6]] == ["> pwtp 1", "< feature legal"]
    assert lines[-3:] == ["standard error (8 bytes):", "| one", "| two"]
    machine = Hindrance(100_000, 60_000, 0, 0, 0, 0)
    wren._process.meter.hindrance = machine
    blamed = wren.fault(0, BotFault("timeout", "late"))
    assert blamed.machine == machine
    assert blamed.log.split("\n")[3] == f"machine: {machine}"


def test_traffic_ends_with_what_was_left_and_the_farewell(talk: Talk, tmp_path: Path) -> None:
    """A bot may write in answer to the result; all of its standard error is in its own file."""
    bot = shell_bot("wren", hello="echo hm >&2;")
    program = bot.launch.command[-1].replace("quit)", "gameover) echo info $rest ;;\nquit)")
    bot = bot._replace(launch=bot.launch._replace(command=("/bin/sh", "-c", program)))
    wren = Conversation(bot, None, tmp_path / "wren.log")
    wren.new_game(EXPRESS, 0, 1)
    wren.game_over(5, -7, "win")
    await_words(wren)
    wren.end()
    wren.clean_up()
    lines = (tmp_path / "wren.log").read_text().splitlines()[-3:]
    shown = ["> gameover 5 -7 win", "< info 5 -7 win", "> quit"]
    assert [line.split(maxsplit=1)[1] for line in lines] == shown
    assert (tmp_path / "wren.stderr").read_text() == "hm\n"
    with pytest.raises(ProcessLookupError):
        os.kill(wren.pid, 0)


def test_bot_that_is_gone_need_not_hear_the_result(talk: Talk) -> None:
    """A bot that does not read it is not waited for either."""
    wren = talk(shell_bot("wren"))
    wren.new_game(EXPRESS, 0, 1)
    os.kill(wren.pid, signal.SIGKILL)
    os.waitid(os.P_PID, wren.pid, os.WEXITED | os.WNOWAIT)
    wren.game_over(5, -7, "win")
    stopped = talk(shell_bot("stopped"))
    stopped.new_game(EXPRESS, 0, 1)
    os.kill(stopped.pid, signal.SIGSTOP)
    for _ in range(3):
        stopped.game_over(5, -7, "x" * 65_536)
