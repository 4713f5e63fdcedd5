"""The game itself: ``pwtourney editions`` and ``pwtourney perft``."""

import click

from pwtourney.cli.common import edition_option
from pwtourney.errors import EXIT_OK, UsageError
from pwtourney.notation import action_text, parse_position, position_text
from pwtourney.report.boards import describe_edition
from pwtourney.rules import State, edition_names, find_edition
from pwtourney.rules.state import divide
from pwtourney.rules.state import perft as count_sequences
from pwtourney.sanitize import sanitize

__all__ = ["editions", "perft"]


@click.command("editions")
@click.argument("name", required=False)
def editions(name: str | None) -> int:
    """List the editions, or show one with its board, track, patches and sources.

    NAME is an edition's name or a .toml file of your own.
    """
    if name is not None:
        for line in describe_edition(find_edition(name)):
            click.echo(sanitize(line))  # a file of somebody else's may hold anything
        return EXIT_OK
    for edition in map(find_edition, edition_names()):
        size = f"{edition.rows} × {edition.columns}"
        click.echo(f"{edition.name:<12} {size}, {len(edition.patches)} patches  {edition.title}")
    return EXIT_OK


@click.command("perft")
@edition_option
@click.option("--deal", "seed", type=click.IntRange(0, 2**64 - 1), help="The seed of the deal.")
@click.option("--position", "text", help="A position in notation, instead of a deal.")
@click.option(
    "--depth", type=click.IntRange(0, 20), required=True, help="Length of the sequences in actions."
)
@click.option("--divide", "divided", is_flag=True, help="Show the count for each first action.")
def perft(edition: str, seed: int | None, text: str | None, depth: int, divided: bool) -> int:
    """Count the sequences of legal actions from a position.

    Placing a special patch is an action of its own, and placements that cover the same squares are
    one action.
    """
    if (seed is None) == (text is None):
        raise UsageError("give either --deal or --position")
    chosen = find_edition(edition)
    state = State.start(chosen, seed) if seed is not None else parse_position(str(text), chosen)
    if 0 in state.late:  # a patch that nobody knows cannot be taken
        raise UsageError(
            "the position hides the order of the late patches; write them instead of ?8"
        )
    click.echo(f"position {position_text(state)}")
    if divided and depth:
        for action, count in divide(state, depth).items():
            click.echo(f"{action_text(action, chosen)} {count}")
    click.echo(f"perft {depth} {count_sequences(state, depth)}")
    return EXIT_OK
