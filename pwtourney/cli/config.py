"""``pwtourney config``: check a tournament file, or print the schema of one."""

import json
from pathlib import Path

import click

from pwtourney.config import json_schema, load_config
from pwtourney.tournament import make_plan

__all__ = ["command"]


@click.group("config")
def command() -> None:
    """Check a tournament file, or describe its form."""


@command.command("validate")
@click.argument("file", type=click.Path(path_type=Path))
def validate(file: Path) -> int:
    """Check FILE and find its bots, without building or starting them."""
    plan = make_plan(load_config(file), seed=0)
    bots = len(plan.bots)
    click.echo(f"{file}: {bots} bots, {plan.pairs} pairs, {2 * plan.pairs} games")
    return 0


@command.command("schema")
def schema() -> int:
    """Print the JSON Schema of a tournament file, for editors that check while you type."""
    click.echo(json.dumps(json_schema(), indent=2))
    return 0
