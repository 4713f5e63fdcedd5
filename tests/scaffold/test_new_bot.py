"""New bots, made as an author makes them: built, tested, checked, and played with real tools."""

import csv
import os
import subprocess
import sys
from collections.abc import Callable
from io import StringIO
from pathlib import Path

import pytest

from pwtourney.errors import UsageError
from pwtourney.scaffold.languages import LANGUAGES
from pwtourney.scaffold.new_bot import create_bot
from tests.environment import PIP, make_environment
from tests.program import pwtourney
from tests.thorough import thorough_but

TOOLS = {"c": "cc", "javascript": "node", "rust": "cargo", "shell": "sh"}
TESTS = {
    "c": "make test CFLAGS='-std=c99 -O2 -Wall -Wextra -Werror'",
    "javascript": "node --test",
    "rust": "cargo test --offline && cargo build --release --offline",
    "shell": "sh test.sh sh my-bot.sh",
}
COMMANDS = {
    "c": "./my-bot",
    "javascript": "node my-bot.js",
    "rust": "target/release/my-bot",
    "shell": "sh my-bot.sh",
}
FREE = ("--sandbox", "none", "--trusted")
QUICK = ("--games", "8", "--dialogues", "4", *FREE)


def run(*words: str, folder: Path, python: str = sys.executable) -> str:
    """Run pwtourney and return its output; it must succeed."""
    if python == sys.executable:
        return pwtourney(*words, at=folder).stdout
    done = subprocess.run(
        [python, "-m", "pwtourney", *words],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=110,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def shell(line: str, folder: Path, **more: str) -> None:
    """Run a shell command, which must succeed."""
    environment = os.environ | more
    done = subprocess.run(
        ["/bin/sh", "-c", line],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=110,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def play(folder: Path, entry: str, python: str = sys.executable) -> None:
    """Play a tournament with the bot and two bundled bots, without a fault."""
    (folder / "league.yaml").write_text(
        "name: league\nseed: 5\npairs: 1\nsandbox: none\nresults: results\n"
        f"bots:\n  - {{bot: random, trusted: true}}\n  - {{bot: greedy, trusted: true}}\n{entry}"
    )
    run("run", "league.yaml", "--set", "workers=1", folder=folder, python=python)
    text = run("report", "results", "--format", "csv", folder=folder, python=python)
    (row,) = [line for line in csv.DictReader(StringIO(text)) if line["bot"] == "my-bot"]
    assert row["games"] == "4"
    assert not (folder / "results" / "logs" / "my-bot").exists()


@pytest.mark.parametrize("language", thorough_but(["shell"], TOOLS))
@pytest.mark.slow(5)
def test_new_bot_passes_its_tests_and_the_check_and_plays(
    language: str, tmp_path: Path, needs: Callable[[str], None]
) -> None:
    """No line of it has been changed."""
    needs(TOOLS[language])
    run("new-bot", "my-bot", "--lang", language, folder=tmp_path)
    folder = tmp_path / "my-bot"
    shell(TESTS[language], folder)
    command = COMMANDS[language]
    assert "0 failed" in run("check", command, *QUICK, folder=folder)
    play(folder, f"  - {{id: my-bot, command: {command}, trusted: true}}\n")


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the interpreter of a new virtual environment, to install a bot into."""
    return make_environment(tmp_path_factory.mktemp("author") / "venv")


@pytest.mark.slow(22)
@pytest.mark.thorough
def test_new_python_bot_passes_its_tests_and_the_check(environment: Path, tmp_path: Path) -> None:
    """It is installed, and then found by its name; it also plays."""
    run("new-bot", "my-bot", folder=tmp_path)
    folder = tmp_path / "my-bot"
    python = str(environment)
    shell(f"{python} {' '.join(PIP)} --editable .", folder)
    shell(f"{python} -m pytest -q", folder)
    assert "0 failed" in run("check", "my-bot", *QUICK, folder=folder, python=python)
    assert "my-bot" in run("bots", folder=folder, python=python)
    play(folder, "  - {bot: my-bot, trusted: true}\n", python)


@pytest.mark.parametrize("language", thorough_but(["c", "python"], LANGUAGES))
@pytest.mark.slow(2)
def test_single_file_is_the_same_bot_as_the_project(
    language: str, tmp_path: Path, needs: Callable[[str], None]
) -> None:
    """It is identical to the project's file, is built by the printed commands, and plays."""
    needs({**TOOLS, "python": "sh"}[language])
    made, steps = create_bot("owl", language, tmp_path, single_file=True)
    assert [path.name for path in tmp_path.iterdir()] == [made.name]
    (tmp_path / "whole").mkdir()
    project, _ = create_bot("owl", language, tmp_path / "whole")
    assert made.read_bytes() in [path.read_bytes() for path in project.rglob(f"*{made.suffix}")]
    *build, check = steps
    for step in build:
        shell(step, tmp_path)
    command = check.removeprefix("pwtourney check ").strip("'")
    # the tests above check the project's bot; a fault would end this with exit code 1
    assert run("play", command, "random", *FREE, folder=tmp_path).endswith(" wins\n")


@pytest.mark.parametrize("language", LANGUAGES)
def test_new_project_does_not_contain_the_templates_name(language: str, tmp_path: Path) -> None:
    """No file or file name contains the name of the template bot."""
    create_bot("night_owl", language, tmp_path)
    for path in (tmp_path / "night_owl").rglob("*"):
        assert "magpie" not in path.name.lower()
        if path.is_file():
            assert "magpie" not in path.read_text().lower()
    assert (tmp_path / "night_owl" / ".github" / "workflows" / "ci.yml").is_file()
    assert (tmp_path / "night_owl" / ".gitignore").is_file()


@pytest.mark.parametrize("name", ["my-magpie", "magpie-2", "magpie", "magpie_bot"])
def test_name_that_contains_the_templates_name_is_filled_in_once(name: str, tmp_path: Path) -> None:
    """Every module that the test of a Python bot imports exists."""
    create_bot(name, "python", tmp_path)
    module = name.replace("-", "_").removesuffix("_bot") + "_bot"
    assert (tmp_path / name / "src" / module / "bot.py").is_file()
    assert f"from {module} import bot" in (tmp_path / name / "tests" / "test_bot.py").read_text()


@pytest.mark.slow
def test_workflow_of_a_new_bot_is_valid(tmp_path: Path) -> None:
    """It is valid in every language, by the published schema of workflows."""
    for language in LANGUAGES:
        create_bot(f"{language}-owl", language, tmp_path)
    shell(
        f"{sys.executable} -m check_jsonschema --builtin-schema vendor.github-workflows"
        " *-owl/.github/workflows/ci.yml",
        tmp_path,
    )
    assert len(list(tmp_path.glob("*-owl"))) == len(LANGUAGES)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("Owl", "cannot be the name of a bot"),
        ("../owl", "cannot be the name of a bot"),
        ("owl-", "cannot be the name of a bot"),
        ("9lives", "cannot be the name of a bot"),
        ("o" * 32, "cannot be the name of a bot"),
        ("eule\n", "cannot be the name of a bot"),
        ("greedy", "a bot called greedy already exists"),
        ("test", "is a reserved name in a project"),
        ("none", "is a reserved name in a project"),
        ("class", "is a reserved name in a project"),
        ("build", "is a reserved name in a project"),
        ("human", "a bot called human already exists"),
    ],
)
def test_invalid_name_of_a_bot_is_refused(name: str, message: str, tmp_path: Path) -> None:
    """The message says what is allowed, and no file is made."""
    with pytest.raises(UsageError, match=message):
        create_bot(name, "python", tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_existing_files_are_never_overwritten(tmp_path: Path) -> None:
    """Neither a folder nor a single file is overwritten."""
    create_bot("owl", "c", tmp_path)
    create_bot("owl", "c", tmp_path, single_file=True)
    for single_file in (False, True):
        with pytest.raises(UsageError, match="already exists"):
            create_bot("owl", "c", tmp_path, single_file=single_file)


def test_unwritable_folder_is_reported(tmp_path: Path) -> None:
    """The message has the path and the system's reason."""
    (tmp_path / "file").write_text("")
    for single_file in (False, True):
        with pytest.raises(UsageError, match=r"owl.*: cannot write: "):
            create_bot("owl", "c", tmp_path / "file", single_file=single_file)
