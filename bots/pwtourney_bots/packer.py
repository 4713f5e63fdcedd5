"""Placement first: takes the patch with the best fit, whatever it costs."""

from pwtourney.sdk import ADVANCE, Action, Bot, Option, State, Turn
from pwtourney_bots.prospects import best_placement, exposed_edges

__all__ = ["Packer"]


class Packer(Bot):
    """Picks the patch and placement with the best fit: squares covered, minus the edges it adds.

    An edge between a covered and an empty square costs `edge_penalty` squares. Prices, time and
    income do not count. If no fit is above 0, it advances.
    """

    name = "packer"
    author = "pwtourney"
    options = (Option("edge_penalty", "float", "0.5", ("0", "10")),)

    def choose(self, turn: Turn) -> Action:
        """Compare every placement of every patch that can be taken."""
        state = turn.state
        actions = state.legal_actions()
        if state.pending:
            return best_placement(state, [action for action in actions if action.kind == "leather"])
        takings = [action for action in actions if action.kind == "take"]
        if not takings:
            return ADVANCE
        penalty = float(self.settings["edge_penalty"])
        best = max(takings, key=lambda action: _rate_fit(state, action, penalty))
        return best if _rate_fit(state, best, penalty) > 0 else ADVANCE


def _rate_fit(state: State, action: Action, edge_penalty: float) -> float:
    """Return the squares that a placement covers, minus the penalty for the edges that it adds."""
    edition = state.edition
    quilt = state.players[state.to_move].quilt
    lay = edition.lays[action.patch][action.orientation]
    mask = lay.mask << action.square
    added = exposed_edges(quilt | mask, edition) - exposed_edges(quilt, edition)
    return mask.bit_count() - edge_penalty * added
