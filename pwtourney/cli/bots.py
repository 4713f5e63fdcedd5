"""``pwtourney bots``: what is installed."""

import click

from pwtourney.registry import installed_bot, installed_bots

__all__ = ["command"]


@click.command("bots")
def command() -> int:
    """List the installed bots, whose names you can use in tournament files."""
    names = installed_bots()
    width = max(map(len, names), default=0)
    for name in names:
        click.echo(f"{name:<{width}}  {installed_bot(name).identity}")
    if not names:
        click.echo("no bots are installed", err=True)
    return 0
