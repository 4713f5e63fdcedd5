"""Placement first: takes what fits best, whatever it costs."""

from pwtourney.sdk import ADVANCE, Action, Bot, Option, State, Turn
from pwtourney_bots.fit import best_placement, exposed_edges

__all__ = ["Packer"]


class Packer(Bot):
    """Takes the patch that mends its quilt most: squares covered, less the edges that it adds.

    An edge between a covered and an empty square counts `edge` squares. Prices, time and income do
    not count, and a patch that would fray the quilt by more than it covers is left alone.
    """

    name = "packer"
    author = "pwtourney"
    options = (Option("edge", "float", "0.5", ("0", "10")),)

    def choose(self, turn: Turn) -> Action:
        """Compare every placement of every patch that can be had."""
        state = turn.state
        actions = state.legal_actions()
        if state.pending:
            return best_placement(state, [each for each in actions if each.kind == "leather"])
        takings = [each for each in actions if each.kind == "take"]
        if not takings:
            return ADVANCE
        edge = float(self.settings["edge"])
        best = max(takings, key=lambda action: _mended(state, action, edge))
        return best if _mended(state, best, edge) > 0 else ADVANCE


def _mended(state: State, action: Action, edge: float) -> float:
    """Return the squares that a taking covers less what the edges that it adds count."""
    edition = state.edition
    quilt = state.players[state.to_move].quilt
    lay = edition.lays[action.patch][action.orientation]
    mask = lay.mask << action.square
    added = exposed_edges(quilt | mask, edition) - exposed_edges(quilt, edition)
    return mask.bit_count() - edge * added
