"""Every format against tables made by hand, and its properties for 2 to 30 bots."""

import random
from collections import Counter
from itertools import combinations, pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pwtourney.ratings.sprt import Sprt
from pwtourney.schedule import (
    Format,
    Pairing,
    PairPoints,
    Played,
    Timetable,
    Until,
    make_timetable,
    players,
)
from pwtourney.schedule.focus import Focus
from pwtourney.schedule.gauntlet import Gauntlet
from pwtourney.schedule.knockout import EXTRA_PAIRS, Knockout
from pwtourney.schedule.matching import most_pairs
from pwtourney.schedule.round_robin import RoundRobin
from pwtourney.schedule.solo import SoloFormat
from pwtourney.schedule.sprt import BATCH, SprtFormat
from pwtourney.schedule.swiss import Swiss, most_rounds, usual_rounds
from tests.schedule.playing import Outcome, by_strength, everything, out_of_order

COUNTS = range(2, 31)
WON: PairPoints = (1.0, 1.0)
LOST: PairPoints = (0.0, 0.0)
SPLIT: PairPoints = (1.0, 0.0)
VOID: PairPoints = (None, None)


def names(count: int) -> tuple[str, ...]:
    """Return so many bots."""
    return tuple(f"bot{number}" for number in range(count))


def lower_number_wins(pairing: Pairing) -> PairPoints:
    """Return the outcome when the bot that stands first in the file always wins."""
    return WON if int(pairing.first[3:]) < int(pairing.second[3:]) else LOST


def drawn(seed: int) -> Outcome:
    """Return what draws outcomes, void ones among them."""

    def outcome(pairing: Pairing) -> PairPoints:
        rng = random.Random(f"{seed} {pairing}")
        return rng.choice([WON, LOST, SPLIT, (0.5, 1.0), VOID, (None, 1.0)])

    return outcome


def formats(count: int) -> list[Format]:
    """Return one of each format for so many bots."""
    bots = names(count)
    test = Sprt(0, 100, 0.05, 0.05)
    return [
        RoundRobin(bots, 2),
        Gauntlet(bots[:1], bots[1:], 3),
        Swiss(bots, usual_rounds(count), 2),
        Knockout(bots, 3),
        SprtFormat(bots[: min(count, 4)], test),
        Focus(bots, 4),
        SoloFormat(bots, 3, "intern", tactical=True),
    ]


@pytest.mark.parametrize("count", [2, 3, 5, 8])
def test_no_schedule_depends_on_how_many_pairs_are_under_way(count: int) -> None:
    """With 1, 3 and 17 slots and results in any order each format plays the same pairs."""
    for each in formats(count):
        alone = everything(Timetable(each), drawn(count))
        assert alone
        assert len(alone) <= each.most()
        assert [pairing.number for pairing in alone] == list(range(len(alone)))
        for slots in (3, 17):
            assert out_of_order(Timetable(each), drawn(count), slots, slots) == alone


@pytest.mark.parametrize("count", COUNTS)
def test_in_a_gauntlet_challengers_meet_the_field_and_nobody_else_meets(count: int) -> None:
    """Every challenger plays every bot of the field as often, from each seat first as often."""
    bots = names(count)
    split = max(1, count // 3)
    challengers, field = bots[:split], bots[split:]
    played = everything(Timetable(Gauntlet(challengers, field, 4)))
    ordered = Counter((each.first, each.second) for each in played)
    wanted = {(a, b) for a in challengers for b in field} | {
        (b, a) for a in challengers for b in field
    }
    assert ordered == dict.fromkeys(wanted, 2)


def test_a_gauntlet_of_two_against_three_by_hand() -> None:
    """In each of three turns every challenger has another opponent."""
    played = everything(Timetable(Gauntlet(("x", "y"), ("a", "b", "c"), 1)))
    assert [(each.first, each.second) for each in played] == [
        *(("x", "a"), ("y", "b")),
        *(("x", "b"), ("y", "c")),
        *(("x", "c"), ("y", "a")),
    ]


@pytest.mark.parametrize("count", COUNTS)
def test_a_swiss_tournament_has_no_rematch_and_everybody_counts(count: int) -> None:
    """In as many rounds as can be paired: one match or one bye a round, no bye twice."""
    bots = names(count)
    swiss = Swiss(bots, most_rounds(count), 1)
    timetable = Timetable(swiss)
    played = everything(timetable, drawn(count))
    met = Counter(frozenset((each.first, each.second)) for each in played)
    assert set(met.values()) == {1}
    size = count // 2
    for start in range(0, len(played), size):
        seated = [bot for each in played[start : start + size] for bot in each[1:3]]
        assert len(seated) == len(set(seated)) == 2 * size
    lines = swiss.lines(timetable.history)
    assert len(played) == size * most_rounds(count)
    assert all(len(line.opponents) + line.bye == most_rounds(count) for line in lines)
    assert sum(line.points for line in lines) == most_rounds(count) * (size + count % 2)


def test_the_first_round_of_a_swiss_tournament_folds_the_field() -> None:
    """Upper half against lower half, in order: 1–5, 2–6, 3–7, 4–8; then winners meet winners."""
    timetable = Timetable(Swiss(names(8), 2, 1))
    played = everything(timetable, lower_number_wins)
    assert [each[1:3] for each in played[:4]] == [
        *(("bot0", "bot4"), ("bot1", "bot5"), ("bot2", "bot6"), ("bot3", "bot7")),
    ]
    assert [each[1:3] for each in played[4:]] == [
        *(("bot0", "bot2"), ("bot1", "bot3"), ("bot4", "bot6"), ("bot5", "bot7")),
    ]


def test_a_swiss_table_of_five_by_hand() -> None:
    """Three rounds with byes, worked out on paper: points, Buchholz, who met whom.

    Round 1: the last of five has the bye; 0–2 and 1–3, the better numbers win. Points: 0, 1 and 4
    have one. Round 2: 3, the last without a bye, sits out; 0–1 is won by 0, 4 floats down to 2 and
    loses. Points: 0 two; 1, 2 and 3 one; 4 one by its bye. Round 3: the last of those with one
    point that had no bye is 2; 0 floats down to the first it has not met, 3; 1 meets 4.
    """
    swiss = Swiss(names(5), 3, 1)
    timetable = Timetable(swiss)
    played = everything(timetable, lower_number_wins)
    assert [each[1:3] for each in played] == [
        *(("bot0", "bot2"), ("bot1", "bot3")),
        *(("bot0", "bot1"), ("bot4", "bot2")),
        *(("bot0", "bot3"), ("bot1", "bot4")),
    ]
    table = [
        (line.bot, line.points, line.buchholz, line.bye) for line in swiss.lines(timetable.history)
    ]
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
def test_most_pairs_is_what_trying_everything_finds(count: int, rng: random.Random) -> None:
    """Edmonds' algorithm against a search through all sets of edges."""
    edges = [pair for pair in combinations(range(count), 2) if rng.random() < 0.4]
    friends = [[b if a == node else a for a, b in edges if node in (a, b)] for node in range(count)]

    def best(left: list[tuple[int, int]]) -> int:
        if not left:
            return 0
        (a, b), *rest = left
        apart = [pair for pair in rest if a not in pair and b not in pair]
        return max(1 + best(apart), best(rest))

    assert most_pairs(friends) == best(edges)


@pytest.mark.parametrize("count", COUNTS)
def test_in_a_knockout_every_bot_but_one_is_beaten_once(count: int) -> None:
    """A match has one winner, losers play no more, and the better seeds have the byes."""
    bots = names(count)
    knockout = Knockout(bots, 3)
    timetable = Timetable(knockout)
    everything(timetable, drawn(count))
    matches = knockout.matches(timetable.history)
    real = [each for each in matches if each.second is not None]
    assert len(real) == count - 1
    losers = [({each.first, str(each.second)} - {str(each.winner)}).pop() for each in real]
    assert len(set(losers)) == count - 1
    byes = [each.first for each in matches if each.second is None]
    assert set(byes) == set(bots[: len(byes)])


@pytest.mark.parametrize("count", [4, 8, 16])
def test_the_best_seeds_meet_as_late_as_can_be(count: int) -> None:
    """Where the better seed always wins, 1 and 2 meet in the final, 1 and 4 in the semi-finals."""
    knockout = Knockout(names(count), 1)
    timetable = Timetable(knockout)
    everything(timetable, lower_number_wins)
    *_, semi_one, semi_two, final = knockout.matches(timetable.history)
    assert (final.first, final.second, final.winner) == ("bot0", "bot1", "bot0")
    assert {(semi_one.first, semi_one.second), (semi_two.first, semi_two.second)} == {
        ("bot0", "bot3"),
        ("bot1", "bot2"),
    }


def test_a_match_ends_when_nobody_can_catch_up() -> None:
    """Of five pairs three won are enough; a tie is prolonged, and then the better seed goes on."""
    two = names(2)
    assert len(everything(Timetable(Knockout(two, 5)), lower_number_wins)) == 3
    tied = Timetable(Knockout(two, 4))
    assert len(everything(tied, lambda _: SPLIT)) == 4 + EXTRA_PAIRS
    (match,) = Knockout(two, 4).matches(tied.history)
    assert (match.winner, match.by) == ("bot0", "the better seed")
    void = Timetable(Knockout(two, 4))
    everything(void, lambda _: VOID)
    (match,) = Knockout(two, 4).matches(void.history)
    assert (match.winner, match.played) == ("bot0", 0)


def test_a_single_pair_decides_a_tied_match() -> None:
    """Split, split, and the first prolongation won by the second seed."""
    knockout = Knockout(names(2), 2)
    timetable = Timetable(knockout)

    def outcome(pairing: Pairing) -> PairPoints:
        if pairing.number < 2:
            return SPLIT
        return WON if pairing.first == "bot1" else LOST

    assert len(everything(timetable, outcome)) == 3
    (match,) = knockout.matches(timetable.history)
    assert (match.winner, match.by, match.points) == ("bot1", "a single pair", (2.0, 4.0))


def test_a_test_ends_for_each_opponent_by_itself() -> None:
    """Far better than one, equal to the other: the first is decided long before the second."""
    bots = ("new", "weak", "equal")
    form = SprtFormat(bots, Sprt(0, 60, 0.05, 0.05))
    timetable = Timetable(form)
    played = everything(timetable, by_strength({"new": 0, "weak": -500, "equal": 0}, 3))
    weak, equal = form.trials(timetable.history)
    assert (weak.decision, equal.decision) == ("H1", "H0")
    assert sum(weak.pairs) % BATCH == 0
    against = Counter(each.first if each.second == "new" else each.second for each in played)
    assert against["weak"] == sum(weak.pairs) + BATCH  # what was played while it was decided
    assert against["weak"] < against["equal"]
    assert weak.llr > Sprt(0, 60).upper


def test_a_test_that_cannot_be_decided_gives_up_at_its_cap() -> None:
    """Void pairs count for its length, and never decide."""
    test = Sprt(0, 100, 0.05, 0.05)
    form = SprtFormat(("new", "old"), test)
    timetable = Timetable(form)
    played = everything(timetable, lambda _: VOID)
    (trial,) = form.trials(timetable.history)
    assert (trial.decision, sum(trial.pairs), trial.llr) == ("inconclusive", 0, 0.0)
    assert len(played) <= form.most()


def test_focus_spends_half_on_whom_may_be_best() -> None:
    """Of two near the top and four far behind, the two meet far more often than the last two."""
    elos = {"a": 60.0, "b": 40.0, "c": -300.0, "d": -320.0, "e": -340.0, "f": -360.0}
    played = everything(Timetable(Focus(tuple(elos), 40)), by_strength(elos, 1))
    met = Counter(frozenset((each.first, each.second)) for each in played)
    assert len(played) == 40 * 15
    assert min(met.values()) >= 20
    assert met[frozenset("ab")] > 3 * met[frozenset("ef")]


def test_a_block_of_circles_is_played_over_and_over() -> None:
    """Two circles for each two bots: 0, 1, 0."""
    block = everything(Timetable(RoundRobin(names(3), 3), "shared", None, 2))
    dealt: dict[frozenset[str], list[int]] = {}
    for each in block:
        dealt.setdefault(frozenset((each.first, each.second)), []).append(each.deal)
    assert all(deals == [0, 1, 0] for deals in dealt.values())


def test_an_anchored_table_stops_when_its_own_intervals_are_narrow() -> None:
    """Relative to the other bot an interval is twice as wide as relative to the mean of both."""
    outcome = by_strength({"a": 0.0, "b": -50.0}, 5)
    played = [
        len(everything(Timetable(RoundRobin(("a", "b"), 10**6), "fresh", until.holds), outcome))
        for until in (Until(interval=15), Until(interval=15, anchor=("b", 0.0)))
    ]
    assert 2.5 < played[1] / played[0] < 4.5  # 4, but for the last waves


def test_shared_deals_are_the_same_for_every_two_bots() -> None:
    """Each two bots play deals 0, 1, 2 …; fresh ones are never used twice."""
    shared = everything(Timetable(RoundRobin(names(4), 3), "shared"))
    dealt: dict[frozenset[str], list[int]] = {}
    for each in shared:
        dealt.setdefault(frozenset((each.first, each.second)), []).append(each.deal)
    assert len(dealt) == 6
    assert all(deals == [0, 1, 2] for deals in dealt.values())
    fresh = everything(Timetable(RoundRobin(names(4), 3)))
    assert [each.deal for each in fresh] == list(range(18))


@pytest.mark.parametrize(
    "until", [Until(interval=60), Until(ranks_separated=0.95), Until(120, 0.9)]
)
def test_a_tournament_stops_when_enough_was_played(until: Until) -> None:
    """At whole waves, the same with any number of slots, and not before the rule holds."""
    elos = {"a": 0.0, "b": -150.0, "c": -300.0}
    outcome = by_strength(elos, 5)

    def timetable() -> Timetable:
        return Timetable(RoundRobin(tuple(elos), 10**6), "fresh", until.holds)

    alone = everything(timetable(), outcome, 5000)
    assert 64 < len(alone) < 5000
    assert out_of_order(timetable(), outcome, 9, 2) == alone
    history = [Played(each, outcome(each)) for each in alone]
    ends = range(66, len(alone), 66)
    held = [until.holds(history[:end]) for end in ends]
    assert held.index(True) == len(held) - 1


def test_bots_that_only_have_void_pairs_keep_nobody_waiting() -> None:
    """A rule that can never hold for a benched bot does not go on for ever."""
    elos = {"a": 0.0, "b": -150.0, "benched": 0.0}
    fair = by_strength(elos, 7)

    def outcome(pairing: Pairing) -> PairPoints:
        late = pairing.number > 30 and "benched" in (pairing.first, pairing.second)
        return VOID if late else fair(pairing)

    timetable = Timetable(RoundRobin(tuple(elos), 10**6), "fresh", Until(interval=40).holds)
    assert len(everything(timetable, outcome, 20_000)) < 5000
    hopeless = Timetable(RoundRobin(names(2), 10**6), "fresh", Until(interval=40).holds)
    assert len(everything(hopeless, lambda _: VOID, 20_000)) < 1000


def test_a_timetable_is_made_from_what_a_store_keeps() -> None:
    """Plain data for each format, as JSON gives it back."""
    base = {"pairs": 2, "deals": "fresh", "until": {}}
    test = Sprt(0, 200)._asdict()
    for more in (
        {"format": "round-robin"},
        {"format": "focus"},
        {"format": "swiss", "rounds": 1},
        {"format": "knockout"},
        {"format": "gauntlet", "challengers": ["b"]},
        {"format": "sprt", "sprt": test},
    ):
        assert everything(make_timetable(base | more, ["a", "b", "c"]), lambda _: WON)
    with pytest.raises(ValueError, match="no format 'banana'"):
        make_timetable(base | {"format": "banana"}, ["a", "b"])


def test_swiss_points_do_not_fall_down_the_table() -> None:
    """The table stands by points, then Buchholz, then points of games."""
    swiss = Swiss(names(11), 4, 2)
    timetable = Timetable(swiss)
    everything(timetable, drawn(4))
    keys = [(line.points, line.buchholz, line.games) for line in swiss.lines(timetable.history)]
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
    """Points and byes are those of the report, Buchholz adds up (everybody met everybody)."""
    rows = [row.split() for row in PUBLISHED.strip().splitlines()]
    points = {f"bot{place}": float(row[0]) for place, row in enumerate(rows)}
    history: list[Played] = []
    for turn in range(9):
        for place, row in enumerate(rows):
            if "w" in (cell := row[turn + 1]):
                opponent, got = cell.split("w")
                half = {"1": 1.0, "=": 0.5, "0": 0.0}[got]
                pairing = Pairing(len(history), f"bot{place}", f"bot{int(opponent) - 1}", 0)
                history.append(Played(pairing, (half, half)))
    lines = Swiss(names(9), 9, 1).lines(history)
    assert [(line.bot, line.points) for line in lines] == list(points.items())
    assert all(line.bye and len(line.opponents) == 8 for line in lines)
    assert [line.buchholz for line in lines] == [45 - each for each in points.values()]


@pytest.mark.parametrize("count", COUNTS)
def test_in_a_solo_tournament_every_bot_meets_the_automa_on_the_same_circles(count: int) -> None:
    """As often as every other, on circles 0, 1, 2, …, always moving first; also a single bot."""
    bots = names(count - 1)
    schedule = {
        "format": "solo",
        "pairs": 3,
        "deals": "shared",
        "until": {},
        "automa": {"level": "fellow", "tactical": False},
    }
    played = everything(make_timetable(schedule, bots))
    assert [(each.first, each.second, each.deal) for each in played] == [
        (bot, "automa", circle) for circle in range(3) for bot in bots
    ]
    assert players(schedule, bots) == (*bots, "automa")
