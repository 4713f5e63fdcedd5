"""The help of every command: sections, and examples that work."""

import shlex
import shutil
from inspect import signature
from pathlib import Path
from typing import get_args

import click
import pytest

from pwtourney.cli.command import Command
from pwtourney.cli.common import refuse_options
from pwtourney.cli.main import SECTIONS, cli
from pwtourney.cli.options import OF_PLAYING
from pwtourney.errors import UsageError
from tests.cli.test_cli import loaded
from tests.docs.test_docs import commands
from tests.program import pwtourney
from tests.sharing import Once
from tests.thorough import thorough_but

EVERY = dict(commands(cli, "pwtourney"))
LEAGUE = """\
name: league
bots: [random, greedy]
pairs: 13
edition: express
seed: 3
processes: persistent
"""
TABLE = "first,second,score\ngreedy,random,1\nrandom,greedy,1\ngreedy,random,0\n"
NOT_RUN = (
    "duel",
    "tune",
    "sweep",
    "serve",
    "arena",
    "pause",
    "continue",
    "check",
    "human",
    "./magpie",
    "--self-play",
)
"""Words of examples that take minutes, never end, or need a run, a person or a custom bot."""


def examples(command: click.Command) -> tuple[str, ...]:
    """Return the example command lines in the help of a command."""
    shown: tuple[str, ...] = getattr(command, "examples", ())
    return shown


ALL = [*examples(cli), *(line for command in EVERY.values() for line in examples(command))]


def resolve(line: str) -> tuple[click.Command, list[str]]:
    """Return the command that a line calls, and the words after its name."""
    program, *words = shlex.split(line)
    assert program == "pwtourney"
    command: click.Command = cli
    while isinstance(command, click.Group):
        subcommand = command.get_command(click.Context(command), words.pop(0))
        assert subcommand is not None, line
        command = subcommand
    return command, words


@pytest.mark.parametrize("path", ["pwtourney", *EVERY])
def test_every_help_ends_with_examples_of_the_command(path: str) -> None:
    """Each example is one line of at most 80 characters that can be typed."""
    shown = pwtourney(*path.split()[1:], "--help").stdout
    _, head, typed = shown.rpartition("\nExample")
    assert head
    lines = typed.partition(":\n")[2].splitlines()
    assert lines
    assert all(line.startswith(f"  {path}") and len(line) <= 80 for line in lines), lines


@pytest.mark.parametrize("line", ALL)
def test_every_example_is_parsed(line: str) -> None:
    """Its options exist, and their values are parsed as in a real call."""
    command, words = resolve(line)
    if "--help" not in words:
        command.make_context(str(command.name), words).close()


@pytest.fixture(scope="module")
def desk(once: Once) -> Path:
    """Return a folder in which the files and results exist that the examples name."""
    return once("examples", prepare)


def prepare(folder: Path) -> None:
    """Play a league, as a whole and in two shards, and write a bot and a table."""
    (folder / "league.yaml").write_text(LEAGUE)
    (folder / "games.csv").write_text(TABLE)
    for more in ((), ("--shard", "1/2"), ("--shard", "2/2")):
        pwtourney("run", "league.yaml", "--quiet", *more, at=folder)
    for year in ("2025", "2026"):
        shutil.copytree(folder / "results" / "league", folder / "results" / year)
    pwtourney("new-bot", "magpie", "--single-file", at=folder)


@pytest.mark.slow(2)
@pytest.mark.thorough
@pytest.mark.parametrize("line", [line for line in ALL if not {*NOT_RUN} & {*line.split()}])
def test_every_quick_example_works(line: str, desk: Path, tmp_path: Path) -> None:
    """Each runs in its own folder; the exit code is 1 only for a bot asked about another's game."""
    own = shutil.copytree(desk, tmp_path / "own")
    if line.startswith(("pwtourney run", "pwtourney merge")):
        shutil.rmtree(own / "results" / "league")
    done = pwtourney(*shlex.split(line)[1:], at=own, code=None)
    assert done.returncode == ("--bot magpie.py" in line), done.stderr
    assert done.stdout or "page: " in done.stderr or "picture: " in done.stderr


def test_every_command_is_in_one_section() -> None:
    """No command is missing from the help or listed twice."""
    listed = [command.name for section in SECTIONS.values() for command in section]
    assert len(listed) == len(set(listed)) == len(cli.commands)
    shown = pwtourney("--help").stdout
    for head, section in SECTIONS.items():
        lines = shown.split(f"\n{head}:\n")[1].split("\n\n")[0].splitlines()
        assert [line.split()[0] for line in lines] == [command.name for command in section]


@pytest.mark.parametrize("path", EVERY)
def test_implementation_takes_the_parameters_of_its_command(path: str) -> None:
    """All arguments and options match by name, also those that it takes as a dictionary."""
    command = EVERY[path]
    if isinstance(command, click.Group):
        return
    assert isinstance(command, Command)
    names: list[str] = []
    for parameter in signature(command.load()).parameters.values():
        if parameter.kind is parameter.VAR_KEYWORD:
            (options,) = get_args(parameter.annotation)  # of Unpack
            names += options.__annotations__
        else:
            names.append(parameter.name)
    assert sorted(names) == sorted(str(parameter.name) for parameter in command.params)


def test_options_of_playing_exist_wherever_there_is_a_dry_run() -> None:
    """``--dry-run`` refuses these by name, so a mistyped name would let an option pass."""
    parameters = [{parameter.name for parameter in command.params} for command in EVERY.values()]
    playing = [names for names in parameters if "dry" in names]
    assert len(playing) == 3
    assert all({*OF_PLAYING} <= names for names in playing)


def test_only_parameters_of_a_command_can_be_refused() -> None:
    """A mistyped name is a mistake of the program, which would let the option pass."""
    command = EVERY["pwtourney rate"]
    with command.make_context("rate", ["games.csv", "--los"]):
        refuse_options(("matrix",), "")
        with pytest.raises(UsageError, match="leave --los out"):
            refuse_options(("los",), "")
        with pytest.raises(AssertionError, match="parameters of the command"):
            refuse_options(("loss",), "")


@pytest.mark.parametrize("path", EVERY)
def test_long_lists_of_options_have_headings(path: str) -> None:
    """Fewer than ten options have no heading; each option is listed once."""
    command = EVERY[path]
    if isinstance(command, click.Group):
        return
    assert isinstance(command, Command)
    options = {
        parameter.name for parameter in command.params if isinstance(parameter, click.Option)
    }
    assert set(command.headings) <= options
    assert len(options) - len(command.headings) < 10
    shown = command.get_help(click.Context(command, info_name=path))
    assert all(f"\n{head}:\n" in shown for head in command.headings.values())
    for option in command.params:
        name = option.opts[0]
        listed = [line for line in shown.splitlines() if line.startswith(f"  {name}")]
        assert len([line for line in listed if line.split()[0] == name]) == isinstance(
            option, click.Option
        )


@pytest.mark.parametrize(
    "path", thorough_but(["pwtourney run", "pwtourney play", "pwtourney report"], EVERY)
)
@pytest.mark.slow
def test_help_of_a_command_imports_no_heavy_library(path: str) -> None:
    """The same holds for a mistyped option; importing what a run needs takes half a second."""
    modules = loaded(*path.split()[1:], "--help") | loaded(*path.split()[1:], "--hlep")
    heavy = {"numpy", "pydantic", "yaml", "rich", "tqdm", "multiprocess", "dill", "sqlite3"}
    assert not modules & heavy
