"""Shared by several bots: the points a player may expect, and where a patch fits best."""

from pwtourney.sdk import Action, Edition, State

__all__ = [
    "EDGE_PENALTY",
    "TIME_VALUE",
    "best_placement",
    "exposed_edges",
    "prospect",
    "quilt_worth",
]

TIME_VALUE = 2.2
"""Points per space of time still to be used. Advancing pays 1; patches pay better."""

EDGE_PENALTY = 0.8
"""Points that an edge between a covered and an empty square costs: little will fit there later."""


def prospect(
    state: State, seat: int, time_value: float = TIME_VALUE, edge_penalty: float = EDGE_PENALTY
) -> float:
    """Return the points that a seat may expect at the end, computed from its own side only.

    They are buttons in hand, income at every payday ahead, the special tile, `time_value` for each
    space of time left, special patches still to be placed, and `quilt_worth`.
    """
    edition, player = state.edition, state.players[seat]
    passed = edition.incomes_passed
    paydays = passed[-1] - passed[player.space]
    points: float = player.buttons + paydays * player.income
    points += time_value * (edition.last_space - player.space)
    if state.pending and state.to_move == seat:
        points += 2 * state.pending  # each will cover a square, and an empty one costs 2
    if edition.tile and state.tile == seat:
        points += edition.tile.points
    return points + quilt_worth(player.quilt, edition, edge_penalty)


def quilt_worth(quilt: int, edition: Edition, edge_penalty: float = EDGE_PENALTY) -> float:
    """Return the value of a quilt alone: lower, the more squares are empty and edges exposed."""
    empty = (edition.full & ~quilt).bit_count()
    return -2 * empty - edge_penalty * exposed_edges(quilt, edition)


def exposed_edges(quilt: int, edition: Edition) -> int:
    """Count the edges between a covered and an empty square; the board's rim counts as covered.

    Fewer edges mean fewer gaps that no patch will fill later.
    """
    columns = edition.columns
    free = edition.full & ~quilt
    last_column = edition.edges[3]
    # A step sideways must not lead into the next row. One up or down leaves the board, where
    # nothing is free.
    right, left = (quilt & ~last_column) << 1 & free, quilt >> 1 & free & ~last_column
    below, above = quilt << columns & free, quilt >> columns & free
    return right.bit_count() + left.bit_count() + below.bit_count() + above.bit_count()


def best_placement(state: State, actions: list[Action]) -> Action:
    """Return the placement that leaves the fewest exposed edges; the first of equals."""
    edition = state.edition
    quilt = state.players[state.to_move].quilt

    def count_edges(action: Action) -> int:
        if action.kind == "leather":
            return exposed_edges(quilt | 1 << action.square, edition)
        mask = edition.lays[action.patch][action.orientation].mask << action.square
        return exposed_edges(quilt | mask, edition)

    return min(actions, key=count_edges)
