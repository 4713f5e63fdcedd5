"""Swiss tournaments: a table made by hand, a published one, and properties."""

import random
from collections import Counter
from itertools import combinations, pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pwtourney.schedule import Pairing, PlayedPair, Scheduler
from pwtourney.schedule.formats.swiss import Swiss, max_matching, most_rounds
from tests.schedule.playing import COUNTS, everything, names
from tests.schedule.test_formats import drawn, lower_number_wins


@pytest.mark.parametrize("count", COUNTS)
def test_swiss_has_no_rematch_and_one_match_or_bye_a_round(count: int) -> None:
    """This holds for as many rounds as can be paired; no bot has two byes."""
    bots = names(count)
    swiss = Swiss(bots, most_rounds(count), 1)
    scheduler = Scheduler(swiss)
    played = everything(scheduler, drawn(count))
    met = Counter(frozenset((pairing.first, pairing.second)) for pairing in played)
    assert set(met.values()) == {1}
    size = count // 2
    for start in range(0, len(played), size):
        seated = [bot for pairing in played[start : start + size] for bot in pairing[1:3]]
        assert len(seated) == len(set(seated)) == 2 * size
    rows = swiss.rank(scheduler.history)
    assert len(played) == size * most_rounds(count)
    assert all(len(row.opponents) + row.bye == most_rounds(count) for row in rows)
    assert sum(row.points for row in rows) == most_rounds(count) * (size + count % 2)


def test_first_swiss_round_pairs_upper_with_lower_half() -> None:
    """The pairs are 1–5, 2–6, 3–7 and 4–8; then winners meet winners."""
    scheduler = Scheduler(Swiss(names(8), 2, 1))
    played = everything(scheduler, lower_number_wins)
    assert [pairing[1:3] for pairing in played[:4]] == [
        ("bot0", "bot4"),
        ("bot1", "bot5"),
        ("bot2", "bot6"),
        ("bot3", "bot7"),
    ]
    assert [pairing[1:3] for pairing in played[4:]] == [
        ("bot0", "bot2"),
        ("bot1", "bot3"),
        ("bot4", "bot6"),
        ("bot5", "bot7"),
    ]


def test_a_swiss_table_of_five_by_hand() -> None:
    """Points, Buchholz and opponents in three rounds with byes are those worked out on paper.

    Round 1: the last of five has the bye; 0–2 and 1–3, the better numbers win. Points: 0, 1 and 4
    have one. Round 2: 3, the last without a bye, sits out; 0–1 is won by 0, 4 floats down to 2 and
    loses. Points: 0 two; 1, 2 and 3 one; 4 one by its bye. Round 3: the last of those with one
    point that had no bye is 2; 0 floats down to the first it has not met, 3; 1 meets 4.
    """
    swiss = Swiss(names(5), 3, 1)
    scheduler = Scheduler(swiss)
    played = everything(scheduler, lower_number_wins)
    assert [pairing[1:3] for pairing in played] == [
        ("bot0", "bot2"),
        ("bot1", "bot3"),
        ("bot0", "bot1"),
        ("bot4", "bot2"),
        ("bot0", "bot3"),
        ("bot1", "bot4"),
    ]
    table = [(row.bot, row.points, row.buchholz, row.bye) for row in swiss.rank(scheduler.history)]
    # bot0 met 2 (2 points), 1 (2), 3 (1); bot1 met 3, 0, 4; bot2 met 0, 4; bot3 met 1, 0; bot4 met
    # 2, 1
    assert table == [
        ("bot0", 3.0, 5.0, False),
        ("bot1", 2.0, 5.0, False),
        ("bot2", 2.0, 4.0, True),
        ("bot3", 1.0, 5.0, True),
        ("bot4", 1.0, 4.0, True),
    ]


@given(st.integers(2, 9), st.randoms(use_true_random=False))
@settings(max_examples=150, deadline=None)
@pytest.mark.slow
def test_matching_is_as_large_as_an_exhaustive_search_finds(count: int, rng: random.Random) -> None:
    """Edmonds' algorithm is compared with a search through all sets of edges."""
    edges = [pair for pair in combinations(range(count), 2) if rng.random() < 0.4]
    partners = [
        [b if a == node else a for a, b in edges if node in (a, b)] for node in range(count)
    ]

    def best(left: list[tuple[int, int]]) -> int:
        if not left:
            return 0
        (a, b), *rest = left
        apart = [pair for pair in rest if a not in pair and b not in pair]
        return max(1 + best(apart), best(rest))

    assert max_matching(partners) == best(edges)


def test_swiss_table_is_sorted() -> None:
    """The order is by points, then Buchholz, then points of games."""
    swiss = Swiss(names(11), 4, 2)
    scheduler = Scheduler(swiss)
    everything(scheduler, drawn(4))
    keys = [(row.points, row.buchholz, row.games) for row in swiss.rank(scheduler.history)]
    assert all(above >= below for above, below in pairwise(keys))


PUBLISHED = """
7.5 6w1 2b= 9w1 5b1 4w1 3b0 7w1 8b1 U
7.5 4b0 1w= 3w1 8b1 5w1 7b1 U 6w1 9b1
6.0 8b1 4w0 2b0 6w1 9b1 1w1 5w1 U 7b0
6.0 2w1 3b1 5b0 7w1 1b0 U 8w1 9b1 6b0
6.0 U 9b1 4w1 1w0 2b0 6w1 3b0 7w1 8b1
4.0 1b0 8w1 7w0 3b0 U 5b0 9w1 2b0 4w1
3.5 9w0 U 6b1 4b0 8w= 2w0 1b0 5b0 3w1
2.5 3w0 6b0 U 2w0 7b= 9w1 4b0 1w0 5w0
2.0 7b1 5w0 1b0 U 3w0 8b0 6b0 4w0 2w0
"""
"""A tournament of nine over nine rounds, lichess.org/swiss/QLMFFLBq, as it was reported in FIDE's
format: points, then for each round the opponent, the colour and the result, or a full-point bye."""


def test_a_published_swiss_tournament_has_the_published_table() -> None:
    """Points and byes are those of the report, and Buchholz adds up: all players met."""
    rows = [row.split() for row in PUBLISHED.strip().splitlines()]
    points = {f"bot{index}": float(row[0]) for index, row in enumerate(rows)}
    history: list[PlayedPair] = []
    for turn in range(9):
        for index, row in enumerate(rows):
            if "w" in (cell := row[turn + 1]):
                opponent, got = cell.split("w")
                half = {"1": 1.0, "=": 0.5, "0": 0.0}[got]
                pairing = Pairing(len(history), f"bot{index}", f"bot{int(opponent) - 1}", 0)
                history.append(PlayedPair(pairing, (half, half)))
    ranked = Swiss(names(9), 9, 1).rank(history)
    assert [(row.bot, row.points) for row in ranked] == list(points.items())
    assert all(row.bye and len(row.opponents) == 8 for row in ranked)
    assert [row.buchholz for row in ranked] == [45 - score for score in points.values()]
