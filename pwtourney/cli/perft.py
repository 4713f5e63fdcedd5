"""``pwtourney perft``: count sequences of actions, to compare engines."""

import click

from pwtourney.errors import UsageError
from pwtourney.notation import action_text, parse_position, position_text
from pwtourney.rules import State, find_edition
from pwtourney.rules.state import divide, perft

__all__ = ["command"]


@click.command("perft")
@click.option("--edition", default="original", show_default=True, help="A name or a .toml file.")
@click.option("--deal", "seed", type=click.IntRange(0, 2**64 - 1), help="The seed of the deal.")
@click.option("--position", "text", help="A position in notation, instead of a deal.")
@click.option(
    "--depth", type=click.IntRange(0, 20), required=True, help="Length of the sequences in actions."
)
@click.option("--divide", "divided", is_flag=True, help="Show the count for each first action.")
def command(edition: str, seed: int | None, text: str | None, depth: int, divided: bool) -> int:
    """Count the sequences of legal actions from a position.

    Placing a special patch is an action of its own, and placements that cover the same squares are
    one action.
    """
    if (seed is None) == (text is None):
        raise UsageError("give either --deal or --position")
    chosen = find_edition(edition)
    state = State.start(chosen, seed) if seed is not None else parse_position(str(text), chosen)
    if 0 in state.late:
        raise UsageError(
            "the position hides the order of the late patches; write them instead of ?8"
        )
    click.echo(f"position {position_text(state)}")
    if divided and depth:
        for action, count in divide(state, depth).items():
            click.echo(f"{action_text(action, chosen)} {count}")
    click.echo(f"perft {depth} {perft(state, depth)}")
    return 0
