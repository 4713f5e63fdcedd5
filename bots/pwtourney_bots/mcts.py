"""Monte-Carlo tree search: a position is valued by playouts to the end of the game."""

from pwtourney.sdk import Edition
from pwtourney_bots.path_tree import Knobs, PathTree
from pwtourney_bots.searcher import Searcher, SearchTree, search_options

__all__ = ["Mcts"]


class Mcts(Searcher):
    """Evaluates a position by a game that the simulator's policy plays to its end.

    One such game says little, thousands of them say much, so the bot gets stronger with time.
    """

    name = "mcts"
    options = search_options("1")

    def plant_tree(self, edition: Edition, seed: int) -> SearchTree:
        """Return a tree of playouts."""
        settings = self.settings
        knobs = Knobs(int(settings["candidates"]), float(settings["exploration"]))
        return PathTree(edition, knobs, seed)
