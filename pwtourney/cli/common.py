"""What commands share: options, the console, and lines on standard error."""

from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn, TypeVar

import click
from click.core import ParameterSource
from rich.console import Console

from pwtourney.errors import UsageError
from pwtourney.sanitize import sanitize

__all__ = [
    "PipeConsole",
    "ResultsPath",
    "check_target",
    "edition_option",
    "fail_fast_option",
    "fresh_option",
    "read_duration",
    "read_move_time",
    "refuse_options",
    "results_option",
    "sandbox_option",
    "say",
    "settings_option",
    "trusted_option",
    "warn",
    "workers_option",
]

_F = TypeVar("_F", bound=Callable[..., Any])


class PipeConsole(Console):
    """A console that leaves it to the program what a reader's going away means."""

    def on_broken_pipe(self) -> NoReturn:
        """Raise the error, where rich would end the program with exit code 1."""
        raise BrokenPipeError


class ResultsPath(click.ParamType[Path]):
    """A results folder, named by its path or as it is called under ``results``, or a file."""

    name = "path"

    def convert(
        self, value: str | Path, param: click.Parameter | None, ctx: click.Context | None
    ) -> Path:
        """Return where it is."""
        from pwtourney.store import find_results  # here: some commands do without a store

        return find_results(Path(value))


def refuse_options(names: Iterable[str], why: str) -> None:
    """Raise `UsageError` if one of these parameters was given, which would change nothing."""
    context = click.get_current_context()
    given = [
        parameter.opts[-1]
        for parameter in context.command.params
        if parameter.name in set(names)
        and context.get_parameter_source(parameter.name) is ParameterSource.COMMANDLINE
    ]
    if given:
        raise UsageError(f"leave {' and '.join(given)} out: {why}")


def check_target(option: str, path: Path) -> None:
    """Raise `UsageError` if no file can be written at a path, before there is work to lose."""
    if path.is_dir():
        raise UsageError(f"{option} {path}: it is a directory; name a file")
    if not path.parent.is_dir():
        raise UsageError(f"{option} {path}: directory {path.parent} does not exist")


def say(line: str) -> None:
    """Tell what goes on before the first game, on standard error; nobody has to listen."""
    with suppress(OSError):  # a closed stream must not end a run before its first game
        click.echo(sanitize(line), err=True)  # it may quote what a bot or a build printed


def warn(what: str) -> None:
    """Say what is lacking, on standard error."""
    say(f"warning: {what}")


def read_duration(_: click.Context, __: click.Parameter, value: str) -> int:
    """Read an option that is a duration, as click's callback; return milliseconds."""
    # here, because it loads pydantic, which some commands with other options do without
    from pwtourney.config import parse_duration

    try:
        return parse_duration(value)
    except ValueError as error:
        raise click.BadParameter(str(error)) from error


def read_move_time(context: click.Context, parameter: click.Parameter, value: str) -> int:
    """Read an option that is a bot's time for a move, as click's callback."""
    milliseconds = read_duration(context, parameter, value)
    # 0 is a duration, such as that of --grace, but no bot can answer in it
    if not milliseconds:
        raise click.BadParameter("a bot needs at least 1ms")
    return milliseconds


edition_option = click.option(
    "--edition", default="original", show_default=True, help="A name or a .toml file."
)
results_option = click.option(
    "--results", type=click.Path(path_type=Path), help="Keep results in this folder."
)
workers_option = click.option("--workers", type=click.IntRange(1, 1024), help="Games at a time.")
fresh_option = click.option(
    "--fresh", is_flag=True, help="Start again; old results are moved to another folder."
)
settings_option = click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="KEY=VALUE",
    help="Override a config value (repeatable).",
)
sandbox_option = click.option(
    "--sandbox",
    type=click.Choice(["auto", "bwrap", "unshare", "none"]),
    default="auto",
    show_default=True,
    help="How bots are isolated.",
)
trusted_option = click.option("--trusted", is_flag=True, help="Bots may do whatever you may.")


def fail_fast_option(*, default: bool) -> Callable[[_F], _F]:
    """Return what adds ``--fail-fast`` to a command, and ``--no-fail-fast``."""
    return click.option(
        "--fail-fast/--no-fail-fast",
        default=default,
        show_default=True,
        help="Stop when a bot loses its first two games before its first action.",
    )
