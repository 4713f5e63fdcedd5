"""The game of a table as the server follows it, and what a page is shown of it."""

from typing import Any

from pwtourney.arena.play.seating import Seating
from pwtourney.human import HumanGameLoop
from pwtourney.notation import is_card, read_action
from pwtourney.notation.game import Ply
from pwtourney.notation.game_data import Marks, position_data
from pwtourney.rules import DECLINE, Action, State, leather, take, why_illegal
from pwtourney.rules.geometry import set_bits
from pwtourney.sanitize import sanitize

__all__ = ["TableGame", "describe_choices", "describe_step"]

_MOST_INFO = 200
_SHOWN = 4
"""So many of the last plies a page can show one by one."""


class TableGame(HumanGameLoop):
    """A game whose people and bots all play elsewhere; only the Automa's cards are drawn here."""

    def __init__(self, seating: Seating) -> None:
        super().__init__(seating.set_up(), None, seating.people)
        self.seats = ()
        # of each position, the first one first; what was taken back stays until others are played
        self._trail = [(self.state, Marks.of(self.state))]

    def follow(self, ply: Ply) -> None:
        """Play a ply that was decided elsewhere, and remember what covers the squares since."""
        before, count = self.state, len(self.plies)
        action = None if is_card(ply.action) else read_action(ply.action, before)
        super().follow(ply)
        marks = self._trail[count][1]
        del self._trail[count + 1 :]
        marks = marks.follow(before, action, self.state) if action else marks
        self._trail.append((self.state, marks))

    def describe(self) -> dict[str, Any]:
        """Return plies, scores and positions for a page, without what the rules hide.

        ``trail`` are the position before each of the last plies, and the one that stands now.
        """
        micros = [0, 0]
        for ply in self.plies:
            micros[ply.seat] += max(0, ply.micros)
        count = len(self.plies)
        automa = self._solo is not None
        trail = [
            position_data(state.hide_late(), marks, (micros[0], micros[1]), automa=automa)
            for state, marks in self._trail[max(0, count - _SHOWN) : count + 1]
        ]
        plies = [
            [ply.seat, ply.action, max(0, ply.micros), sanitize(ply.info)[:_MOST_INFO]]
            for ply in self.plies
        ]
        # against the Automa its score is by its level, and not by its empty quilt
        return {"trail": trail, "plies": plies, "scores": list(self._board().scores)}


def describe_choices(state: State) -> dict[str, Any]:
    """Return the choices of the player to move, with what each costs and brings.

    ``patches`` are those on offer: ``legal`` has for each orientation the squares on which its top
    left corner may lie, and ``problem`` says why there are none. With a special patch to place,
    ``leather`` are the squares that can take it.
    """
    if state.pending:
        squares = [action.square for action in state.legal_actions() if action != DECLINE]
        step = describe_step(state, leather(squares[0])) if squares else None
        declining = state.edition.declining and describe_step(state, DECLINE)
        return {"leather": squares, "step": step, "decline": declining or None}
    advance = Action("advance")
    return {
        "patches": [_describe_offer(state, patch) for patch in state.offer],
        "advance": describe_step(state, advance),
    }


def _describe_offer(state: State, patch: int) -> dict[str, Any]:
    edition, player = state.edition, state.players[state.to_move]
    legal: dict[int, list[int]] = {}
    if edition.patch[patch].cost <= player.buttons:
        free = edition.full & ~player.quilt
        anchors = edition.placements[patch].anchors(free)
        for orientation, squares in zip(edition.orientations[patch], anchors, strict=True):
            if squares:
                legal[orientation.number] = list(set_bits(squares))
    first = next(((number, squares[0]) for number, squares in legal.items()), None)
    described: dict[str, Any] = {
        "patch": patch,
        # which orientations look alike: each of the eight by the lowest that gives its shape
        "aliases": list(edition.aliases[patch]),
        "legal": legal,
    }
    if first:
        return described | {"problem": "", "step": describe_step(state, take(patch, *first))}
    cheapest = take(patch, edition.orientations[patch][0].number, 0)
    if edition.patch[patch].cost > player.buttons:
        return described | {"problem": why_illegal(state, cheapest), "step": None}
    return described | {"problem": f"patch {patch} fits nowhere on this quilt", "step": None}


def describe_step(state: State, action: Action) -> dict[str, Any]:
    """Return what a legal action changes for the player who plays it.

    Pairs are before and after. ``paid`` is what income marks bring, ``leathers`` how many special
    patches are to be placed then, ``tile`` whether it earns the special tile, and ``again`` whether
    the same seat is to move once more.
    """
    seat, edition, after = state.to_move, state.edition, state.apply(action)
    old, new = state.players[seat], after.players[seat]
    marks = edition.incomes_passed[new.space] - edition.incomes_passed[old.space]
    return {
        "buttons": [old.buttons, new.buttons],
        "income": [old.income, new.income],
        "space": [old.space, new.space],
        "marks": marks,
        "paid": marks * new.income,
        "leathers": after.pending,
        "tile": state.tile is None and after.tile == seat,
        "again": not after.is_over and after.to_move == seat,
        "over": after.is_over,
    }
