"""The tree of `champion` with its endgame solver, which considers every placement."""

from collections.abc import Sequence

from pwtourney.sdk import Action, Edition, State
from pwtourney_bots.node_tree import ALL_PLACEMENTS, Judge, NodeTree, Room
from pwtourney_bots.searcher import Choice

__all__ = ["EndTree"]

_END = Room(nodes=200_000, edges=2_000_000, quilts=1 << 17)
"""The room for an endgame; one that takes more is not solved."""


class EndTree:
    """Grows a tree of the best placements; once that is solved, one of all placements.

    See `searcher.SearchTree`. Raises ValueError for an edition whose quilts have over 128 squares.
    """

    def __init__(self, edition: Edition, judge: Judge, end: Room = _END) -> None:
        """Set up the tables of the edition, and compile; `end` is the room for endgames."""
        self.narrow = NodeTree(edition, judge)
        self.wide = NodeTree(edition, judge._replace(candidates=ALL_PLACEMENTS), end)
        self._state: State | None = None
        self._only: Sequence[Action] = ()
        self._is_widened = False

    def forget(self) -> None:
        """Forget all positions; the next root starts without knowledge."""
        self.narrow.forget()

    @property
    def visits(self) -> int:
        """The visits of the root, for this move and for those before."""
        return self.narrow.visits

    @property
    def is_solved(self) -> bool:
        """True if all lines of the best placements were followed to the end of the game."""
        return self.narrow.is_solved

    @property
    def is_complete(self) -> bool:
        """True if the end is solved with every placement, or finds no more room."""
        if not (self.narrow.is_solved and self._is_widened):
            return False
        return self.wide.is_solved or self.wide.is_full

    def is_decided(self, left: int) -> bool:
        """Return True if `left` more iterations cannot change the first choice."""
        return self.is_complete if self.narrow.is_solved else self.narrow.is_decided(left)

    def take_root(self, state: State, since: list[Action]) -> None:
        """Make a position the root, with what the tree already knows about it."""
        self.narrow.take_root(state, since)
        self._state, self._only, self._is_widened = state, (), False

    def restrict(self, only: Sequence[Action]) -> None:
        """Begin again at the root, with these of its actions only."""
        self.narrow.restrict(only)
        self._only = only

    def grow(self, iterations: int) -> None:
        """Run this many iterations."""
        if not self.narrow.is_solved:
            self.narrow.grow(iterations)
            return
        if not self._is_widened and self._state is not None:
            self.wide.forget()
            self.wide.take_root(self._state, [])
            if self._only:
                self.wide.restrict(self._only)
            self._is_widened = True
        self.wide.grow(iterations)

    def choices(self) -> list[Choice]:
        """Return the actions of the root, the one to play first."""
        return self._best_known().choices()

    def line(self, most: int, first: Action | None = None) -> list[Action]:
        """Return the expected line of both players from the root on, at most `most` actions."""
        return self._best_known().line(most, first)

    def _best_known(self) -> NodeTree:
        # an unfinished search of all placements is less reliable than the solved tree
        return self.wide if self._is_widened and self.wide.is_solved else self.narrow
