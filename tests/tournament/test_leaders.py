"""The leading bots of a run are reported from time to time; the tests set the clock."""

import math
from collections.abc import Iterator

from pwtourney.schedule import Pairing, Schedule
from pwtourney.standings import RatingOptions
from pwtourney.standings.rate import standings
from pwtourney.tournament.events import Standing
from pwtourney.tournament.monitors import Leaders
from tests.ratings.games import pair

ROBIN = Schedule(format="round-robin", pairs=500, deals="fresh", until=None)


class Clock:
    """A clock that stands still until its time is set."""

    def __init__(self) -> None:
        self.time = 100.0

    def __call__(self) -> float:
        """Return the time in seconds."""
        return self.time


def pairs() -> Iterator[tuple[Pairing, tuple[float, float]]]:
    """Yield pairs: a wins both games of every fourth pair, and the others are split."""
    number = 0
    while True:
        points = (1.0, 1.0) if number % 4 == 0 else (1.0, 0.0)
        yield Pairing(number, "a", "b", number), points
        number += 1


def play(leaders: Leaders, clock: Clock, count: int, seconds: float) -> list[Standing]:
    """Play this many pairs in this time; return the reported standings."""
    reports = []
    for (pairing, points), _ in zip(pairs(), range(count), strict=False):
        clock.time += seconds / count
        standing = leaders.take_in(pairing, points)
        reports += [standing] if standing else []
    return reports


def test_no_leader_is_named_in_the_first_ten_seconds() -> None:
    """There is one report after ten seconds, and another one after ten more."""
    clock = Clock()
    leaders = Leaders(RatingOptions(), ROBIN, clock)
    assert play(leaders, clock, 39, 9.9) == []
    assert len(play(leaders, clock, 40, 10.0)) == 1
    assert len(play(leaders, clock, 40, 20.5)) == 2


def test_first_two_are_reported_with_their_difference() -> None:
    """The values equal those of the table; a pair takes one second, so seconds equal pairs."""
    clock = Clock()
    (standing,) = play(Leaders(RatingOptions(), ROBIN, clock), clock, 11, 11.0)
    games = [
        game
        for number in range(10)
        for game in pair("a", "b", 1.0, 1.0 if number % 4 == 0 else 0.0, str(number))
    ]
    (pool,) = standings(None, games).pools
    assert [(leader.bot, leader.elo, leader.plus_minus) for leader in standing.leaders] == [
        (line.bot, line.elo, line.plus_minus) for line in pool.rows
    ]
    assert (standing.above, standing.below, standing.order) == ("a", "b", None)
    assert standing.more == pool.more_pairs(pool.gaps[0])
    assert standing.more is not None
    assert math.isclose(standing.seconds, standing.more.of_all)


def test_leader_whose_bound_tells_nothing_has_no_rating() -> None:
    """Two bots share all pairs, and a third has won one: it is at the top, without a number."""
    clock = Clock()
    leaders = Leaders(RatingOptions(), ROBIN, clock)
    leaders.take_stored(Pairing(99, "new", "a", 99), (1.0, 1.0))
    for number in range(10):
        leaders.take_stored(Pairing(number, "a", "b", number), (1.0, 0.0))
    clock.time += 11
    standing = leaders.take_in(Pairing(10, "a", "b", 10), (1.0, 0.0))
    assert standing is not None
    first, second, *_ = standing.leaders
    assert (first.bot, first.elo, first.bound) == ("new", None, ">")
    assert second.elo is not None


def test_rule_for_the_whole_order_determines_the_pairs_left() -> None:
    """The report has the rule's level."""
    clock = Clock()
    rule = ROBIN.model_validate({**ROBIN.model_dump(), "until": {"ranks_separated": 0.999}})
    (plain,), (ordered,) = (
        play(Leaders(RatingOptions(), schedule, clock), clock, 11, 11.0)
        for schedule in (ROBIN, rule)
    )
    assert (plain.order, ordered.order) == (None, 0.999)
    assert plain.more is not None
    assert ordered.more is not None
    assert ordered.more.of_all > plain.more.of_all


def test_stored_pairs_count_but_took_no_time() -> None:
    """Of 50 pairs this run played 10, in 10.5 seconds: 1.05 seconds a pair."""
    clock = Clock()
    leaders = Leaders(RatingOptions(), ROBIN, clock)
    for (pairing, _), _ in zip(pairs(), range(40), strict=False):
        points = (0.0, 0.0) if pairing.number % 5 == 0 else (1.0, 0.0)
        leaders.take_stored(pairing._replace(deal=pairing.deal + 1000), points)
    (standing,) = play(leaders, clock, 10, 10.5)
    assert standing.more is not None
    assert standing.more.of_all > 0
    assert math.isclose(standing.seconds, standing.more.of_all * 1.05)


def test_no_interval_is_reported_if_results_decide_the_pairings() -> None:
    """The number of pairs that would separate the bots is not reported either."""
    clock = Clock()
    settings = {"format": "swiss", "pairs": 2, "deals": "fresh", "until": None, "rounds": 3}
    swiss = Schedule.model_validate(settings)
    (standing,) = play(Leaders(RatingOptions(), swiss, clock), clock, 11, 11.0)
    assert [leader.plus_minus for leader in standing.leaders] == [None, None]
    assert standing.more is None
