"""A cycle is named only if each of its results is certain, with equal seats."""

from itertools import permutations

from pwtourney.ratings.cycles import find_cycle
from pwtourney.ratings.meetings import HeadToHead
from tests.ratings.games import only_pool, pair


def met(winner: str, loser: str, p: float = 0.01) -> HeadToHead:
    """Return ten pairs of two bots, of which the first won seven points of ten in each seat."""
    return HeadToHead(winner, loser, 20, 14.0, 10, 0.1, p, pairs=(1, 0, 4, 0, 5))


RING = (met("rock", "scissors"), met("scissors", "paper"), met("paper", "rock"))


def test_ring_of_three_is_found_from_any_side() -> None:
    """It begins with its first bot by name, in any order of the pairings, from either side."""
    ways = [*permutations(RING), tuple(meeting.seen_from(meeting.second) for meeting in RING)]
    assert {find_cycle(way) for way in ways} == {("paper", "rock", "scissors")}


def test_order_of_strength_has_no_cycle() -> None:
    """Everybody beats all that come later."""
    ordered = [met(a, b) for a, b in ("ab", "ac", "ad", "bc", "bd", "cd")]
    assert find_cycle(ordered) == ()


def test_cycle_with_an_uncertain_result_is_not_named() -> None:
    """At p = 0.05, or after a single deal, the third result may be chance."""
    for p in (0.05, None):
        assert find_cycle((*RING[:2], RING[2]._replace(p=p))) == ()
    assert find_cycle((*RING[:2], RING[2]._replace(p=0.0499)))


def test_games_without_their_mirrored_ones_make_no_cycle() -> None:
    """If one bot had the first seat more often, the seat may have won."""
    lopsided = RING[0]._replace(games=21, points=15.0)
    assert find_cycle((lopsided, *RING[1:])) == ()


def test_shortest_of_several_cycles_is_named() -> None:
    """A ring of four contains a ring of three, by a result across it."""
    four = [met(a, b) for a, b in ("ab", "bc", "cd", "da")]
    assert find_cycle(four) == ("a", "b", "c", "d")
    assert find_cycle([*four, met("c", "a")]) == ("a", "b", "c")


def test_cycle_within_a_long_order_is_found() -> None:
    """A thousand bots in order, each of which beats the next ten; one in the middle strikes back.

    The order before and after the cycle leads nowhere.
    """
    names = [f"{number:04}" for number in range(1000)]
    ordered = [met(names[k], names[k + step]) for k in range(990) for step in range(1, 11)]
    assert find_cycle(ordered) == ()
    back = met(names[520], names[500])
    assert find_cycle([*ordered, back]) == (names[500], names[510], names[520])


def test_pool_names_the_cycle_of_its_games() -> None:
    """Each of three bots won 45 of 60 games, 15 of 30 in one seat and all in the other."""
    games = [
        game
        for first, second in (("a", "b"), ("b", "c"), ("c", "a"))
        for k in range(30)
        for game in pair(first, second, 1.0, float(k % 2), f"{first}{k}")
    ]
    assert only_pool(["a", "b", "c"], games).cycle == ("a", "b", "c")
    assert only_pool(["a", "b", "c"], games[:120]).cycle == ()
