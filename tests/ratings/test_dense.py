"""Sorting and numbering of integer rows, and counts by deal."""

import random

import numpy as np
import pytest

from pwtourney.ratings.dense import have_one_value, number_values, sort_by_few, sort_rows
from pwtourney.ratings.uncertainty import clustered_meat


@pytest.mark.parametrize("apart", [1, 10**6, 2**40], ids=["marks", "a sort", "a long sort"])
def test_values_are_numbered_in_their_order(apart: int) -> None:
    """Python's sets and lists number them in this way, however far apart the values are."""
    rng = random.Random(apart)
    values = [rng.randrange(60) * apart for _ in range(300)]
    distinct, numbers = number_values(np.array(values))
    assert distinct.tolist() == sorted(set(values))
    assert [distinct[number] for number in numbers] == values


@pytest.mark.parametrize("size", [3, 2**15, 2**31, 2**62], ids=str)
def test_rows_are_sorted_like_tuples(size: int) -> None:
    """By one number for columns and row, by the columns in one number, or column by column."""
    rng = random.Random(size)
    rows = [(rng.randrange(size), 7, rng.randrange(size) - size // 2) for _ in range(500)]
    order = sort_rows([np.array(column) for column in zip(*rows, strict=True)])
    assert sorted(order.tolist()) == list(range(500))
    assert [rows[k] for k in order] == sorted(rows)


def test_equal_small_numbers_keep_their_order() -> None:
    """The sort is stable, like `sorted`."""
    values = [random.Random(k).randrange(4) for k in range(200)]
    expected = sorted(range(200), key=values.__getitem__)
    assert sort_by_few(np.array(values)).tolist() == expected


def test_group_has_one_value_if_no_row_differs_from_the_row_before() -> None:
    """Groups may share values; two values in one group are found at any position."""
    group = np.array([0, 0, 1, 1, 2])
    assert have_one_value(group, np.array([5, 5, 5, 5, 1]))
    assert not have_one_value(group, np.array([5, 5, 5, 6, 1]))
    assert not have_one_value(group, np.array([4, 5, 5, 5, 1]))


@pytest.mark.parametrize("seat_term", [False, True], ids=["without a seat term", "with one"])
@pytest.mark.parametrize("alone", [True, False], ids=["two bots a deal", "four bots a deal"])
def test_scores_are_multiplied_deal_by_deal(alone: bool, seat_term: bool) -> None:
    """A loop sums G/(G − 1) Σ s sᵀ; deals have one to three games, in either seat."""
    rng = random.Random(3)
    deals, bots = 40, 4
    games: list[tuple[int, int, int]] = []
    for deal in range(deals):
        left, right = rng.sample(range(bots), 2)
        for _ in range(rng.randint(1, 3)):
            first, second = rng.sample([left, right], 2)
            games.append((deal, first, second))
            if not alone:
                first, second = rng.sample(range(bots), 2)
                games.append((deal, first, second))
    surplus = [rng.gauss(0, 1) for _ in games]
    expected = np.zeros((bots + 1, bots + 1))
    for deal in range(deals):
        score = np.zeros(bots + 1)
        for game, more in zip(games, surplus, strict=True):
            if game[0] == deal:
                score[game[1]] += more
                score[game[2]] -= more
                score[bots] += more if seat_term else 0.0
        expected += np.outer(score, score)
    on, begin, follow = np.array(games).T
    meat = clustered_meat(on, begin, follow, np.array(surplus), bots, seat_term)
    assert meat == pytest.approx(expected * deals / (deals - 1), abs=1e-12)
