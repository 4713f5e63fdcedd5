"""For leagues in repositories: ``comment`` says what a pull request changes."""

from pathlib import Path

import click

from pwtourney.errors import EXIT_OK
from pwtourney.report.comment import comment as write_comment
from pwtourney.report.comment import read_published

__all__ = ["comment"]


def comment(results: Path, before: Path | None, page: str, run: str) -> int:
    """Print a comment for a pull request: how it changes the standings."""
    earlier = read_published(before) if before else None
    click.echo(write_comment(read_published(results), earlier, page, run), nl=False)
    return EXIT_OK
