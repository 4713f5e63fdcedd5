"""``pwtourney config``: check a tournament file, or print the schema of one."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from pwtourney.config import TournamentFile, json_schema
from pwtourney.config.source import Path as KeyPath
from pwtourney.sanitize import sanitize
from pwtourney.schedule import make_format
from pwtourney.tournament import load_tournament, make_schedule

__all__ = ["command"]


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
    return 0


@command.command("show")
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="KEY=VALUE",
    help="Override a config value (repeatable).",
)
def show(file: Path, settings: tuple[str, ...]) -> int:
    """Print all values that apply to FILE, and where each comes from."""
    tournament = load_tournament(file, settings)
    values = tournament.config.model_dump(mode="json", exclude_none=True)
    rows = list(_leaves(values, ()))
    width = min(60, max(len(text) for _, text in rows))
    for path, text in rows:
        click.echo(sanitize(f"{text:<{width}}  # {_origin(tournament, path)}"))
    return 0


def _leaves(value: Any, path: KeyPath) -> Iterator[tuple[KeyPath, str]]:
    """Yield each value with its path, as it could be written into the file."""
    if isinstance(value, dict) and value:
        for key, each in value.items():
            yield from _leaves(each, (*path, key))
    elif isinstance(value, list) and value:
        for place, each in enumerate(value):
            yield from _leaves(each, (*path, place))
    else:
        steps = (f"[{each}]" if isinstance(each, int) else f".{each}" for each in path)
        yield path, f"{''.join(steps).lstrip('.')}: {json.dumps(value, ensure_ascii=False)}"


def _origin(tournament: TournamentFile, path: KeyPath) -> str:
    """Return where a value stands, or what it was made from; else it is a default."""
    known = tournament.source.values
    for length in range(len(path), 0, -1):
        place = known.get(path[:length])
        if place is not None:
            return (
                str(place)
                if length == len(path) or not _is_table(tournament, path[:length])
                else "default"
            )
    return "default"


def _is_table(tournament: TournamentFile, path: KeyPath) -> bool:
    value: Any = tournament.source.data
    for step in path:
        value = value[step]
    return isinstance(value, dict | list)


@command.command("schema")
def schema() -> int:
    """Print the JSON Schema of a tournament file, for your editor."""
    click.echo(json.dumps(json_schema(), indent=2))
    return 0
