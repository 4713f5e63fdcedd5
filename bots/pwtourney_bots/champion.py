"""The strongest bundled bot: a tree of evaluated positions; no game is played to its end."""

from pwtourney_bots.searcher import Searcher, search_options

__all__ = ["Champion"]


class Champion(Searcher):
    """Judges a position by what such positions came to in thousands of games.

    The evaluation takes a fraction of the time of a game, and luck has no part in it, so the tree
    grows deep where it matters.
    """

    name = "champion"
    options = search_options("0.35")
    eval_weight = 1.0
