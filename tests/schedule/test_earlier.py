"""Pairs played before a schedule begins, counted by hand in leagues of two or three bots."""

import pytest

from pwtourney.ratings.pairs import Sprt
from pwtourney.schedule import Pairing, PairPoints, PlayedPair, Schedule, Scheduler, Until, replay
from pwtourney.schedule.formats.focus import Focus
from pwtourney.schedule.formats.round_robin import RoundRobin
from pwtourney.schedule.formats.sprt import BATCH, SprtFormat
from pwtourney.schedule.league import (
    Generation,
    gather_earlier,
    list_names,
    make_scheduler,
    max_pairs,
    pairings,
)
from pwtourney.schedule.pairing import Outcomes
from pwtourney.schedule.scheduler import Earlier

AB, AC, BC = frozenset("ab"), frozenset("ac"), frozenset("bc")


def robin(pairs: int, *, shared: bool = False, deal_count: int | None = None) -> Schedule:
    """Return the schedule of a round robin without a stopping rule."""
    return Schedule(
        format="round-robin",
        pairs=pairs,
        deals="shared" if shared else "fresh",
        deal_count=deal_count,
        until=None,
    )


def stored(*numbers: int) -> Outcomes:
    """Return outcomes in which the first bot wins each of these pairs 2 to 0."""
    outcomes = Outcomes()
    for number in numbers:
        outcomes.note(number, 2, 0)
    return outcomes


@pytest.mark.parametrize(
    ("met", "pairs", "deal_count", "counted"),
    [
        ({0: 1, 1: 1, 5: 1}, 3, None, 2),  # deal 5 lies beyond the end of this league
        ({0: 1, 1: 1, 5: 1}, 6, None, 3),
        ({0: 1, 1: 1, 5: 1}, 5, None, 2),
        ({0: 2}, 3, None, 1),  # played twice, wanted once
        ({0: 3, 1: 1}, 4, 2, 3),  # of 0 1 0 1 the first two zeros and one 1
        ({0: 3, 1: 2}, 3, 2, 3),  # of 0 1 0 there are only two zeros and one 1
        ({0: 5}, 3, 1, 3),  # fresh deals are all alike: three of five
        ({0: 2}, 3, 1, 2),
        ({}, 3, None, 0),
    ],
)
def test_earlier_pairs_count_up_to_the_scheduled_number(
    met: dict[int, int], pairs: int, deal_count: int | None, counted: int
) -> None:
    """Deals take turns, are unlimited, or are all alike; pairs of two other bots do not count."""
    earlier = Earlier(9, {AB: met, AC: {0: 7, 1: 7}})
    assert earlier.count_played(AB, pairs, deal_count) == counted
    assert earlier.count_played(BC, pairs, deal_count) == 0


def test_pair_was_played_if_its_deal_was_played_often_enough() -> None:
    """With two deals in turn, pairs 0 and 2 have deal 0, pairs 1 and 3 deal 1."""
    earlier = Earlier(3, {AB: {0: 2, 1: 1}})
    assert [earlier.has(AB, meeting, 2) for meeting in range(4)] == [True, True, True, False]
    assert [earlier.has(AB, meeting, None) for meeting in range(3)] == [True, True, False]
    assert [earlier.has(AB, meeting, 1) for meeting in range(3)] == [True, True, False]
    assert not earlier.has(AC, 0, 2)


def test_all_pairs_of_earlier_generations_are_counted() -> None:
    """The count includes all bots and all deals."""
    assert Earlier(9, {AB: {0: 3, 1: 1}, AC: {0: 1}}).pairs == 5
    assert Earlier(0, {}).pairs == 0


def test_a_new_bot_adds_only_its_own_pairs() -> None:
    """Two bots have played two of three pairs when a third joins: 1 + 2 × 3 pairs are left."""
    old = Generation(0, ("a", "b"), robin(2))
    outcomes = stored(0, 1)
    before = gather_earlier([old], 2, outcomes)
    assert before is not None
    assert (before.first, before.met, before.history) == (2, {AB: {0: 2}}, ())
    assert max_pairs(robin(3), ("a", "b", "c"), before) == 2 + 1 + 6
    assert max_pairs(robin(2), ("a", "b"), before) == 2
    assert max_pairs(robin(1), ("a", "b"), before) == 2  # what is stored stays
    assert max_pairs(robin(3), ("a", "b", "c"), None) == 9
    scheduler = make_scheduler(robin(3), ("a", "b", "c"), before)
    new = []
    while pairing := scheduler.next():
        new.append(pairing)
    assert [pairing.number for pairing in new] == list(range(2, 9))
    assert [pairing.deal for pairing in new] == list(range(2, 9))  # fresh ones, never used before
    assert sum({pairing.first, pairing.second} == {"a", "b"} for pairing in new) == 1


def test_unextended_tournament_has_no_earlier_pairs() -> None:
    """Its scheduler begins at pair 0."""
    assert gather_earlier([], 0, stored()) is None
    assert make_scheduler(robin(1), ("a", "b")).first == 0


def test_missing_pair_of_an_old_generation_is_played_by_the_next() -> None:
    """Pair 1 of three was never stored; its deal is played again under a new number."""
    shared = robin(3, shared=True)
    outcomes = stored(0, 2)
    old = Generation(0, ("a", "b"), shared)
    before = gather_earlier([old], 3, outcomes)
    assert before is not None
    assert before.met == {AB: {0: 1, 2: 1}}
    scheduler = make_scheduler(shared, ("a", "b"), before)
    # the seats alternate from wave to wave, and the deal is that of the second one
    assert scheduler.next() == Pairing(3, "b", "a", 1)
    assert scheduler.next() is None
    assert scheduler.over
    outcomes.note(3, 2, 0)
    pairs = pairings([old, Generation(3, ("a", "b"), shared)], outcomes)
    assert pairs == {
        0: Pairing(0, "a", "b", 0),
        2: Pairing(2, "a", "b", 2),
        3: Pairing(3, "b", "a", 1),
    }


def test_interrupted_generation_ends_where_the_next_begins() -> None:
    """The first was ended after two of ten pairs; the second has other bots."""
    league = [Generation(0, ("a", "b"), robin(10)), Generation(2, ("a", "c"), robin(1))]
    pairs = pairings(league, stored(0, 1, 2))
    assert [(pairing.first, pairing.second) for pairing in pairs.values()] == [
        ("a", "b"),
        ("b", "a"),
        ("a", "c"),
    ]
    assert list(pairs) == [0, 1, 2]


def test_repeated_deals_are_counted_by_deal() -> None:
    """Of three pairs on two deals, the first deal was played twice, the second once."""
    before = gather_earlier(
        [Generation(0, ("a", "b"), robin(3, shared=True, deal_count=2))], 3, stored(0, 1, 2)
    )
    assert before is not None
    assert before.met == {AB: {0: 2, 1: 1}}
    longer = make_scheduler(robin(5, shared=True, deal_count=2), ("a", "b"), before)
    assert [longer.next(), longer.next()] == [Pairing(3, "b", "a", 1), Pairing(4, "a", "b", 0)]
    assert longer.next() is None


def test_only_a_stopping_rule_reads_earlier_results() -> None:
    """They are in the order of their numbers, with points; without a rule none are kept."""
    old, outcomes = Generation(0, ("a", "b"), robin(2)), Outcomes()
    outcomes.note(0, 2, 1)
    outcomes.note(1, None, None)
    without = gather_earlier([old], 2, outcomes)
    with_rule = gather_earlier([old], 2, outcomes, until=True)
    assert without is not None
    assert with_rule is not None
    assert without.history == ()
    assert with_rule.history == (
        PlayedPair(Pairing(0, "a", "b", 0), (1.0, 0.5)),
        PlayedPair(Pairing(1, "b", "a", 1), (None, None)),
    )


def test_stopping_rule_ignores_bots_that_have_left() -> None:
    """A rule about intervals sees only pairs between bots that still play."""
    until = Until(interval=50.0)
    history = tuple(
        PlayedPair(Pairing(number, first, second, number), (1.0, 0.0))
        for number, (first, second) in enumerate([("a", "b"), ("a", "gone"), ("b", "gone")])
    )
    earlier = Earlier(3, {AB: {0: 1}}, history)
    schedule = robin(2).model_copy(update={"until": until})
    assert make_scheduler(schedule, ("a", "b"), earlier).history == [history[0]]


def test_a_replay_ends_at_the_first_pair_that_is_not_stored() -> None:
    """Pairs 0, 1 and 3 of six are stored: two are replayed, and pair 3 is scheduled again."""
    outcomes = stored(0, 1, 3)
    scheduler = replay(Scheduler(Focus(("a", "b", "c"), 2)), outcomes)
    assert [played.pairing.number for played in scheduler.history] == [0, 1]
    assert [played.points for played in scheduler.history] == [(1.0, 0.0)] * 2
    following = scheduler.next()
    assert following is not None
    assert following.number == 3
    assert not scheduler.over


def test_replay_of_a_complete_schedule_is_over() -> None:
    """A round robin of three bots has three pairs a wave and needs no results."""
    scheduler = replay(Scheduler(RoundRobin(("a", "b", "c"), 1)), stored(0, 1, 2))
    assert scheduler.next() is None
    assert scheduler.over
    assert not scheduler.needs_results
    assert list(scheduler.history) == []


def test_focus_plays_a_round_robin_in_every_second_wave() -> None:
    """First seats are swapped from one round robin to the next; the last wave is empty."""
    focus = Focus(("a", "b", "c", "d"), 5)
    rounds = [("a", "d"), ("b", "c"), ("a", "c"), ("d", "b"), ("a", "b"), ("c", "d")]
    turned = [(second, first) for first, second in rounds]
    history = [
        PlayedPair(Pairing(number, first, second, number), (1.0, 0.0))
        for number, (first, second) in enumerate(rounds)
    ]
    assert focus.wave(0, []) == rounds
    assert focus.wave(1, []) == rounds  # nothing is known that pairs could be chosen by
    assert focus.wave(2, history) == turned
    assert focus.wave(4, history) == rounds
    assert list(focus.wave(5, history)) == []
    chosen = focus.wave(1, history)
    assert len(chosen) == 6
    assert all(first != second for first, second in chosen)


def batch(points: PairPoints, first: str = "new", count: int = BATCH) -> list[PlayedPair]:
    """Return pairs of the new version and the old one with the same points."""
    second = "old" if first == "new" else "new"
    return [PlayedPair(Pairing(0, first, second, 0), points) for _ in range(count)]


TEST = SprtFormat(("new", "old"), Sprt(elo0=0, elo1=20, alpha=0.05, beta=0.05, normalised=False))


def test_points_are_counted_for_the_new_version_from_either_seat() -> None:
    """The pairs have 0, ½, 1, 1½ and 2 points for the new version."""
    history = [
        *batch((0.0, 0.0), "new", 1),
        *batch((1.0, 0.5), "old", 2),  # the old one has 1½, so the new one has ½
        *batch((1.0, 0.0), "new", 3),
        *batch((0.0, 0.5), "old", 4),
        *batch((1.0, 1.0), "new", 5),
    ]
    (trial,) = TEST.trials(history)
    assert trial.pairs == (1, 2, 3, 4, 5)
    assert trial.voids == 0
    assert trial.decision is None


def test_sprt_is_evaluated_after_whole_batches_only() -> None:
    """Sixteen won pairs decide a test of 200 Elo, fifteen do not; later pairs are ignored."""
    test = SprtFormat(("new", "old"), TEST.test._replace(elo1=200))
    won = batch((1.0, 1.0))
    assert test.trials(won[:-1])[0].decision is None
    (decided,) = test.trials([*won, *batch((0.0, 0.0))])
    assert (decided.decision, decided.pairs) == ("H1", (0, 0, 0, 0, BATCH))
    assert list(test.wave(2, won)) == []
    assert len(test.wave(2, won[:-1])) == BATCH


def test_sprt_ends_after_a_batch_of_void_pairs() -> None:
    """Sixteen void pairs in a row end the test; fifteen and a valid one do not."""
    void = batch((None, None))
    (trial,) = TEST.trials(void)
    assert (trial.decision, trial.voids, trial.pairs) == ("inconclusive", BATCH, (0,) * 5)
    assert trial.llr == 0.0
    (goes_on,) = TEST.trials([*void[:-1], *batch((1.0, 0.0), count=1)])
    assert (goes_on.decision, goes_on.voids) == (None, BATCH - 1)
    (second,) = TEST.trials([*batch((1.0, 0.0)), *void])
    assert (second.decision, second.voids) == ("inconclusive", BATCH)
    assert (second.ends_void, goes_on.ends_void) == (True, False)


def test_table_of_a_test_that_void_pairs_ended_says_so() -> None:
    """It prints no likelihood next to that: 15 won pairs of 16, and then none that counts."""
    played = [*batch((1.0, 1.0), count=15), *batch((1.0, 0.0), count=1)]
    (row,) = TEST.table([*played, *batch((None, None))]).rows
    assert (row[1], row[-1]) == ("ended by void pairs", "–")
    assert TEST.status([*played, *batch((None, None))]).endswith(" (ended by void pairs)")
    (row,) = TEST.table(played).rows
    assert (row[1], row[-1]) == ("continues", "100.0%")


def test_each_batch_has_every_undecided_opponent() -> None:
    """The seats alternate; a decided opponent plays no more pairs."""
    test = SprtFormat(("new", "old", "older"), TEST.test)
    wave = test.wave(0, [])
    assert wave[:4] == [("new", "old"), ("new", "older"), ("old", "new"), ("older", "new")]
    assert len(wave) == 2 * BATCH
    assert set(test.wave(1, batch((None, None)))) == {
        ("new", "older"),
        ("older", "new"),
    }


def test_bot_inserted_into_a_ladder_meets_its_neighbours() -> None:
    """By hand: a–b and b–c were played; of a–x, b–c and x–b the two with x are missing."""
    ladder = robin(1).model_copy(update={"reach": 1})
    before = gather_earlier([Generation(0, ("a", "b", "c"), ladder)], 2, stored(0, 1))
    bots = ("a", "x", "b", "c")
    scheduler = make_scheduler(ladder, bots, before)
    assert [scheduler.next(), scheduler.next(), scheduler.next()] == [
        Pairing(2, "a", "x", 2),
        Pairing(3, "x", "b", 3),
        None,
    ]
    assert max_pairs(ladder, bots, before) == 4


def test_renamed_bot_keeps_its_pairs() -> None:
    """Bot a has played two pairs against b, and is called x when c joins: c has pairs to play."""
    old, outcomes = Generation(0, ("a", "b"), robin(2)), stored(0, 1)
    before = gather_earlier([old], 2, outcomes, {"a": "x"}, until=True)
    assert before is not None
    assert before.met == {frozenset("xb"): {0: 2}}
    assert {played.pairing[1:3] for played in before.history} == {("x", "b"), ("b", "x")}
    assert max_pairs(robin(2), ("x", "b", "c"), before) == 2 + 4
    outcomes = stored(*range(6))
    pairs = pairings([old, Generation(2, ("x", "b", "c"), robin(2), renames={"a": "x"})], outcomes)
    met = [{pairs[number].first, pairs[number].second} for number in range(6)]
    assert met[:2] == [{"a", "b"}] * 2
    assert sorted(map(sorted, met[2:])) == [["b", "c"], ["b", "c"], ["c", "x"], ["c", "x"]]


def test_bots_that_become_one_keep_what_both_played() -> None:
    """The pair of a and b, which become one bot, counts for neither, and still is one of three."""
    old = Generation(0, ("a", "b", "c"), robin(1))
    before = gather_earlier([old], 3, stored(0, 1, 2), {"b": "a"}, until=True)
    assert before is not None
    assert before.met == {frozenset("a"): {0: 1}, AC: {0: 2}}
    assert before.pairs == 3
    assert {frozenset(played.pairing[1:3]) for played in before.history} == {AC}
    assert max_pairs(robin(3), ("a", "c"), before) == 3 + 1


def test_names_follow_every_rename() -> None:
    """Bot a became x and then y; b, which left, and c have kept their names."""
    league = [
        Generation(0, ("a", "b"), robin(1)),
        Generation(1, ("x", "c"), robin(1), renames={"a": "x"}),
        Generation(2, ("y", "c"), robin(1), renames={"x": "y"}),
    ]
    assert list_names(league) == {"a": "y", "b": "b", "x": "y", "c": "c", "y": "y"}
