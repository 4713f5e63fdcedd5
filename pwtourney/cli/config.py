"""``pwtourney config``: check a tournament file, or print the schema of one."""

import json
from pathlib import Path

import click

from pwtourney.config import json_schema
from pwtourney.schedule import make_format
from pwtourney.tournament import load_tournament, schedule_of

__all__ = ["command"]


@click.group("config")
def command() -> None:
    """Check a tournament file, or describe its form."""


@command.command("validate")
@click.argument("file", type=click.Path(path_type=Path))
def validate(file: Path) -> int:
    """Check FILE and find its bots, without building or starting them."""
    config = load_tournament(file).config
    names = [bot.name for bot in config.bots]
    pairs = make_format(schedule_of(config, names), names).most()
    click.echo(f"{file}: {len(names)} bots, {pairs} pairs, {2 * pairs} games")
    return 0


@command.command("schema")
def schema() -> int:
    """Print the JSON Schema of a tournament file, for editors that check while you type."""
    click.echo(json.dumps(json_schema(), indent=2))
    return 0
