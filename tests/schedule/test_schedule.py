"""A round robin, against tables made by hand and for 2 to 30 bots."""

from collections import Counter

import pytest

from pwtourney.schedule import Pairing, Scheduler
from pwtourney.schedule.round_robin import RoundRobin
from tests.schedule.playing import everything


def schedule(bots: list[str], pairs: int) -> list[Pairing]:
    """Return a whole round robin."""
    return everything(Scheduler(RoundRobin(tuple(bots), pairs)))


def test_four_bots_play_the_rounds_of_the_circle_method() -> None:
    """Three rounds of two pairs, as anybody draws them up by hand."""
    assert schedule(["a", "b", "c", "d"], 1) == [
        *(Pairing(0, "a", "d", 0), Pairing(1, "b", "c", 1)),
        *(Pairing(2, "a", "c", 2), Pairing(3, "d", "b", 3)),
        *(Pairing(4, "a", "b", 4), Pairing(5, "c", "d", 5)),
    ]


@pytest.mark.parametrize("count", range(2, 31))
def test_everybody_meets_everybody_once_a_cycle(count: int) -> None:
    """Any two bots meet once in each cycle, and the seat that is first alternates."""
    bots = [f"bot{number}" for number in range(count)]
    pairs = schedule(bots, 2)
    assert [pair.number for pair in pairs] == list(range(count * (count - 1)))
    half = len(pairs) // 2
    for cycle in (pairs[:half], pairs[half:]):
        met = Counter(frozenset((pair.first, pair.second)) for pair in cycle)
        assert set(met.values()) == {1}
        assert len(met) == count * (count - 1) // 2
    ordered = {(pair.first, pair.second) for pair in pairs}
    assert len(ordered) == len(pairs)


@pytest.mark.parametrize("count", range(2, 31))
def test_a_table_read_half_way_is_fair(count: int) -> None:
    """After every round all bots have played equally often, but for one that sat out."""
    bots = [f"bot{number}" for number in range(count)]
    played = dict.fromkeys(bots, 0)
    for position, pair in enumerate(schedule(bots, 1), 1):
        played[pair.first] += 1
        played[pair.second] += 1
        if position % (count // 2) == 0:
            assert max(played.values()) - min(played.values()) <= count % 2


def test_longer_tournaments_begin_like_shorter_ones() -> None:
    """More cycles add pairs at the end, so a run can be made longer."""
    bots = ["a", "b", "c"]
    assert schedule(bots, 5)[: len(schedule(bots, 2))] == schedule(bots, 2)
