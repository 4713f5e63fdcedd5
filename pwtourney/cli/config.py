"""``pwtourney config``: check a tournament file, or print the schema of one."""

import json
from pathlib import Path

import click

from pwtourney.cli.common import settings_option
from pwtourney.config import json_schema, list_values
from pwtourney.errors import EXIT_OK
from pwtourney.sanitize import sanitize
from pwtourney.schedule import make_format
from pwtourney.tournament import load_tournament, make_schedule

__all__ = ["command"]

_MOST_WIDTH = 60


@click.group("config")
def command() -> None:
    """Check a tournament file, or print its schema."""


@command.command("validate")
@click.argument("file", type=click.Path(path_type=Path))
def validate(file: Path) -> int:
    """Check FILE and find its bots, without building or starting them."""
    config = load_tournament(file).config
    names = [bot.name for bot in config.bots]
    pairs = make_format(make_schedule(config, names), names).max_pairs()
    click.echo(f"{file}: {len(names)} bots, {pairs} pairs, {2 * pairs} games")
    return EXIT_OK


@command.command("show")
@click.argument("file", type=click.Path(path_type=Path))
@settings_option
def show(file: Path, settings: tuple[str, ...]) -> int:
    """Print all values that apply to FILE, and where each comes from."""
    values = list_values(load_tournament(file, settings))
    width = min(_MOST_WIDTH, max(len(text) for text, _ in values))
    for text, origin in values:
        click.echo(sanitize(f"{text:<{width}}  # {origin}"))
    return EXIT_OK


@command.command("schema")
def schema() -> int:
    """Print the JSON Schema of a tournament file, for your editor."""
    click.echo(json.dumps(json_schema(), indent=2))
    return EXIT_OK
