"""Step the engine and the naive reference through the same game."""

from pathlib import Path
from typing import Any

from pwtourney.rules import Action, State
from tests.rules.reference import Reference


def start(name: str | Path, state: State) -> Reference:
    """Return the reference at the start of the same game."""
    return Reference(name, state.circle, state.late)


def as_reference(state: State, action: Action) -> tuple[Any, ...]:
    """Convert an action of the engine to the form that the reference uses."""
    columns = state.edition.columns
    if action.kind == "take":
        lay = state.edition.lays[action.patch][action.orientation]
        squares = frozenset(divmod(action.square + offset, columns) for offset in lay.offsets)
        return ("take", action.patch, squares)
    if action.kind == "leather":
        return ("leather", divmod(action.square, columns))
    return (action.kind,)


def quilt_squares(state: State, seat: int) -> set[tuple[int, int]]:
    """Return the covered squares of a seat as (row, column)."""
    edition = state.edition
    every = range(edition.rows * edition.columns)
    quilt = state.players[seat].quilt
    return {divmod(square, edition.columns) for square in every if quilt >> square & 1}


def assert_same(state: State, reference: Reference) -> None:
    """Check that the engine and the reference agree on every part of a position."""
    for number, seat in enumerate(reference.seats):
        player = state.players[number]
        assert (player.buttons, player.income, player.space) == (
            seat.buttons,
            seat.income,
            seat.space,
        )
        assert quilt_squares(state, number) == seat.covered
        assert state.score(number) == reference.score(number)
        assert (state.tile == number) == seat.tile
    assert list(state.circle) == reference.in_line()
    assert list(state.late) == reference.late
    assert state.pending == len(reference.owed)
    assert set(state.leather_left) == reference.leather
    assert state.is_over == reference.over()
    if state.is_over:
        assert state.winner == reference.winner()
    else:
        assert state.to_move == reference.mover()
