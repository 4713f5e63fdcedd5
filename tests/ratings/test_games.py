"""Games as columns: repetitions count once, and the order of arrival changes nothing."""

import random

from pwtourney.ratings import Result
from pwtourney.standings.rate import standings
from tests.ratings.games import simulated


def test_a_game_that_repeats_another_counts_once() -> None:
    """The same bots, seats, deal and moves; not on another deal, and not with other moves."""
    one = Result("a", "b", 1.0, "x", 3, pair="1", moves=77)
    games = [
        one,
        one._replace(pair="2"),
        one._replace(pair="3", moves=78),
        one._replace(deal="y", pair="4"),
        one._replace(moves=None, pair="5"),
        Result("b", "a", 1.0, "x", 3, pair="1", moves=77),
    ]
    found = standings(None, games)
    assert (found.games, found.repeated) == (5, 1)
    assert standings(None, games[::-1]) == found


def test_the_order_of_the_games_changes_no_bit() -> None:
    """Shuffled results give the very same numbers."""
    results = simulated([0, 80, 160], 20, seed=11)
    bots = ["bot0", "bot1", "bot2"]
    expected = standings(bots, results)
    random.Random(5).shuffle(results)
    assert standings(bots, results) == expected
