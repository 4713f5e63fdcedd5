"""Bots on this machine: ``pwtourney bots`` and ``pwtourney new-bot``."""

from pathlib import Path

import click

from pwtourney.errors import EXIT_OK
from pwtourney.registry import installed_bot, installed_bots
from pwtourney.scaffold import LANGUAGES, create_bot

__all__ = ["bots", "new_bot"]


@click.command("bots")
def bots() -> int:
    """List the installed bots, whose names you can use in tournament files."""
    names = installed_bots()
    width = max(map(len, names), default=0)
    for name in names:
        click.echo(f"{name:<{width}}  {installed_bot(name).identity}")
    if not names:
        click.echo("no bots are installed", err=True)
    return EXIT_OK


@click.command("new-bot")
@click.argument("name")
@click.option(
    "--lang",
    type=click.Choice(list(LANGUAGES)),
    default="python",
    show_default=True,
    help="The language to write it in.",
)
@click.option("--single-file", is_flag=True, help="One file instead of a folder.")
def new_bot(name: str, lang: str, single_file: bool) -> int:
    """Create a bot called NAME that plays at once.

    It is a folder with the bot, its test, a README, and a workflow for CI.
    """
    made, steps = create_bot(name, lang, Path(), single_file=single_file)
    click.echo(f"{made} plays already. Next:")
    for step in steps:
        click.echo(f"  {step}")
    return EXIT_OK
