"""The kernel with positions of `rules` on its outside."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pwtourney.rules import Edition, Player, State
from pwtourney.simulate import kernel
from pwtourney.simulate.kernel import (
    BUTTONS,
    COUNT,
    HEAD,
    INCOME,
    LATE,
    LINKS,
    PENDING,
    SPACE,
    TILE,
    TO_MOVE,
)
from pwtourney.simulate.plain import no_such
from pwtourney.simulate.tables import MOST_SQUARES, Ints, Tables, Words, tables_of, words_of

__all__ = ["Compiled"]

_NO_NUMBER = 1 << 62
"""More than there are actions, and fits an array."""


class Compiled:
    """Plays positions of one edition; raises ValueError if its quilts have over 128 squares."""

    def __init__(self, edition: Edition) -> None:
        squares = edition.rows * edition.columns
        if squares > MOST_SQUARES:
            raise ValueError(
                f"compiled games are for quilts of at most {MOST_SQUARES} squares;"
                f" those of {edition.name} have {squares}"
            )
        self._edition = edition
        self._tables = tables_of(edition)
        self._number = {patch.id: number for number, patch in enumerate(edition.patches)}

    def playouts(self, state: State, seeds: NDArray[np.uint64], *, policy: bool) -> Ints:
        """Play a position to its end for each seed; a row each: scores, winner, plies."""
        hidden = _is_hidden(state)
        results = np.zeros((len(seeds), 4), dtype=np.int64)
        kernel.playouts(*self.arrays(state), seeds, policy, hidden, results)
        return results

    def follow(self, state: State, numbers: Sequence[int]) -> State:
        """Play actions by their numbers; raises `IllegalActionError` for one that there is not."""
        tables, quilts, facts = self.arrays(state)
        path = np.array([min(max(each, -1), _NO_NUMBER) for each in numbers], dtype=np.int64)
        place, total = kernel.follow(tables, quilts, facts, path)
        if place >= 0:
            raise no_such(numbers[place], total)
        return self._state(quilts, facts)

    def arrays(self, state: State) -> tuple[Tables, Words, Ints]:
        """Return what the functions of the kernel take first: tables, quilts and facts.

        Late patches whose order is hidden stand there in the order of their ids.
        """
        patches = len(self._edition.patches)
        quilts = np.array([words_of(each.quilt) for each in state.players], dtype=np.uint64)
        late = self._edition.late.patches if state.late and self._edition.late else ()
        order = sorted(late) if _is_hidden(state) else state.late
        facts = np.zeros(LINKS + 2 * patches + max(1, len(late)), dtype=np.int64)
        for seat, player in enumerate(state.players):
            facts[3 * seat + BUTTONS] = player.buttons
            facts[3 * seat + INCOME] = player.income
            facts[3 * seat + SPACE] = player.space
        facts[TO_MOVE], facts[PENDING] = state.to_move, state.pending
        facts[TILE] = -1 if state.tile is None else state.tile
        facts[COUNT], facts[LATE] = len(state.circle), len(order)
        circle = [self._number[each] for each in state.circle]
        for place, patch in enumerate(circle):
            facts[LINKS + patch] = circle[(place + 1) % len(circle)]
            facts[LINKS + patches + patch] = circle[place - 1]
        facts[HEAD] = circle[0] if circle else 0
        for place, each in enumerate(order):
            facts[LINKS + 2 * patches + place] = self._number[each]
        return self._tables, quilts.reshape(4), facts

    def _state(self, quilts: Words, facts: Ints) -> State:
        edition = self._edition
        patches = edition.patches
        one, two = (
            Player(
                int(quilts[2 * seat]) | int(quilts[2 * seat + 1]) << 64,
                *(int(facts[3 * seat + fact]) for fact in (BUTTONS, INCOME, SPACE)),
            )
            for seat in (0, 1)
        )
        circle, patch = [], int(facts[HEAD])
        for _ in range(facts[COUNT]):
            circle.append(patches[patch].id)
            patch = int(facts[LINKS + patch])
        begin = LINKS + 2 * len(patches)
        late = tuple(patches[number].id for number in facts[begin : begin + facts[LATE]])
        tile = None if facts[TILE] < 0 else int(facts[TILE])
        to_move, pending = int(facts[TO_MOVE]), int(facts[PENDING])
        return State(edition, (one, two), tuple(circle), late, to_move, pending, tile)


def _is_hidden(state: State) -> bool:
    """Whether the order of the late patches is not known."""
    return bool(state.late) and not state.late[0]
