"""The game of a table as pages see it: its last positions and the legal choices."""

from typing import Any

from pwtourney.match import PlayedGame
from pwtourney.notation import is_card, read_action
from pwtourney.notation.game_data import Marks, position_data
from pwtourney.rules import DECLINE, Action, State, leather, take, why_illegal
from pwtourney.rules.geometry import set_bits
from pwtourney.sanitize import sanitize

__all__ = ["Trail", "describe_choices", "describe_step"]

_MOST_INFO = 200
_SHOWN = 4
"""The number of last plies that a page can show one by one."""


class Trail:
    """The positions of a game with the patches on their squares, for the last plies of a page.

    Call `extend` after each ply. Plies that were taken back are dropped at the next `extend`.
    """

    def __init__(self, game: PlayedGame) -> None:
        self._game = game
        # the start position, then the position after each ply
        self._points = [(game.state, Marks.of(game.state))]

    def extend(self) -> None:
        """Add the position after the last ply."""
        game, count = self._game, len(self._game.plies)
        before, marks = self._points[count - 1]
        action = game.plies[-1].action
        if not is_card(action):
            marks = marks.follow(before, read_action(action, before), game.state)
        self._points[count:] = [(game.state, marks)]

    def describe(self) -> dict[str, Any]:
        """Return plies, scores and positions for a page, without hidden late patches.

        ``trail`` has the position before each of the last 4 plies, and the current one.
        """
        game, micros = self._game, [0, 0]
        for ply in game.plies:
            micros[ply.seat] += max(0, ply.micros)
        count = len(game.plies)
        automa = game.setup.automa is not None
        trail = [
            position_data(state.hide_late(), marks, (micros[0], micros[1]), automa=automa)
            for state, marks in self._points[max(0, count - _SHOWN) : count + 1]
        ]
        plies = [
            [ply.seat, ply.action, max(0, ply.micros), sanitize(ply.info)[:_MOST_INFO]]
            for ply in game.plies
        ]
        return {"trail": trail, "plies": plies, "scores": list(game.scores)}


def describe_choices(state: State) -> dict[str, Any]:
    """Return the choices of the player to move, with the changes that each one makes.

    ``patches`` has the patches on offer. ``legal`` maps an orientation to the squares where its top
    left corner may lie, and ``problem`` says why there are none. If a special patch must be placed,
    ``leather`` has the squares that can take it, and ``decline`` the change without it, or null.
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
        # maps each of the eight orientations to the lowest one with the same shape
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

    Pairs are the values before and after. ``paid`` is the income at the ``marks`` that are passed.
    ``leathers`` is the number of special patches to place next. ``tile`` says whether the action
    earns the special tile, and ``again`` whether the same seat moves again.
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
