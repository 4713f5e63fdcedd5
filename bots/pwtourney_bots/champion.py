"""The strongest bundled bot: a tree of evaluated positions, without playouts."""

from pwtourney.sdk import Edition
from pwtourney_bots.end_tree import EndTree
from pwtourney_bots.node_tree import Judge
from pwtourney_bots.searcher import Searcher, SearchTree, search_options

__all__ = ["Champion"]


class Champion(Searcher):
    """Evaluates a position with a network learnt from thousands of games.

    The evaluation takes a fraction of the time of a playout and has no randomness, so the tree
    grows deep where it matters. Endgames that can be solved are played perfectly.
    """

    name = "champion"
    options = search_options("0.35")
    _kept: tuple[Edition, Judge, EndTree] | None = None

    def plant_tree(self, edition: Edition, seed: int) -> SearchTree:
        """Return a tree of evaluated positions."""
        settings = self.settings
        judge = Judge(int(settings["candidates"]), float(settings["exploration"]))
        # reuse the tree of the last game: memory that was used before is faster
        if self._kept is None or self._kept[:2] != (edition, judge):
            self._kept = edition, judge, EndTree(edition, judge)
        self._kept[2].forget()
        return self._kept[2]
