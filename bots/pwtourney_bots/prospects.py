"""What a player may expect at the end: the evaluation that several of the bundled bots share."""

from pwtourney.sdk import Edition, State
from pwtourney_bots.fit import exposed_edges

__all__ = ["EDGE_PENALTY", "TIME_VALUE", "prospect", "quilt_worth"]

TIME_VALUE = 2.2
"""Points that a space of time still to be used is worth. Advancing pays 1; patches pay better."""

EDGE_PENALTY = 0.8
"""Points that an edge between a covered and an empty square costs: little will fit there later."""


def prospect(
    state: State, seat: int, time_value: float = TIME_VALUE, edge_penalty: float = EDGE_PENALTY
) -> float:
    """Return the points that a seat may expect at the end, as far as its own side tells.

    Buttons in hand, income at every payday ahead, the special tile, `time_value` for each space of
    time left, special patches still to be placed, and what `quilt_worth` says.
    """
    edition, player = state.edition, state.players[seat]
    passed = edition.incomes_passed
    paydays = passed[-1] - passed[player.space]
    points: float = player.buttons + paydays * player.income
    points += time_value * (edition.last_space - player.space)
    if state.pending and state.to_move == seat:
        points += 2 * state.pending
    if edition.tile and state.tile == seat:
        points += edition.tile.points
    return points + quilt_worth(player.quilt, edition, edge_penalty)


def quilt_worth(quilt: int, edition: Edition, edge_penalty: float = EDGE_PENALTY) -> float:
    """Return what a quilt is worth by itself: less, the more is empty and the more it frays."""
    empty = (edition.full & ~quilt).bit_count()
    return -2 * empty - edge_penalty * exposed_edges(quilt, edition)
