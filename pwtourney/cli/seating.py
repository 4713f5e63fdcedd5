"""Bots as they are named on a command line, made ready to be started."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

import click

from pwtourney.config import parse_duration
from pwtourney.sanitize import sanitize
from pwtourney.tournament.room import BotRoom
from pwtourney.tournament.session import stop_as_by_interrupt

__all__ = [
    "fail_fast_option",
    "milliseconds",
    "ready_for_bots",
    "sandbox_option",
    "say",
    "trusted_option",
    "warn",
]

_F = TypeVar("_F", bound=Callable[..., Any])


def say(line: str) -> None:
    """Tell what goes on before the first game, on standard error; nobody has to listen."""
    with suppress(OSError):
        click.echo(sanitize(line), err=True)


def warn(what: str) -> None:
    """Say what is lacking, on standard error."""
    say(f"warning: {what}")


def milliseconds(_: click.Context, __: click.Parameter, value: str) -> int:
    """Read an option that is a time; a bot needs at least a millisecond."""
    try:
        if found := parse_duration(value):
            return found
        raise ValueError("a bot needs at least 1ms")
    except ValueError as error:
        raise click.BadParameter(str(error)) from error


sandbox_option = click.option(
    "--sandbox",
    type=click.Choice(["auto", "bwrap", "unshare", "none"]),
    default="auto",
    show_default=True,
    help="How bots are isolated.",
)
"""Adds ``--sandbox`` to a command."""

trusted_option = click.option("--trusted", is_flag=True, help="Bots may do whatever you may.")
"""Adds ``--trusted`` to a command."""


def fail_fast_option(*, default: bool) -> Callable[[_F], _F]:
    """Return what adds ``--fail-fast`` to a command, and ``--no-fail-fast``."""
    return click.option(
        "--fail-fast/--no-fail-fast",
        default=default,
        show_default=True,
        help="Stop when a bot loses its first two games before its first action.",
    )


@contextmanager
def ready_for_bots(private: Sequence[Path] = ()) -> Iterator[BotRoom]:
    """Make this process one that may start bots; none of them may read what is `private`.

    Whatever ends the program ends the block first.
    """
    stop_as_by_interrupt()
    with BotRoom(private, tell=say, warn=warn, groups=False) as room:
        yield room
