"""Leagues of simulated bots: each missing pair is played once, whatever was stored before."""

import random
from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pwtourney.schedule import Schedule, Until, make_scheduler
from pwtourney.schedule.league import Generation, gather_earlier, max_pairs, pairings
from pwtourney.schedule.pairing import Outcomes
from tests.schedule.playing import by_strength


def schedule(pairs: int, deals: str, until: Until | None = None) -> Schedule:
    """Return the schedule of a round robin."""
    return Schedule(
        format="round-robin",
        pairs=pairs,
        deals="fresh" if deals == "fresh" else "shared",
        deal_count=3 if deals == "list" else None,
        until=until,
    )


def count_halves(points: float | None) -> int | None:
    """Return the points of a pair in halves; None if they are unknown."""
    return None if points is None else round(2 * points)


@pytest.mark.thorough
@given(
    st.sampled_from(["fresh", "shared", "list"]),
    st.lists(
        st.tuples(st.sets(st.sampled_from("abcde"), min_size=2), st.integers(1, 7)), min_size=1
    ),
    st.randoms(use_true_random=False),
)
@settings(max_examples=150, deadline=None)
@pytest.mark.slow
def test_every_two_bots_play_each_missing_pair_once(
    deals: str, rounds: list[tuple[set[str], int]], rng: random.Random
) -> None:
    """Interrupted generations leave holes; in the end all pairs are played under unique numbers."""
    outcomes, league = Outcomes(), list[Generation]()
    for index, (bots, pairs) in enumerate(rounds):
        first = max(outcomes, default=-1) + 1
        earlier = [generation.schedule.pairs for generation in league]
        plan = schedule(max([pairs, *earlier]), deals)
        members = tuple(sorted(bots))
        before = gather_earlier(league, first, outcomes)
        scheduler = make_scheduler(plan, members, before)
        league.append(Generation(first, members, plan))
        whole = index == len(rounds) - 1
        while pairing := scheduler.next():
            assert pairing.number not in outcomes
            if whole or rng.random() < 0.8:
                outcomes.note(pairing.number, 2, 0)
        assert max_pairs(plan, members, before) >= len(outcomes)
    all_pairings = pairings(league, outcomes)
    assert set(all_pairings) == set(outcomes)
    met = Counter(frozenset(pairing[1:3]) for pairing in all_pairings.values())
    last, pairs = league[-1].bots, league[-1].schedule.pairs
    assert all(met[frozenset(meeting)] == pairs for meeting in combinations(last, 2))
    assert max(met.values()) <= pairs
    if deals == "shared":
        for meeting in combinations(last, 2):
            deals_of_two = sorted(
                pairing.deal
                for pairing in all_pairings.values()
                if set(pairing[1:3]) == set(meeting)
            )
            assert deals_of_two == list(range(pairs))


@pytest.mark.parametrize("before_had", [None, Until(interval=60)])
def test_a_stopping_rule_waits_for_a_new_bot(before_had: Until | None) -> None:
    """Earlier pairs of the others count, but do not suffice until the new bot has played."""
    outcome = by_strength({"a": 100.0, "b": 0.0, "c": -100.0, "d": 50.0})
    outcomes = Outcomes()
    old = Generation(0, ("a", "b", "c"), schedule(150, "fresh", before_had))
    scheduler = make_scheduler(old.schedule, old.bots)
    for league, bots in (([], old.bots), ([old], (*old.bots, "d"))):
        if league:
            first = max(outcomes) + 1
            before = gather_earlier(league, first, outcomes, until=True)
            scheduler = make_scheduler(schedule(10**6, "fresh", Until(interval=60)), bots, before)
        while pairing := scheduler.next():
            points = outcome(pairing)
            scheduler.record(pairing.number, points)
            first_halves, second_halves = map(count_halves, points)
            outcomes.note(pairing.number, first_halves, second_halves)
    assert scheduler.over
    newcomers = [number for number in range(first, len(outcomes)) if number in outcomes]
    assert 50 < len(newcomers) < 700
