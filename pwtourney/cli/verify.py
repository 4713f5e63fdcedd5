"""``pwtourney verify``: whether a results folder holds what was played."""

from contextlib import closing
from pathlib import Path

import click

from pwtourney.errors import EXIT_FAILED, EXIT_OK
from pwtourney.sanitize import sanitize
from pwtourney.store import ResultsFolder, Store
from pwtourney.tournament import verify_folder

__all__ = ["command"]

_MOST = 50


@click.command("verify")
@click.argument("folder", type=click.Path(path_type=Path))
def command(folder: Path) -> int:
    """Check the results in FOLDER: replay every game, recompute every hash, score and table.

    The exit code is 1 if anything differs from what was played.
    """
    results = ResultsFolder(folder)
    with closing(Store.open(results.database)) as store:
        problems = verify_folder(store, results)
        count, head = store.chain().records, store.head()
    for problem in problems[:_MOST]:
        click.echo(f"✗ {sanitize(problem)}")
    if len(problems) > _MOST:
        click.echo(f"✗ and {len(problems) - _MOST} more")
    if problems:
        return EXIT_FAILED
    click.echo(f"✓ {count} games replayed; the hash chain ends with {head[:16]}")
    return EXIT_OK
