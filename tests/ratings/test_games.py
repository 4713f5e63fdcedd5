"""Games as columns: repetitions count once, and the order of the games does not matter."""

import random
from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pwtourney.ratings import Result
from pwtourney.ratings.game_columns import count_deals, gather
from pwtourney.standings.rate import standings
from tests.ratings.games import simulated


def test_repeated_game_counts_once() -> None:
    """It has the same bots, seats, deal and moves; other deals or moves make another game."""
    result = Result("a", "b", 1.0, "x", 3, pair="1", moves=77)
    games = [
        result,
        result._replace(pair="2"),
        result._replace(pair="3", moves=78),
        result._replace(deal="y", pair="4"),
        result._replace(moves=None, pair="5"),
        Result("b", "a", 1.0, "x", 3, pair="1", moves=77),
    ]
    table = standings(None, games)
    assert (table.games, table.repeated) == (5, 1)
    assert standings(None, games[::-1]) == table


def test_selected_bots_have_only_the_games_among_them() -> None:
    """Bots are numbered in the given order, void games included."""
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


@pytest.mark.slow
def test_order_of_games_changes_no_bit() -> None:
    """Shuffled results give exactly the same numbers."""
    results = simulated([0, 80, 160], 20, seed=11)
    bots = ["bot0", "bot1", "bot2"]
    expected = standings(bots, results)
    random.Random(5).shuffle(results)
    assert standings(bots, results) == expected


GAMES = st.lists(
    st.builds(
        Result,
        first=st.sampled_from("abc"),
        second=st.sampled_from("xyz"),
        points=st.sampled_from([1.0, 0.0, 0.5]),
        deal=st.sampled_from(["", "1", "2", "10"]),
        margin=st.sampled_from([None, -3, 0, 5, 2**40]),
        pair=st.sampled_from(["", "1", "2", "10"]),
        moves=st.none(),
    )
)


@given(GAMES)
@pytest.mark.slow
def test_games_are_sorted_by_their_columns(games: list[Result]) -> None:
    """By deal, pair, seats, outcome and margin; a pair is identified by its name and its bots."""
    columns = gather(None, games)
    keys = ("deal", "pair", "first", "second", "halves", "margin")
    rows = list(zip(*(getattr(columns, key).tolist() for key in keys), strict=True))
    assert rows == sorted(rows)
    seen = [(columns.bots[row[2]], columns.bots[row[3]], row[4] / 2) for row in rows]
    assert sorted(seen) == sorted(game[:3] for game in games)
    of_pair = defaultdict(set)
    for row in rows:
        of_pair[row[1]].add(row[2:4])
    assert all(len(bots) == 1 for bots in of_pair.values())
    assert sorted(of_pair) == list(range(columns.pairs))
    assert sorted({row[0] for row in rows}) == list(range(columns.deals))


@pytest.mark.parametrize("apart", [1, 10**6], ids=["marks", "a sort"])
def test_deals_of_a_bot_are_counted_once(apart: int) -> None:
    """Dense numbers of deals are counted by marks, sparse ones by sorting."""
    deal, first, second = np.array([[0, 0, 1, 2, 2], [0, 1, 0, 1, 1], [1, 0, 2, 2, 2]])
    assert count_deals(deal * apart, first, second, 3) == [2, 2, 2]
