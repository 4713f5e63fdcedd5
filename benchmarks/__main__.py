"""Run the named benchmarks, or all: ``python -m benchmarks [PART ...]``; ``--help`` lists them.

Each row is printed as soon as it is known. A warning is printed if other processes use the machine.
"""

import sys
import time
from collections.abc import Iterable, Sequence
from importlib import import_module

import click

from benchmarks.load import LoadMeter, warn_if_busy
from pwtourney.errors import did_you_mean

__all__ = ["PARTS", "main"]

PARTS = {
    "startup": "a Python bot and the program, until they have ended",
    "rules": "random playouts, and parts of a ply",
    "simulation": "whole games in one compiled call",
    "ply": "a ply, compared with a bare loop",
    "watching": "a ply with a watcher, and without",
    "pages": "pages in a browser: use, shifts, clicks, sizes, traffic, 3,000 games (minutes)",
    "slots": "games a second in one slot and in two",
    "peers": "other runners, with as many plies between instant bots (minutes)",
    "feeding": "what the runner can feed: 256 simulated slots",
    "ending": "from the last move of a tournament to its end",
    "sandbox": "starting and asking a bot in the sandbox",
    "ratings": "a million games from CSV (a minute)",
    "reading": "reading them, next to evalica if it is on the path (minutes)",
    "growth": "the runner's work as a tournament grows to a million games (minutes)",
    "resume": "going on with a million stored games (minutes)",
    "report": "all reports of a hundred thousand games (a minute)",
}
"""The parts in order: modules of this package with a function `rows`, and their descriptions."""

_LOOK_SECONDS = 1.0
_NAME_WIDTH, _VALUE_WIDTH = 62, 24


def _list_parts(context: click.Context, _: click.Parameter, value: bool) -> None:
    """Print the help with all parts."""
    if value and not context.resilient_parsing:
        lines = [f"  {part:<12}{what}" for part, what in PARTS.items()]
        click.echo("\n".join([context.get_help(), "", "Parts:", *lines]))
        context.exit()


@click.command(add_help_option=False)
@click.option(
    "--help",
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=_list_parts,
    help="Show this message and exit.",
)
@click.argument("parts", metavar="[PART]...", nargs=-1)
def main(parts: Sequence[str]) -> None:
    """Measure the parts that are named, or all of them, half an hour.

    Others that use the machine slow down what is measured: a line says so for each part.
    """
    unknown = [part for part in parts if part not in PARTS]
    if unknown:
        message = "; ".join(
            f"no part is called {part!r}{did_you_mean(part, PARTS)}" for part in unknown
        )
        raise click.UsageError(f"{message}. The parts are: {', '.join(PARTS)}")
    meter = LoadMeter()
    time.sleep(_LOOK_SECONDS)
    warn_if_busy(meter.lap(), "now")
    click.echo(_format_row("measurement", "value", "target"))
    for part in dict.fromkeys(parts or PARTS):
        click.echo(f"{part}:")
        rows: Iterable[tuple[str, str, str]] = import_module(f"benchmarks.{part}").rows()
        for row in rows:
            click.echo(_format_row(*row))
            sys.stdout.flush()
        warn_if_busy(meter.lap(), f"during {part}")


def _format_row(name: str, value: str, target: str) -> str:
    """Return a line with three columns."""
    return f"  {name:<{_NAME_WIDTH}}  {value:>{_VALUE_WIDTH}}  {target}".rstrip()


if __name__ == "__main__":
    main(prog_name="python -m benchmarks")
