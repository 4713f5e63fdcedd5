"""``pwtourney serve``: the page of a tournament while it runs."""

from pathlib import Path

import click

from pwtourney.errors import EXIT_INTERRUPTED, UsageError
from pwtourney.report.live import LiveServer
from pwtourney.store import ResultsFolder, Store
from pwtourney.tournament.session import stop_as_by_interrupt

__all__ = ["command"]


@click.command("serve")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8000,
    show_default=True,
    help="The port; 0 takes any free one.",
)
def command(folder: Path, port: int) -> int:
    """Serve the page of the results in FOLDER on this machine, as it changes.

    Listens on localhost only; read-only.
    """
    results = ResultsFolder(folder)
    if not results.database.is_file():
        raise UsageError(f"{folder}: there are no results here yet; start with `pwtourney run`")
    Store.open(results.database).close()  # results that cannot be read are refused here and now
    stop_as_by_interrupt()
    try:
        server = LiveServer(results, port)
    except OSError as error:
        raise UsageError(f"--port {port}: {error.strerror}; try another, or 0") from error
    with server:
        click.echo(
            f"http://127.0.0.1:{server.server_port}/ shows {results.path}; press Ctrl-C to stop"
        )
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            return EXIT_INTERRUPTED
    return 0
