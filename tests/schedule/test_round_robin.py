"""A round robin and its like: tables made by hand, and what holds for 2 to 30 bots."""

from collections import Counter

import pytest

from pwtourney.rules.automa import Automa
from pwtourney.schedule import Pairing, Schedule, Scheduler, list_players, make_scheduler
from pwtourney.schedule.round_robin import Focus, Gauntlet, RoundRobin
from tests.schedule.playing import COUNTS, by_strength, everything, names


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


@pytest.mark.parametrize("count", COUNTS)
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


@pytest.mark.parametrize("count", COUNTS)
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


@pytest.mark.parametrize("count", COUNTS)
def test_in_a_gauntlet_challengers_meet_the_field_and_nobody_else_meets(count: int) -> None:
    """Every challenger plays every bot of the field as often, from each seat first as often."""
    bots = names(count)
    split = max(1, count // 3)
    challengers, field = bots[:split], bots[split:]
    played = everything(Scheduler(Gauntlet(challengers, field, 4)))
    ordered = Counter((each.first, each.second) for each in played)
    wanted = {(a, b) for a in challengers for b in field} | {
        (b, a) for a in challengers for b in field
    }
    assert ordered == dict.fromkeys(wanted, 2)


def test_a_gauntlet_of_two_against_three_by_hand() -> None:
    """In each of three turns every challenger has another opponent."""
    played = everything(Scheduler(Gauntlet(("x", "y"), ("a", "b", "c"), 1)))
    assert [(each.first, each.second) for each in played] == [
        *(("x", "a"), ("y", "b")),
        *(("x", "b"), ("y", "c")),
        *(("x", "c"), ("y", "a")),
    ]


def test_focus_spends_half_on_whom_may_be_best() -> None:
    """Of two near the top and four far behind, the two meet far more often than the last two."""
    elos = {"a": 60.0, "b": 40.0, "c": -300.0, "d": -320.0, "e": -340.0, "f": -360.0}
    played = everything(Scheduler(Focus(tuple(elos), 40)), by_strength(elos, 1))
    met = Counter(frozenset((each.first, each.second)) for each in played)
    assert len(played) == 40 * 15
    assert min(met.values()) >= 20
    assert met[frozenset("ab")] > 3 * met[frozenset("ef")]


@pytest.mark.parametrize("count", COUNTS)
def test_in_a_solo_tournament_every_bot_meets_the_automa_on_the_same_deals(count: int) -> None:
    """As often as every other, on deals 0, 1, 2, …, always moving first; also a single bot."""
    bots = names(count - 1)
    schedule = Schedule(format="solo", pairs=3, deals="shared", until=None, automa=Automa("fellow"))
    played = everything(make_scheduler(schedule, bots))
    assert [(each.first, each.second, each.deal) for each in played] == [
        (bot, "automa", deal) for deal in range(3) for bot in bots
    ]
    assert list_players("solo", bots) == (*bots, "automa")
