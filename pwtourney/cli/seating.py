"""Bots as they are named on a command line, made ready to be started."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

import click

from pwtourney.cli.stopping import stop_as_by_interrupt
from pwtourney.clock import TimeControl
from pwtourney.config import bot_entry
from pwtourney.config.duration import parse_duration
from pwtourney.errors import UsageError
from pwtourney.match import HUMAN, BotSpec
from pwtourney.process import make_scratch, remove_scratch
from pwtourney.sandbox.isolation import Wanted
from pwtourney.sandbox.orphans import become_subreaper
from pwtourney.sandbox.privileges import keep_private
from pwtourney.sanitize import sanitize
from pwtourney.tournament import Entrant, find_bot, make_ready

__all__ = [
    "fail_fast_option",
    "milliseconds",
    "ready_for_bots",
    "sandbox_option",
    "say",
    "seated",
    "trusted_option",
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
    help="What keeps bots from everything else.",
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
def ready_for_bots() -> Iterator[str]:
    """Make this process one that may start bots; yield a folder for what they write.

    Whatever ends the program ends the block first, and the folder is removed.
    """
    stop_as_by_interrupt()
    become_subreaper()
    keep_private()
    scratch = make_scratch()
    try:
        yield scratch
    finally:
        remove_scratch(scratch)


def seated(
    texts: Sequence[str], control: TimeControl, sandbox: Wanted, *, trusted: bool
) -> list[BotSpec]:
    """Find the bots and what keeps them apart, and let them prepare.

    Two of one name are told apart by number. Warnings go to standard error. Raises `UsageError`,
    `BotNotFoundError`, `SandboxError`, `PreparationError`.
    """
    if HUMAN.id in texts:
        raise UsageError("human: a person can only be asked to `play`")
    entries = [bot_entry(text) for text in texts]
    names = [entry.name for entry in entries]
    if len(set(names)) < len(names):
        names = [f"{name}-{number}" for number, name in enumerate(names, 1)]
    found = [find_bot(entry, Path.cwd()) for entry in entries]
    entrants = [
        Entrant(
            BotSpec(name, bot.launch, (), control),
            bot.identity,
            bot.files,
            trusted or bot.ours or None,
            sandbox,
        )
        for name, bot in zip(names, found, strict=True)
    ]
    return [entrant.spec for entrant in make_ready(entrants, [], None, say, warn)]
