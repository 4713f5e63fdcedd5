"""Runs the commands of leagues in repositories: ``new-league`` and ``comment``."""

from pathlib import Path

import click

from pwtourney.errors import EXIT_OK
from pwtourney.report.text.comment import comment as write_comment
from pwtourney.report.text.comment import read_published
from pwtourney.sanitize import sanitize
from pwtourney.scaffold.new_league import create_league

__all__ = ["comment", "new_league"]


def new_league(folder: Path, repository: str | None, action: str | None) -> int:
    """Create a repository for a league."""
    for line in create_league(folder, repository=repository, action=action):
        click.echo(sanitize(line))  # a folder may have any name
    return EXIT_OK


def comment(results: Path, before: Path | None, page: str, run: str) -> int:
    """Print a comment for a pull request: how it changes the standings."""
    earlier = read_published(before) if before else None
    click.echo(write_comment(read_published(results), earlier, page, run), nl=False)
    return EXIT_OK
