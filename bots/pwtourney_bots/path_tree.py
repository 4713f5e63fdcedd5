"""The tree of `mcts`: actions without positions, which are replayed on each visit."""

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from pwtourney.errors import install_command
from pwtourney.sdk import Action, Edition, RequirementMissing, State
from pwtourney.simulate.compile_cache import bring_along
from pwtourney_bots.searcher import Choice, is_ahead

__all__ = ["Knobs", "PathTree"]

# before the import: numba looks for its cache when a function is decorated
try:
    bring_along(Path(__file__).with_name("tree.py"))
    from pwtourney.simulate.games import Encoder
    from pwtourney_bots.tree import Knobs, grow, new_tree, transplant
except ModuleNotFoundError as error:
    raise RequirementMissing(
        f"it needs numba ({error})", install=install_command("numba")
    ) from error

_NODES = 2_000_000
"""The room of a tree, in nodes. A full tree is still searched, but does not grow."""


class PathTree:
    """Grows `tree.Tree` on the positions of a game; see `searcher.SearchTree`.

    Raises ValueError for an edition whose quilts have over 128 squares.
    """

    def __init__(self, edition: Edition, knobs: Knobs, seed: int) -> None:
        """Set up the tables of the edition, and compile if needed; the seed is for playouts."""
        self._knobs = knobs
        self._stream = np.array([seed], dtype=np.uint64)
        self._encoder = Encoder(edition)
        # Two trees, because a subtree cannot be moved to the front of its own arrays. Memory that
        # no node has touched yet costs nothing.
        self._tree, self._spare = new_tree(_NODES), new_tree(_NODES)
        # every compiled function is called once, before the clock runs; the results are discarded
        self._known = State.start(edition, 0)
        self._actions = self._known.legal_actions()
        self._arrays = self._encoder.encode(self._known)
        used = grow(*self._arrays, self._stream, 1, self._knobs, self._tree, 1)
        transplant(self._tree, 0, self._spare, used)
        self._used = 0

    @property
    def visits(self) -> int:
        """The visits of the root, for this move and for those before."""
        return int(self._tree.visits[0])

    @property
    def is_solved(self) -> bool:
        """Always False: a playout proves nothing."""
        return False

    @property
    def is_complete(self) -> bool:
        """Always False: each playout tells a little more."""
        return False

    def is_decided(self, left: int) -> bool:
        """Return True if `left` more iterations cannot change the first choice."""
        return is_ahead(self.choices(), left)

    def forget(self) -> None:
        """Forget all positions; the next root starts without knowledge."""
        self._used = 0

    def take_root(self, state: State, since: list[Action]) -> None:
        """Make a position the root, with what the tree already knows about it."""
        node = self._find_node(state, since) if self._used else -1
        if node > 0:
            self._used = transplant(self._tree, node, self._spare, self._used)
            self._tree, self._spare = self._spare, self._tree
        elif node < 0:
            self._tree.visits[0], self._tree.first[0] = 0, -1
            self._tree.total[0] = self._tree.margin[0] = 0
            self._used = 1
        self._known, self._actions = state, state.legal_actions()
        self._arrays = self._encoder.encode(state)

    def restrict(self, only: Sequence[Action]) -> None:
        """Begin again at the root, with these of its actions only, all equally likely."""
        tree = self._tree
        numbers = [number for number, action in enumerate(self._actions) if action in only]
        children = slice(1, 1 + len(numbers))
        tree.visits[0], tree.first[0], tree.children[0] = 0, 1, len(numbers)
        tree.total[0] = tree.margin[0] = 0
        tree.visits[children] = tree.children[children] = 0
        tree.total[children] = tree.margin[children] = 0
        tree.first[children] = -1
        tree.action[children] = numbers
        tree.mover[children] = self._known.to_move
        tree.prior[children] = 1 / len(numbers)
        self._used = 1 + len(numbers)

    def grow(self, iterations: int) -> None:
        """Run this many iterations."""
        self._used = grow(
            *self._arrays, self._stream, iterations, self._knobs, self._tree, self._used
        )

    def choices(self) -> list[Choice]:
        """Return the actions of the root, the most visited one first."""
        tree, actions = self._tree, self._actions
        ranked = sorted(self._children(0), key=lambda child: -tree.visits[child])
        return [
            Choice(
                actions[int(tree.action[child])],
                int(tree.visits[child]),
                float(tree.margin[child] / max(1, tree.visits[child])),
            )
            for child in ranked
        ]

    def line(self, most: int, first: Action | None = None) -> list[Action]:
        """Return the expected line of both players from the root on, at most `most` actions."""
        line: list[Action] = []
        node, known = 0, self._known
        while len(line) < most:
            children: Iterable[int] = self._children(node)
            if first is not None and not line:
                number = self._actions.index(first)
                children = (child for child in children if self._tree.action[child] == number)
            node = max(children, key=lambda child: self._tree.visits[child], default=0)
            if not node or not self._tree.visits[node]:
                break
            line.append(known.legal_actions()[int(self._tree.action[node])])
            known = known.apply(line[-1])
        return line

    def _find_node(self, state: State, since: list[Action]) -> int:
        """Return the node of a position, reached from the root by the actions since; or −1."""
        node, known = 0, self._known
        for action in since:
            actions = known.legal_actions()
            for child in self._children(node):
                if actions[int(self._tree.action[child])] == action:
                    node = child
                    break
            else:  # never visited: only some placements of a patch have a node
                return -1
            known = known.apply(action)
        # not if another position was asked for, or late patches came in another order than drawn
        return node if known == state else -1

    def _children(self, node: int) -> range:
        first = int(self._tree.first[node])  # −1: not expanded
        return range(first, first + int(self._tree.children[node])) if first >= 0 else range(0)
