"""The tree of `champion` in a game: its positions as rows, kept from move to move."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pwtourney.errors import install_command
from pwtourney.rules.action import ADVANCE, DECLINE, Action, leather, take
from pwtourney.sdk import Edition, RequirementMissing, State
from pwtourney.simulate.compile_cache import bring_along
from pwtourney_bots.searcher import Choice, is_ahead

__all__ = ["ALL_PLACEMENTS", "Judge", "NodeTree", "Room"]

# before the import: numba looks for its cache when a function is decorated
try:
    bring_along(Path(__file__).with_name("nodes.py"))
    from pwtourney.simulate.games import Encoder
    from pwtourney.simulate.kernel import COUNT, HEAD, LATE, TO_MOVE
    from pwtourney_bots import steps
    from pwtourney_bots.evaluation import QUILT_WEIGHTS
    from pwtourney_bots.graph import CHILD, MOVE, OPTION, SEEN, SOLVED, Graph, Room, new_graph
    from pwtourney_bots.network import find_network
    from pwtourney_bots.nodes import LINE, Growth, grow_nodes, move_nodes, new_scratch, plant
    from pwtourney_bots.quilts import QuiltCache, empty_quilt_cache, new_quilt_cache
except ModuleNotFoundError as error:
    raise RequirementMissing(
        f"it needs numba ({error})", install=install_command("numba")
    ) from error

_ROOM = Room(nodes=1_500_000, edges=8_000_000, quilts=1 << 21)
"""The room of a tree. A full tree is still searched, but does not grow."""

ALL_PLACEMENTS = 1024
"""More placements than any patch has: 8 orientations on fewer than 128 squares."""

_BITS = 32


class Judge(NamedTuple):
    """How a tree grows: see `nodes.Growth`."""

    candidates: int
    exploration: float


class _Ring(NamedTuple):
    """The patches in the order of a circle, then the late ones; `main` is the number of the former.

    Patches are numbered in the order of the edition.
    """

    patches: NDArray[np.int64]
    main: int


class NodeTree:
    """Grows `nodes.Graph` on the positions of a game; see `searcher.SearchTree`.

    Raises ValueError for an edition whose quilts have over 128 squares.
    """

    def __init__(self, edition: Edition, judge: Judge, room: Room = _ROOM) -> None:
        """Set up the tables of the edition, and compile if needed."""
        self._edition = edition
        self._growth = Growth(*judge, find_network(edition), 0)
        self._quilts = room.quilts
        self._encoder = Encoder(edition)
        self._number = {patch.id: number for number, patch in enumerate(edition.patches)}
        number = len(edition.patches)
        self._cache = new_quilt_cache(number, room.quilts, judge.candidates, QUILT_WEIGHTS)
        # Two graphs, because a subtree cannot be moved to the front of its own arrays. Memory that
        # no node has touched yet costs nothing.
        self._graph, self._spare = (new_graph(room, number) for _ in range(2))
        # every compiled function is called once, before the clock runs; the results are discarded
        self._plant(State.start(edition, 0))
        self._scratch = new_scratch(self._tables)
        self.grow(1)
        move_nodes(self._graph, 0, self._spare)
        self._known: State | None = None

    def forget(self) -> None:
        """Forget all positions; the next root starts without knowledge."""
        self._known = None

    @property
    def visits(self) -> int:
        """The visits of the root, for this move and for those before."""
        return int(self._graph.nodes[0, steps.VISITS])

    @property
    def is_solved(self) -> bool:
        """True if all lines from the root were followed to the end of the game."""
        edges = self.edges(0)
        return bool(edges) and bool(self._graph.edges[edges.start : edges.stop, SOLVED].all())

    def is_decided(self, left: int) -> bool:
        """Return True if `left` more iterations cannot change the first choice."""
        return self.is_solved or is_ahead(self.choices(), left)

    @property
    def is_solo(self) -> bool:
        """True if the root is of a game against the Automa."""
        return bool(self._growth.is_solo)

    @property
    def is_full(self) -> bool:
        """True if there may be no room for more nodes, edges or quilts."""
        nodes, edges = (int(number) for number in self._graph.used)
        most = 2 * (self._edition.offer + 1) * self._growth.candidates
        return (
            nodes + 1 >= len(self._graph.nodes)
            or edges + most >= len(self._graph.edges)
            or int(self._cache.used[0]) + most >= self._quilts
        )

    @property
    def value(self) -> float:
        """The value of the root for seat 0, from 0 to 1, by all visits so far."""
        return float(self._graph.sums[0, 0] / self.visits)

    def arrays(self) -> tuple[Any, ...]:
        """Return the first arguments of functions of `steps` and `evaluation`, up to the nodes."""
        return self._tables, self._cache, *self._ring, self._graph.nodes

    def take_root(self, state: State, since: list[Action]) -> None:
        """Make a position the root, with what the tree already knows about it."""
        is_solo = int(_is_against_automa(state))
        if is_solo != self._growth.is_solo:
            self._growth = self._growth._replace(is_solo=is_solo)
            self._known = None  # the known values were computed by another evaluation
        node = -1
        # a cache that is more than half full may have no room for this move
        if self._known is not None and 2 * self._cache.used[0] < self._quilts:
            node = self._find_node(self._known, state, since)
        if node < 0:
            self._plant(state)
        elif node > 0:
            move_nodes(self._graph, node, self._spare)
            self._graph, self._spare = self._spare, self._graph
        self._known = state

    def restrict(self, only: Sequence[Action]) -> None:
        """Begin again at the root, with these of its actions only, all equally likely."""
        assert self._known is not None, "it has a root"
        self._plant(self._known)
        # one iteration gives the root its edges: all placements, for once
        most = ALL_PLACEMENTS
        shortlist, ranking = np.zeros((most, 3), np.int64), np.zeros(most)
        cache = self._cache._replace(shortlist=shortlist, ranking=ranking)
        self._grow(1, cache, self._growth._replace(candidates=most))
        kept = [edge for edge in self.edges(0) if self.action(0, edge) in only]
        graph = self._graph
        first = int(graph.nodes[0, steps.FIRST])
        edges = slice(first, first + len(kept))
        for column in (graph.edges, graph.lines):
            column[edges] = column[kept]
        # what the iteration found may belong to an edge that is gone
        graph.edges[edges, CHILD] = -1
        graph.edges[edges, SEEN : SOLVED + 1] = 0
        graph.totals[edges] = 0
        # the priors of so many placements would vanish: each is half of the one before
        graph.priors[edges] = 1 / len(kept)
        graph.nodes[0, steps.CHILDREN] = len(kept)
        graph.nodes[0, steps.VISITS] = 0
        graph.sums[0] = 0

    def grow(self, iterations: int) -> None:
        """Run this many iterations."""
        self._grow(iterations, self._cache, self._growth)

    def _grow(self, iterations: int, cache: QuiltCache, growth: Growth) -> None:
        ring = self._ring
        grow_nodes(
            self._tables,
            cache,
            ring.patches,
            ring.main,
            self._graph,
            growth,
            self._scratch,
            iterations,
        )

    def choices(self) -> list[Choice]:
        """Return the actions of the root, the most visited one first."""
        graph = self._graph
        sign = -1 if graph.nodes[0, TO_MOVE] else 1
        return [
            Choice(
                self.action(0, edge),
                int(graph.edges[edge, SEEN]),
                sign * self._margin(int(graph.edges[edge, CHILD])),
            )
            for edge in self._rank(0)
        ]

    def line(self, most: int, first: Action | None = None) -> list[Action]:
        """Return the expected line of both players from the root on, at most `most` actions."""
        line: list[Action] = []
        node, known = 0, self._known
        while known is not None and node >= 0 and len(line) < most:
            if self.holds(node, known):
                ranked = iter(self._rank(node))
                if first is not None and not line:
                    ranked = (edge for edge in self._rank(0) if self.action(0, edge) == first)
                edge = next(ranked, -1)
                if edge < 0 or not self._graph.edges[edge, SEEN]:
                    break
                line.append(self.action(node, edge))
                node = int(self._graph.edges[edge, CHILD])
            else:  # the node comes after a forced advance, or after what was drawn
                forced = known.legal_actions()
                if len(forced) != 1:
                    break
                line += forced
            known = known.apply(line[-1])
        return line

    @property
    def graph(self) -> Graph:
        """The nodes and edges; replaced after a move."""
        return self._graph

    def _rank(self, node: int) -> list[int]:
        """Return a node's edges: the most visited first, or one that is known to be better."""
        graph, edges = self._graph, self.edges(node)
        ranked = sorted(edges, key=lambda edge: -graph.edges[edge, SEEN])
        solved = [edge for edge in edges if graph.edges[edge, SOLVED]]
        if len(solved) == len(edges):
            return sorted(ranked, key=lambda edge: -graph.lines[edge])
        if solved:
            surest = max(solved, key=lambda edge: graph.lines[edge])
            favourite = next(edge for edge in ranked if not graph.edges[edge, SOLVED])
            if graph.lines[surest] >= self._worth(favourite):
                ranked.remove(surest)
                ranked.insert(0, surest)
        return ranked

    def _worth(self, edge: int) -> float:
        """Return the value for its mover of an edge that is not solved."""
        seen, line = int(self._graph.edges[edge, SEEN]), float(self._graph.lines[edge])
        return LINE * line + (1 - LINE) * float(self._graph.totals[edge]) / seen if seen else line

    def _margin(self, node: int) -> float:
        """Return the expected margin of seat 0 at a node, 0 without a node."""
        if node < 0:
            return 0.0
        visits = max(1, int(self._graph.nodes[node, steps.VISITS]))
        return float(self._graph.sums[node, 1] / visits)

    def _plant(self, state: State) -> None:
        """Begin a new tree with a position."""
        self._tables, quilts, facts = self._encoder.encode(state)
        order = [self._number[patch] for patch in (*state.circle, *state.late)]
        main = len(state.circle)
        self._ring = _Ring(np.array(order, dtype=np.int64), main)
        row = np.zeros(self._graph.nodes.shape[1], np.int64)
        row[: steps.PIVOT] = facts[: steps.PIVOT]
        row[HEAD] = 0
        row[steps.PIVOT] = -1
        for word in range(len(row) - steps.LEFT):
            bits = min(max(main - _BITS * word, 0), _BITS)
            row[steps.LEFT + word] = (1 << bits) - 1
        empty_quilt_cache(self._cache)
        plant(self._tables, self._cache, self._graph, row.astype(np.uint32).view(np.int32), quilts)

    def _find_node(self, known: State, state: State, since: list[Action]) -> int:
        """Return the node of a position, reached from the root by the actions since; or −1."""
        node = 0
        for action in since:
            if self.holds(node, known):
                for edge in self.edges(node):
                    if self.action(node, edge) == action:
                        node = int(self._graph.edges[edge, CHILD])
                        break
                else:  # never visited: only some placements of a patch have a node
                    return -1
                if node < 0:
                    return -1
            elif [*known.legal_actions()] != [action]:  # another action was played than chosen
                return -1
            # else the node comes after a forced advance, which this action is
            known = known.apply(action)
        # not if another position was asked for, or late patches came in another order than drawn
        return node if known == state and self.holds(node, state) else -1

    def edges(self, node: int) -> range:
        """Return the numbers of a node's edges."""
        first, children = self._graph.nodes[node, steps.FIRST : steps.VISITS].tolist()
        return range(first, first + children) if first >= 0 else range(0)  # −1: not expanded

    def action(self, node: int, edge: int) -> Action:
        """Return the action of an edge."""
        index, option = (int(self._graph.edges[edge, column]) for column in (MOVE, OPTION))
        if index == steps.ADVANCE:
            return ADVANCE
        if index == steps.DECLINE:
            return DECLINE
        orientation, square = divmod(int(self._cache.options[option, 1]), 128)
        if index == steps.SPECIAL:
            return leather(square)
        patch = self._edition.patches[int(self._ring.patches[index])].id
        number = self._edition.orientations[patch][orientation].number
        return take(patch, number, square)

    def holds(self, node: int, state: State) -> bool:
        """Return True if a row contains a position."""
        row = self._graph.nodes[node].tolist()
        for seat, player in enumerate(state.players):
            low, high = self._cache.masks[row[steps.QUILT + seat]].tolist()
            if (low | high << 64, *row[3 * seat : 3 * seat + 3]) != tuple(player):
                return False
        tile = -1 if state.tile is None else state.tile
        if row[TO_MOVE : TO_MOVE + 3] != [state.to_move, state.pending, tile]:
            return False
        return self._circle(row) == (state.circle, state.late)

    def _circle(self, row: list[int]) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Return the circle of a row from the neutral token on, and the late patches to come."""
        main, whole = self._ring.main, len(self._ring.patches)
        pivot, head = max(row[steps.PIVOT], 0), row[HEAD]
        order = [*range(pivot, main), *range(pivot), *range(main, whole)]
        if row[COUNT]:
            begin = order.index(head)
            order = order[begin:] + order[:begin]
        left = [p for p in order if row[steps.LEFT + p // _BITS] >> (p % _BITS) & 1]
        ids = [self._edition.patches[int(number)].id for number in self._ring.patches]
        late = ids[main:] if row[LATE] else []
        return tuple(ids[index] for index in left), tuple(late)


def _is_against_automa(state: State) -> bool:
    """Return True if seat 1 has no patch, although more are gone than seat 0 has placed.

    Then the Automa has taken them.
    """
    edition = state.edition
    if state.players[1].quilt:
        return False
    remaining_ids = {*state.circle, *state.late}
    if state.is_late_hidden and edition.late:
        remaining_ids.update(edition.late.patches)
    gone = sum(len(patch.shape) for patch in edition.patches if patch.id not in remaining_ids)
    return gone > state.players[0].quilt.bit_count()
