"""Monte-Carlo tree search: a position is worth what comes of it in games played to their end."""

from pwtourney_bots.searcher import Searcher, search_options

__all__ = ["Mcts"]


class Mcts(Searcher):
    """Judges a position by a game that the simulator's policy plays from there to its end.

    One such game tells little, thousands of them tell much: it gets stronger with time.
    """

    name = "mcts"
    options = search_options("1")
    eval_weight = 0.0
