"""Can the rest still be paired? Maximum matching in a graph, by Edmonds' blossom algorithm.

J. Edmonds, "Paths, trees, and flowers", 1965: from a node that is not matched, paths that
alternate between edges outside and inside the matching are followed breadth first; an odd cycle
met on the way is shrunk to its base; a path that ends in another unmatched node makes the matching
larger by one edge.
"""

from collections import deque
from collections.abc import Sequence

__all__ = ["max_matching"]


def max_matching(partners: Sequence[Sequence[int]]) -> int:
    """Return how many disjoint pairs can be formed; `partners` are those possible for each."""
    search = _Search(partners)
    # A node that no path begins at has none in any larger matching either: each is a root once.
    for root, mate in enumerate(search.mate):
        if mate is None:
            search.augment(root)
    return sum(mate is not None for mate in search.mate) // 2


class _Search:
    def __init__(self, partners: Sequence[Sequence[int]]) -> None:
        self.partners = partners
        self.mate: list[int | None] = [None] * len(partners)
        # Whoever can be matched at first sight is: most paths that would be searched for are of one
        # edge.
        for node, others in enumerate(partners):
            if self.mate[node] is None:
                free = next((other for other in others if self.mate[other] is None), None)
                if free is not None:
                    self.mate[node], self.mate[free] = free, node

    def augment(self, root: int) -> bool:
        """Enlarge the matching by a path from an unmatched node; False if there is none."""
        self._plant_tree(root)
        queue = deque([root])
        while queue:
            node = queue.popleft()
            for other in self.partners[node]:
                if self._base[node] == self._base[other] or self.mate[node] == other:
                    continue
                mate = self.mate[other]
                # Both are outer nodes: the edge between them closes a cycle of odd length.
                if other == root or (mate is not None and self._parent[mate] is not None):
                    queue.extend(self._shrink(node, other))
                elif self._parent[other] is None:
                    self._parent[other] = node
                    if mate is None:
                        self._flip(other)
                        return True
                    self._outer[mate] = True
                    queue.append(mate)
        return False

    def _plant_tree(self, root: int) -> None:
        """Forget the paths from other roots: outer nodes are an even number of edges from this."""
        count = len(self.partners)
        self._base = list(range(count))
        self._parent: list[int | None] = [None] * count
        self._outer = [False] * count
        self._outer[root] = True

    def _shrink(self, left: int, right: int) -> list[int]:
        """Make an odd cycle one node; return its nodes that are to be looked at now."""
        base = self._common_base(left, right)
        inside = [False] * len(self.partners)
        self._mark(left, base, right, inside)
        self._mark(right, base, left, inside)
        # Inner nodes become outer ones: round the cycle each can be reached the other way, too.
        fresh = []
        for node in range(len(self.partners)):
            if inside[self._base[node]]:
                self._base[node] = base
                if not self._outer[node]:
                    self._outer[node] = True
                    fresh.append(node)
        return fresh

    def _common_base(self, left: int, right: int) -> int:
        """Return where the paths from two nodes to the root meet."""
        seen = set()
        node: int | None = left
        while node is not None:
            node = self._base[node]
            seen.add(node)
            mate = self.mate[node]
            node = None if mate is None else self._parent[mate]
        base = self._base[right]
        while base not in seen:
            mate = self.mate[base]
            assert mate is not None, "both paths lead to the root"
            parent = self._parent[mate]
            assert parent is not None, "an inner node was reached from somewhere"
            base = self._base[parent]
        return base

    def _mark(self, node: int, base: int, child: int, inside: list[bool]) -> None:
        """Turn the path from a node to the base, so that it can be walked both ways."""
        while self._base[node] != base:
            mate = self.mate[node]
            assert mate is not None, "nodes above the root are matched"
            inside[self._base[node]] = inside[self._base[mate]] = True
            self._parent[node] = child
            child = mate
            parent = self._parent[mate]
            assert parent is not None, "an inner node was reached from somewhere"
            node = parent

    def _flip(self, end: int | None) -> None:
        """Exchange the edges of a path that leads to an unmatched node."""
        while end is not None:
            parent = self._parent[end]
            assert parent is not None, "the path begins at the root"
            further = self.mate[parent]
            self.mate[end], self.mate[parent] = parent, end
            end = further
