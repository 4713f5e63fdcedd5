"""The scheduler with any format: it assigns deals and applies the stopping rule."""

import pytest

from pwtourney.schedule import Pairing, PairPoints, PlayedPair, Scheduler, Until
from pwtourney.schedule.formats.round_robin import RoundRobin
from pwtourney.schedule.formats.swiss import Swiss
from pwtourney.standings import Anchor
from tests.schedule.playing import by_strength, everything, names, out_of_order

VOID: PairPoints = (None, None)


def test_block_of_deals_repeats() -> None:
    """With two deals, each two bots play deals 0, 1, 0."""
    block = everything(Scheduler(RoundRobin(names(3), 3), "shared", None, 2))
    dealt: dict[frozenset[str], list[int]] = {}
    for pairing in block:
        dealt.setdefault(frozenset((pairing.first, pairing.second)), []).append(pairing.deal)
    assert all(deals == [0, 1, 0] for deals in dealt.values())


@pytest.mark.slow
def test_an_anchored_table_stops_when_its_own_intervals_are_narrow() -> None:
    """An interval relative to the other bot is twice as wide as one relative to the mean."""
    outcome = by_strength({"a": 0.0, "b": -50.0}, 5)
    played = [
        len(everything(Scheduler(RoundRobin(("a", "b"), 10**6), "fresh", until.holds), outcome))
        for until in (Until(interval=15), Until(interval=15, anchor=(Anchor("b", 0.0),)))
    ]
    assert 2.5 < played[1] / played[0] < 4.5  # 4, except for the last waves


def test_shared_deals_are_the_same_for_every_two_bots() -> None:
    """Each two bots play deals 0, 1, 2, …; fresh deals are never used twice."""
    shared = everything(Scheduler(RoundRobin(names(4), 3), "shared"))
    dealt: dict[frozenset[str], list[int]] = {}
    for pairing in shared:
        dealt.setdefault(frozenset((pairing.first, pairing.second)), []).append(pairing.deal)
    assert len(dealt) == 6
    assert all(deals == [0, 1, 2] for deals in dealt.values())
    fresh = everything(Scheduler(RoundRobin(names(4), 3)))
    assert [pairing.deal for pairing in fresh] == list(range(18))


@pytest.mark.slow
@pytest.mark.parametrize(
    "until",
    [
        Until(interval=60),
        Until(ranks_separated=0.95),
        Until(interval=120, ranks_separated=0.9),
        Until(best=0.95, within=20.0),
    ],
)
def test_tournament_stops_when_its_rule_holds(until: Until) -> None:
    """It stops after a whole wave, at the same one for any number of slots."""
    elos = {"a": 0.0, "b": -150.0, "c": -300.0}
    outcome = by_strength(elos, 5)

    def scheduler() -> Scheduler:
        return Scheduler(RoundRobin(tuple(elos), 10**6), "fresh", until.holds)

    alone = everything(scheduler(), outcome, 5000)
    assert 64 < len(alone) < 5000
    assert out_of_order(scheduler(), outcome, 9, 2) == alone
    history = [PlayedPair(pairing, outcome(pairing)) for pairing in alone]
    ends = range(66, len(alone), 66)
    held = [until.holds(history[:end]) for end in ends]
    assert held.index(True) == len(held) - 1


def test_stopping_rule_ignores_bots_with_only_void_pairs() -> None:
    """A rule that can never hold for a disqualified bot still ends."""
    elos = {"a": 0.0, "b": -150.0, "disqualified": 0.0}
    fair = by_strength(elos, 7)

    def outcome(pairing: Pairing) -> PairPoints:
        late = pairing.number > 30 and "disqualified" in (pairing.first, pairing.second)
        return VOID if late else fair(pairing)

    scheduler = Scheduler(RoundRobin(tuple(elos), 10**6), "fresh", Until(interval=40).holds)
    assert len(everything(scheduler, outcome, 20_000)) < 5000
    hopeless = Scheduler(RoundRobin(names(2), 10**6), "fresh", Until(interval=40).holds)
    assert len(everything(hopeless, lambda _: VOID, 20_000)) < 1000


@pytest.mark.slow
def test_ladder_split_by_a_disqualified_bot_still_stops() -> None:
    """Once the bot between them is disqualified, each end is evaluated separately."""
    elos = {"a": 0.0, "b": -50.0, "disqualified": 0.0, "c": 0.0, "d": -50.0}
    fair = by_strength(elos, 7)

    def outcome(pairing: Pairing) -> PairPoints:
        return VOID if "disqualified" in pairing else fair(pairing)

    until = Until(interval=20)  # of two even bots after about 140 pairs, and not after 35
    scheduler = Scheduler(RoundRobin(tuple(elos), 10**6, 1), "fresh", until.holds)
    played = everything(scheduler, outcome, 20_000)
    assert len(played) < 5000
    history = [PlayedPair(pairing, outcome(pairing)) for pairing in played]
    only_ab = [entry for entry in history if not {"c", "d"} & {*entry.pairing[1:3]}]
    few_cd = [entry for entry in history if {"c", "d"} == {*entry.pairing[1:3]}][:35]
    assert until.holds(only_ab)
    assert not until.holds([*only_ab, *few_cd]), "the other end is not sure enough"


@pytest.mark.slow
def test_stopping_rule_waits_for_bots_connected_by_void_pairs() -> None:
    """Bots whose only pair was void will meet again, and then share one scale."""
    fair = by_strength({"a": 0.0, "b": -50.0, "c": 0.0, "d": -50.0}, 7)
    plain = everything(Scheduler(RoundRobin(tuple("abcd"), 2000, 1)))
    history = [PlayedPair(pairing, fair(pairing)) for pairing in plain]
    lost = [
        entry._replace(points=VOID) if {*entry.pairing[1:3]} == {"b", "c"} else entry
        for entry in history
    ]
    until = Until(interval=40)
    assert until.holds(history)
    assert not until.holds(lost)


def test_upcoming_pairs_can_be_listed() -> None:
    """The list has the pairs after the first of six, and is empty at the end."""
    looked, plain = (Scheduler(RoundRobin(names(3), 2)) for _ in range(2))
    expected = everything(plain)
    assert len(expected) == 6
    pairings = [looked.next()]
    assert list(looked.list_upcoming()) == expected[1:]
    assert not looked.over, "they are still to be handed out"
    while pairing := looked.next():
        pairings.append(pairing)
    assert pairings == expected
    assert looked.over
    assert list(looked.list_upcoming()) == []


def test_pairs_that_depend_on_results_are_unknown_before_them() -> None:
    """A Swiss round of six bots has three pairs, and listing them changes nothing."""
    outcome = by_strength({name: 100.0 * index for index, name in enumerate(names(6))})
    looked, plain = (Scheduler(Swiss(names(6), 3, 1)) for _ in range(2))
    expected = everything(plain, outcome)
    pairings: list[Pairing] = []
    while pairing := looked.next():
        assert len(list(looked.list_upcoming())) == 2 - len(pairings) % 3
        pairings.append(pairing)
        looked.record(pairing.number, outcome(pairing))
    assert pairings == expected
    assert len(pairings) == 9
