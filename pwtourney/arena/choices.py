"""The choices of the player to move, and the changes that each of them makes."""

from typing import Any

from pwtourney.rules import DECLINE, Action, State, leather, take, why_illegal
from pwtourney.rules.geometry import set_bits

__all__ = ["describe_choices", "describe_step"]


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
