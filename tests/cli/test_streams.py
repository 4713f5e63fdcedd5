"""Runs under unusual conditions: streams, interrupts, full disks, narrow terminals."""

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from pwtourney.cli.playing import Progress, heartbeat, standing_line
from pwtourney.ratings.order import MorePairs
from pwtourney.tournament import Ended, FaultSeen, Leader, PairDone, Standing, Started
from tests.match.helpers import SHELL_BOT
from tests.program import pwtourney
from tests.sharing import Once

ROOT = Path(__file__).parents[2]
FAST = "seed: 3\nworkers: 1\nprocesses: persistent\n"


@pytest.fixture(scope="module")
def results(once: Once) -> Path:
    """Return the results of a small tournament."""
    return once("streams", play) / "r"


def play(folder: Path) -> None:
    """Play the tournament."""
    (folder / "a.yaml").write_text(f"{FAST}bots: [random, greedy]\npairs: 2\nedition: original\n")
    pwtourney("run", str(folder / "a.yaml"), "--results", str(folder / "r"))


LONG = ("a" * 29 + "-v1", "a" * 29 + "-v2")


@pytest.fixture(scope="module")
def long_names(once: Once) -> Path:
    """Return the results of bots whose names have the maximum length."""
    return once("long-names", play_with_long_names) / "r"


def play_with_long_names(folder: Path) -> None:
    """Play their tournament."""
    bots = "".join(f"  - {{id: {name}, bot: random}}\n" for name in LONG)
    (folder / "a.yaml").write_text(f"{FAST}pairs: 1\nedition: express\nbots:\n{bots}")
    pwtourney("run", str(folder / "a.yaml"), "--results", str(folder / "r"))


INTERRUPTED = """
import os, signal, time
try:
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(30)
except KeyboardInterrupt as error:
    if __name__ != "click":  # as pydantic does while it builds a model
        raise RuntimeError from error
    raise
"""


@pytest.mark.parametrize("library", ["click", "pydantic"])
@pytest.mark.slow
def test_interrupt_during_imports_ends_the_program_silently(library: str, tmp_path: Path) -> None:
    """It ends by SIGINT, which shells report as 130, while libraries are imported."""
    (tmp_path / library).mkdir()
    (tmp_path / library / "__init__.py").write_text(INTERRUPTED)
    (tmp_path / "a.yaml").write_text("bots: [random, greedy]\n")
    for command in (
        [Path(sys.executable).parent / "pwtourney"],
        [sys.executable, "-m", "pwtourney"],
    ):
        done = subprocess.run(
            [*command, "config", "validate", "a.yaml"],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(tmp_path)},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
            # a shell that runs the tests in the background makes them ignore SIGINT
            preexec_fn=partial(signal.signal, signal.SIGINT, signal.default_int_handler),
        )
        assert (done.returncode, done.stdout, done.stderr) == (-signal.SIGINT, "", "")


def test_interrupt_that_a_library_converts_is_still_an_interrupt(tmp_path: Path) -> None:
    """Some libraries are imported late, and may catch and replace `KeyboardInterrupt`."""
    (tmp_path / "uvicorn").mkdir()
    (tmp_path / "uvicorn" / "__init__.py").write_text(INTERRUPTED)
    done = pwtourney(
        "arena",
        "--no-open",
        "--games",
        "games",
        code=130,
        at=tmp_path,
        environment={"PYTHONPATH": str(tmp_path)},
    )
    assert (done.stdout, done.stderr) == ("", "")


@pytest.mark.slow
def test_removed_current_directory_is_a_clear_error(tmp_path: Path) -> None:
    """The system's own message names no file in this case."""
    gone = tmp_path / "gone"
    gone.mkdir()
    call = 'cd "$1" && rmdir "$1" && exec "$2" -m pwtourney report x'
    done = subprocess.run(
        ["sh", "-c", call, "sh", gone, sys.executable],
        env={**os.environ, "PYTHONSAFEPATH": "1"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 3
    assert done.stderr.endswith(
        "error: the current directory does not exist any more; change to another one\n"
    )


GATED = SHELL_BOT.replace("go) ", 'go) [ "$open" ] || read -r open < "$1"; ')
"""A shell bot that plays its first action only after something was written to a pipe."""


@pytest.mark.slow
def test_reader_that_closes_stdout_ends_a_game_silently(tmp_path: Path) -> None:
    """The reader leaves after the first line, as `head` does."""
    (tmp_path / "gated.sh").write_text(GATED)
    os.mkfifo(tmp_path / "gate")
    gate = os.open(tmp_path / "gate", os.O_RDWR)  # read and write, so that opening does not block
    opponent = f"sh {tmp_path}/gated.sh {tmp_path}/gate"
    words = ("play", "frugal", opponent, "--edition", "express", "--no-timeout", "--show")
    with subprocess.Popen(
        [sys.executable, "-m", "pwtourney", *words, "--sandbox", "none"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as game:
        try:
            assert game.stdout is not None
            assert "frugal" in game.stdout.readline()
            game.stdout.close()
            os.write(gate, b"open\n")  # now the program writes more, and nobody reads it
            _, errors = game.communicate(timeout=200)
        finally:
            game.kill()
            os.close(gate)
    assert game.returncode == 0
    assert "rror" not in errors


@pytest.mark.thorough
@pytest.mark.slow
def test_tournament_continues_if_stderr_is_closed(tmp_path: Path) -> None:
    """Closing standard error loses progress lines, not games."""
    path = tmp_path / "a.yaml"
    path.write_text(f"{FAST}bots: [random, frugal]\npairs: 2\nedition: express\n")
    command = (
        f"{sys.executable} -m pwtourney run {path} --results {tmp_path / 'r'} 2>&1 >out | true"
    )
    subprocess.run(["bash", "-c", command], timeout=60, check=False, cwd=tmp_path)
    assert "4 games of 2 pairs" in pwtourney("report", str(tmp_path / "r")).stdout


@pytest.mark.parametrize("width", [40, 60, 80, 120])
@pytest.mark.slow
def test_long_names_fit_every_table_from_60_columns_on(long_names: Path, width: int) -> None:
    """Two names of 32 characters are whole from 60 columns on, and cut but distinct at 40."""
    environment = {"COLUMNS": str(width)}
    report = ("report", str(long_names), "--matrix", "--resources")
    done = pwtourney(*report, environment=environment).stdout
    of_bots = [line for line in done.splitlines() if "-v1  " in line or "-v2  " in line]
    assert len(of_bots) >= 6
    assert all(len(line) <= width for line in of_bots)
    names = {word for line in of_bots for word in line.split() if word.endswith(("-v1", "-v2"))}
    assert (names == set(LONG)) == (width >= 60)
    assert {name[-3:] for name in names} == {"-v1", "-v2"}


@pytest.mark.thorough
@pytest.mark.parametrize("width", [20, 40, 80, 120])
@pytest.mark.slow
def test_tables_and_boards_fit_the_terminal(results: Path, width: int) -> None:
    """Columns are dropped and quilt boards stacked before anything is cut or wrapped."""
    environment = {"COLUMNS": str(width)}
    table = pwtourney("report", str(results), environment=environment).stdout
    lines = table.partition("4 games of")[0].splitlines()
    assert any("greedy" in line for line in lines) or width < 40
    assert all(len(line) <= max(width, 20) for line in lines)
    if width >= 40:
        shown = pwtourney("replay", f"{results}:0.0", "--at", "9", environment=environment).stdout
        rows = [line for line in shown.splitlines() if line.strip().startswith("9 ")]
        assert len(rows) == (2 if width < 48 else 1)
        assert all(len(line) <= width for line in shown.splitlines())


@pytest.mark.slow
def test_characters_the_encoding_lacks_are_replaced(results: Path) -> None:
    """A dash that cannot be encoded is replaced, and the table is printed."""
    done = subprocess.run(
        [sys.executable, "-m", "pwtourney", "report", str(results)],
        env=os.environ | {"PYTHONIOENCODING": "ascii"},  # Python reads it at startup
        capture_output=True,
        encoding="ascii",
        timeout=60,
        check=True,
    )
    assert "greedy" in done.stdout
    assert "W?L" in done.stdout
    assert done.stderr == ""


@pytest.mark.thorough
@pytest.mark.slow
def test_read_only_results_can_be_reported_and_verified(
    results: Path, tmp_path: Path, needs: Callable[[str], None]
) -> None:
    """An archive is read where it is; a run in it is refused."""
    needs("setpriv")
    copy = tmp_path / "archive"
    shutil.copytree(results, copy)
    for path in (*copy.iterdir(), copy):
        path.chmod(0o555 if path.is_dir() else 0o444)
    drop = ["setpriv", "--bounding-set=-all", "--inh-caps=-all", "--"] if os.getuid() == 0 else []
    expected = pwtourney("report", str(results)).stdout
    commands = (
        ["report", str(copy)],
        ["verify", str(copy)],
        ["run", str(results.parent / "a.yaml"), "--results", str(copy)],
    )
    done = subprocess.run(
        [*drop, sys.executable, "-c", ONE_BY_ONE, json.dumps(commands)],
        stdout=subprocess.PIPE,
        text=True,
        timeout=60,
        check=True,
        cwd=ROOT,
    )
    reported, verified, refused = json.loads(done.stdout)
    assert reported == [0, expected]
    assert verified[0] == 0
    assert "4 games replayed" in verified[1]
    assert refused[0] == 3
    copy.chmod(0o755)


ONE_BY_ONE = """
import json, sys
from tests.match.helpers import SHELL_BOT
from tests.program import pwtourney

found = [pwtourney(*words, code=None) for words in json.loads(sys.argv[1])]
print(json.dumps([(done.returncode, done.stdout) for done in found]))
"""
"""Python code that runs commands as the current user; none may end with a traceback."""


def run_in_shell(words: str, at: Path) -> subprocess.CompletedProcess[str]:
    """Run the program in a folder with words of a shell, such as redirections."""
    return subprocess.run(
        ["bash", "-c", f"{sys.executable} -m pwtourney {words}"],
        cwd=at,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.slow
def test_full_disk_is_one_clear_error(results: Path) -> None:
    """A report is written to /dev/full."""
    done = run_in_shell(f"report {results} > /dev/full", at=results)
    assert done.returncode == 3
    assert "standard output: No space left on device" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_preview_needs_its_output(tmp_path: Path) -> None:
    """A run may go on without a reader, but `--dry-run` is only read."""
    (tmp_path / "t.yaml").write_text(
        "name: t\nedition: express\npairs: 1\nbots: [random, frugal]\n"
    )
    done = run_in_shell("run t.yaml --dry-run >&-", at=tmp_path)
    assert done.returncode == 3
    assert "standard output is closed" in done.stderr


def test_heartbeat_shows_progress_speed_and_time_left() -> None:
    """Worked by hand: 20 pairs in 10 seconds are 4 games a second; 40 are left, for 20 s."""
    assert heartbeat(60, 100, 20, 10.0) == "60/100 pairs, 4.0 games/s, 20 s left"
    assert heartbeat(100, 100, 20, 10.0) == "100/100 pairs, 4.0 games/s"
    assert heartbeat(0, 100, 0, 0.0) == "0/100 pairs, 0.0 games/s"


def lines_of(
    capsys: pytest.CaptureFixture[str], pairs: int, done: int, seconds: float, last: int
) -> list[str]:
    """Play pairs of `seconds` each by an injected clock; return the first words of the output."""
    now = [0.0]
    progress = Progress(quiet=False, now=lambda: now[0])
    progress(Started(pairs, done))
    for pair in range(done, last):
        now[0] += seconds
        progress(PairDone(pair, "a", "b", 1.0))
    progress(Ended(over=True, pairs=last))
    return [line.split()[0] for line in capsys.readouterr().err.splitlines()]


def test_progress_without_a_terminal_has_a_line_each_quarter(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Holds for any number and length of pairs; a continued run shows only its last quarters."""
    assert lines_of(capsys, 1000, 0, 0.4, 1000) == ["250/1000", "500/1000", "750/1000", "1000/1000"]
    assert lines_of(capsys, 10, 0, 47.0, 10) == ["3/10", "5/10", "8/10", "10/10"]
    assert lines_of(capsys, 1, 0, 1.0, 1) == ["1/1"]
    assert lines_of(capsys, 100, 60, 1.0, 100) == ["continuing:", "75/100", "100/100"]


def test_progress_without_a_terminal_has_a_line_each_10_minutes(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """With pairs of five minutes there is a line for every second pair."""
    assert lines_of(capsys, 100, 0, 300.0, 7) == ["2/100", "4/100", "6/100", "7/7"]


def test_run_that_ends_early_shows_its_number_of_pairs(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A test that has decided is over, and no pair is left."""
    assert lines_of(capsys, 400, 0, 1.0, 30) == ["30/30"]


def test_progress_shows_at_most_20_sanitized_faults(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Each of thirty faults has a terminal sequence."""
    progress = Progress(quiet=False)
    progress(Started(10, 0))
    for _ in range(30):
        progress(FaultSeen(1, 0, "a", "crash", "exited\x1b[31m"))
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "game 1.0: a: crash: exited?[31m"
    assert len(lines) == 20 + 1


def standing(plus_minus: float | None, elo: float | None = 100.0, bound: str = "") -> Standing:
    """Return a standing whose first bot has this rating."""
    leaders = (Leader("wren", elo, plus_minus, bound), Leader("crow", 0.0, 900.0, ""))
    return Standing(leaders, "wren", "crow", MorePairs(5, 5, 9.0), 70.0)


@pytest.mark.parametrize(
    ("event", "line"),
    [
        (standing(50.0), "wren +100 ± 50, crow; to tell wren from crow at 95 %: about 5 more"),
        (standing(200.0), "wren +100 ± 200, crow; to tell wren from crow at 95 %: about 5"),
        (standing(None, bound=">"), "wren >+100, crow; to tell"),
        (standing(201.0), ""),
        (standing(1472.0), ""),
        (standing(None), ""),
        (standing(None, elo=None, bound="?"), ""),
    ],
)
def test_ratings_are_reported_only_if_precise_enough(event: Standing, line: str) -> None:
    """An interval of more than ± 200 does not show who is above average, and is left out."""
    assert standing_line(event).startswith(line)
    assert bool(standing_line(event)) == bool(line)


def test_leader_is_reported_below_each_quarter(capsys: pytest.CaptureFixture[str]) -> None:
    """The latest rating is shown; at the end the table shows it instead."""
    progress = Progress(quiet=False, now=lambda: 0.0)
    progress(Started(8, 0))
    for pair in range(8):
        progress(standing(50.0 + pair))
        progress(PairDone(pair, "a", "b", 1.0))
    lines = capsys.readouterr().err.splitlines()
    assert [line.split(";")[0] for line in lines] == [
        "2/8 pairs, 0.0 games/s",
        "wren +100 ± 51, crow",
        "4/8 pairs, 0.0 games/s",
        "wren +100 ± 53, crow",
        "6/8 pairs, 0.0 games/s",
        "wren +100 ± 55, crow",
        "8/8 pairs, 0.0 games/s",
    ]


def test_quiet_progress_prints_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing is printed to standard error."""
    progress = Progress(quiet=True)
    progress(Started(10, 2))
    progress(PairDone(2, "a", "b", None))
    assert capsys.readouterr().err == ""
