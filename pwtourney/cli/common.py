"""Shared by the programs of commands: the console, lines on standard error, and refusals."""

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

import click
from click.core import ParameterSource
from rich.console import Console

from pwtourney.errors import UsageError
from pwtourney.sanitize import sanitize

__all__ = [
    "PipeConsole",
    "check_target",
    "refuse_options",
    "say",
    "warn",
]


class PipeConsole(Console):
    """A console that raises an error for a broken pipe, so that the program can handle it."""

    def on_broken_pipe(self) -> NoReturn:
        """Raise the error, where rich would end the program with exit code 1."""
        raise BrokenPipeError


def refuse_options(names: Iterable[str], why: str) -> None:
    """Raise `UsageError` if one of these parameters was given, which would have no effect."""
    context = click.get_current_context()
    refused = set(names)
    assert refused <= {*context.params}, "these are parameters of the command"
    given = [
        parameter.opts[-1]
        for parameter in context.command.params
        if parameter.name in refused
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
    """Print a line about progress before the first game, on standard error."""
    with suppress(OSError):  # a closed stream must not end a run before its first game
        click.echo(sanitize(line), err=True)  # it may quote what a bot or a build printed


def warn(what: str) -> None:
    """Print a warning on standard error."""
    say(f"warning: {what}")
