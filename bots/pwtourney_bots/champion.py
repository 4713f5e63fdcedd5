"""The strongest bundled bot: a tree of evaluated positions; no game is played to its end."""

from pwtourney.sdk import Edition
from pwtourney_bots.end_tree import EndTree
from pwtourney_bots.node_tree import Judge
from pwtourney_bots.searcher import Searcher, SearchTree, search_options

__all__ = ["Champion"]


class Champion(Searcher):
    """Judges a position by what such positions came to in thousands of games.

    The evaluation takes a fraction of the time of a game, and luck has no part in it, so the tree
    grows deep where it matters. Ends that can be thought out are played without any mistake.
    """

    name = "champion"
    options = search_options("0.35")
    _kept: tuple[Edition, Judge, EndTree] | None = None

    def plant_tree(self, edition: Edition, seed: int) -> SearchTree:
        """Return a tree of evaluated positions."""
        settings = self.settings
        judge = Judge(int(settings["candidates"]), float(settings["exploration"]))
        # The tree of the last game serves again: memory that was used before is faster.
        if self._kept is None or self._kept[:2] != (edition, judge):
            self._kept = edition, judge, EndTree(edition, judge)
        self._kept[2].forget()
        return self._kept[2]
