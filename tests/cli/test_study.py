"""One bot and a stored game: ``rerun --bot`` and ``analyse``."""

import json
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from urllib.request import urlopen

import pytest

from tests.conformance.test_check import SCRIPT
from tests.program import pwtourney
from tests.sharing import Once

LOOSE = ("--sandbox", "none", "--trusted")
FAST = "pairs: 1\nseed: 3\nworkers: 1\nprocesses: persistent\n"
WHIM = """
from pwtourney.sdk import Bot
from pwtourney_bots.greedy import Greedy

class Whim(Greedy):
    turns = 0
    def choose(self, turn):
        self.turns += 1
        self.say("score 4.5")
        actions = turn.state.legal_actions()
        return actions[0] if self.turns == 1 else super().choose(turn)
"""
CLOCKED = """
from pwtourney.sdk import Bot

class Clocked(Bot):
    def choose(self, turn):
        actions = turn.state.legal_actions()
        return actions[(turn.limit.theirs_ms or 0) // 1000 % len(actions)]
"""


@pytest.fixture(scope="module")
def league(once: Once) -> Path:
    """Return the results of a pair of two deterministic bots, and of one against the Automa."""
    return once("study", play)


def play(folder: Path) -> None:
    """Play both, and write a bot next to them."""
    (folder / "a.yaml").write_text(f"{FAST}bots: [greedy, frugal]\n")
    pwtourney("run", str(folder / "a.yaml"), "--results", str(folder / "r"))
    (folder / "solo.yaml").write_text(f"{FAST}bots: [greedy]\nformat: solo\nedition: anniversary\n")
    pwtourney("run", str(folder / "solo.yaml"), "--results", str(folder / "s"))
    (folder / "whim.py").write_text(WHIM)


@pytest.mark.thorough
@pytest.mark.slow(4)
def test_rerun_of_a_deterministic_bot_repeats_every_answer(league: Path) -> None:
    """The bot comes from the file or is installed, or played against the Automa."""
    game, file = f"{league}/r:0.0", str(league / "a.yaml")
    for words in ((game, "--file", file), (game, *LOOSE), (f"{league}/s:0.1", *LOOSE)):
        done = pwtourney("rerun", *words, "--bot", "greedy")
        (answers,) = re.findall(
            r"(\d+) of \1 answers of greedy are as they are stored", done.stdout
        )
        assert int(answers) > 10


@pytest.mark.slow
def test_rerun_of_a_saved_game_uses_its_stored_seeds(league: Path, tmp_path: Path) -> None:
    """A randomized bot repeats its answers; with another seed it does not."""
    file = tmp_path / "game"
    pwtourney("play", "random", "greedy", "--deal", "5", "--save", str(file), *LOOSE)
    done = pwtourney("rerun", str(file), "--bot", "random", *LOOSE)
    (answers,) = re.findall(r"(\d+) of \1 answers of random are as they are stored", done.stdout)
    assert int(answers) > 10
    file.write_text(re.sub("seed 0 .*", "seed 0 1", file.read_text()))
    done = pwtourney("rerun", str(file), "--bot", "random", *LOOSE, code=1)
    assert "now it is" in done.stdout
    done = pwtourney("rerun", str(file), "--file", str(league / "a.yaml"), code=2)
    assert "leave --file out" in done.stderr


@pytest.mark.slow
def test_rerun_reports_each_answer_that_differs(league: Path) -> None:
    """Another version takes the first seat; one of its answers differs."""
    whim = str(league / "whim.py:Whim")
    done = pwtourney("rerun", f"{league}/r:0.0", "--bot", whim, "--seat", "first", *LOOSE, code=1)
    lines = done.stdout.splitlines()
    assert len(lines) == 2
    assert re.fullmatch(r"ply \d+: stored is \S+:\S+:\S+, now it is advance", lines[0])
    same, answers = map(int, re.findall(r"\d+", lines[1])[:2])
    assert answers - same == 1


@pytest.mark.thorough
@pytest.mark.slow
def test_rerun_asks_for_the_answer_that_lost_by_a_fault(tmp_path: Path) -> None:
    """The game was lost at turn 8: the same version fails again, a fixed one answers."""
    bots = [
        f"{{id: tired, command: {sys.executable} -S -I {SCRIPT} Tires, trusted: true}}",
        "greedy",
    ]
    (tmp_path / "a.yaml").write_text(f"{FAST}bots: [{', '.join(bots)}]\n")
    pwtourney("run", str(tmp_path / "a.yaml"), "--results", str(tmp_path / "r"))
    again = pwtourney(
        "rerun",
        f"{tmp_path}/r:0.0",
        "--file",
        str(tmp_path / "a.yaml"),
        "--bot",
        "tired",
        code=1,
    )
    crash = "crash: exited with code 1: AssertionError: so tired (games.py, line "
    assert re.search(rf"{re.escape(crash)}\d+\), after 7 answers, as it is stored", again.stdout)
    fixed = f"python3 -S -I {SCRIPT} Honest"
    words = ("rerun", f"{tmp_path}/r:0.0", "--bot", fixed, "--seat")
    outputs = [pwtourney(*words, seat, *LOOSE, code=1).stdout for seat in ("0", "1")]
    assert any("stored is lost by crash, now it is" in output for output in outputs)


@pytest.mark.thorough
@pytest.mark.slow
def test_rerun_sends_the_clocks_of_the_stored_game(tmp_path: Path) -> None:
    """With a clock for the game, the bot gets both clocks as then, to the millisecond."""
    (tmp_path / "clocked.py").write_text(CLOCKED)
    (tmp_path / "a.yaml").write_text(
        f"{FAST}bots: [clocked.py, frugal]\nclock: {{game: 60s, increment: 1s}}\n"
    )
    pwtourney("run", str(tmp_path / "a.yaml"), "--results", str(tmp_path / "r"))
    for game in ("0.0", "0.1"):
        done = pwtourney(
            "rerun",
            f"{tmp_path}/r:{game}",
            "--file",
            str(tmp_path / "a.yaml"),
            "--bot",
            "clocked",
        )
        assert re.search(r"(\d+) of \1 answers of clocked", done.stdout)


@pytest.mark.thorough
@pytest.mark.slow
def test_rerun_ignores_bots_that_did_not_play_the_game(tmp_path: Path) -> None:
    """`greedy.x` did not play and is not compared, although `bots.greedy.` is its prefix."""
    bots = "[greedy, frugal, {id: greedy.x, bot: random}]"
    (tmp_path / "a.yaml").write_text(f"{FAST}bots: {bots}\nsandbox: none\n")
    pwtourney("run", str(tmp_path / "a.yaml"), "--results", str(tmp_path / "r"))
    again = pwtourney("rerun", f"{tmp_path}/r:2.0", "--file", str(tmp_path / "a.yaml"))
    assert "greedy 27, frugal -9" in again.stdout
    assert "greedy.x" not in again.stdout + again.stderr


@pytest.mark.slow
def test_rerun_reports_a_bot_that_fails(league: Path) -> None:
    """It reports the verdict, and the number of answers before it."""
    bot = f"python3 -S -I {SCRIPT} Tires"
    done = pwtourney("rerun", f"{league}/r:0.0", "--bot", bot, "--seat", "1", *LOOSE, code=1)
    crash = "crash: exited with code 1: AssertionError: so tired (games.py, line "
    assert re.search(rf"{re.escape(crash)}\d+\), after 7 answers", done.stdout)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "give --file, which defines how bots"),
        (
            ("--bot", "random"),
            "random did not play this game; choose its seat: --seat first for greedy or",
        ),
        (("--bot", "random", "--seat", "2"), "expected first or second, not '2'"),
        (("--bot", "random", "--file", "{file}"), "the tournament file has no bot 'random'"),
    ],
)
@pytest.mark.slow
def test_invalid_rerun_options_are_reported(
    words: tuple[str, ...], message: str, league: Path
) -> None:
    """The message says what to give instead."""
    options = [word.format(file=league / "a.yaml") for word in words]
    assert message in pwtourney("rerun", f"{league}/r:0.0", *options, code=2).stderr


@pytest.mark.slow
def test_rerun_cannot_replace_the_automa(league: Path) -> None:
    """The Automa always has the second seat."""
    done = pwtourney("rerun", f"{league}/s:0.0", "--bot", "greedy", "--seat", "1", code=2)
    assert "the second seat is the Automa's" in done.stderr


@pytest.mark.slow
def test_analyse_evaluates_every_position(league: Path) -> None:
    """The bot would play what it played; margins and swings come from its info lines."""
    done = pwtourney("analyse", f"{league}/r:0.0", "--bot", "greedy", *LOOSE)
    assert re.search(r"greedy would play (\d+) of \1 plies of greedy", done.stdout)
    assert re.search(r"greedy would play \d+ of \d+ plies of frugal", done.stdout)
    assert len(re.findall(r"^ply \d+: .* points$", done.stdout, re.MULTILINE)) == 5
    output = pwtourney("analyse", f"{league}/r:0.0", "--bot", "greedy", "--json", *LOOSE).stdout
    analysis = json.loads(output)
    margins = [ply["margin"] for ply in analysis["plies"]]
    final = analysis["scores"][0] - analysis["scores"][1]
    for ply, after in zip(analysis["plies"], [*margins[1:], final], strict=True):
        sign = 1 if ply["seat"] == 0 else -1
        assert ply["swing"] == sign * (after - ply["margin"])


@pytest.mark.thorough
@pytest.mark.slow(3)
def test_every_command_finds_results_by_their_short_name(league: Path, tmp_path: Path) -> None:
    """`r` means results/r, unless a folder r in the current directory holds results."""
    shutil.copytree(league / "r", tmp_path / "results" / "r")
    shown = pwtourney("report", "r", at=tmp_path).stdout
    assert shown == pwtourney("report", "results/r", at=tmp_path).stdout
    assert pwtourney("verify", "r", at=tmp_path).stdout.startswith("✓ 2 games replayed")
    assert "2 games" in pwtourney("rate", "r", at=tmp_path).stdout
    page = pwtourney("replay", "r:0.0", "--html", "game.html", at=tmp_path)
    assert page.stderr == "page: game.html\n"
    assert (tmp_path / "game.html").is_file()
    (tmp_path / "r").mkdir()
    assert pwtourney("report", "r", at=tmp_path).stdout == shown
    shutil.copytree(league / "s", tmp_path / "r", dirs_exist_ok=True)
    assert "automa" in pwtourney("report", "r", at=tmp_path).stdout


@pytest.mark.slow(2)
def test_rerun_and_analyse_find_games_by_short_name(league: Path, tmp_path: Path) -> None:
    """`r:0.0` is a game in results/r, for `rerun`, `rerun --bot` and `analyse`."""
    shutil.copytree(league / "r", tmp_path / "results" / "r")
    file = str(league / "a.yaml")
    for name in ("r:0.0", "results/r:0.0"):
        again = pwtourney("rerun", name, "--file", file, at=tmp_path)
        assert again.stdout.splitlines()[-1].startswith("the game went as it is stored")
        rerun = pwtourney("rerun", name, "--bot", "greedy", *LOOSE, at=tmp_path)
        assert "answers of greedy are as they are stored" in rerun.stdout
        analysis = pwtourney("analyse", name, "--bot", "greedy", *LOOSE, at=tmp_path)
        assert re.search(r"greedy would play (\d+) of \1 plies of greedy", analysis.stdout)


@pytest.mark.slow
def test_serve_finds_results_by_their_short_name(league: Path, tmp_path: Path) -> None:
    """The line with the address names the folder, and the page shows its tournament."""
    shutil.copytree(league / "r", tmp_path / "results" / "r")
    server = subprocess.Popen(
        [sys.executable, "-m", "pwtourney", "serve", "r", "--port", "0"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert server.stdout is not None, "it is a pipe"
        with server.stdout as lines:
            match = re.match(rf"(http://\S+/) shows {tmp_path}/results/r; ", lines.readline())
        assert match is not None
        with urlopen(f"{match[1]}tournament", timeout=30) as page:
            assert "<title>a: " in page.read().decode()
    finally:
        server.send_signal(signal.SIGINT)
        assert server.wait(timeout=20) == 130


@pytest.mark.slow
def test_saved_games_and_automa_games_can_be_analysed(league: Path, tmp_path: Path) -> None:
    """The Automa's cards are not asked about; a bot that gives no margin is no problem."""
    pwtourney("replay", f"{league}/r:0.0", "--save", str(tmp_path / "g"))
    done = pwtourney("analyse", str(tmp_path / "g"), "--bot", "random", *LOOSE)
    assert "random said no margin" in done.stdout
    done = pwtourney("analyse", f"{league}/s:0.0", "--bot", "greedy", *LOOSE)
    assert "plies of automa" not in done.stdout
