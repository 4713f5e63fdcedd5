"""A different idea: never waste time or buttons, whatever they might earn."""

from pwtourney.sdk import ADVANCE, Action, Bot, State, Turn
from pwtourney_bots.prospects import best_placement

__all__ = ["Frugal"]


class Frugal(Bot):
    """Takes the patch that covers the most squares for its cost in buttons and time.

    Income does not count. A patch that costs as much as its squares are worth is not taken.
    """

    name = "frugal"
    author = "pwtourney"

    def choose(self, turn: Turn) -> Action:
        """Return the best bargain on offer."""
        state = turn.state
        if state.pending:
            actions = state.legal_actions()
            return best_placement(state, [action for action in actions if action.kind == "leather"])
        fitting: dict[int, list[Action]] = {}
        for action in state.legal_actions():
            if action.kind == "take" and self._saving(state, action.patch) > 0:
                fitting.setdefault(action.patch, []).append(action)
        if not fitting:
            return ADVANCE
        bargain = max(fitting, key=lambda patch: self._saving(state, patch))
        return best_placement(state, fitting[bargain])

    def _saving(self, state: State, number: int) -> float:
        patch = state.edition.patch[number]
        # an empty square costs 2 points at the end, and advancing would pay a button per space
        return 2 - (patch.cost + patch.time) / len(patch.shape)
