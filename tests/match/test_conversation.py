"""One bot's conversation: transcripts, options, counted bytes, and logs."""

import re
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from pwtourney.clock import TimeControl
from pwtourney.constants import Pondering
from pwtourney.match import BotPool, BotSpec, GameSetup, find_wrong_options, play_game
from pwtourney.match.conversation import Conversation, find_option_problems
from pwtourney.match.job import MAX_MESSAGE, void_game
from pwtourney.match.transcript import Transcript
from pwtourney.notation.game import Game, Verdict
from pwtourney.protocol import Option
from pwtourney.rules.automa import Automa
from pwtourney.sandbox.launch import Launch
from tests.match.helpers import LIMITS, bot, setup
from tests.match.test_traffic import sent_lines

WREN, ROBIN = bot(name="wren"), bot(name="robin")


def scripted(code: str, name: str = "scripted", **given: object) -> BotSpec:
    """Return a bot whose program has `legal` and writes lines with `say`.

    The code runs at each `go`, before the bot plays the first legal action.
    """
    program = (
        "import os, sys\n"
        "turns = 0\n"
        "def say(text): os.write(1, text.encode() + b'\\n')\n"
        "for line in sys.stdin:\n"
        "    word, *rest = line.split()\n"
        "    if word == 'pwtp': say('option depth int 3 1 9\\nfeature legal\\nready')\n"
        "    elif word == 'end': say('ready')\n"
        "    elif word == 'legal': legal = rest\n"
        "    elif word == 'go':\n"
        "        turns += 1\n"
        f"        {code}\n"
        "        say('move ' + legal[0])\n"
        "    elif word == 'quit': break\n"
    )
    launch = Launch((sys.executable, "-S", "-c", program))
    return BotSpec(name, launch, (), TimeControl(10_000), LIMITS)._replace(**given)  # type: ignore[arg-type]


def logged(folder: Path, first: BotSpec, second: BotSpec) -> Game:
    """Play a game with all lines written to a folder."""
    with closing(BotPool(traffic=folder)) as pool:
        return play_game(setup(first, second), pool=pool)


def test_a_transcript_keeps_lines_with_their_time_and_direction() -> None:
    """Times are milliseconds since the start with three decimals; a text may hold several lines."""
    transcript = Transcript(1_000_000)
    assert not transcript.has_bot_line
    transcript.note_sent(1_500_000, "one\ntwo\n")
    assert not transcript.has_bot_line
    transcript.note_received(12_345_678_901, b"three")
    assert transcript.has_bot_line
    assert list(transcript.lines()) == [
        "       0.500 > one",
        "       0.500 > two",
        "   12344.679 < three",
    ]
    transcript.close()


@pytest.mark.parametrize("unplayable", ["leather:a1", "nonsense"])
@pytest.mark.parametrize("pondering", ["measure", "suspend"])
def test_second_answer_after_an_unplayable_one_is_named(
    unplayable: str, pondering: Pondering
) -> None:
    """An answer to the last question that arrives late is followed by the answer to this one.

    A bot that is suspended after its answer continues, so that the other one arrives.
    """
    twice = f"if turns == 2: say('move {unplayable}')"
    given = scripted(twice)
    isolation = given.isolation._replace(pondering=pondering)
    game = play_game(setup(given._replace(isolation=isolation), WREN))
    assert f"'{unplayable}'" in game.faults[0].message
    second = r"; it also spoke out of turn: 'move [\w:]+' when nothing was asked$"
    assert re.search(second, game.faults[0].message)


def test_unplayable_answer_alone_is_all_that_is_said() -> None:
    """A bot that gives one unplayable answer, and then ends or waits, did not speak out of turn."""
    for then in ("sys.exit(0)", "input()"):
        once = f"say('move leather:a1'); {then}"
        game = play_game(setup(scripted(once), WREN))
        assert game.faults[0].message == "'leather:a1': there is no special patch to place"


def test_no_line_of_a_transcript_is_earlier_than_the_one_above_it(tmp_path: Path) -> None:
    """A runner that was stopped after it wrote notes that later than the answer was there."""
    path = tmp_path / "log"
    transcript = Transcript(0, path)
    transcript.note_sent(75_000_000, "end")
    transcript.note_received(35_000_000, b"ready")
    transcript.note_sent(80_000_000, "go")
    lines = ["      75.000 > end", "      75.000 < ready", "      80.000 > go"]
    assert list(transcript.lines()) == lines
    transcript.close()
    assert path.read_text().splitlines() == lines


def test_a_transcript_keeps_the_last_sixty_exchanges() -> None:
    """Long lines are cut at 400 characters, followed by their whole length."""
    transcript = Transcript(0)
    for number in range(70):
        transcript.note_sent(0, str(number))
    kept = list(transcript.lines())
    assert (len(kept), kept[0].split()[-1], kept[-1].split()[-1]) == (60, "10", "69")
    for length in (400, 401):
        transcript.note_sent(0, "x" * length)
    assert [line.partition("> ")[2] for line in list(transcript.lines())[-2:]] == [
        "x" * 400,
        "x" * 400 + " … (401)",
    ]


def test_transcript_file_has_every_line_at_once(tmp_path: Path) -> None:
    """No line is cut or left out, and bytes that are not UTF-8 are escaped."""
    path = tmp_path / "log"
    transcript = Transcript(0, path)
    assert not path.exists()
    transcript.note_sent(1_000_000, "one\ntwo\n")
    assert path.read_text() == "       1.000 > one\n       1.000 > two\n"
    transcript.note_received(2_000_000, b"\xff\xc3\xa9")
    assert path.read_text().splitlines()[-1] == "       2.000 < \\xffé"
    assert list(transcript.lines())[-1] == "       2.000 < \ufffdé"
    transcript.note_sent(3_000_000, "x" * 500)
    for number in range(70):
        transcript.note_sent(0, str(number))
    transcript.close()
    assert len(path.read_text().splitlines()) == 3 + 1 + 70
    assert "x" * 500 in path.read_text()


OFFERED = {
    "depth": Option("depth", "int", "3", ("1", "9")),
    "book": Option("book", "bool", "true"),
}


@pytest.mark.parametrize(
    ("options", "problems"),
    [
        ((), []),
        ((("depth", "9"), ("book", "false")), []),
        ((("width", "1"),), ["the config sets width, but the bot's options are depth, book"]),
        (
            (("depth", "10"), ("pace", "1")),
            [
                "the config sets depth to '10': it must be from 1 to 9",
                "the config sets pace, but the bot's options are depth, book",
            ],
        ),
    ],
)
def test_every_wrong_option_of_the_config_is_reported(
    options: tuple[tuple[str, str], ...], problems: list[str]
) -> None:
    """By its name, with what the bot takes."""
    assert list(find_option_problems(WREN._replace(options=options), OFFERED)) == problems


def test_option_problem_lists_up_to_twenty_options() -> None:
    """For a bot without options the message says "none"."""
    wrong = WREN._replace(options=(("width", "1"),))
    (problem,) = find_option_problems(wrong, {})
    assert problem == "the config sets width, but the bot's options are none"
    many = {f"o{k}": Option(f"o{k}", "bool", "true") for k in range(30)}
    (problem,) = find_option_problems(wrong, many)
    assert problem.endswith("o18, o19")


@pytest.mark.slow
def test_wrong_options_are_found_by_starting_the_bot() -> None:
    """All wrong options are reported; a bot that cannot start has none."""
    wrong = WREN._replace(options=(("depth", "0"), ("width", "5")))
    assert find_wrong_options(wrong) == [
        ("depth", "the config sets depth to '0': it must be from 1 to 9"),
        ("width", "the config sets width, but the bot's options are depth"),
    ]
    assert find_wrong_options(WREN._replace(options=(("depth", "5"),))) == []
    assert find_wrong_options(bot("exits")._replace(options=(("width", "5"),))) == []
    gone = wrong._replace(launch=Launch(("/no/such/program",)))
    assert find_wrong_options(gone) == []


@pytest.mark.slow
def test_options_are_set_in_the_handshake(tmp_path: Path) -> None:
    """They are sent in the order of the config, before the first game."""
    fine = WREN._replace(options=(("depth", "5"),))
    logged(tmp_path, fine, ROBIN)
    assert sent_lines(tmp_path, "wren")[:3] == [
        "pwtp 1",
        "set depth 5",
        "newgame edition original seat 0 seed 11",
    ]


def test_failed_start_quotes_the_last_line_of_stderr() -> None:
    """It follows the description of the fault."""
    game = play_game(setup(bot("exits"), ROBIN))
    (fault,) = game.faults
    assert fault.message == "exited with code 7: I do not want to play"
    assert fault.stderr == "I do not want to play\n"


@pytest.mark.slow
def test_the_message_of_a_fault_is_cut() -> None:
    """The limit is 500 characters, whether or not the bot could be started."""
    assert MAX_MESSAGE == 500
    long = Launch((sys.executable, "-S", "-c", "import sys; sys.exit('x' * 2000)"))
    (fault,) = play_game(setup(WREN._replace(launch=long), ROBIN)).faults
    assert fault.message == "exited with code 1: " + "x" * 480
    gone = WREN._replace(launch=Launch(("/" + "x" * 900,)))
    (fault,) = play_game(setup(gone, ROBIN)).faults
    assert len(fault.message) == 500
    assert fault.message.startswith("cannot start /xxx")
    assert fault.log == fault.message


@pytest.mark.slow
def test_last_info_of_a_turn_is_kept_with_the_ply() -> None:
    """It is cut at 1000 characters; info of an earlier turn is not kept."""
    talks = scripted("if turns == 1: say('info one'); say('info two ' + 'x' * 2000)", "talks")
    game = play_game(setup(talks, ROBIN))
    mine = [ply for ply in game.plies if ply.seat == 0]
    assert mine[0].info == "two " + "x" * 996
    assert {ply.info for ply in mine[1:]} == {""}


def test_infos_of_a_game_are_stored_up_to_32_kib() -> None:
    """A thousand emoji are 4,000 bytes, so nine plies fill 32 KiB; later ones have none."""
    talks = scripted("say('info ' + '\U0001f9f5' * 1000)", "emoji")
    game = play_game(setup(talks, ROBIN))
    sizes = [len(ply.info.encode()) for ply in game.plies if ply.seat == 0]
    assert sizes[:9] == [4000] * 8 + [768], "32,768 bytes are 8 × 4,000 and 192 characters"
    assert sizes[9:] == [0] * len(sizes[9:])
    assert len(sizes) > 9


def test_edition_fault_lists_up_to_twenty_editions() -> None:
    """It gives their names and the edition of the game."""
    claims = "".join(f"feature edition e{k}\\n" for k in range(30))
    code = scripted("pass").launch.command[-1].replace("feature legal", f"{claims}feature legal")
    picky = WREN._replace(launch=Launch((sys.executable, "-S", "-c", code)))
    game = play_game(setup(picky, ROBIN))
    (fault,) = game.faults
    assert fault.verdict is Verdict.START
    assert fault.message.startswith("the bot plays only e0, e1, ")
    assert fault.message.endswith("e18, e19, not original")


def test_a_log_of_a_fault_has_all_its_parts() -> None:
    """The order is process, clock, limits, lines, and the whole of standard error."""
    (fault,) = play_game(setup(bot("crash"), ROBIN)).faults
    lines = fault.log.splitlines()
    assert lines[0] == "process: exited with code 3; sandbox: none"
    assert lines[1] == "clock: 10000 ms a move"
    assert lines[2].startswith("limits: start_ms 20000, end_ms 100, move_ms None, cpu_ms ")
    assert lines[3] == "the last lines (milliseconds, > to the bot, < from it):"
    assert lines[-2:] == ["standard error (21 bytes):", "| something went wrong"]
    assert all(re.fullmatch(r" *\d+\.\d{3} [<>] .+", line) for line in lines[4:-2])


@pytest.mark.slow
def test_stderr_of_a_bot_is_written_next_to_its_traffic(tmp_path: Path) -> None:
    """Both files are named by the bot's id; the log ends with `quit`."""
    talks = scripted("os.write(2, b'hm\\n') if turns == 1 else None", "talks")
    logged(tmp_path, talks, ROBIN)
    assert (tmp_path / "talks.stderr").read_text() == "hm\n"
    assert (tmp_path / "robin.stderr").read_text() == ""
    assert {path.name for path in tmp_path.iterdir()} == {
        f"{name}.{kind}" for name in ("talks", "robin") for kind in ("log", "stderr")
    }
    assert sent_lines(tmp_path, "talks")[-1] == "quit"


@pytest.mark.slow
def test_a_move_may_be_limited_below_the_clock(tmp_path: Path) -> None:
    """The bot is sent its clock, but times out at the limit of its config."""
    limited = bot("hang")._replace(limits=LIMITS._replace(move_ms=300))
    game = play_game(setup(limited, ROBIN))
    assert game.verdict is Verdict.TIMEOUT
    untimed = limited._replace(control=TimeControl())
    assert play_game(setup(untimed, ROBIN)).verdict is Verdict.TIMEOUT
    plays = WREN._replace(limits=LIMITS._replace(move_ms=9_000))
    logged(tmp_path, plays, ROBIN)
    assert {line for line in sent_lines(tmp_path, "wren") if line.startswith("go")} == {
        "go movetime 10000"
    }


@pytest.mark.slow
def test_bytes_are_counted_both_ways(tmp_path: Path) -> None:
    """The counts include line ends."""
    talks = scripted("os.write(2, b'hm\\n')", "talks")
    game = logged(tmp_path, talks, ROBIN)
    turns = sum(ply.seat == 0 for ply in game.plies)
    assert game.usage[0].stderr == 3 * turns
    said = [
        line.split(maxsplit=2)
        for line in (tmp_path / "talks.log").read_text().splitlines()
        if line.split()[1] == "<"
    ]
    # the greeting belongs to no game
    answers = [words[2] for words in said if words[2].startswith("move ")]
    assert game.usage[0].written >= sum(len(text) + 1 for text in answers)
    assert game.usage[0].start > 0


def test_void_game_has_no_plies_and_no_points() -> None:
    """It keeps its bots, edition, deal, seeds and the Automa, and has the reason as its note."""
    plain = setup(WREN, ROBIN)
    void = void_game(plain, "why")
    assert (void.bots, void.edition, void.deal) == (("wren", "robin"), "original", plain.deal)
    assert (void.seeds, void.plies, void.winner) == ((11, 22), (), None)
    assert (void.verdict, void.scores, void.note) == (Verdict.RUNNER_ERROR, (0, 0), "why")
    assert (void.automa, void.points) == (None, None)
    solo = plain._replace(automa=Automa("intern"))
    other = void_game(solo, "why", Verdict.DISQUALIFIED)
    assert (other.automa, other.verdict) == (Automa("intern"), Verdict.DISQUALIFIED)


def test_bot_seats_exclude_the_automa() -> None:
    """The Automa has no process; a human player has none either."""
    plain: GameSetup = setup(WREN, ROBIN)
    assert plain.bot_seats == (0, 1)
    assert plain._replace(automa=Automa("intern")).bot_seats == (0,)
    assert WREN.has_process
    assert not WREN._replace(launch=Launch(())).has_process


@pytest.mark.slow(2)
def test_time_to_load_a_template_does_not_count_as_time_to_start() -> None:
    """No meter runs yet, so a referee that is stopped meanwhile would cost the bot its start."""
    launch = Launch(("/bin/sh", "-c", "read -r hello; echo ready; exec sleep 60"))
    spec = BotSpec("calm", launch, limits=LIMITS._replace(start_ms=1_500))

    def load() -> None:
        subprocess.run(["sleep", "1.6"], check=True)

    conversation = Conversation(spec, start=load)
    try:
        conversation.greet()
    finally:
        conversation.end()
        conversation.clean_up()
