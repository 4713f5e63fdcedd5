"""``pwtourney new-bot``: a bot that plays at once, to be changed."""

from pathlib import Path

import click

from pwtourney.scaffold import LANGUAGES, create_bot

__all__ = ["command"]


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
def command(name: str, lang: str, single_file: bool) -> None:
    """Create a bot called NAME that plays at once.

    It is a folder with the bot, its test, a README, and a workflow for CI.
    """
    made, steps = create_bot(name, lang, Path(), single_file=single_file)
    click.echo(f"{made} plays already. Next:")
    for step in steps:
        click.echo(f"  {step}")
