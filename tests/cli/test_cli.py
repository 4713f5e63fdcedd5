"""The command line: the modules it loads, its output on both streams, and its exit codes."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.program import pwtourney

SMALL = """
bots: [random, greedy]
pairs: 1
edition: original
seed: 3
workers: 1
processes: persistent
"""


def loaded(*arguments: str) -> set[str]:
    """Return the top-level modules that a call of the program imports."""
    code = (
        "import sys\nfrom pwtourney.cli import main\n"
        f"sys.argv = {['pwtourney', *arguments]!r}\n"
        "try: main()\nexcept SystemExit: pass\n"
        "print(*{name.partition('.')[0] for name in sys.modules}, file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    return set(done.stderr.split())


@pytest.mark.slow
def test_listing_bots_imports_no_bot() -> None:
    """Listing the installed bots only reads the metadata of their packages."""
    assert "pwtourney_bots" not in loaded("bots")


@pytest.mark.slow
@pytest.mark.parametrize("arguments", [[], ["--help"], ["--version"]])
def test_help_imports_click_but_no_heavy_library(arguments: list[str]) -> None:
    """None of the libraries that a run needs is imported."""
    modules = loaded(*arguments)
    assert "click" in modules
    heavy = {"numpy", "pydantic", "yaml", "rich", "tqdm", "multiprocess", "dill", "sqlite3"}
    assert not modules & heavy


@pytest.mark.thorough
@pytest.mark.slow
def test_program_without_a_command_shows_three_commands_that_work(tmp_path: Path) -> None:
    """The three commands work with the file that it shows; the exit code is 0."""
    screen = pwtourney().stdout
    lines = [line.strip() for line in screen.splitlines()]
    assert "bots for the game Patchwork" in lines[0]
    assert lines[-1] == "All commands: pwtourney --help"
    assert all(len(line) <= 80 for line in lines)
    (tmp_path / "league.yaml").write_text(next(line for line in lines if line.startswith("bots:")))
    typed = [line.partition("  ")[0] for line in lines if line.startswith("pwtourney ")][1:]
    assert [words.split()[1] for words in typed] == ["play", "run", "new-bot"]
    for words, text in zip(typed, ("wins", "Game hash", "magpie"), strict=True):
        less = ["--set", "pairs=1"] if " run " in words else []
        done = pwtourney(*words.split()[1:], *less, at=tmp_path)
        assert text in done.stdout, (words, done)


@pytest.mark.slow
def test_play_shows_the_game_and_its_winner() -> None:
    """It shows every ply, both quilt boards, and the winner; a repetition prints the same."""
    done = pwtourney("play", "greedy", "random", "--deal", "5", "--edition", "express", "--show")
    assert "1. greedy" in done.stdout
    assert done.stdout.strip().splitlines()[-1].startswith("greedy ")
    assert done.stdout.strip().endswith("wins")
    assert "· " in done.stdout
    again = pwtourney("play", "greedy", "random", "--deal", "5", "--edition", "express", "--show")
    assert again.stdout == done.stdout


@pytest.mark.slow
def test_play_shows_why_a_bot_failed() -> None:
    """It shows the verdict and the end of the bot's standard error; the exit code is 1."""
    script = Path(__file__).parent.parent / "misbehaving.py"
    done = pwtourney("play", f"{sys.executable} {script} crash", "random", code=1)
    assert "crash: exited with code 3" in done.stdout
    assert "  | something went wrong" in done.stdout


def test_bots_lists_the_installed_bots() -> None:
    """Each line has a name and the package that it comes from."""
    listed = dict(line.split(maxsplit=1) for line in pwtourney("bots").stdout.splitlines())
    assert listed["greedy"].startswith("pwtourney ")
    assert {"random", "champion"} < set(listed)


@pytest.mark.slow
def test_config_validate_checks_a_file_without_playing(tmp_path: Path) -> None:
    """It finds the bots, counts the games, and reports all problems with exit code 2."""
    path = tmp_path / "a.yaml"
    path.write_text("bots: [random, greedy]\npairs: 3\n")
    assert "2 bots, 3 pairs, 6 games" in pwtourney("config", "validate", str(path)).stdout
    (tmp_path / "deals.txt").write_text("x # no number\n")
    path.write_text(
        "bots: [random, gredy, ./none, no.py]\nseed: 1\ndeals: deals.txt\n"
        "defaults: {read_paths: [nowhere]}\n"
    )
    errors = pwtourney("config", "validate", str(path), code=2).stderr
    assert f"{path}:1:16: bots[1]: no installed bot is called 'gredy' (did you mean" in errors
    assert f"{path}:1:23: bots[2]: there is no program" in errors
    assert f"{path}:1:31: bots[3]: there is no file" in errors
    assert f"{path}:3:8: deals: deals.txt: line 1: a patch must be a whole number" in errors
    assert f"{path}:4:25: defaults.read_paths[0]: `read_paths` lists nowhere: No such" in errors


@pytest.mark.slow
def test_config_validate_reports_bots_that_would_be_refused(tmp_path: Path) -> None:
    """Without a sandbox an untrusted bot cannot start, so validation already says so."""
    path = tmp_path / "a.yaml"
    path.write_text("bots: [random, {bot: greedy, trusted: false}]\nsandbox: none\n")
    errors = pwtourney("config", "validate", str(path), code=2).stderr
    assert f"{path}:1:16: bots[1]: it is not trusted, and `sandbox: none` is refused" in errors


@pytest.mark.slow
def test_failing_build_is_reported_with_its_output(tmp_path: Path) -> None:
    """The build fails before anything is played."""
    path = tmp_path / "a.yaml"
    path.write_text(
        "bots:\n  - random\n  - id: x\n    command: ./x\n"
        "    build: sh -c 'echo no compiler; exit 4'\n"
    )
    errors = pwtourney("run", str(path), code=2).stderr
    assert "bots[1].build: the build ended with exit code 4:\n  | no compiler" in errors


@pytest.mark.thorough
@pytest.mark.slow
def test_python_in_a_build_command_is_the_runners_python(tmp_path: Path) -> None:
    """A bot that needs installed packages finds them, whatever the PATH says."""
    path = tmp_path / "a.yaml"
    path.write_text(
        "pairs: 1\nbots:\n  - random\n  - id: x\n    bot: greedy\n"
        "    build: python -c 'import sys; sys.exit(sys.executable)'\n"
    )
    errors = pwtourney("run", str(path), "--results", str(tmp_path / "r"), code=2).stderr
    assert f"bots[1].build: the build ended with exit code 1:\n  | {sys.executable}" in errors


def test_config_schema_prints_json() -> None:
    """An editor can use it."""
    schema = json.loads(pwtourney("config", "schema").stdout)
    assert schema["title"] == "pwtourney tournament"


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["run", "missing.yaml"], 2, "missing.yaml: cannot read the tournament file: No such file"),
        (["report", "nowhere"], 3, "nowhere: there is no such results folder"),
        (["play", "greedy", "nobody"], 2, "no installed bot is called 'nobody'"),
        (["play", "greedy", "random", "--edition", "x"], 2, "there is no edition 'x'"),
        (["play", "greedy", "random", "--move", "3"], 2, "expected a duration"),
        (["play", "greedy"], 2, "Missing argument"),
        (["nonsense"], 2, "No such command 'nonsense'"),
        (["rnu", "league.yaml"], 2, "No such command 'rnu'. Did you mean 'run'?"),
        (["play", "greedy", "random", "--edition", "expres"], 2, "(did you mean 'express'?)"),
        (["report", "README.md"], 3, "README.md is a file; name the results folder"),
        (["serve", "."], 3, "there are no results here, but other files, such as"),
        (["duel", "greedy", "random", "--elo0", "9", "--elo1", "1"], 2, "--elo0 must be below"),
        (["duel", "greedy", "random", "--alpha", "0.7"], 2, "--alpha and --beta must be at least"),
        (
            ["report", ".", "--bot", "x", "--format", "csv"],
            2,
            "leave --format out: --bot",
        ),
        (["report", ".", "--format", "csv", "--los"], 2, "leave --los out: --format csv prints no"),
        (["rate", "x.csv", "--json", "--matrix"], 2, "leave --matrix out: --json prints no"),
        (
            ["run", "configs/quickstart.yaml", "--set", "extends=y"],
            2,
            "`extends` can only be set in the file",
        ),
        (
            ["run", "configs/quickstart.yaml", "--dry-run", "--json"],
            2,
            "leave --json out: --dry-run",
        ),
        (["doctor", "--pairs", "3"], 2, "leave --pairs out: only --self-play plays"),
        (["replay", "a:0.0", "--save", "x", "--at", "3"], 2, "leave --at out: --save writes the"),
        (["replay", "a:0.0", "--html", "x", "--save", "y"], 2, "leave --save out: --html writes"),
        (["rerun", "a:0.0", "--file", "x", "--move", "1s"], 2, "leave --move out: --file says it"),
        (["rerun", "a:0.0", "--bot", "x", "--show"], 2, "leave --show out: with --bot no game"),
        (["play", "random", "greedy", "--no-timeout", "--move", "5s"], 2, "leave --move out"),
        (["play", "random", "greedy", "--save", "README.md"], 2, "README.md: this is not a game"),
        (["play", "random", "greedy", "--save", "no/x"], 2, "directory no does not exist"),
        (["report", "nope", "--out", "x"], 3, "nope: there is no such results folder"),
        (["rate", "nope"], 2, "nope: there is no such file or results folder"),
        (["replay", "nope:0.0"], 3, "nope: there is no such results folder"),
        (["play", "greedy", "random", "--edition", ""], 2, "'--edition': expected the name of a"),
        (["replay", "a:0.0", "--html", "docs"], 2, "--html docs: it is a directory; name a file"),
        (["replay", "a:0.0", "--save", "no/x"], 2, "--save no/x: directory no does not exist"),
        (["replay", ""], 2, "'GAME': expected the name of a game, not an empty text"),
        (["report", ""], 2, "'FOLDER': expected a path, not an empty text"),
        (["duel", "greedy", "random", "--move", "0s"], 2, "'--move': a bot needs at least 1ms"),
        (["play", "greedy", "automa"], 2, "give its level too, from automa:1 to automa:5"),
        (["play", "automa:3", "automa:2"], 2, "the Automa plays against a bot"),
        (["play", "automa:3", "greedy"], 2, "'automa:3': the Automa comes second, after the bot"),
    ],
)
def test_usage_error_is_one_message_without_a_traceback(
    arguments: list[str], code: int, message: str
) -> None:
    """The message is on standard error, with its exit code; standard output is empty."""
    done = pwtourney(*arguments, code=code)
    assert message in done.stderr.replace("\n", " ")
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_debug_shows_the_traceback_of_an_error() -> None:
    """Without --debug no traceback is shown, see the test above."""
    assert "Traceback" in pwtourney("report", "nowhere", "--debug", code=1).stderr


@pytest.mark.thorough
@pytest.mark.slow(4)
def test_run_leaves_no_python_warnings_or_leaks(tmp_path: Path) -> None:
    """Neither the runner nor its workers leave a warning, an error or an open resource."""
    path = tmp_path / "a.yaml"
    path.write_text("bots: [random, greedy]\npairs: 2\nedition: original\nworkers: 2\n")
    # not by `tests.program`: its processes free no objects and share one resource tracker
    strictly = [sys.executable, "-X", "dev", "-W", "error", "-m", "pwtourney"]
    done = subprocess.run(
        [*strictly, "run", str(path), "--results", str(tmp_path / "r"), "--quiet"],
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    messages = [line for line in done.stderr.splitlines() if not line.startswith("warning: ")]
    assert messages == [], "what this machine lacks, and nothing else"
    assert "4 games of 2 pairs" in done.stdout


@pytest.mark.thorough
@pytest.mark.slow
def test_results_go_to_stdout_and_progress_to_stderr(tmp_path: Path) -> None:
    """The table can be piped and fits into 80 columns; JSON and Markdown are written too."""
    path, results = tmp_path / "a.yaml", tmp_path / "r"
    path.write_text(SMALL)
    done = pwtourney("run", str(path), "--results", str(results), environment={"COLUMNS": "80"})
    assert "pairs" in done.stderr
    assert f"page: {results}/report.html; games, reports and logs: {results}\n" in done.stderr
    assert "Game hash" in done.stdout
    assert_fits(done.stdout, 80)
    quiet = pwtourney("run", str(path), "--results", str(tmp_path / "q"), "--quiet")
    lacks = [line for line in done.stderr.splitlines() if line.startswith("warning: ")]
    assert quiet.stderr.splitlines() == lacks, "what this machine lacks, and nothing else"
    data = json.loads(pwtourney("report", str(results), "--format", "json").stdout)
    assert data == json.loads((results / "standings.json").read_text())
    assert data["game_hash"] in done.stdout
    markdown = pwtourney("report", str(results), "--format", "markdown").stdout
    assert markdown == (results / "report.md").read_text()
    assert "| greedy |" in markdown


def assert_fits(printed: str, width: int) -> None:
    """Assert that no line of the printed table is wider than the terminal."""
    table, _, _ = printed.partition("2 games of")
    assert "greedy" in table
    assert all(len(line) <= width for line in table.splitlines())
