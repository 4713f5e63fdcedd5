"""One ply of arithmetic: what each purchase adds to the score at the end."""

from pwtourney.sdk import ADVANCE, Action, Bot, State, Turn
from pwtourney_bots.fit import best_placement

__all__ = ["Greedy"]


class Greedy(Bot):
    """Takes the patch that is worth most, if that is more than the time it costs.

    A patch is worth 2 points a square, what it will earn at the income marks still ahead, minus
    its price. Time is counted at one button a space, which is what advancing pays. It is placed
    where the quilt stays closest together.
    """

    name = "greedy"
    author = "pwtourney"

    def choose(self, turn: Turn) -> Action:
        """Compare the patches on offer with advancing."""
        state = turn.state
        self.say(f"score {self._prospect(state, state.to_move):d}")
        actions = state.legal_actions()
        if state.pending:
            return best_placement(state, [each for each in actions if each.kind == "leather"])
        worth = {each: self._worth(state, each) for each in state.offer}
        takings: dict[int, list[Action]] = {}
        for action in actions:
            if action.kind == "take" and worth[action.patch] > 0:
                takings.setdefault(action.patch, []).append(action)
        if not takings:
            return ADVANCE
        best = max(takings, key=lambda patch: worth[patch])
        return best_placement(state, takings[best])

    def _prospect(self, state: State, seat: int) -> int:
        """Return the margin at the end if both only advance from here."""
        mine, theirs = (self._total(state, each) for each in (seat, 1 - seat))
        return mine - theirs

    def _total(self, state: State, seat: int) -> int:
        edition, player = state.edition, state.players[seat]
        paydays = len(edition.income_marks) - edition.incomes_passed[player.space]
        spaces = edition.last_space - player.space
        return state.score(seat) + paydays * player.income + spaces

    def _worth(self, state: State, number: int) -> int:
        edition, mover = state.edition, state.players[state.to_move]
        patch = edition.patch[number]
        arrival = min(mover.space + patch.time, edition.last_space)
        paydays = len(edition.income_marks) - edition.incomes_passed[mover.space]
        points = 2 * len(patch.shape) + paydays * patch.income - patch.cost
        return points - (arrival - mover.space)
