"""Runs the commands of authors: ``bots``, ``new-bot``, ``editions`` and ``perft``."""

from pathlib import Path

import click

from pwtourney.bots.names import installed_bot, installed_bots
from pwtourney.cli.common import refuse_options
from pwtourney.errors import EXIT_OK, UsageError
from pwtourney.notation import action_text, position_text
from pwtourney.notation.marks import parse_marked
from pwtourney.report.text.boards import describe_edition
from pwtourney.rules import State, edition_names, find_edition
from pwtourney.rules.state import divide
from pwtourney.rules.state import perft as count_sequences
from pwtourney.sanitize import sanitize
from pwtourney.scaffold.install_source import Source, find_source
from pwtourney.scaffold.new_bot import create_bot
from pwtourney.text_files import clean_text

__all__ = ["bots", "editions", "new_bot", "perft"]


def bots() -> int:
    """List the installed bots, whose names you can use in tournament files."""
    names = installed_bots()
    width = max(map(len, names), default=0)
    for name in names:
        click.echo(f"{name:<{width}}  {installed_bot(name).identity}")
    if not names:
        click.echo("no bots are installed", err=True)
    return EXIT_OK


def new_bot(name: str, lang: str, single_file: bool, source: str | None) -> int:
    """Create a bot called NAME that plays at once."""
    if single_file:
        refuse_options(("source",), "a single file installs nothing")
    install_source = find_source() if source is None else Source.read(source)
    made, steps = create_bot(name, lang, Path(), single_file=single_file, source=install_source)
    click.echo(f"{made} plays already. Next:")
    for step in steps:
        click.echo(f"  {step}")
    if not single_file and not install_source.everywhere:
        click.echo("  write into .github/workflows/ci.yml where to install pwtourney from")
    return EXIT_OK


def editions(name: str | None) -> int:
    """List the editions, or show one with its board, track, patches and sources."""
    if name is not None:
        for line in describe_edition(find_edition(name)):
            click.echo(sanitize(line))  # an edition file from elsewhere may contain anything
        return EXIT_OK
    for edition in map(find_edition, edition_names()):
        size = f"{edition.rows} × {edition.columns}"
        click.echo(f"{edition.name:<12} {size}, {len(edition.patches)} patches  {edition.title}")
    return EXIT_OK


def perft(edition: str, seed: int | None, text: str | None, depth: int, divided: bool) -> int:
    """Count the sequences of legal actions from a position."""
    if (seed is None) == (text is None):
        raise UsageError("give either --deal or --position")
    chosen = find_edition(edition)
    if seed is not None:
        state = State.start(chosen, seed)
    else:
        state, _ = parse_marked(clean_text(str(text)).strip(), chosen)
    if 0 in state.late:  # a patch that is hidden cannot be taken
        raise UsageError(
            "the position hides the order of the late patches; write them instead of ?8"
        )
    click.echo(f"position {position_text(state)}")
    if divided and depth:
        for action, count in divide(state, depth).items():
            click.echo(f"{action_text(action, chosen)} {count}")
    click.echo(f"perft {depth} {count_sequences(state, depth)}")
    return EXIT_OK
