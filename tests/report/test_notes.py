"""The notes under a table are printed where they are true, and only there."""

import re
from collections import Counter
from collections.abc import Sequence

import pytest

from pwtourney.ratings import Result
from pwtourney.ratings.fitness import Deviation, Fitness
from pwtourney.report.summary import Conditions, Summary
from pwtourney.report.text.rows import (
    footnotes,
    table_notes,
)
from pwtourney.standings import Anchor, RatingOptions, Standings
from pwtourney.standings.rate import standings
from tests.ratings.games import pair, simulated

THREE = [0.0, 50.0, 100.0]
FAIR = simulated(THREE, 40, 1)
CYCLE = [
    g
    for a, b in (("rock", "scissors"), ("scissors", "paper"), ("paper", "rock"))
    for k in range(30)
    for g in pair(a, b, 1.0, float(k % 4 > 0), f"{a}{k}")
]


PLAIN = RatingOptions()


def notes(results: list[Result], options: RatingOptions = PLAIN) -> list[str]:
    """Return the notes under the table of some games."""
    return table_notes(standings(None, results, options))


def starting(beginning: str, lines: list[str]) -> list[str]:
    """Return the lines with this beginning."""
    return [line for line in lines if line.startswith(beginning)]


def test_effect_of_mirroring_is_reported_if_it_is_precise() -> None:
    """2000 pairs, of which a third are decided by the deal, are enough; 40 are not."""
    decided = [(1.0, 0.0), (1.0, 1.0), (0.0, 0.0), (0.0, 1.0), (1.0, 0.0), (0.0, 1.0)]
    games = [g for k in range(2000) for g in pair("a", "b", *decided[k % 6], str(k))]
    # two of six pairs go one way and four are split: variances ½, covariance (2 − 4)/6/4 = −1/12
    (note,) = starting("Mirrored pairs", notes(games))
    assert note == "Mirrored pairs: 33 ± 4 % less variance than two independent games each"
    assert not starting("Mirrored pairs", notes(games[:80]))
    assert not starting("Mirrored pairs", notes(FAIR))


def test_pairs_won_by_one_bot_cost_variance() -> None:
    """Four of six pairs are won by one bot, so mirroring increases the variance."""
    decided = [(1.0, 1.0), (0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, 1.0), (0.0, 0.0)]
    games = [g for k in range(2000) for g in pair("a", "b", *decided[k % 6], str(k))]
    (note,) = starting("Mirrored pairs", notes(games))
    assert note == "Mirrored pairs: 33 ± 4 % more variance than two independent games each"


def test_equal_results_on_all_deals_give_no_intervals() -> None:
    """Ten split pairs have no variance; an eleventh, different one has."""
    split = [g for k in range(10) for g in pair("a", "b", 1.0, 0.0, str(k))]
    same = (
        "Elo 0 = average of these bots;"
        " no intervals: they need ratings from several deals with different results"
    )
    assert same in notes(split)
    assert same not in notes([*split, *pair("a", "b", 1.0, 1.0, "x")])


def test_cycle_is_reported_with_its_pairings() -> None:
    """Rock, paper and scissors: three pairings, each with 52 of 60 points where 30 are expected."""
    lines = notes(CYCLE)
    (head,) = starting("One rating per bot does not explain the results (χ²(1) = ", lines)
    assert head.endswith("p < 0.001):"), "the cause is the cycle, not crashes"
    (cycle,) = starting("A cycle", lines)
    assert cycle == (
        "A cycle: paper beats rock, rock beats scissors, scissors beats paper"
        " (all of this together at 95 %)"
    )
    named = starting("  ", lines)
    assert len(named) == 3
    assert any("got 52 points against" in line for line in named)
    assert all(line.endswith("expected were 30.0 (p < 0.001)") for line in named)
    assert not starting("Nothing contradicts", lines)


def test_crashes_of_the_best_bot_are_no_cycle() -> None:
    """It loses 4 of 40 games by crashes against each, of which 2 are to a bot it always beats.

    The curve of Elo cannot explain that. Each bot still beats all that are weaker.
    """
    games = [
        game
        for k in range(100)
        for game in (
            *pair("best", "good", float(k % 10 > 3), float(k % 10 > 3), f"bg{k}"),
            *pair("best", "weak", float(k % 10 > 1), float(k % 10 > 1), f"bw{k}"),
            *pair("good", "weak", float(k % 100 > 0), 1.0, f"gw{k}"),
        )
    ]
    lines = notes(games)
    (head,) = starting("One rating per bot does not explain the results", lines)
    assert head.endswith(
        "; crashes, blunders or uneven deals can be the cause, no cycle is certain:"
    )
    assert not [line for line in lines if line.startswith("A cycle")]


def test_fit_without_problems_is_reported_with_its_p() -> None:
    """No pairing is named; two bots always fit, so there is no note."""
    lines = notes(FAIR)
    (line,) = starting("Nothing contradicts one rating per bot (χ²(1) = ", lines)
    assert float(line.rpartition("p = ")[2].rstrip(")")) >= 0.05
    assert not starting("One rating", lines)
    assert not starting("  ", lines)
    notes_of_two = notes(simulated([0, 50], 40, 1))
    assert not [line for line in notes_of_two if "one rating" in line.lower()]


def test_luck_of_the_first_of_equal_bots_is_reported() -> None:
    """Eight equal bots: its interval is widened by about Šidák's 2.73/1.96, and LOS is lowered."""
    lines = notes(simulated([0.0] * 8, 30, 3))
    (luck,) = [line for line in lines if "may be first by luck" in line]
    wide, narrow = map(int, re.findall(r"±([0-9]+)", luck))
    assert luck.endswith(f"for the first, ±{wide} holds at 95 %, not ±{narrow}")
    assert 1.3 < wide / narrow < 1.5
    (los,) = starting("LOS takes all differences as equally likely", lines)
    shrunk, plain = map(int, re.findall(r"([0-9]+) %", los))
    assert 50 <= shrunk <= plain - 5


def test_luck_of_a_certain_first_or_of_two_bots_is_not_reported() -> None:
    """A bot 400 Elo ahead is first; of two bots, the intervals mirror each other."""
    ahead = notes(simulated([0.0, 30.0, 400.0], 60, 1))
    assert not [line for line in ahead if "by luck" in line]
    pair_notes = notes(simulated([0.0, 10.0], 60, 1))
    assert not [line for line in pair_notes if "by luck" in line or line.startswith("LOS")]


def doubted(p: float, *deviations: Deviation) -> list[str]:
    """Return the notes about a fit with this p."""
    table = standings(None, FAIR)
    fitness = Fitness(12.0, 1, p, 1.0, deviations)
    pools = (table.pools[0]._replace(fitness=fitness),)
    return [line for line in table_notes(table._replace(pools=pools)) if "p " in line]


@pytest.mark.slow
def test_misfit_without_an_outlying_pairing_is_reported() -> None:
    """The whole fit may be bad although no pairing deviates enough."""
    (line,) = doubted(0.0123)
    assert line == (
        "One rating per bot does not explain the results (χ²(1) = 12.0, p = 0.012), but no pairing"
        " stands out; crashes, blunders or uneven deals can be the cause, no cycle is certain"
    )
    assert doubted(0.05) == ["Nothing contradicts one rating per bot (χ²(1) = 12.0, p = 0.050)"]


def test_at_most_five_pairings_are_named() -> None:
    """The first of many, in their order."""
    many = [Deviation("a", f"b{k}", 3.0, 1.25, 4.0, 0.01) for k in range(9)]
    _, *named = doubted(0.01, *many)
    assert named == [
        f"  a got 3 points against b{k}, expected were 1.2 (p = 0.010)" for k in range(5)
    ]


def test_first_seat_advantage_is_unknown_if_no_bot_changes_seats() -> None:
    """Bot a always moves first: its strength and the seat's cannot be distinguished."""
    apart = [Result("a", "b", float(k % 2), str(k)) for k in range(10)]
    assert "First-seat advantage: unknown from these games" in notes(apart)
    (note,) = starting("First-seat advantage", notes(FAIR))
    assert "±" in note
    assert "unknown" not in note


@pytest.mark.parametrize(
    ("options", "zero"),
    [
        (RatingOptions(), "Elo 0 = average of these bots"),
        (RatingOptions((Anchor("bot1", 1000.0),)), "Elo 1000 = bot1"),
    ],
)
def test_scale_is_reported_with_its_interval(options: RatingOptions, zero: str) -> None:
    """Zero is the mean of all bots, or the anchor's rating is given."""
    assert notes(FAIR, options)[0] == (
        f"{zero}; 95 % confidence intervals, clustered by deal (120 deals)"
    )


def test_scale_with_bounds_is_the_mean_of_rated_bots() -> None:
    """Rated bots have lost and won: here two, below a bot that has only won."""
    won = [g for k in range(5) for g in pair("best", "bot0", 1.0, 1.0, f"w{k}")]
    lines = notes([*simulated([0, 50], 40, 1), *won])
    assert lines[0].startswith("Elo 0 = average of the bots with ratings; ")
    assert any(line.startswith("> or <: one-sided 95 % bound, ") for line in lines)
    assert not any(line.startswith("> or <") for line in notes(FAIR))


def test_few_deals_are_called_rough() -> None:
    """Twenty-nine are few, thirty are not."""
    few, enough = (notes(simulated([0, 50], pairs, 1))[0] for pairs in (29, 30))
    assert few.endswith("(29 deals; rough: fewer than 30)")
    assert enough.endswith("(30 deals)")


LOOSE = "wrong if games share deals or openings: without pairs or deals, all count as independent"


def test_games_without_pair_or_deal_are_not_called_clustered() -> None:
    """Twelve simulated pairs have 24 games; with their deals or pairs, all is known."""
    games = simulated([0, 50], 12, 1)
    bare = [game._replace(deal="", pair="") for game in games]
    (first, *_) = notes(bare)
    assert first.endswith(f"; 95 % confidence intervals, {LOOSE} (24 games; rough: fewer than 30)")
    for line in notes(games):
        assert "independent" not in line
    (some, *_) = notes([*games, *bare[:3]])
    assert some.endswith(
        "; 95 % confidence intervals, clustered by deal (15 deals; rough: fewer than 30);"
        " 3 games without pair or deal taken as independent"
    )


def test_each_table_counts_its_own_games_without_a_deal() -> None:
    """Bots x and y have deals; the three others, in a table of their own, have none."""
    bare = [game._replace(deal="", pair="") for game in FAIR]
    lines = notes([*bare, *(Result("x", "y", float(k % 2), str(k)) for k in range(40))])
    (first,) = starting("Table 1: Elo 0", lines)
    (second,) = starting("Table 2: Elo 0", lines)
    assert first.endswith(f"{LOOSE} (240 games)")
    assert second.endswith("clustered by deal (40 deals)")


def test_virtual_games_are_reported() -> None:
    """Their number for each bot is given if there are some, and the test of the fit left out."""
    lines = notes(FAIR, RatingOptions((), 2.0))
    narrow = "pull ratings together, and intervals leave that out"
    assert f"2 virtual games per bot (prior) {narrow}" in lines
    assert not [line for line in lines if "one rating" in line.lower()]
    assert not starting("Ratings lean", notes(FAIR))
    singular = notes(FAIR, RatingOptions((), 1.0))
    assert f"1 virtual game per bot (prior) {narrow.replace('pull', 'pulls', 1)}" in singular
    without = notes([*pair("a", "b", 1.0, 0.0, "x")], RatingOptions((), 1.0))
    assert "1 virtual game per bot (prior) pulls ratings together" in without, "no intervals"


def test_bots_that_never_met_are_called_not_comparable() -> None:
    """Two tables, and notes with the number of the table; a single table has neither."""
    apart = [
        *simulated([0, 50], 10, 1),
        *(Result("x", "y", float(k % 2), str(k)) for k in range(8)),
    ]
    lines = notes(apart)
    assert lines[-1].startswith("Bots of different tables have not met")
    assert starting("Table 1: Elo 0", lines)
    assert starting("Table 2: Elo 0", lines)
    assert not [line for line in notes(FAIR) if "Table" in line or "tables" in line]


@pytest.mark.slow
def test_anchor_without_a_rating_is_reported() -> None:
    """Its name is unknown; an anchor that plays gives no such note."""
    missing = "The anchor nobody has no rating, so nothing fixes the scale"
    assert missing in notes(FAIR, RatingOptions((Anchor("nobody", 0.0),)))
    assert not [
        x for x in notes(FAIR, RatingOptions((Anchor("bot0", 0.0),))) if "could be fixed" in x
    ]


def test_repeated_games_are_reported_as_left_out() -> None:
    """In the singular or plural; without repetitions there is no note."""
    table = standings(None, FAIR)
    once, twice = (table_notes(table._replace(repeated=count))[0] for count in (1, 2))
    assert once.startswith("Left out: 1 game that repeated another one")
    assert twice.startswith("Left out: 2 games that repeated another one")
    assert not starting("Left out", table_notes(table))


def test_pairs_to_separate_neighbours_are_reported_if_they_overlap() -> None:
    """Two equal bots of three need more pairs; the third, far below, needs none."""
    lines = notes(simulated([0, 300, 310], 40, 1))
    efforts = starting("To tell ", lines)
    assert len(efforts) == 1
    assert "bot0" not in efforts[0]
    assert "more pairs" in efforts[0]


@pytest.mark.slow
def test_notes_about_valid_results_are_details() -> None:
    """The test of the fit and the effect of mirroring are details; warnings are always printed."""
    decided = [(1.0, 0.0), (1.0, 1.0), (0.0, 0.0), (0.0, 1.0), (1.0, 0.0), (0.0, 1.0)]
    games = [g for k in range(2000) for g in pair("a", "b", *decided[k % 6], str(k))]
    for results, left_out in ((FAIR, "Nothing contradicts"), (games, "Mirrored pairs")):
        table = standings(None, results)
        whole, brief = table_notes(table), table_notes(table, details=False)
        assert [line for line in whole if line not in brief] == starting(left_out, whole)
        assert len(starting(left_out, whole)) == 1
    cycle = standings(None, CYCLE)
    assert table_notes(cycle, details=False) == table_notes(cycle)


@pytest.mark.slow
def test_notes_name_their_level() -> None:
    """Intervals, bounds and pairs to separate two bots have it; a higher one needs more pairs."""
    games = [*FAIR, *pair("best", "bot0", 1.0, 1.0, "x")]
    usual, strict = (table_notes(standings(None, games, level=level)) for level in (0.95, 0.99))
    assert not [line for line in strict if "95 %" in line]
    (known,) = [line for line in strict if " 99 % confidence intervals, clustered by deal" in line]
    assert known.startswith("Elo 0")
    assert starting("> or <: one-sided 99 % bound, ", strict)
    numbers = [
        int(re.findall(r"or (\d+) of all bots", starting("To tell", lines)[-1])[0])
        for lines in (usual, strict)
    ]
    assert numbers[0] < numbers[1]
    assert starting("To tell bot2 from bot1 at 99.5 %: ", notes_at(0.995))


def notes_at(level: float) -> list[str]:
    """Return the notes under a table of fair games at a level."""
    return table_notes(standings(None, FAIR, level=level))


def test_store_without_games_is_reported() -> None:
    """A bot alone has its own table with one note."""
    empty: Standings = standings(["a"], [])
    assert table_notes(empty) == ["no games that count"]


def test_intervals_are_reported_with_their_number_of_deals() -> None:
    """If results decided the pairings, the note gives that as the reason for no intervals."""
    games = [*FAIR, *pair("best", "bot0", 1.0, 1.0, "x")]
    plain = table_notes(standings(None, games))
    zero = "Elo 0 = average of the bots with ratings"
    assert f"{zero}; 95 % confidence intervals, clustered by deal (120 deals)" in plain
    swiss = table_notes(standings(None, games, paired_by_results=True))
    why = "no intervals of ratings: results decided who met whom, which spreads ratings out"
    assert f"{zero}; {why}" in swiss
    assert starting("> or <: one-sided 95 % bound, ", plain)
    assert starting("> or <: the bot won or lost every point", swiss)
    assert not starting("To tell", swiss)


def test_pairs_needed_are_reported_for_overlapping_neighbours() -> None:
    """Two bots have one number, more bots also that of the two, and separated bots have none."""
    (note,) = starting("To tell", notes(simulated([0.0, 60.0], 60, 2)))
    assert re.fullmatch(
        r"To tell bot1 from bot0 at 95 %: about \d+ more pairs if they are \d+ Elo apart", note
    )
    lines = starting("To tell", notes(FAIR))
    form = (
        r"To tell \w+ from \w+ at 95 %: about \d+ more pairs of these two"
        r" \(or \d+ of all bots\) if they are \d+ Elo apart"
    )
    assert any(re.fullmatch(form, line) for line in lines)
    assert not starting("To tell", notes(simulated([0.0, 300.0], 100, 2)))


def test_small_difference_gives_the_pairs_for_a_larger_one() -> None:
    """Sixty pairs: half are split, a quarter each are won and lost, except for one."""
    points = [(1.0, 0.0), (1.0, 1.0), (0.0, 1.0), (0.0, 0.0)] * 15
    points[3] = (1.0, 0.0)
    games = [g for k, scores in enumerate(points) for g in pair("a", "b", *scores, str(k))]
    (note,) = starting("To tell a from b", notes(games))
    form = (
        r"To tell a from b at 95 %: too early to say; if they are \d+ Elo apart,"
        r" about \d+ more pairs"
    )
    assert re.fullmatch(form, note)


def test_rule_for_the_whole_order_determines_the_pairs_needed() -> None:
    """It has its own level, and needs more pairs than two bots alone."""
    table = standings(None, FAIR)
    plain, ordered = (starting("To tell", table_notes(table, level)) for level in (None, 0.99))
    assert all(" for the whole order at 99 %" in line for line in ordered)
    assert len(ordered) >= len(plain)
    numbers = [int(re.findall(r"or (\d+) of all bots", lines[-1])[0]) for lines in (plain, ordered)]
    assert numbers[0] < numbers[1]


def summary(**changes: object) -> Summary:
    """Return the summary of 40 pairs of every two of three bots, without anything to warn about."""
    whole = Summary(
        name="t",
        bots=("bot0", "bot1", "bot2"),
        edition="original",
        seed=7,
        version="1",
        planned=120,
        stored=120,
        over=True,
        game_hash="hash",
        chain_head="head",
        standings=standings(None, FAIR),
        conditions=conditions(),
    )
    return whole._replace(**changes)  # type: ignore[arg-type]


def conditions(
    profiles: Sequence[str] = ("bwrap", "bwrap", "bwrap"), persistent: tuple[str, ...] = ()
) -> Conditions:
    """Return the conditions of three bots, each of which always ran with one sandbox profile."""
    counted = {f"bot{k}": Counter({kind: 2}) for k, kind in enumerate(profiles)}
    return Conditions(persistent, {}, counted)


@pytest.mark.slow
def test_first_line_counts_games_and_shows_if_more_follow() -> None:
    """It has void games, if any, and the maximal number of pairs if the run is not over."""
    assert footnotes(summary())[0] == "240 games of 120 pairs; edition original, seed 7"
    part = summary(over=False, stored=119, standings=standings(None, FAIR)._replace(voids=2))
    assert footnotes(part)[0] == (
        "240 games of 119 pairs (not over; at most 120), 2 void; edition original, seed 7"
    )
    assert not starting("Part", footnotes(summary()))
    (line,) = starting("Part", footnotes(summary(shard="1/2")))
    assert line == "Part 1/2 of the schedule; `pwtourney merge` makes the whole"


@pytest.mark.slow
def test_sandbox_is_a_detail_but_its_absence_is_always_shown() -> None:
    """All bots share one line if their sandbox is the same; otherwise each sandbox has a line."""
    safe = summary()
    assert "Sandbox: bwrap" in footnotes(safe)
    assert not starting("Sandbox", footnotes(safe, details=False))
    warning = "Sandbox: none (bots ran WITHOUT a sandbox)"
    open_to_all = summary(conditions=conditions(("none",) * 3))
    for details in (True, False):
        assert starting("Sandbox", footnotes(open_to_all, details=details)) == [warning]
    mixed = summary(conditions=conditions(("none+user", "bwrap", "bwrap")))
    unsafe = "Sandbox none+user: bot0 (bots ran WITHOUT a sandbox)"
    assert starting("Sandbox", footnotes(mixed)) == ["Sandbox bwrap: bot1, bot2", unsafe]
    assert starting("Sandbox", footnotes(mixed, details=False)) == [unsafe]


@pytest.mark.slow
def test_intervals_are_called_narrow_if_results_decide_what_is_played() -> None:
    """After an SPRT no more pairs are suggested, because the test itself decides when it ends."""
    narrow = "Results decided what was played: intervals are too narrow, the leader's most"
    for is_test, chosen, more in ((False, False, True), (False, True, True), (True, True, False)):
        (pool,) = standings(None, FAIR).pools
        table = Standings((pool._replace(chosen_by_results=chosen),), 240, 0)
        lines = footnotes(summary(is_test=is_test, standings=table))
        assert (narrow in lines) == chosen
        assert bool(starting("To tell", lines)) == more


@pytest.mark.slow
def test_persistent_bots_are_a_detail() -> None:
    """They are named; without any there is no note."""
    stay = summary(conditions=conditions(persistent=("bot0", "bot2")))
    line = "One process for many games (processes: persistent): bot0, bot2"
    assert line in footnotes(stay)
    assert line not in footnotes(stay, details=False)
    assert not starting("One process", footnotes(summary()))


def test_machine_problems_and_disqualifications_are_always_reported() -> None:
    """Replayed pairs, timeouts that count nevertheless, and disqualified bots."""
    noted = conditions()
    assert list(noted.notes(details=False)) == []
    noted.replayed, noted.spoilt, noted.blamed = 3, 1, 2
    noted.disqualified["bot1"] = 8
    assert list(noted.notes(details=False)) == [
        "The machine held bots up: 3 pairs were played again, 1 are void",
        "Time-outs that were the machine's doing and count (forfeit): 2",
        "Disqualified after too many faults: bot1 (4 pairs void)",
    ]


@pytest.mark.slow
def test_three_pairs_of_neighbours_are_named_and_the_others_counted() -> None:
    """Six bots of equal strength have five pairs of neighbours, of which two are only counted."""
    lines = notes(simulated([0, 1, 2, 3, 4, 5], 20, 1))
    assert len(starting("To tell", lines)) == 3
    assert starting("…", lines) == ["… and 2 more neighbours"]
    four = notes(simulated([0, 1, 2, 3], 20, 1))
    assert len(starting("To tell", four)) == 3
    assert not starting("…", four)
