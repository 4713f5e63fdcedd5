"""The process of a table's bots, called directly; most of its bots are shell scripts."""

import io
import json
import os
import queue
import signal
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from pwtourney.arena.play import bots_inside
from pwtourney.arena.play.new_table import read_order, seat_table
from pwtourney.arena.play.seating import MOST_MOVE_MS, Seat, Seating, dump_seating
from pwtourney.arena.setting import Arena
from pwtourney.clock import TimeControl
from pwtourney.signals import ENDING, temporary_handler
from pwtourney.tournament.room import BotRoom
from tests.arena.playing import PERSON
from tests.arena.seated import seat_people

SLEEPER = """\
import time
from pwtourney.sdk import Action, Bot, Turn


class Sleeper(Bot):
    name = "Sleeper"

    def choose(self, turn: Turn) -> Action:
        time.sleep(600)
        raise AssertionError
"""


@pytest.mark.slow(3)
def test_move_is_limited_whatever_the_clock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A person waits for the bot, so a day for the game is not a day for a move."""
    tmp_path.chmod(0o755)
    bot = tmp_path / "sleeper.py"
    bot.write_text(SLEEPER)
    clock = {"kind": "game", "seconds": 86_400}
    order = {"seats": [{"kind": "bot", "bot": "sleeper", "clock": clock}, PERSON]}
    arena = Arena(bots={"sleeper": str(bot)}, editions={"original": "original"})
    seating = seat_table(read_order(order), arena)
    assert MOST_MOVE_MS == 600_000  # as documented
    monkeypatch.setattr(bots_inside, "MOST_MOVE_MS", 200)
    with ExitStack() as last:
        room = last.enter_context(BotRoom([], tell=print, warn=print, groups=False))
        bots = bots_inside._Bots(seating, room, last)
        seat, verdict, _ = bots.answer({"want": "play", "plies": []})["fault"]
    assert (seat, verdict) == (0, "timeout")


SHELL = """\
#!/bin/sh
while read -r word rest; do
  case $word in
    pwtp) echo feature legal; echo ready ;;
    newgame) game=$rest; played=; turn=0 ;;
    end) games=$((games + 1)); echo ready ;;
    played) played=$rest ;;
    legal) action=${rest%% *} ;;
    go) turn=$((turn + 1)); echo "info $game; $games.$turn $played; $rest"; played=; DOES ;;
    quit) exit ;;
  esac
done
"""
"""A bot that says what it was sent: the game, its number and the turn, the plies, and the time."""

ANSWER = 'echo "move $action"'
ANN = Seat("person", "Ann")


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """Write a bot that plays the first legal action."""
    return write_bot(tmp_path / "shell", ANSWER)


def write_bot(path: Path, does: str) -> Path:
    """Write a bot that does this in its turn."""
    path.write_text(SHELL.replace("DOES", does))
    path.chmod(0o755)
    return path


def seat_bot(program: Path, seat: int = 0) -> Seating:
    """Return a table of Ann and a bot with 10 s for each move and the seed 7, in this seat."""
    bot = Seat("bot", "Shelly", str(program), TimeControl(move_ms=10_000))
    seats = (bot, ANN) if seat == 0 else (ANN, bot)
    return seat_people(*seats)._replace(seeds=(7, 0) if seat == 0 else (0, 7))


@contextmanager
def sitting(seating: Seating) -> Iterator[bots_inside._Bots]:
    """Seat the bots of a table in this process."""
    with ExitStack() as last:
        room = last.enter_context(BotRoom([], tell=print, warn=print, groups=False))
        yield bots_inside._Bots(seating, room, last)


def play(bots: bots_inside._Bots, *plies: tuple[int, str]) -> list[Any]:
    """Ask for a ply after these; return it without its times."""
    entries = [[seat, action, 1000, 0, ""] for seat, action in plies]
    seat, action, micros, cpu, info = bots.answer({"want": "play", "plies": entries})["ply"]
    assert 0 < micros < 10_000_000
    assert cpu >= 0
    return [seat, action, info]


def test_bot_plays_on_from_the_plies_of_its_table(program: Path) -> None:
    """It is sent its seat, its seed, its time, and what was played since its last answer."""
    with sitting(seat_bot(program, seat=1)) as bots:
        game = "edition original seat 1 seed 7"
        first = play(bots, (0, "advance"))
        assert first == [1, "advance", f"{game}; 1.1 ; movetime 10000"]
        second = play(bots, (0, "advance"), (1, "advance"), (0, "advance"))
        assert second == [1, "advance", f"{game}; 1.2 advance; movetime 10000"]
        # Ann has taken back her last action, and takes a patch: it is announced as a new game
        third = play(bots, (0, "advance"), (1, "advance"), (0, "21:r0:a1"))
        assert third[2] == f"{game}; 2.1 ; movetime 10000"


def test_bot_is_set_to_the_options_of_its_level(tmp_path: Path) -> None:
    """Before the game begins, as `pwtourney` sets those of a tournament file."""
    program = write_bot(tmp_path / "shell", 'echo "info $level"; echo "move $action"')
    declared = program.read_text().replace("legal; ", "legal; echo option depth int 9; ")
    program.write_text(declared.replace("    quit)", "    set) level=$rest ;;\n    quit)"))
    seating = seat_bot(program)
    seats = (seating.seats[0]._replace(options=(("depth", "3"),)), ANN)
    with sitting(seating._replace(seats=seats)) as bots:
        _, _, info = play(bots)
    assert info.endswith("depth 3")


@pytest.mark.parametrize(
    ("does", "fault"),
    [
        ("exit 3", [0, "crash", "exited with code 3"]),
        ('echo "move decline"', [0, "illegal", "there is no special patch to place"]),
    ],
)
def test_bot_that_fails_has_lost(tmp_path: Path, does: str, fault: list[Any]) -> None:
    """Later requests have the same answer."""
    with sitting(seat_bot(write_bot(tmp_path / "shell", does))) as bots:
        answers = [bots.answer({"want": "play", "plies": []})["fault"] for _ in range(2)]
    assert [answer[:2] for answer in answers] == [fault[:2]] * 2
    assert answers[0] == answers[1]
    assert fault[2] in answers[0][2]


def test_bot_that_cannot_start_has_lost(tmp_path: Path) -> None:
    """Whatever was played until then; its last line is the reason, without control characters."""
    program = tmp_path / "shell"
    program.write_text("#!/bin/sh\nprintf 'no luck\\342\\200\\256\\n' >&2\nexit 4\n")
    program.chmod(0o755)
    with sitting(seat_bot(program, seat=1)) as bots:
        answer = bots.answer({"want": "play", "plies": [[0, "advance", 1, 0, ""]]})
    assert answer == {"fault": [1, "start", "exited with code 4: no luck?"]}


def test_bot_with_a_clock_for_the_game_is_limited_for_each_move(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has a day for the game, and the limit is one of a twentieth of a second here."""
    monkeypatch.setattr(bots_inside, "MOST_MOVE_MS", 50)
    program = write_bot(tmp_path / "shell", ":")
    day = Seat("bot", "Shelly", str(program), TimeControl(game_ms=86_400_000))
    with sitting(seat_people(day, ANN)) as bots:
        seat, verdict, message = bots.answer({"want": "play", "plies": []})["fault"]
    assert (seat, verdict) == (0, "timeout")
    assert message.startswith("did not answer in time")


def test_hint_is_what_a_bot_would_play_for_the_person(program: Path) -> None:
    """The process is kept for the next hint; seed and time are its own, not those of a seat."""
    with sitting(seat_people()) as bots:
        request = {"want": "hint", "bot": str(program), "move_ms": 1500}
        first = bots.answer({**request, "plies": []})
        game = "edition original seat 0 seed 1"
        assert first == {"hint": "advance", "info": f"{game}; 1.1 ; movetime 1500"}
        plies = [[0, "advance", 1, 0, ""]]
        second = bots.answer({**request, "plies": plies, "move_ms": 900})
        game = "edition original seat 1 seed 1"
        assert second == {"hint": "advance", "info": f"{game}; 2.1 ; movetime 900"}


def test_hint_that_fails_is_a_problem_with_the_reason(tmp_path: Path) -> None:
    """No seat loses for the failure, and texts of bots have no control characters."""
    program = write_bot(tmp_path / "shell", "printf 'info a\\342\\200\\256b\\n'; exit 5")
    with sitting(seat_people()) as bots:
        request = {"want": "hint", "plies": [], "bot": str(program), "move_ms": 1500}
        reason = f"{program} could not give a hint: crash: exited with code 5"
        assert bots.answer(request) == {"problem": reason}
    write_bot(program, f"printf 'info a\\342\\200\\256b\\n'; {ANSWER}")
    with sitting(seat_people()) as bots:
        assert bots.answer(request) == {"hint": "advance", "info": "a?b"}


def serve(*lines: object) -> list[Any]:
    """Return the answers of the process to these lines; one that is not JSON ends it."""
    requests: queue.SimpleQueue[str] = queue.SimpleQueue()
    for line in lines:
        requests.put(f"{json.dumps(line)}\n")
    requests.put("the end")
    answers = io.StringIO()
    with ExitStack() as last, pytest.raises(json.JSONDecodeError):
        bots_inside._serve(requests, answers, last)
    return [json.loads(line) for line in answers.getvalue().splitlines(keepends=True)]


def test_each_request_has_one_line_as_its_answer(program: Path) -> None:
    """The first line sets up the table; a problem is an answer, and the process continues."""
    first = {"seating": dump_seating(seat_people()), "private": [str(program.parent / "games")]}
    hint = {"want": "hint", "plies": [], "bot": str(program), "move_ms": 1500}
    wrong = {**hint, "plies": [[1, "advance", 1, 0, ""]]}
    unknown = {**hint, "bot": str(program.parent / "nothing\u202e")}
    answers = serve(first, wrong, hint, unknown)
    assert answers[0] == {"problem": "seat 0 is to move"}
    assert answers[1]["hint"] == "advance"
    assert "nothing?" in answers[2]["problem"]
    assert len(answers) == 3


def test_table_that_is_invalid_is_a_problem_of_each_request() -> None:
    """The server shows it at the table."""
    first = {"seating": {**dump_seating(seat_people()), "table": 2}, "private": []}
    request = {"want": "play", "plies": []}
    reason = "this is not a table: table: Input should be 1"
    assert serve(first, request, request) == [{"problem": reason}] * 2


def test_end_of_the_input_interrupts_the_main_thread() -> None:
    """It may be waiting for a bot that thinks."""
    lines: queue.SimpleQueue[str] = queue.SimpleQueue()
    came: list[int] = []
    with temporary_handler((signal.SIGTERM,), came.append, even_ignored=True):
        listening = threading.Thread(
            target=bots_inside._listen, args=(io.StringIO('{"a": 1}\n{"b": 2}\n'), lines)
        )
        listening.start()
        listening.join()
    assert [lines.get_nowait() for _ in range(2)] == ['{"a": 1}\n', '{"b": 2}\n']
    assert lines.empty()
    assert came == [signal.SIGTERM]


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # its own streams
def test_process_answers_until_its_input_ends(program: Path) -> None:
    """It then ends its bots and itself, without an error; SIGTERM may have been ignored before."""
    first = {"seating": dump_seating(seat_bot(program)), "private": []}
    request = {"want": "play", "plies": []}
    kept = [os.dup(number) for number in (0, 1)]
    (reader, ask), (answers, writer) = os.pipe(), os.pipe()
    received: list[str] = []

    def talk() -> None:
        with os.fdopen(ask, "w") as asking, os.fdopen(answers) as answering:
            asking.write(f"{json.dumps(first)}\n{json.dumps(request)}\n")
            asking.flush()
            received.append(answering.readline())

    try:
        with temporary_handler(ENDING, print, even_ignored=True):
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            os.dup2(reader, 0)
            os.dup2(writer, 1)
            for number in (reader, writer):
                os.close(number)
            talking = threading.Thread(target=talk)
            talking.start()
            bots_inside.main()
    finally:
        for number, before in enumerate(kept):
            os.dup2(before, number)
            os.close(before)
    talking.join()
    assert json.loads(received[0])["ply"][:2] == [0, "advance"]
