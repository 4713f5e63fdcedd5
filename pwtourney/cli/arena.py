"""Games in the browser: ``pwtourney arena``, ``serve``."""

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pwtourney.bots.names import installed_bots
from pwtourney.errors import EXIT_INTERRUPTED, EXIT_OK, UsageError, install_command
from pwtourney.rules import edition_names, find_edition

if TYPE_CHECKING:
    from pwtourney.arena import Arena

__all__ = ["arena", "serve"]

_PACKAGES = ("starlette", "uvicorn")


def arena(
    folder: Path | None,
    bots: tuple[str, ...],
    editions: tuple[str, ...],
    games: Path | None,
    host: str,
    port: int,
    no_open: bool,
) -> int:
    """Open the arena in the browser, with the tournaments in FOLDER, or else with a sample."""
    _require_packages()
    from pwtourney.arena import Arena, find_games, find_sample, open_folder

    for edition in editions:
        find_edition(edition)
    shown, shelf = open_folder(folder) if folder else (find_sample(), None)
    return _serve(
        Arena(
            folder=shown,
            shelf=shelf,
            is_sample=folder is None and shown is not None,
            bots={name: name for name in (*installed_bots(), *bots)},
            editions={name: name for name in (*edition_names(), *editions)},
            games=games or find_games(),
        ),
        host,
        port,
        open_browser=not no_open,
    )


def serve(folder: Path, port: int) -> int:
    """Serve the page of the results in FOLDER on this machine, as it changes."""
    _require_packages()
    from pwtourney.arena import Arena, open_folder

    shown, shelf = open_folder(folder)
    return _serve(Arena(folder=shown, shelf=shelf), "127.0.0.1", port, open_browser=False)


def _require_packages() -> None:
    """Raise `UsageError` if the extra ``[web]`` is not installed."""
    missing = [name for name in _PACKAGES if find_spec(name) is None]
    if missing:
        raise UsageError(
            f"the arena needs the extra [web], and {' and '.join(missing)} cannot be imported;"
            f" to install: {install_command(*_PACKAGES)}"
        )


def _say_content(arena: "Arena") -> str:
    """Return what an arena does, for the line that has its address."""
    if arena.shelf:
        return f"shows the tournaments in {arena.shelf.path}"
    if arena.folder is None or arena.is_sample:
        return "is the arena"
    if arena.folder.is_used():
        return f"shows {arena.folder.path}"
    return f"waits for a run that writes to {arena.folder.path}"


def _serve(arena: "Arena", host: str, port: int, *, open_browser: bool) -> int:
    """Serve an arena until an interrupt, and print its address."""
    from pwtourney.arena.server import bind, serve_arena

    address = bind(host, port)
    with address.socket:
        click.echo(f"{address.url} {_say_content(arena)}; press Ctrl-C to stop")
        try:
            serve_arena(arena, address, open_browser=open_browser)
        except KeyboardInterrupt:
            return EXIT_INTERRUPTED
    return EXIT_OK
