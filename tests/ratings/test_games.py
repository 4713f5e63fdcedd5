"""Games as columns: repetitions count once, and the order of arrival changes nothing."""

import random

from pwtourney.ratings import Result
from pwtourney.ratings.games import gather
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


def test_the_games_among_some_bots_are_theirs_alone() -> None:
    """Numbered in the order that is asked for, with their void games, and none against others."""
    games = [
        Result("a", "b", 1.0, "1", 10, pair="p"),
        Result("b", "c", 0.0, "2", -3),
        Result("c", "a", 0.5, "3"),
        Result("c", "d", 1.0, "4", 7, pair="q"),
        Result("d", "c", None, "5"),
        Result("a", "d", 1.0, "6"),
    ]
    columns = gather(["a", "b", "c", "d"], games)
    some = columns.select([3, 2])
    assert some.bots == ("d", "c")
    assert (some.first.tolist(), some.second.tolist()) == ([1], [0])
    assert (some.halves.tolist(), some.margin.tolist()) == ([2], [7])
    assert some.voids.tolist() == [1, 1]
    assert some.deal.tolist() == columns.deal[[3]].tolist()
    assert some.pair.tolist() == columns.pair[[3]].tolist()
    three = columns.select([0, 1, 2])
    assert (three.first.tolist(), three.second.tolist()) == ([0, 1, 2], [1, 2, 0])
    assert three.voids.tolist() == [0, 0, 1]


def test_the_order_of_the_games_changes_no_bit() -> None:
    """Shuffled results give the very same numbers."""
    results = simulated([0, 80, 160], 20, seed=11)
    bots = ["bot0", "bot1", "bot2"]
    expected = standings(bots, results)
    random.Random(5).shuffle(results)
    assert standings(bots, results) == expected
