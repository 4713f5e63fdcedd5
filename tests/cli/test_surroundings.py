"""Every command, started with less than a terminal offers: streams, signals, variables."""

import shutil
import signal
from pathlib import Path
from typing import NamedTuple

import click
import pytest

from pwtourney.cli.main import cli
from pwtourney.signals import ENDING
from tests.program import Inherited, pwtourney
from tests.sharing import Once

HEAD = "seed: 3\nworkers: 1\nprocesses: persistent\nsandbox: none\nedition: original\n"
FILES = {
    "a.yaml": f"{HEAD}pairs: 1\nbots: [random, frugal]\ngates: ['faults(random) > 0']\n",
    "tune.yaml": f"{HEAD}bots: [greedy]\ntune: {{bot: greedy, options: {{time_value: [1, 4]}},"
    " probes: 1, pairs: 1}\n",
    "sweep.yaml": f"{HEAD}pairs: 1\nbots: [greedy]\n"
    "sweep: {bot: greedy, options: {time_value: [1, 2]}}\n",
    "no-bot.sh": "#!/bin/sh\nexit 3\n",
}
LEFT_OUT = {"arena", "serve"}
"""They do not end by themselves, see `tests.arena.test_server`."""

CLOSED = "error: standard output is closed; if you do not need it, redirect it to /dev/null\n"


class Case(NamedTuple):
    """A call, its exit code, and whether it only prints."""

    words: str
    code: int = 0
    only_prints: bool = False


CASES = (
    Case("run a.yaml --results new", code=1),
    Case("run a.yaml --results r --dry-run", only_prints=True),
    Case("duel ./no-bot.sh random --sandbox none --results new", code=1),
    Case("tune tune.yaml --results new --no-confirm"),
    Case("sweep sweep.yaml --results new"),
    Case("pause r", code=2),
    Case("continue r", code=2),
    Case("merge part --out new"),
    Case("config validate a.yaml"),
    Case("config show a.yaml", only_prints=True),
    Case("config schema", only_prints=True),
    Case("report r", only_prints=True),
    Case("report r --out new"),
    Case("games r", only_prints=True),
    Case("verify r"),
    Case("rate r", only_prints=True),
    Case("new-league new"),
    Case("comment r", only_prints=True),
    Case("play random frugal --deal 1 --sandbox none", only_prints=True),
    Case("play ./no-bot.sh frugal --deal 1 --sandbox none --save new", code=1),
    Case("replay r:0.0", only_prints=True),
    Case("replay r:0.0 --save new"),
    Case("rerun r:0.0 --file a.yaml"),
    Case("analyse r:0.0 --bot frugal --sandbox none", only_prints=True),
    Case("new-bot new"),
    Case("check ./no-bot.sh --sandbox none --edition original", code=1),
    Case("bots", only_prints=True),
    Case("editions", only_prints=True),
    Case("perft --deal 1 --depth 1", only_prints=True),
    Case("doctor", only_prints=True),
    Case("doctor --results r"),
    Case("", only_prints=True),
    Case("--help", only_prints=True),
    Case("run --help", only_prints=True),
)
SILENT = ("replay r:0.0 --save new", "duel ", "pause ", "continue ")
"""Calls that print nothing at all, or nothing for a bot that does not start or without a run."""

ALWAYS = (
    "",
    "--help",
    "run a.yaml --results r --dry-run",
    "pause r",
    "config validate a.yaml",
    "report r",
    "play random frugal --deal 1 --sandbox none",
    "doctor --results r",
)
"""Cases that every test run tries; CI tries all of them."""


def parametrize(*left_out: str) -> pytest.MarkDecorator:
    """Return the mark of a test of all cases except some, given by their first words."""
    return pytest.mark.parametrize(
        "case",
        [
            pytest.param(
                case,
                id=case.words or "without a command",
                marks=() if case.words in ALWAYS else pytest.mark.thorough,
            )
            for case in CASES
            if not case.words.startswith(left_out)
        ],
    )


def prepare(folder: Path) -> None:
    """Write the files and results that the calls read."""
    for name, text in FILES.items():
        (folder / name).write_text(text)
    (folder / "no-bot.sh").chmod(0o755)
    pwtourney("run", "a.yaml", "--results", "r", at=folder, code=1)
    pwtourney("run", "a.yaml", "--results", "part", "--shard", "1/1", at=folder)


@pytest.fixture
def folder(once: Once, tmp_path: Path) -> Path:
    """Return a folder with tournament files, results, and a bot that does not start."""
    return shutil.copytree(once("surroundings", prepare), tmp_path / "place")


def list_commands(group: click.Group, before: str = "") -> set[str]:
    """Return the words of all commands."""
    commands = set()
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            commands |= list_commands(command, f"{before}{name} ")
        else:
            commands.add(f"{before}{name}")
    return commands


@pytest.mark.slow
def test_every_command_has_a_case() -> None:
    """A new command needs a case here, too."""
    tried = {name for name in list_commands(cli) for case in CASES if case.words.startswith(name)}
    assert list_commands(cli) - tried == LEFT_OUT


@pytest.mark.slow
@parametrize()
def test_commands_work_in_a_cron_job(case: Case, folder: Path) -> None:
    """A cron job has few variables, no input, and nowhere to send messages; see crontab(5).

    Signals are ignored as well, including those of children and timers.
    """
    done = pwtourney(
        *case.words.split(),
        code=case.code,
        at=folder,
        environment={"HOME": str(folder), "PATH": "/usr/bin:/bin", "SHELL": "/bin/sh"},
        inherit=False,
        inherited=Inherited((0, 2), (*ENDING, signal.SIGCHLD, signal.SIGALRM)),
    )
    assert bool(done.stdout) != case.words.startswith(SILENT)
    assert done.stderr == ""


@pytest.mark.slow
@parametrize()
def test_commands_that_only_print_fail_without_stdout(case: Case, folder: Path) -> None:
    """They fail before their work, as ``ls >&-`` does; commands that store or judge succeed.

    No file of the command gets the number of the missing stream.
    """
    done = pwtourney(
        *case.words.split(),
        code=3 if case.only_prints else case.code,
        at=folder,
        inherited=Inherited((0, 1)),
    )
    assert (CLOSED in done.stderr) == case.only_prints
    if "new" in case.words.split():
        assert (folder / "new").exists()


@pytest.mark.slow
@parametrize("tune", "sweep")  # they run the same code as `run`
def test_commands_that_only_print_end_silently_without_a_reader(case: Case, folder: Path) -> None:
    """This is what ``| head`` does; commands that store or judge something continue.

    Their exit code is the same as with a reader.
    """
    done = pwtourney(
        *case.words.split(),
        code=0 if case.only_prints else case.code,
        at=folder,
        inherited=Inherited(unread=True),
    )
    assert ("rror" in done.stderr) == (case.code == 2)
    if "new" in case.words.split():
        assert (folder / "new").exists()
