"""``pwtourney pause`` and ``continue``: stop a run and continue it without losing a game."""

from pathlib import Path

import click

from pwtourney.errors import EXIT_OK, StoreError, UsageError
from pwtourney.sanitize import sanitize
from pwtourney.store import ResultsFolder

__all__ = ["continue_run", "pause"]


def pause(folder: Path) -> int:
    """Ask the run that writes to FOLDER to pause."""
    results = ResultsFolder(folder)
    if not results.is_locked():
        raise UsageError(f"{folder}: nothing runs here, so there is nothing to pause")
    try:
        results.ask_for_pause()
    except OSError as error:
        raise StoreError(f"{results.pause_request}: cannot write: {error.strerror}") from error
    click.echo(f"pausing; to continue: pwtourney continue {sanitize(str(folder))}")
    return EXIT_OK


def continue_run(folder: Path) -> int:
    """Continue a run that `pause` has paused."""
    results = ResultsFolder(folder)
    try:
        results.pause_request.unlink()
        if not results.is_locked():  # it was killed while it was paused
            raise FileNotFoundError
    except FileNotFoundError:
        raise UsageError(f"{folder}: no run is paused here") from None
    except OSError as error:
        raise StoreError(f"{results.pause_request}: cannot remove: {error.strerror}") from error
    click.echo("continuing")
    return EXIT_OK
