"""Magpie: how it decides."""

from pwtourney.sdk import ADVANCE, Action, Bot, Option, State, Turn


class Magpie(Bot):
    """Takes the patch that is worth most, where it leaves the fewest open edges."""

    name = "Magpie"
    author = ""
    options = (Option("thrift", "int", "1", ("0", "5")),)  # what a button counts, in points

    def choose(self, turn: Turn) -> Action:
        """Return the action to play. This is the place to begin."""
        state = turn.state
        actions = state.legal_actions()
        if state.pending:  # a special patch comes first
            return min(actions, key=lambda action: open_edges(state, action))
        worth = {patch: self.worth(state, patch) for patch in state.offer}
        takings = [
            action for action in actions if action.kind == "take" and worth[action.patch] > 0
        ]
        if not takings:
            return ADVANCE
        best = max((taking.patch for taking in takings), key=lambda patch: worth[patch])
        places = [taking for taking in takings if taking.patch == best]
        return min(places, key=lambda action: open_edges(state, action))

    def worth(self, state: State, number: int) -> int:
        """Return what a patch adds to the score at the end, less the time it takes."""
        edition, mover = state.edition, state.players[state.to_move]
        patch = edition.patch[number]
        paydays = len(edition.income_marks) - edition.incomes_passed[mover.space]
        earned = int(self.settings["thrift"]) * (paydays * patch.income - patch.cost)
        return 2 * len(patch.shape) + earned - patch.time


def open_edges(state: State, action: Action) -> int:
    """Count the edges between covered and empty squares after a placement."""
    edition = state.edition
    quilt = state.players[state.to_move].quilt
    if action.kind == "leather":
        quilt |= 1 << action.square
    elif action.kind == "take":
        quilt |= edition.lays[action.patch][action.orientation].mask << action.square
    rows, columns = edition.rows, edition.columns
    covered = [[quilt >> r * columns + c & 1 for c in range(columns)] for r in range(rows)]
    across = sum(row[c] != row[c + 1] for row in covered for c in range(columns - 1))
    down = sum(covered[r][c] != covered[r + 1][c] for r in range(rows - 1) for c in range(columns))
    return across + down
