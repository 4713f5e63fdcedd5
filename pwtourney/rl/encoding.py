"""Games as numbers: actions, observations of one seat, and rewards."""

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from pwtourney.errors import IllegalActionError
from pwtourney.rules import ADVANCE, DECLINE, Action, Edition, State, leather, take

__all__ = ["Encoding", "Observation", "Reward", "find_rewards"]

Observation = dict[str, NDArray[Any]]
"""``observation``: float32, what the seat sees. ``action_mask``: int8, 1 for each legal action."""

Reward = Literal["result", "margin"]
"""``result``: 1 for the winner and −1 for the loser; ``margin``: the difference in points."""

_ADVANCE, _DECLINE, _SQUARES = 0, 1, 2
_PATCH_NUMBERS = 4


class Encoding:
    """The encoding of an edition in numbers; the same for every game of it.

    With S squares on the board, action 0 is ``advance``, 1 ``decline``, 2 + q a special patch on
    square q (counted row by row from the top left), and 2 + S + (8 k + o) S + q takes the k-th
    patch on offer (0 is nearest to the neutral token) in orientation o (in the order r0, r90, r180,
    r270, f0, f90, f180, f270) with the top left corner of its bounding box on q. Of orientations
    that look alike only the first is legal.

    A seat's observation has these numbers, in this order:

    * its own quilt and its opponent's, S numbers each, 1 where covered;
    * its own buttons, income and space, then its opponent's;
    * 1 if it is to move; pending special patches; 1 if it holds the special tile, 1 if its opponent
      does; the number of late patches, whose order is hidden;
    * for each mark of a special patch 1 if the patch is still there;
    * for each patch of the circle, clockwise from the neutral token, its cost, time, income and
      squares; zeros where the circle has become shorter;
    * for each place of the offer the shape of its patch, drawn into the top left corner of a square
      that holds every patch of the edition.
    """

    def __init__(self, edition: Edition) -> None:
        self.edition = edition
        self._squares = edition.rows * edition.columns
        self._side = max(max(r, c) for patch in edition.patches for r, c in patch.shape) + 1
        self._drawn: dict[int, NDArray[np.float32]] = {}
        for patch in edition.patches:
            self._drawn[patch.id] = drawing = np.zeros((self._side, self._side), np.float32)
            for square in patch.shape:
                drawing[square] = 1
        self.actions = _SQUARES + self._squares * (1 + 8 * edition.offer)
        """The number of actions."""
        self.length = (
            2 * self._squares
            + 6
            + 5
            + len(edition.leather_marks)
            + _PATCH_NUMBERS * len(edition.patches)
            + edition.offer * self._side**2
        )
        """The number of values in an observation."""

    def observation_space(self) -> spaces.Dict:
        """Return the space of observations, with the mask of legal actions."""
        # No value can exceed this bound. Buttons and income grow the most: a button for each space,
        # and at each mark the income of all patches together.
        edition = self.edition
        income = sum(patch.income for patch in edition.patches)
        earned = edition.last_space + len(edition.income_marks) * income
        printed = [max(p.cost, p.time, len(p.shape)) for p in edition.patches]
        bound = float(max(edition.start_buttons + earned, edition.last_space, *printed))
        return spaces.Dict(
            {
                "observation": spaces.Box(0, bound, (self.length,), np.float32),
                "action_mask": spaces.Box(0, 1, (self.actions,), np.int8),
            }
        )

    def action_space(self) -> "spaces.Discrete[np.int64]":
        """Return the space of actions."""
        return spaces.Discrete(self.actions)

    def action(self, number: int, state: State) -> Action:
        """Return the action of a number; raises `IllegalActionError` if there is none."""
        if number == _ADVANCE:
            return ADVANCE
        if number == _DECLINE:
            return DECLINE
        if not _SQUARES <= number < self.actions:
            raise IllegalActionError(f"actions are numbered from 0 to {self.actions - 1}")
        if number < _SQUARES + self._squares:
            return leather(number - _SQUARES)
        lay, square = divmod(number - _SQUARES - self._squares, self._squares)
        slot, orientation = divmod(lay, 8)
        # Towards the end fewer patches are left than the action space has room for.
        if slot >= len(state.offer):
            raise IllegalActionError(f"there are {len(state.offer)} patches on offer")
        return take(state.offer[slot], orientation, square)

    def number(self, action: Action, state: State) -> int:
        """Return the number of an action that is legal in a position."""
        if action == ADVANCE:
            return _ADVANCE
        if action == DECLINE:
            return _DECLINE
        if action.kind == "leather":
            return _SQUARES + action.square
        lay = 8 * state.offer.index(action.patch) + action.orientation
        return _SQUARES + self._squares * (1 + lay) + action.square

    def mask(self, state: State) -> NDArray[np.int8]:
        """Return an array with 1 for each number of a legal action, 0 for the others."""
        mask = np.zeros(self.actions, np.int8)
        if state.is_over:
            return mask
        free = self.edition.full & ~state.players[state.to_move].quilt
        if state.pending:
            mask[_SQUARES : _SQUARES + self._squares] = self._bits(free)
            mask[_DECLINE] = self.edition.declining
            return mask
        mask[_ADVANCE] = 1
        buttons = state.players[state.to_move].buttons
        # Computed in sets and not action by action: a learner needs this at every step, and there
        # may be thousands of placements.
        for slot, patch in enumerate(state.offer):
            if self.edition.patch[patch].cost > buttons:
                continue
            sets = self.edition.placements[patch].anchors(free)
            for lay, anchors in zip(self.edition.orientations[patch], sets, strict=True):
                start = _SQUARES + self._squares * (1 + 8 * slot + lay.number)
                mask[start : start + self._squares] = self._bits(anchors)
        return mask

    def observe(self, state: State, seat: int) -> Observation:
        """Return the observation of a seat; the mask is all zeros while it is not to move."""
        own, other = state.players[seat], state.players[1 - seat]
        moves = state.to_move == seat and not state.is_over
        edition = self.edition
        late = len(state.late)  # only the number, because the order is hidden
        circle = np.zeros((len(edition.patches), _PATCH_NUMBERS), np.float32)
        for row, number in zip(circle, state.circle, strict=False):
            patch = edition.patch[number]
            row[:] = patch.cost, patch.time, patch.income, len(patch.shape)
        parts = [
            self._bits(own.quilt),
            self._bits(other.quilt),
            (own.buttons, own.income, own.space, other.buttons, other.income, other.space),
            (moves, state.pending, state.tile == seat, state.tile == 1 - seat, late),
            [mark in state.leather_left for mark in edition.leather_marks],
            circle,
            *(self._drawn[patch] for patch in state.offer),
        ]
        seen = np.zeros(self.length, np.float32)
        values = np.concatenate([np.asarray(part, np.float32).ravel() for part in parts])
        seen[: len(values)] = values  # the drawings come last, and a short offer leaves zeros
        mask = self.mask(state) if moves else np.zeros(self.actions, np.int8)
        return {"observation": seen, "action_mask": mask}

    def _bits(self, squares: int) -> NDArray[np.uint8]:
        """Return a mask of squares as an array of 0 and 1."""
        data = squares.to_bytes(-(-self._squares // 8), "little")
        return np.unpackbits(np.frombuffer(data, np.uint8), bitorder="little")[: self._squares]


def find_rewards(reward: Reward) -> Callable[[State], tuple[float, float]]:
    """Return a function from a finished game's state to the rewards of both seats.

    Raises ValueError for an unknown word, because an agent would learn the wrong thing.
    """

    def find_result(state: State) -> tuple[float, float]:
        return (1.0, -1.0) if state.winner == 0 else (-1.0, 1.0)

    def find_margin(state: State) -> tuple[float, float]:
        margin = float(state.scores[0] - state.scores[1])
        return margin, -margin

    known = {"result": find_result, "margin": find_margin}
    if reward not in known:
        raise ValueError(f"reward is one of {', '.join(known)}, not {reward!r}")
    return known[reward]
