"""How well a quilt hangs together: the measure that the bundled bots place patches by."""

from functools import cache

from pwtourney.sdk import Action, Edition, State

__all__ = ["best_placement", "exposed_edges"]


def exposed_edges(quilt: int, edition: Edition) -> int:
    """Count the edges between a covered and an empty square; the board's rim counts as covered.

    Fewer edges mean fewer nooks that no patch will fill later.
    """
    columns = edition.columns
    free = edition.full & ~quilt
    last_column = _last_column(edition.rows, columns)
    beside = (quilt & ~last_column) << 1 & free, quilt >> 1 & free & ~last_column
    above = quilt << columns & free, quilt >> columns & free
    return sum(each.bit_count() for each in (*beside, *above))


@cache
def _last_column(rows: int, columns: int) -> int:
    return sum(1 << row * columns + columns - 1 for row in range(rows))


def best_placement(state: State, actions: list[Action]) -> Action:
    """Return the placement that leaves the fewest exposed edges; the first of equals."""
    edition = state.edition
    quilt = state.players[state.to_move].quilt

    def edges(action: Action) -> int:
        if action.kind == "leather":
            return exposed_edges(quilt | 1 << action.square, edition)
        mask = edition.lays[action.patch][action.orientation].mask << action.square
        return exposed_edges(quilt | mask, edition)

    return min(actions, key=edges)
