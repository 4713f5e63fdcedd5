"""The tree of `champion` with its endgame solver, which considers every placement."""

from pwtourney.sdk import Action, Edition, State
from pwtourney_bots.node_tree import Judge, NodeTree, Room
from pwtourney_bots.searcher import Choice

__all__ = ["EndTree"]

_ALL = 1024
"""More placements than any patch has: 8 orientations on fewer than 128 squares."""

_END = Room(nodes=200_000, edges=2_000_000, quilts=1 << 17)
"""The room for an endgame; one that takes more is not solved."""


class EndTree:
    """Grows a tree of the best placements; once that is solved, one of all placements.

    See `searcher.SearchTree`. Raises ValueError for an edition whose quilts have over 128 squares.
    """

    def __init__(self, edition: Edition, judge: Judge, end: Room = _END) -> None:
        """Set up the tables of the edition, and compile; `end` is the room for endgames."""
        self.narrow = NodeTree(edition, judge)
        self.wide = NodeTree(edition, judge._replace(candidates=_ALL), end)
        self._state: State | None = None
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

    def is_decided(self, left: int) -> bool:
        """Return True if `left` more iterations cannot change the first choice.

        An endgame is decided once it is solved with every placement, or finds no more room.
        """
        if self.narrow.is_solved:
            return self._is_widened and (self.wide.is_solved or self.wide.is_full)
        return self.narrow.is_decided(left)

    def take_root(self, state: State, since: list[Action]) -> None:
        """Make a position the root, with what the tree already knows about it."""
        self.narrow.take_root(state, since)
        self._state, self._is_widened = state, False

    def grow(self, iterations: int) -> None:
        """Run this many iterations."""
        if not self.narrow.is_solved:
            self.narrow.grow(iterations)
            return
        if not self._is_widened and self._state is not None:
            self.wide.forget()
            self.wide.take_root(self._state, [])
            self._is_widened = True
        self.wide.grow(iterations)

    def choices(self) -> list[Choice]:
        """Return the actions of the root, the one to play first."""
        return self._best_known().choices()

    def line(self, most: int) -> list[Action]:
        """Return the expected line of both players from the root on, at most `most` actions."""
        return self._best_known().line(most)

    def _best_known(self) -> NodeTree:
        # an unfinished search of all placements is less reliable than the solved tree
        return self.wide if self._is_widened and self.wide.is_solved else self.narrow
