"""What the bots that grow a tree share: the clock, the tree kept from the last move, the choice."""

import math
import time
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar

import numpy as np

from pwtourney.errors import install_command
from pwtourney.rules import find_edition
from pwtourney.sdk import (
    Action,
    Bot,
    Edition,
    GameStart,
    Option,
    RequirementMissing,
    SplitMix64,
    State,
    Turn,
)
from pwtourney.simulate.cache import bring_along
from pwtourney_bots.thinking import draw_late, format_line, plan_seconds

__all__ = ["Searcher", "search_options"]

# Before the import: numba looks for what it has kept while a function is decorated.
try:
    bring_along(Path(__file__).with_name("tree.py"))
    from pwtourney.simulate.games import Encoder
    from pwtourney_bots.tree import Knobs, grow, new_tree, transplant
except ModuleNotFoundError as error:
    raise RequirementMissing(
        f"it needs numba ({error})", install=install_command("numba")
    ) from error

_NODES = 2_000_000
"""How many nodes a tree has room for. Once it is full it is gone through, but grows no more."""

_ITERATIONS = 128
_FIRST_ITERATIONS = 8
"""The most iterations of one compiled call, which take a few milliseconds; and those of the first
call, when nobody knows yet how long that takes."""

_SHORTEST_S = 1e-6

_REPORTED = 1024
"""What is expected is said after so many iterations, and whenever they have doubled."""

_LONGEST_LINE = 8


def search_options(exploration: str) -> tuple[Option, ...]:
    """Return the options of a bot that grows a tree, with its own default for one of them."""
    return (
        Option("iterations", "int", "0", ("0", "10000000")),
        Option("candidates", "int", "3", ("1", "20")),
        Option("exploration", "float", exploration, ("0", "10")),
    )


class Searcher(Bot):
    """Grows a tree until its time is up, and plays the action that was looked at most.

    What follows from the moves that were played is kept for the next move. It stops early once no
    other action can be looked at as often any more. With `iterations` it makes so many
    for each move, whatever the clock says, and plays the same on every machine.
    """

    author = "pwtourney"
    eval_weight: ClassVar[float]
    """See `tree.Knobs`."""
    preparing = "compiling, once, about 20 s"
    clock: Callable[[], float] = staticmethod(time.monotonic)

    @classmethod
    def prepare(cls, cache: Path) -> None:  # noqa: ARG003 - numba knows it from `bring_along`
        """Compile the search; numba keeps it in `cache`, as `bring_along` has told it."""
        cls().new_game(GameStart(find_edition("original"), 0, 1))

    @classmethod
    def warm_up(cls, edition: Edition) -> None:
        """Load what is compiled, so that no copy of this process has to."""
        cls().new_game(GameStart(edition, 0, 1))

    def new_game(self, game: GameStart) -> None:
        """Set up the tables of the edition, and see to it that all is compiled."""
        self._shuffler = SplitMix64(game.seed)
        self._stream = np.array([self._shuffler.next()], dtype=np.uint64)
        self._encoder = Encoder(game.edition)
        # Two, because a subtree cannot be moved to the front of the arrays that it stands in. What
        # no node has touched yet costs no memory.
        self._tree, self._spare = new_tree(_NODES), new_tree(_NODES)
        # Whatever is compiled is called once, before the clock runs; nothing of it stays in the
        # tree.
        start = State.start(game.edition, 0)
        used = grow(*self._encoder.encode(start), self._stream, 1, self._knobs(), self._tree, 1)
        transplant(self._tree, 0, self._spare, used)
        self._known = start
        self._since: list[Action] = []
        self._used = 0

    def choose(self, turn: Turn) -> Action:
        """Think as long as the clock allows."""
        end = self.clock() + plan_seconds(turn.limit, turn.state)
        state = draw_late(turn.state, self._shuffler)
        actions = state.legal_actions()
        self._since += turn.played
        if len(actions) == 1:
            choice = actions[0]
        else:
            self._take_root(state)
            iterations = self._think(state, end)
            # Not by value: what was looked at a few times only may have been lucky.
            best = self._rank_children()[0]
            choice = actions[int(self._tree.action[best])]
            self._report(iterations)
        self._since.append(choice)
        return choice

    @property
    def root_visits(self) -> int:
        """How often the root of the tree was gone through, for this move and for those before."""
        return int(self._tree.visits[0])

    def _take_root(self, state: State) -> None:
        """Make a position the root, with what the tree already knows of it."""
        node = self._find_node(state) if self._used else -1
        if node > 0:
            self._used = transplant(self._tree, node, self._spare, self._used)
            self._tree, self._spare = self._spare, self._tree
        elif node < 0:
            self._tree.visits[0], self._tree.first[0] = 0, -1
            self._tree.total[0] = self._tree.margin[0] = 0
            self._used = 1
        self._known, self._since = state, []

    def _find_node(self, state: State) -> int:
        """Return the node of a position that came of the root by what was played since; or −1."""
        node, known = 0, self._known
        for action in self._since:
            actions = known.legal_actions()
            for child in self._children(node):
                if actions[int(self._tree.action[child])] == action:
                    node = child
                    break
            else:  # never looked at: only some placements of a patch have a node
                return -1
            known = known.apply(action)
        # Another position was asked for, or late patches came in another order than was drawn.
        return node if known == state else -1

    def _children(self, node: int) -> range:
        first = int(self._tree.first[node])  # −1: not looked into
        return range(first, first + int(self._tree.children[node])) if first >= 0 else range(0)

    def _rank_children(self) -> list[int]:
        """Return the children of the root, the one that was looked at most first."""
        return sorted(self._children(0), key=lambda child: -self._tree.visits[child])

    def _report(self, iterations: int) -> None:
        """Say what is expected now, and what would be played by both."""
        tree, best = self._tree, self._rank_children()[0]
        margin = tree.margin[best] / tree.visits[best]
        line, known, node = [], self._known, best
        while node >= 0 and tree.visits[node]:
            action = known.legal_actions()[int(tree.action[node])]
            known = known.apply(action)
            line.append(action)
            # behind this a special patch, or a late one, may come otherwise than it was drawn
            children = self._children(node)
            node = max(children, key=lambda child: tree.visits[child], default=-1)
            if len(line) == _LONGEST_LINE:
                break
        edition = self._known.edition
        self.say(f"nodes {iterations} score {margin:.1f} {format_line(line, edition)}")

    def _think(self, state: State, end: float) -> int:
        """Go through the tree until time or iterations are used up; return how many it were."""
        most = int(self.settings["iterations"])
        arrays, knobs = self._encoder.encode(state), self._knobs()
        began, iterations = self.clock(), 0
        number = min(_ITERATIONS, most) or _FIRST_ITERATIONS
        report = _REPORTED
        while True:
            self._used = grow(*arrays, self._stream, number, knobs, self._tree, self._used)
            iterations += number
            if most:
                left = most - iterations
            else:  # as many as the time allows, as fast as they went so far
                now = self.clock()
                left = math.ceil((end - now) * iterations / max(now - began, _SHORTEST_S))
            if left <= 0 or self._is_decided(left):
                return iterations
            if iterations >= report:
                self._report(iterations)
                report = 2 * iterations
            # Half of what the time seems to allow, because a call that takes longer cannot be
            # stopped.
            number = min(_ITERATIONS, left if most else max(1, left // 2))

    def _is_decided(self, left: int) -> bool:
        """Whether so many iterations can change the choice no more."""
        first, *others = (self._tree.visits[child] for child in self._rank_children())
        return not others or first - others[0] > left

    def _knobs(self) -> Knobs:
        candidates = int(self.settings["candidates"])
        return Knobs(candidates, float(self.settings["exploration"]), self.eval_weight)
