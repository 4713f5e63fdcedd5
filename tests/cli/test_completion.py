"""Shell completion: the installed program is called as a shell calls it when you press Tab."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.test_docs import page

PROGRAM = Path(sys.executable).parent / "pwtourney"
RUN = ["report", "rate", "replay", "rerun", "run"]
AUTOMA = [f"automa:{level}" for level in range(1, 6)]


@pytest.fixture
def desk(tmp_path: Path) -> Path:
    """Return a folder with results folders in two places, and files of the user."""
    for name in ("results/league", "results/lead", "elsewhere/old"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "games.sqlite").touch()
    (tmp_path / "results" / "lexicon").mkdir()  # no results
    for name in ("mine.py", "mine.toml", "league.yaml"):
        (tmp_path / name).touch()
    return tmp_path


def complete(folder: Path, line: str, shell: str = "bash") -> list[str]:
    """Return the lines that the program answers to a shell, after what was typed so far."""
    words = line.split(" ")
    last = words[-1] if shell == "fish" else str(len(words) - 1)
    variables = {"_PWTOURNEY_COMPLETE": f"{shell}_complete", "COMP_WORDS": line, "COMP_CWORD": last}
    done = subprocess.run(
        [PROGRAM],
        cwd=folder,
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stderr == ""
    return done.stdout.splitlines()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("r", RUN),
        pytest.param("config s", ["show", "schema"], marks=pytest.mark.thorough),
        pytest.param("report league --fo", ["--format"], marks=pytest.mark.thorough),
        ("report league --format m", ["markdown"]),
        pytest.param("check gr", ["greedy"], marks=pytest.mark.thorough),
        pytest.param("check mi", ["mine.py"], marks=pytest.mark.thorough),
        ("duel greedy fr", ["frugal"]),
        pytest.param("play hu", ["human"], marks=pytest.mark.thorough),
        ("play greedy automa", AUTOMA),
        pytest.param("analyse g.txt --bot lo", ["lookahead"], marks=pytest.mark.thorough),
        pytest.param("doctor --self-play ra", ["random"], marks=pytest.mark.thorough),
        pytest.param("rerun league:0.0 --bot ch", ["champion"], marks=pytest.mark.thorough),
        ("rerun league:0.0 --bot champion --seat ", ["first", "second"]),
        pytest.param("perft --edition ex", ["express"], marks=pytest.mark.thorough),
        pytest.param("editions h", ["halloween"], marks=pytest.mark.thorough),
        ("duel greedy frugal --edition m", ["mine.toml"]),
        pytest.param("play --move 5s --edition an", ["anniversary"], marks=pytest.mark.thorough),
        pytest.param("report le", ["lead", "league"], marks=pytest.mark.thorough),
        ("serve lea", ["lead", "league"]),
        pytest.param(
            "verify results/", ["results/lead", "results/league"], marks=pytest.mark.thorough
        ),
        pytest.param("rate league elsewhere/", ["elsewhere/old"], marks=pytest.mark.thorough),
        pytest.param("merge lead leag", ["league"], marks=pytest.mark.thorough),
        ("replay leag", ["league:0.0"]),
        pytest.param("analyse elsewhere/o", ["elsewhere/old:0.0"], marks=pytest.mark.thorough),
    ],
)
def test_commands_options_and_names_are_completed(typed: str, words: list[str], desk: Path) -> None:
    """Covers commands, options, bots, editions, results folders and games."""
    shown = [line.removeprefix("plain,") for line in complete(desk, f"pwtourney {typed}")]
    assert sorted(shown) == sorted(words)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("typed", "kind"),
    [
        ("run lea", "file"),
        ("check ./bi", "file"),
        ("rate table", "file"),
        ("report now", "dir"),
        ("replay ga", "file"),
    ],
)
def test_shell_completes_paths_if_no_name_matches(typed: str, kind: str, desk: Path) -> None:
    """Tournament files, bots and tables may be anywhere."""
    assert complete(desk, f"pwtourney {typed}") == [f"{kind},{typed.split()[-1]}"]


@pytest.mark.slow
def test_zsh_and_fish_get_their_own_formats(desk: Path) -> None:
    """Zsh gets three lines for each completion; fish gets a tab before the description."""
    text = "Find out whether a new version of a bot is better."
    assert complete(desk, "pwtourney du", "zsh") == ["plain", "duel", text]
    assert complete(desk, "pwtourney du", "fish") == [f"plain,duel\t{text}"]
    assert complete(desk, "pwtourney check gr", "zsh") == ["plain", "greedy", "_"]
    assert complete(desk, "pwtourney check gr", "fish") == ["plain,greedy"]


@pytest.mark.slow
def test_names_with_control_characters_are_not_completed(desk: Path) -> None:
    """Folders may have any name, and results may come from other people."""
    for name in ("lea\nplain,rm", "lea\x1b[2J"):
        (desk / "results" / name).mkdir()
        (desk / "results" / name / "games.sqlite").touch()
    assert complete(desk, "pwtourney report lea") == ["plain,lead", "plain,league"]


@pytest.mark.slow
@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_documented_line_enables_completion(shell: str) -> None:
    """The line is in docs/cli.md, and the script that it prints calls the program again."""
    line = f"_PWTOURNEY_COMPLETE={shell}_source pwtourney"
    assert line in page("cli.md").split("## Shell completion")[1].split("\n## ")[0]
    environment = {**os.environ, "_PWTOURNEY_COMPLETE": f"{shell}_source"}
    done = subprocess.run(
        [PROGRAM], env=environment, capture_output=True, text=True, timeout=60, check=True
    )
    assert f"_PWTOURNEY_COMPLETE={shell}_complete" in done.stdout


@pytest.mark.slow
def test_bash_completes_with_the_documented_line(desk: Path) -> None:
    """The function that the line defines is called as Bash calls it."""
    script = """
        eval "$(_PWTOURNEY_COMPLETE=bash_source pwtourney)"
        COMP_WORDS=(pwtourney report lea) COMP_CWORD=2
        _pwtourney_completion pwtourney
        echo "${COMPREPLY[@]}"
    """
    path = f"{PROGRAM.parent}:{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-c", script],
        cwd=desk,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stdout.split() == ["lead", "league"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "line", ["r", "check gr", "report le", "duel a --level 9", "run x --shard 1/2 --grace 3s --s"]
)
def test_completion_imports_no_heavy_library(line: str, desk: Path) -> None:
    """An answer after half a second is too late for a user who keeps typing."""
    code = (
        "import sys\nfrom pwtourney.cli import main\nsys.argv = ['pwtourney']\n"
        "try: main()\nfinally:\n"
        "    print(*{name.partition('.')[0] for name in sys.modules}, file=sys.stderr)"
    )
    words = f"pwtourney {line}"
    variables = {
        "_PWTOURNEY_COMPLETE": "bash_complete",
        "COMP_WORDS": words,
        "COMP_CWORD": str(words.count(" ")),
    }
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=desk,
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    modules = set(done.stderr.split())
    assert "click" in modules
    heavy = {"numpy", "pydantic", "yaml", "rich", "tqdm", "multiprocess", "sqlite3", "jinja2"}
    assert not modules & heavy
