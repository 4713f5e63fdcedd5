"""Round robin, gauntlet, focus, solo and ladder: tables by hand, and properties."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pwtourney.rules.automa import Automa
from pwtourney.schedule import Pairing, Schedule, Scheduler, list_players, make_scheduler
from pwtourney.schedule.formats.focus import Focus
from pwtourney.schedule.formats.gauntlet import Gauntlet
from pwtourney.schedule.formats.round_robin import (
    RoundRobin,
    ladder_rounds,
    rounds,
)
from tests.schedule.playing import COUNTS, by_strength, everything, names


def schedule(bots: list[str], pairs: int) -> list[Pairing]:
    """Return all pairs of a round robin."""
    return everything(Scheduler(RoundRobin(tuple(bots), pairs)))


def test_four_bots_play_the_rounds_of_the_circle_method() -> None:
    """Three rounds of two pairs, as drawn up by hand."""
    assert schedule(["a", "b", "c", "d"], 1) == [
        Pairing(0, "a", "d", 0),
        Pairing(1, "b", "c", 1),
        Pairing(2, "a", "c", 2),
        Pairing(3, "d", "b", 3),
        Pairing(4, "a", "b", 4),
        Pairing(5, "c", "d", 5),
    ]


@pytest.mark.parametrize("count", COUNTS)
def test_every_two_bots_meet_once_a_cycle(count: int) -> None:
    """The seats alternate from cycle to cycle."""
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
def test_games_played_differ_by_at_most_one_after_every_round(count: int) -> None:
    """With an odd number of bots, one sits out each round."""
    bots = [f"bot{number}" for number in range(count)]
    played = dict.fromkeys(bots, 0)
    for position, pair in enumerate(schedule(bots, 1), 1):
        played[pair.first] += 1
        played[pair.second] += 1
        if position % (count // 2) == 0:
            assert max(played.values()) - min(played.values()) <= count % 2


def test_longer_tournaments_begin_like_shorter_ones() -> None:
    """More cycles add pairs at the end, so a run can be extended."""
    bots = ["a", "b", "c"]
    assert schedule(bots, 5)[: len(schedule(bots, 2))] == schedule(bots, 2)


@pytest.mark.parametrize("count", COUNTS)
def test_in_a_gauntlet_only_challengers_meet_the_field(count: int) -> None:
    """Every challenger plays every bot of the field equally often, from each seat."""
    bots = names(count)
    split = max(1, count // 3)
    challengers, field = bots[:split], bots[split:]
    played = everything(Scheduler(Gauntlet(challengers, field, 4)))
    ordered = Counter((pairing.first, pairing.second) for pairing in played)
    expected = {(a, b) for a in challengers for b in field} | {
        (b, a) for a in challengers for b in field
    }
    assert ordered == dict.fromkeys(expected, 2)


def test_a_gauntlet_of_two_against_three_by_hand() -> None:
    """In each of three rounds every challenger has another opponent."""
    played = everything(Scheduler(Gauntlet(("x", "y"), ("a", "b", "c"), 1)))
    assert [(pairing.first, pairing.second) for pairing in played] == [
        ("x", "a"),
        ("y", "b"),
        ("x", "b"),
        ("y", "c"),
        ("x", "c"),
        ("y", "a"),
    ]


@pytest.mark.slow
def test_focus_spends_half_of_its_pairs_on_the_best_bots() -> None:
    """The two bots near the top meet far more often than the last two of four weak ones."""
    elos = {"a": 60.0, "b": 40.0, "c": -300.0, "d": -320.0, "e": -340.0, "f": -360.0}
    played = everything(Scheduler(Focus(tuple(elos), 40)), by_strength(elos, 1))
    met = Counter(frozenset((pairing.first, pairing.second)) for pairing in played)
    assert len(played) == 40 * 15
    assert min(met.values()) >= 20
    assert met[frozenset("ab")] > 3 * met[frozenset("ef")]


@pytest.mark.parametrize("count", COUNTS)
def test_solo_bots_meet_the_automa_on_the_same_deals(count: int) -> None:
    """Every bot moves first and plays deals 0, 1, 2, …; a single bot suffices."""
    bots = names(count - 1)
    settings = {"format": "solo", "pairs": 3, "deals": "shared", "automa": Automa("fellow")}
    schedule = Schedule.model_validate({**settings, "until": None})
    played = everything(make_scheduler(schedule, bots))
    assert [(pairing.first, pairing.second, pairing.deal) for pairing in played] == [
        (bot, "automa", deal) for deal in range(3) for bot in bots
    ]
    assert list_players("solo", bots) == (*bots, "automa")


LADDERS = (st.integers(2, 40), st.integers(1, 45))
"""The number of bots, and the reach: the greatest distance between bots that meet."""


@pytest.mark.parametrize(
    ("bots", "reach", "by_hand"),
    [
        ("ab", 1, ["ab"]),
        ("abc", 1, ["ab", "bc"]),
        ("abcde", 1, ["ab cd", "bc de"]),
        ("abcdef", 2, ["ab cd ef", "bc de", "ac bd", "ce df"]),
        # of the rounds of the circle method, a–d bc, a–c d–b, a–b c–d, only a–d is too far
        ("abcd", 2, ["bc", "ac db", "ab cd"]),
        ("abcd", 3, ["ad bc", "ac db", "ab cd"]),
        ("abcd", 99, ["ad bc", "ac db", "ab cd"]),
    ],
)
def test_rounds_of_a_ladder_match_those_drawn_up_by_hand(
    bots: str, reach: int, by_hand: list[str]
) -> None:
    """A long ladder begins with neighbours; a short one follows the circle method."""
    ladder = [" ".join(map("".join, meetings)) for meetings in ladder_rounds(bots, reach)]
    assert ladder == by_hand


@pytest.mark.slow
@given(*LADDERS, st.integers(1, 3))
def test_on_a_ladder_only_bots_within_reach_meet(count: int, reach: int, pairs: int) -> None:
    """Each two of them meet exactly `pairs` times, with alternating seats."""
    bots = names(count)
    form = RoundRobin(bots, pairs, reach)
    played = everything(Scheduler(form))
    met = Counter(frozenset((pairing.first, pairing.second)) for pairing in played)
    near = {
        frozenset((bots[low], bots[high]))
        for low in range(count)
        for high in range(low + 1, count)
        if high - low <= reach
    }
    assert met == dict.fromkeys(near, pairs)
    assert len(played) == form.max_pairs()
    # the same meeting in the next wave
    for earlier, later in zip(played, played[len(near) :], strict=False):
        assert (earlier.first, earlier.second) == (later.second, later.first)


@pytest.mark.slow
@given(*LADDERS)
def test_no_bot_plays_twice_in_a_round_of_a_ladder(count: int, reach: int) -> None:
    """A bot with the full number of opponents sits out only if one must."""
    most = min(2 * reach, count - 1)
    middle = {
        bot
        for bot in range(count)
        if sum(abs(bot - other) <= reach for other in range(count)) - 1 == most
    }
    drawn = [
        [(int(first), int(second)) for first, second in meetings]
        for meetings in ladder_rounds([str(bot) for bot in range(count)], reach)
    ]
    odd = count % 2 if 2 * reach >= count else 0
    assert len(drawn) == most + odd
    for meetings in drawn:
        playing = [bot for meeting in meetings for bot in meeting]
        assert len(set(playing)) == len(playing)
        assert len(middle.difference(playing)) <= odd


@pytest.mark.slow
@given(*LADDERS)
def test_ladder_is_fair_after_every_pair(count: int, reach: int) -> None:
    """No bot is ahead of one in the middle by more than one pair, or two if the count is odd."""
    bots = names(count)
    played = dict.fromkeys(bots, 0)
    opponents = {
        bot: sum(abs(index - other) <= reach for other in range(count)) - 1
        for index, bot in enumerate(bots)
    }
    middle = [bot for bot in bots if opponents[bot] == min(2 * reach, count - 1)]
    for meeting in RoundRobin(bots, 1, reach).wave(0, ()):
        for bot in meeting:
            played[bot] += 1
        if middle:
            assert max(played.values()) - min(played[bot] for bot in middle) <= 1 + count % 2
    assert played == opponents


@pytest.mark.parametrize("count", COUNTS)
def test_ladder_with_full_reach_is_a_round_robin(count: int) -> None:
    """This holds if the reach is at least the number of bots minus one."""
    bots = names(count)
    plain = everything(Scheduler(RoundRobin(bots, 2)))
    for reach in (count - 1, count, 10**30):
        assert everything(Scheduler(RoundRobin(bots, 2, reach))) == plain
    assert list(ladder_rounds(bots, count - 1)) == list(rounds(bots))
