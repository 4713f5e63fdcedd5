"""``pwtourney play``: start positions, logs of the conversation, and no time limits."""

import re
from pathlib import Path

import pytest

from pwtourney.notation import position_text
from pwtourney.rules import ADVANCE, State, deal
from tests.conformance.test_check import SCRIPT
from tests.program import pwtourney
from tests.rules.positions import EXPRESS, ORIGINAL

LOOSE = ("--sandbox", "none", "--trusted")


@pytest.mark.slow
def test_log_keeps_every_line_of_the_conversation(tmp_path: Path) -> None:
    """Each bot has a file by its name with all lines in order, and one for standard error."""
    folder = tmp_path / "deep" / "talk"
    done = pwtourney("play", "greedy", "random", "--deal", "5", "--log", str(folder), *LOOSE)
    assert {path.name for path in folder.iterdir()} == {
        "greedy.log",
        "greedy.stderr",
        "random.log",
        "random.stderr",
    }
    lines = (folder / "greedy.log").read_text().splitlines()
    said = [re.fullmatch(r" *(\d+\.\d{3}) ([<>]) (.*)", line) for line in lines]
    assert all(said)
    words = [(match[2], match[3]) for match in said if match]
    assert words[:3] == [(">", "pwtp 1"), ("<", "id name greedy"), ("<", "id author pwtourney")]
    assert words[-2][1].startswith("gameover ")
    assert words[-1] == (">", "quit")
    moves = [text.removeprefix("move ") for mark, text in words if text.startswith("move ")]
    shown = re.findall(r"^ *\d+\. greedy (\S+)$", done.stdout, re.MULTILINE)
    assert moves == shown
    assert sum(text.startswith("patch ") for _, text in words) == 33


@pytest.mark.slow
def test_no_timeout_sends_go_without_a_limit(tmp_path: Path) -> None:
    """Each request is a plain `go`."""
    pwtourney("play", "greedy", "random", "--no-timeout", "--log", str(tmp_path), *LOOSE)
    requests = re.findall(r" > (go.*)", (tmp_path / "greedy.log").read_text())
    assert set(requests) == {"go"}


@pytest.mark.slow
def test_game_can_start_from_any_position(tmp_path: Path) -> None:
    """The first request is about that position and goes to the seat to move."""
    state = State.start(ORIGINAL, 7).apply(ADVANCE)
    text = position_text(state)
    pwtourney("play", "greedy", "random", "--position", text, "--log", str(tmp_path), *LOOSE)
    (first, *_) = re.findall(r" > (position .*)", (tmp_path / "random.log").read_text())
    assert first == f"position {text}"
    assert " > played" not in (tmp_path / "random.log").read_text().split(f"{text}\n")[0]


@pytest.mark.slow
def test_hidden_patches_enter_in_the_order_of_the_deal(tmp_path: Path) -> None:
    """Once they have entered, the remaining ones are in that order in the circle."""
    text, seed = position_text(State.start(EXPRESS, 7).hide_late()), 2**60 + 1
    words = ("play", "greedy", "frugal", "--edition", "express", "--position", text, *LOOSE)
    pwtourney(*words, "--deal", str(seed), "--log", str(tmp_path))
    late = deal(EXPRESS, seed).late
    entered = [
        [int(number) for number in circle.split(",") if int(number) in late]
        for circle in re.findall(
            r" > position .* ([\d,]+) -$", (tmp_path / "greedy.log").read_text(), re.MULTILINE
        )
    ]
    assert entered[0] == list(late)
    for circle in entered:
        first = late.index(circle[0])
        turned = [*late[first:], *late[:first]]
        assert circle == [number for number in turned if number in circle]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--position", "nonsense"), "a position has 14 fields"),
        (("--position", "{over}"), "in this position the game is over"),
        (("--position", "{start}", "--save", "g"), "--save does not go with --position"),
        (("--log", "{file}"), "--log"),
        (("--log", "{taken}"), "random.log: Is a directory"),
    ],
)
@pytest.mark.slow
def test_invalid_play_options_are_reported(
    words: tuple[str, ...], message: str, tmp_path: Path
) -> None:
    """The error comes before a bot is started."""
    (tmp_path / "file").write_text("")
    (tmp_path / "taken" / "random.log").mkdir(parents=True)
    start = State.start(ORIGINAL, 7)
    last = start.players[0]._replace(space=53)
    over = start._replace(players=(last, last))
    known = {
        "start": position_text(start),
        "over": position_text(over),
        "file": str(tmp_path / "file"),
        "taken": str(tmp_path / "taken"),
    }
    options = [word.format(**known) for word in words]
    assert message in pwtourney("play", "greedy", "random", *options, code=2).stderr


def test_position_does_not_go_with_the_automa() -> None:
    """The Automa's cards are dealt with the game."""
    done = pwtourney("play", "greedy", "automa:1", "--position", "x", code=2)
    assert "--position does not go with the Automa" in done.stderr


def test_human_player_needs_a_terminal() -> None:
    """Without a terminal the command fails at once."""
    assert "needs an interactive terminal" in pwtourney("play", "human", "random", code=2).stderr


@pytest.mark.slow
def test_output_of_bots_is_sanitized_for_the_terminal(tmp_path: Path) -> None:
    """It has escape sequences, a right-to-left override, and a line that CI treats as its own."""
    (tmp_path / "esc.sh").write_text(
        "printf '%070d ::error::mine\\n' 0 >&2\n"
        "printf 'x\\033[31m\\342\\200\\256 red' >&2\nexit 1\n"
    )
    done = pwtourney("play", f"sh {tmp_path / 'esc.sh'}", "random", *LOOSE, code=1)
    assert "\x1b" not in done.stdout
    assert "\u202e" not in done.stdout
    assert not any(line.strip().startswith("::error") for line in done.stdout.splitlines())


@pytest.mark.slow
def test_stderr_of_a_crashed_bot_is_kept_in_the_log_folder(tmp_path: Path) -> None:
    """The lines that a bot wrote before it crashed are in its file."""
    command = f"python3 -S -I {SCRIPT} ExitsAtOnce"
    pwtourney("play", command, "random", "--log", str(tmp_path), *LOOSE, code=1)
    (errors,) = [path for path in tmp_path.glob("*.stderr") if "random" not in path.name]
    assert errors.read_text() == "no such table\n"
