"""Monte-Carlo tree search: a position is worth what comes of it in games played to their end."""

from pwtourney.sdk import Edition
from pwtourney_bots.path_tree import Knobs, PathTree
from pwtourney_bots.searcher import Searcher, SearchTree, search_options

__all__ = ["Mcts"]


class Mcts(Searcher):
    """Judges a position by a game that the simulator's policy plays from there to its end.

    One such game tells little, thousands of them tell much: it gets stronger with time.
    """

    name = "mcts"
    options = search_options("1")

    def plant_tree(self, edition: Edition, seed: int) -> SearchTree:
        """Return a tree of playouts."""
        settings = self.settings
        knobs = Knobs(int(settings["candidates"]), float(settings["exploration"]))
        return PathTree(edition, knobs, seed)
