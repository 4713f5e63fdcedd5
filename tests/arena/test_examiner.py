"""The events of an examiner: what it passes on from a bot, and how it ends."""

import io
import os
import pickle
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from pwtourney.arena.analyse import examiner
from pwtourney.arena.analyse.examiner import Ending, Request
from pwtourney.arena.analyse.thoughts import Reporter
from pwtourney.clock import TimeControl
from pwtourney.errors import BotFault
from pwtourney.match import BotPool, BotSpec
from pwtourney.notation.game_text import parse_record
from pwtourney.protocol import Query
from pwtourney.rules import State
from pwtourney.sandbox.launch import Launch
from tests.arena.reports import Output
from tests.arena.test_study import GAME
from tests.match.helpers import LIMITS
from tests.rules.positions import ORIGINAL, START

ADVANCED = START.apply(START.legal_actions()[0])
"""Seat 1 is to move: seat 0 has advanced by a space."""


def write_bot(go: str, greeting: str = "") -> str:
    """Return a bot as a shell script, with what it does at the handshake and in its turn."""
    return f"""
while read -r word rest; do
  case $word in
    pwtp) {greeting} echo ready ;;
    newgame) game=$rest ;;
    set) options="$options$rest;" ;;
    end) echo ready ;;
    go) {go} ;;
    quit) exit ;;
  esac
done
"""


def spec(script: str, **changed: Any) -> BotSpec:
    """Return a bot to start."""
    launch = Launch(("/bin/sh", "-c", script))
    return BotSpec("wren", launch, (), TimeControl(move_ms=10_000), LIMITS)._replace(**changed)


@pytest.fixture
def pool(tmp_path: Path) -> Iterator[BotPool]:
    """Return a pool, which is closed at the end."""
    with closing(BotPool(str(tmp_path / "scratch"))) as pool:
        yield pool


def ask_of_position(state: State, bot: BotSpec, pool: BotPool, reporter: Reporter) -> None:
    """Ask a bot about a position, for one line of play, until it answers."""
    examiner._ask_of_position(state, Query(), bot, pool, reporter, Ending())


def test_answer_of_a_bot_comes_after_its_thoughts(
    out: Output, reporter: Reporter, pool: BotPool
) -> None:
    """The bot gets its seat and the fixed seed; margins are the first seat's."""
    bot = write_bot('echo "info score 2 line advance text $game"; echo "move advance"')
    for state, seat, margin in ((START, 0, 2.0), (ADVANCED, 1, -2.0)):
        ask_of_position(state, spec(bot), pool, reporter)
        begin, info, answer = out.events[-3:]
        assert begin == {"kind": "begin"}
        assert (info["kind"], info["margin"], info["line"]) == ("info", margin, ["advance"])
        assert info["text"] == f"edition original seat {seat} seed 1"
        assert (answer["kind"], answer["action"]) == ("answer", "advance")
        assert 0 <= info["ms"] < 10_000
        assert 0 <= answer["ms"] < 10_000
    assert len(out.events) == 6


def test_lines_of_a_hostile_bot_are_harmless(
    out: Output, reporter: Reporter, pool: BotPool
) -> None:
    """Only the requested ranks of the bot are passed on, each with its last info."""
    ranks = ("0", "-1", "99", str(10**20), "text", "4", "3", "1", "2", "3")
    infos = "".join(f'echo "info multipv {rank} depth {k}"; ' for k, rank in enumerate(ranks))
    bot = spec(write_bot(f'{infos} echo "move advance"', "echo feature multipv;"))
    examiner._ask_of_position(START, Query(3), bot, pool, reporter, Ending())
    depths = {event["rank"]: event["depth"] for event in out.events if event["kind"] == "info"}
    assert depths == {1: 7, 2: 8, 3: 9}
    assert out.events[-1]["kind"] == "answer"


def test_bot_that_fails_has_no_answer(out: Output, reporter: Reporter, pool: BotPool) -> None:
    """The last thought is not lost if it was passed on before; the process of the bot is ended."""
    bot = write_bot('echo "info depth 1"; echo "move please"')
    with pytest.raises(BotFault) as error:
        ask_of_position(START, spec(bot), pool, reporter)
    assert error.value.verdict == "protocol"
    assert [event["kind"] for event in out.events] == ["begin", "info"]


def test_whole_game_is_evaluated_ply_by_ply(out: Output, reporter: Reporter, pool: BotPool) -> None:
    """Each bot expects 3 points for itself, so margins of the first seat are 3, −3 and 3.

    The first two plies cost their players 6 points, a mistake, unless the bot plays the same. The
    game was lost on time, so there is no margin at its end.
    """
    game, edition = parse_record(GAME)
    for choice, grade in (("15:r0:a1", "mistake"), ("advance", "")):
        bot = write_bot(f'echo "info score 3"; echo "move {choice}"')
        out.seek(0)
        out.truncate()
        examiner._ask_of_game(game, edition, spec(bot), pool, reporter)
        begin, *evaluations, swings = out.events
        assert begin == {"kind": "begin"}
        plies: list[dict[str, Any]] = [
            {
                "number": number,
                "seat": number % 2 ^ 1,
                "action": "advance",
                "choice": choice,
                "margin": -3.0 if number == 2 else 3.0,
                "swing": None,
            }
            for number in (1, 2, 3)
        ]
        assert evaluations == [{"kind": "evaluation"} | ply for ply in plies]
        assert swings == {
            "kind": "swings",
            "plies": [
                plies[0] | {"swing": -6.0, "grade": grade},
                plies[1] | {"swing": -6.0, "grade": grade},
                plies[2] | {"grade": ""},
            ],
            "players": [
                {
                    "seat": seat,
                    "plies": 1,
                    "mean_loss": 6.0 if grade else 0.0,
                    "accuracy": 0.0 if grade else 1.0,
                    "inaccuracies": 0,
                    "mistakes": 1 if grade else 0,
                    "blunders": 0,
                }
                for seat in (0, 1)
            ],
        }


def test_evaluations_of_a_bot_that_fails_later_are_kept(
    out: Output, reporter: Reporter, pool: BotPool
) -> None:
    """The first seat's bot exits when it is asked for the second time."""
    game, edition = parse_record(GAME)
    bot = write_bot('[ "$n" ] && exit 3; n=1; echo "info score 3"; echo "move advance"')
    with pytest.raises(BotFault):
        examiner._ask_of_game(game, edition, spec(bot), pool, reporter)
    assert [event["kind"] for event in out.events] == [
        "begin",
        "evaluation",
        "evaluation",
        "swings",
    ]
    assert [ply["swing"] for ply in out.events[-1]["plies"]] == [-6.0, None]


LIMITING = (
    "echo option nodes int 1000 1 5000; echo option depth int 3; echo option speed int 1 0 9;"
    " echo option visits float 2.5; echo option iterations int 7 2 8;"
)
"""Options of which nodes, depth and iterations are integers that limit the search."""

OFFERED = [
    {"name": "nodes", "default": "1000", "least": "1", "most": "5000"},
    {"name": "depth", "default": "3", "least": "0", "most": ""},
    {"name": "iterations", "default": "7", "least": "2", "most": "8"},
]


def test_options_that_limit_a_bot_are_listed(out: Output, reporter: Reporter) -> None:
    """By their documented names and their type; without bounds, any number from 0 is allowed."""
    examiner._tell_introduction(spec(write_bot("", LIMITING)), reporter)
    assert out.events == [{"kind": "options", "limits": OFFERED, "features": []}]


def test_features_of_a_bot_are_listed(out: Output, reporter: Reporter) -> None:
    """Those of analyses, in the order of the documentation."""
    said = "echo feature stop; echo feature legal; echo feature other; echo feature multipv;"
    examiner._tell_introduction(spec(write_bot("", said)), reporter)
    assert out.events[0]["features"] == ["multipv", "stop"]


def name_bot(folder: Path, go: str, greeting: str = "") -> str:
    """Write a bot, and return the command that starts it."""
    path = folder / "bot.sh"
    path.write_text(f"#!/bin/sh\n{write_bot(go, greeting)}")
    path.chmod(0o755)
    return str(path)


SAYING = 'echo "info text $game $rest $options"; echo "move advance"'
"""Tells what the bot was told, and advances."""


def answer(request: Request, out: Output, reporter: Reporter) -> list[dict[str, Any]]:
    """Return the events of a request without the notes about preparations."""
    examiner._answer(request, reporter, Ending())
    return [event for event in out.events if event["kind"] != "note"]


def test_request_for_a_position_is_answered(
    tmp_path: Path, out: Output, reporter: Reporter
) -> None:
    """The bot gets its options and its time for the move."""
    bot = name_bot(tmp_path, SAYING, LIMITING)
    request = Request(bot, ORIGINAL, TimeControl(move_ms=7000), sandbox="none", state=ADVANCED)
    events = answer(request._replace(options=(("nodes", "9"),)), out, reporter)
    assert [event["kind"] for event in events] == ["begin", "info", "answer"]
    assert events[1]["text"] == "edition original seat 1 seed 1 movetime 7000 nodes 9;"


def test_request_for_a_game_is_answered(tmp_path: Path, out: Output, reporter: Reporter) -> None:
    """The answer evaluates the three plies of the game."""
    game, edition = parse_record(GAME)
    bot = name_bot(tmp_path, SAYING)
    events = answer(Request(bot, edition, sandbox="none", game=game), out, reporter)
    assert [event["kind"] for event in events] == ["begin", *["evaluation"] * 3, "swings"]


def test_request_without_a_subject_is_one_for_options(
    tmp_path: Path, out: Output, reporter: Reporter
) -> None:
    """A note warns root, whose files others cannot read here, that the bot runs as root."""
    bot = name_bot(tmp_path, SAYING, LIMITING)
    events = answer(Request(bot, ORIGINAL, sandbox="none"), out, reporter)
    assert events == [{"kind": "options", "limits": OFFERED, "features": []}]
    assert any("sandbox" in event.get("text", "") for event in out.events) == (os.geteuid() == 0)


def test_time_for_a_position_is_bounded(
    tmp_path: Path, out: Output, reporter: Reporter, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Even without a limit of its own; the limit of ten minutes is 0.1 s here."""
    assert examiner.MOST_MS == 600_000
    monkeypatch.setattr(examiner, "MOST_MS", 100)
    bot = name_bot(tmp_path, "read -r never")
    with pytest.raises(BotFault) as error:
        request = Request(bot, ORIGINAL, sandbox="none", state=START)
        examiner._answer(request, reporter, Ending())
    assert error.value.verdict == "timeout"


@contextmanager
def standard_input(data: bytes, *, ends: bool = False) -> Iterator[None]:
    """Make a pipe with this data the standard input; it ends now, or after the block."""
    source, sink = os.pipe()
    saved, signals = os.dup(0), [signal.getsignal(number) for number in ENDING]
    os.write(sink, data)
    if ends:
        os.close(sink)
    try:
        os.dup2(source, 0)
        yield
    finally:
        for number, handler in zip(ENDING, signals, strict=True):
            signal.signal(number, handler)
        if not ends:
            os.close(sink)
        for thread in threading.enumerate():
            if thread.name.endswith("(_watch_input)"):
                thread.join(30)
        os.dup2(saved, 0)
        os.close(saved)
        os.close(source)


ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)


def run_main(
    data: bytes, out: Output, monkeypatch: pytest.MonkeyPatch, *, ends: bool = False
) -> None:
    """Run the program with this standard input."""
    monkeypatch.setattr(sys, "stdout", out)
    with standard_input(data, ends=ends), open(0, "rb", closefd=False) as source:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(source))
        examiner.main()


def test_program_answers_a_pickled_request(
    tmp_path: Path, out: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The last event is `end`."""
    request = Request(name_bot(tmp_path, SAYING, LIMITING), ORIGINAL, sandbox="none")
    run_main(pickle.dumps(request), out, monkeypatch)
    events = [event for event in out.events if event["kind"] != "note"]
    assert events == [
        {"kind": "options", "limits": OFFERED, "features": []},
        {"kind": "end"},
    ]


def test_program_reports_the_fault_of_a_bot(
    tmp_path: Path, out: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With its verdict; the text is one line without control characters."""
    bot = name_bot(tmp_path, 'printf "move \\033x\\n"')
    request = Request(bot, ORIGINAL, sandbox="none", state=START)
    run_main(pickle.dumps(request), out, monkeypatch)
    *_, fault, end = out.events
    assert (fault["kind"], fault["verdict"]) == ("fault", "protocol")
    assert fault["text"].isprintable()
    assert end == {"kind": "end"}


def test_program_reports_a_bot_that_does_not_exist(
    out: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There is no verdict, because no bot was started."""
    run_main(pickle.dumps(Request("nobody", ORIGINAL)), out, monkeypatch)
    fault, end = out.events
    assert (fault["kind"], fault["verdict"]) == ("fault", "")
    assert "nobody" in fault["text"]
    assert end == {"kind": "end"}


def test_program_without_a_request_exits_silently(
    out: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server has gone before it could ask; the exit code is 1."""

    class Exited(Exception):
        pass

    def leave(code: int) -> None:
        raise Exited(code)

    monkeypatch.setattr(os, "_exit", leave)
    with pytest.raises(Exited, match=r"^1$"):
        run_main(b"", out, monkeypatch, ends=True)
    assert out.whole == ""


WATCHED = """
import os, signal, sys, threading
from pwtourney.arena.analyse import examiner

examiner._STOP_SECONDS = examiner._PATIENCE_SECONDS = {seconds}
ending = examiner.Ending()

def interrupt(*_):
    os.write(1, b"interrupted ")
    {interrupted}

signal.signal(signal.SIGTERM, interrupt)
{before}
watcher = threading.Thread(target=examiner._watch_input, args=(ending,))
watcher.start()
{during}
watcher.join()
os.write(1, b"stopped" if ending.stop.is_set() else b"")
"""
"""A process that watches its input as an examiner does, with a main thread of its own."""


def watch(
    before: str = "", during: str = "", interrupted: str = "", seconds: float = 60
) -> tuple[int, str]:
    """Run such a process until its input ends; return its exit code and output.

    `seconds` replaces both patience times of the examiner.
    """
    script = WATCHED.format(before=before, during=during, interrupted=interrupted, seconds=seconds)
    done = subprocess.run(
        [sys.executable, "-c", script],
        input="more input",
        capture_output=True,
        text=True,
        timeout=50,
        check=False,
    )
    assert not done.stderr
    return done.returncode, done.stdout


@pytest.mark.slow
def test_closed_input_interrupts_an_examiner() -> None:
    """It is killed if it does not end, and left alone if it has ended by itself."""
    assert watch(interrupted="ending.over.set()") == (0, "interrupted stopped")
    assert watch(seconds=0.2) == (-signal.SIGKILL, "interrupted ")
    assert watch(before="ending.over.set()") == (0, "stopped")


@pytest.mark.slow
def test_bot_that_ends_soon_is_given_time_before_the_interrupt() -> None:
    """The main thread stops it, and is interrupted if that does not end it."""
    soon, answered = "ending.ends_soon = True", "ending.stop.wait(); ending.over.set()"
    assert watch(soon, answered) == (0, "stopped")
    assert watch(soon, seconds=0.2) == (-signal.SIGKILL, "interrupted ")


def test_states_of_requests_survive_pickling() -> None:
    """The server sends them through a pipe."""
    request = Request("wren", ORIGINAL, state=State.start(ORIGINAL, 3), private=(Path("/x"),))
    assert pickle.loads(pickle.dumps(request)) == request
