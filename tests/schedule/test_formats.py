"""Every format, compared with tables made by hand, and its properties for 2 to 30 bots."""

import json
import random
from collections import Counter
from typing import Any

import pytest

from pwtourney.ratings.order import choose_pairs
from pwtourney.ratings.pairs import Sprt
from pwtourney.schedule import (
    Format,
    Pairing,
    PairPoints,
    Schedule,
    Scheduler,
    list_formats,
    make_scheduler,
)
from pwtourney.schedule.formats.focus import Focus
from pwtourney.schedule.formats.gauntlet import Gauntlet
from pwtourney.schedule.formats.knockout import EXTRA_PAIRS, Knockout
from pwtourney.schedule.formats.round_robin import RoundRobin
from pwtourney.schedule.formats.solo import SoloFormat
from pwtourney.schedule.formats.sprt import BATCH, SprtFormat
from pwtourney.schedule.formats.swiss import Swiss, usual_rounds
from pwtourney.schedule.pairing import PlayedPair, results
from tests.schedule.playing import COUNTS, Outcome, by_strength, everything, names, out_of_order

WON: PairPoints = (1.0, 1.0)
LOST: PairPoints = (0.0, 0.0)
SPLIT: PairPoints = (1.0, 0.0)
VOID: PairPoints = (None, None)


def lower_number_wins(pairing: Pairing) -> PairPoints:
    """Return the outcome in which the bot with the lower number always wins."""
    return WON if int(pairing.first[3:]) < int(pairing.second[3:]) else LOST


def drawn(seed: int) -> Outcome:
    """Return a function that draws outcomes, including void ones."""

    def outcome(pairing: Pairing) -> PairPoints:
        rng = random.Random(f"{seed} {pairing}")
        return rng.choice([WON, LOST, SPLIT, (0.5, 1.0), VOID, (None, 1.0)])

    return outcome


def formats(count: int) -> list[Format]:
    """Return one schedule of each format for this many bots."""
    bots = names(count)
    test = Sprt(0, 100, 0.05, 0.05)
    return [
        RoundRobin(bots, 2),
        RoundRobin(bots, 2, 2),
        Gauntlet(bots[:1], bots[1:], 3),
        Swiss(bots, usual_rounds(count), 2),
        Knockout(bots, 3),
        SprtFormat(bots[: min(count, 4)], test),
        Focus(bots, 4),
        SoloFormat(bots, 3, "intern", tactical=True),
    ]


@pytest.mark.parametrize("count", [2, 3, 5, 8])
@pytest.mark.slow
def test_no_schedule_depends_on_how_many_pairs_are_running(count: int) -> None:
    """Each format plays the same pairs with 1, 3 and 17 slots and results in any order."""
    for form in formats(count):
        alone = everything(Scheduler(form), drawn(count))
        assert alone
        assert len(alone) <= form.max_pairs()
        assert [pairing.number for pairing in alone] == list(range(len(alone)))
        for slots in (3, 17):
            assert out_of_order(Scheduler(form), drawn(count), slots, slots) == alone


@pytest.mark.parametrize("count", COUNTS)
def test_in_a_knockout_every_bot_but_one_is_beaten_once(count: int) -> None:
    """Each match has one winner, losers play no more, and the better seeds get the byes."""
    bots = names(count)
    knockout = Knockout(bots, 3)
    scheduler = Scheduler(knockout)
    everything(scheduler, drawn(count))
    matches = knockout.matches(scheduler.history)
    real = [match for match in matches if match.second is not None]
    assert len(real) == count - 1
    losers = [({match.first, str(match.second)} - {str(match.winner)}).pop() for match in real]
    assert len(set(losers)) == count - 1
    byes = [match.first for match in matches if match.second is None]
    assert set(byes) == set(bots[: len(byes)])


@pytest.mark.parametrize("count", [4, 8, 16])
def test_the_best_seeds_meet_as_late_as_possible(count: int) -> None:
    """If the better seed always wins, 1 and 2 meet in the final, 1 and 4 in a semi-final."""
    knockout = Knockout(names(count), 1)
    scheduler = Scheduler(knockout)
    everything(scheduler, lower_number_wins)
    *_, semi_one, semi_two, final = knockout.matches(scheduler.history)
    assert (final.first, final.second, final.winner) == ("bot0", "bot1", "bot0")
    assert {(semi_one.first, semi_one.second), (semi_two.first, semi_two.second)} == {
        ("bot0", "bot3"),
        ("bot1", "bot2"),
    }


def test_knockout_match_ends_when_it_is_decided() -> None:
    """Three won pairs of five suffice; a tie gets extra pairs, then the better seed advances."""
    bots = names(2)
    assert len(everything(Scheduler(Knockout(bots, 5)), lower_number_wins)) == 3
    tied = Scheduler(Knockout(bots, 4))
    assert len(everything(tied, lambda _: SPLIT)) == 4 + EXTRA_PAIRS
    (match,) = Knockout(bots, 4).matches(tied.history)
    assert (match.winner, match.by) == ("bot0", "the better seed")
    void = Scheduler(Knockout(bots, 4))
    everything(void, lambda _: VOID)
    (match,) = Knockout(bots, 4).matches(void.history)
    assert (match.winner, match.played) == ("bot0", 0)


def test_a_single_pair_decides_a_tied_match() -> None:
    """Two split pairs, then the second seed wins the first extra pair."""
    knockout = Knockout(names(2), 2)
    scheduler = Scheduler(knockout)

    def outcome(pairing: Pairing) -> PairPoints:
        if pairing.number < 2:
            return SPLIT
        return WON if pairing.first == "bot1" else LOST

    assert len(everything(scheduler, outcome)) == 3
    (match,) = knockout.matches(scheduler.history)
    assert (match.winner, match.by, match.points) == ("bot1", "a single pair", (2.0, 4.0))


@pytest.mark.parametrize(
    ("totals", "count", "winner", "by"),
    [
        pytest.param([], 3, None, "", id="three wins of four cannot be caught up with"),
        pytest.param([2.0], 2, None, "", id="two more are enough for the one that won the first"),
        pytest.param([2.0, 2.0], 1, None, "", id="a draw is still possible"),
        pytest.param([2.0, 2.0, 0.5], 0, "bot0", "cannot be caught up with", id="3 ahead, 2 left"),
        pytest.param([0.0, 1.0, 1.0], 1, None, "", id="2 behind, 2 left"),
        pytest.param([0.0, 0.0, 0.5], 0, "bot1", "cannot be caught up with", id="the second wins"),
        pytest.param([1.0, 1.0, 1.0, 1.5], 0, "bot0", "points", id="half a point at the end"),
        pytest.param([1.0] * 4, 1, None, "", id="a tie goes on by one pair"),
        pytest.param([1.0] * 4 + [0.5], 0, "bot1", "a single pair", id="which decides"),
        pytest.param([1.0] * 8, 1, None, "", id="the last of five single pairs"),
        pytest.param([1.0] * 9, 0, "bot0", "the better seed", id="nothing could decide"),
        pytest.param([None] * 4, 3, None, "", id="void pairs are played again"),
        pytest.param([None] * 5, 0, "bot0", "the better seed", id="as often as the match is long"),
        pytest.param([0.5, *[None] * 5], 0, "bot1", "points", id="then what there is decides"),
    ],
)
def test_match_of_four_pairs_matches_a_count_by_hand(
    totals: list[float | None], count: int, winner: str | None, by: str
) -> None:
    """Each case has the better seed's points so far, the pairs to come, and the winner."""
    knockout = Knockout(names(2), 4)
    history = []
    for number, total in enumerate(totals):
        seats = ("bot0", "bot1") if number % 2 == 0 else ("bot1", "bot0")
        own = total if total is None or number % 2 == 0 else 2 - total
        points: PairPoints = VOID if own is None else (min(own, 1.0), max(own - 1.0, 0.0))
        history.append(PlayedPair(Pairing(number, *seats, number), points))
    (match,) = knockout.matches(history)
    assert (match.winner, match.by) == (winner, by)
    assert match.voids == totals.count(None)
    wave = knockout.wave(len(totals), history)
    turns = ("bot0", "bot1"), ("bot1", "bot0")
    assert wave == [turns[(len(totals) + n) % 2] for n in range(count)]


def test_all_open_matches_of_a_round_continue_together() -> None:
    """Once one of two matches is decided, only the other has pairs."""
    knockout = Knockout(names(4), 1)
    assert knockout.wave(0, ()) == [("bot0", "bot3"), ("bot1", "bot2")]
    (open_one, open_two), tied = [Pairing(k, *knockout.wave(0, ())[k], k) for k in (0, 1)], SPLIT
    history = [PlayedPair(open_one, (1.0, 1.0)), PlayedPair(open_two, tied)]
    assert knockout.wave(1, history) == [("bot2", "bot1")]
    assert [match.winner for match in knockout.matches(history)] == ["bot0", None]
    assert len(knockout.wave(1, [PlayedPair(open_one, tied), PlayedPair(open_two, tied)])) == 2


def test_focus_alternates_seats_along_the_chosen_pairs() -> None:
    """Every second pair of a chosen wave is swapped; the round robins in between are whole."""
    focus = Focus(names(4), 6)
    scheduler = Scheduler(focus)
    played = everything(scheduler, drawn(4))
    chosen = choose_pairs(names(4), results(scheduler.history[:12]), 6)
    # a wave is chosen by the results known before the previous wave began
    third = [(pairing.first, pairing.second) for pairing in played[18:24]]
    assert third == [
        (first, second) if k % 2 == 0 else (second, first)
        for k, (first, second) in enumerate(chosen)
    ]


def test_sprt_ends_for_each_opponent_separately() -> None:
    """A test against a far weaker bot is decided long before one against an equal bot."""
    bots = ("new", "weak", "equal")
    form = SprtFormat(bots, Sprt(0, 60, 0.05, 0.05))
    scheduler = Scheduler(form)
    played = everything(scheduler, by_strength({"new": 0, "weak": -500, "equal": 0}, 3))
    weak, equal = form.trials(scheduler.history)
    assert (weak.decision, equal.decision) == ("H1", "H0")
    assert sum(weak.pairs) % BATCH == 0
    against = Counter(
        pairing.first if pairing.second == "new" else pairing.second for pairing in played
    )
    assert against["weak"] == sum(weak.pairs) + BATCH  # the batch that ran while it was decided
    assert against["weak"] < against["equal"]
    assert weak.llr > Sprt(0, 60).upper


def test_undecided_sprt_ends_at_its_cap() -> None:
    """Void pairs count for the length of the test, but never decide it."""
    test = Sprt(0, 100, 0.05, 0.05)
    form = SprtFormat(("new", "old"), test)
    scheduler = Scheduler(form)
    played = everything(scheduler, lambda _: VOID)
    (trial,) = form.trials(scheduler.history)
    assert (trial.decision, sum(trial.pairs), trial.llr) == ("inconclusive", 0, 0.0)
    assert len(played) <= form.max_pairs()


BASE = {"pairs": 2, "deals": "fresh", "until": {}}


STORED: list[dict[str, Any]] = [
    {"format": "round-robin"},
    {"format": "round-robin", "reach": 1},
    {"format": "focus"},
    {"format": "swiss", "rounds": 1},
    {"format": "knockout"},
    {"format": "gauntlet", "challengers": ["b"]},
    {"format": "sprt", "sprt": Sprt(0.0, 200.0)._asdict()},
    {"format": "solo", "automa": {"level": "intern", "tactical": False}, "deal_count": None},
]


def test_every_format_is_made_from_stored_settings() -> None:
    """A new format is listed above; a tuning has a module of its own."""
    assert {own["format"] for own in STORED} | {"tune"} == {spec.name for spec in list_formats()}


@pytest.mark.parametrize("own", STORED, ids=lambda own: own["format"])
def test_scheduler_is_made_from_stored_settings(own: dict[str, Any]) -> None:
    """The plain data of each format reads back from JSON and is written as the same JSON."""
    stored = {"format": own["format"], **BASE, **own}
    schedule = Schedule.model_validate(json.loads(json.dumps(stored)))
    assert json.dumps(schedule.model_dump()) == json.dumps(stored)
    assert everything(make_scheduler(schedule, ["a", "b", "c"]), lambda _: WON)


@pytest.mark.parametrize(
    "wrong",
    [
        {},
        {"format": "banana"},
        {"format": "swiss"},
        {"format": "knockout", "pairs": "2"},
        {"format": "knockout", "deals": "stale"},
        {"format": "knockout", "until": {"interval": "9"}},
        {"format": "knockout", "breaks": 3},
        {"format": "round-robin", "reach": 0},
        {"format": "round-robin", "reach": True},
    ],
)
def test_invalid_schedule_is_rejected(wrong: dict[str, Any]) -> None:
    """The format is missing or unknown, or a setting is missing, of another type or unknown."""
    with pytest.raises(ValueError, match="1 validation error for Schedule"):
        Schedule.model_validate(BASE | wrong)
