"""The sentences under a table: each where it is true, and not where it is not."""

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
from pwtourney.standings import RatingOptions, Standings
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
    """Return what stands under the table of some games."""
    return table_notes(standings(None, results, options))


def starting(beginning: str, lines: list[str]) -> list[str]:
    """Return the lines that begin so."""
    return [line for line in lines if line.startswith(beginning)]


def test_what_mirroring_saves_is_reported_once_it_is_known_well() -> None:
    """Two thousand pairs, of which a third are decided by the deal, are enough; forty are not."""
    decided = [(1.0, 0.0), (1.0, 1.0), (0.0, 0.0), (0.0, 1.0), (1.0, 0.0), (0.0, 1.0)]
    games = [g for k in range(2000) for g in pair("a", "b", *decided[k % 6], str(k))]
    # two of six pairs go one way and four are split: variances ½, covariance (2 − 4)/6/4 = −1/12
    (told,) = starting("Mirrored pairs", notes(games))
    assert told == "Mirrored pairs: 33 ± 4 % less variance than two independent games each"
    assert not starting("Mirrored pairs", notes(games[:80]))
    assert not starting("Mirrored pairs", notes(FAIR))


def test_pairs_that_go_one_way_cost_variance() -> None:
    """Four of six go one way: what mirroring does is printed, whichever way it is."""
    decided = [(1.0, 1.0), (0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, 1.0), (0.0, 0.0)]
    games = [g for k in range(2000) for g in pair("a", "b", *decided[k % 6], str(k))]
    (told,) = starting("Mirrored pairs", notes(games))
    assert told == "Mirrored pairs: 33 ± 4 % more variance than two independent games each"


def test_deals_that_all_gave_the_same_say_nothing_of_chance() -> None:
    """Ten pairs that are all split; with an eleventh that is not the sentence is gone."""
    split = [g for k in range(10) for g in pair("a", "b", 1.0, 0.0, str(k))]
    same = (
        "Elo 0 = average of these bots;"
        " no intervals: they need ratings from several deals with different results"
    )
    assert same in notes(split)
    assert same not in notes([*split, *pair("a", "b", 1.0, 1.0, "x")])


def test_signs_of_intransitivity_are_reported_with_the_pairings() -> None:
    """Rock, paper and scissors: three pairings, each 52 of 60 points where 30 were expected."""
    lines = notes(CYCLE)
    (head,) = starting("Signs of intransitivity", lines)
    assert head.startswith("Signs of intransitivity (χ²(1) = ")
    assert head.endswith("p < 0.001):")
    named = starting("  ", lines)
    assert len(named) == 3
    assert any("got 52 points against" in line for line in named)
    assert all(line.endswith("expected were 30.0 (p < 0.001)") for line in named)
    assert not starting("No sign", lines)


def test_no_sign_of_intransitivity_is_reported_where_there_is_none() -> None:
    """With its p, and nothing is named; two bots cannot show any, and nothing is said of it."""
    lines = notes(FAIR)
    (line,) = starting("No sign of intransitivity (χ²(1) = ", lines)
    assert float(line.rpartition("p = ")[2].rstrip(")")) >= 0.05
    assert not starting("Signs of", lines)
    assert not starting("  ", lines)
    two = notes(simulated([0, 50], 40, 1))
    assert not [line for line in two if "intransitivity" in line]


def doubted(p: float, *deviations: Deviation) -> list[str]:
    """Return what is said of a fit with this p."""
    table = standings(None, FAIR)
    fitness = Fitness(12.0, 1, p, 1.0, deviations)
    pools = (table.pools[0]._replace(fitness=fitness),)
    return [line for line in table_notes(table._replace(pools=pools)) if "p " in line]


@pytest.mark.slow
def test_signs_without_a_pairing_say_so() -> None:
    """The whole may be too far off where no pairing is."""
    assert doubted(0.0123) == [
        "Signs of intransitivity (χ²(1) = 12.0, p = 0.012), but no pairing stands out"
    ]
    assert doubted(0.05) == ["No sign of intransitivity (χ²(1) = 12.0, p = 0.050)"]


def test_at_most_five_pairings_are_named() -> None:
    """The first of many, in their order."""
    many = [Deviation("a", f"b{k}", 3.0, 1.25, 4.0, 0.01) for k in range(9)]
    _, *named = doubted(0.01, *many)
    assert named == [
        f"  a got 3 points against b{k}, expected were 1.2 (p = 0.010)" for k in range(5)
    ]


def test_the_first_seat_is_unknown_where_no_bot_changes_seats() -> None:
    """Bot a always moves first: its strength and the seat's cannot be distinguished."""
    apart = [Result("a", "b", float(k % 2), str(k)) for k in range(10)]
    assert "First-seat advantage: unknown from these games" in notes(apart)
    (told,) = starting("First-seat advantage", notes(FAIR))
    assert "±" in told
    assert "unknown" not in told


@pytest.mark.parametrize(
    ("options", "zero"),
    [
        (RatingOptions(), "Elo 0 = average of these bots"),
        (RatingOptions(("bot1", 1000.0)), "Elo 1000 = bot1"),
    ],
)
def test_the_scale_is_reported_with_its_interval(options: RatingOptions, zero: str) -> None:
    """The mean of all bots, or the bot whose rating is given."""
    assert notes(FAIR, options)[0] == (
        f"{zero}; 95 % confidence intervals, clustered by deal (120 deals)"
    )


def test_the_scale_of_a_table_with_bounds_is_that_of_the_rated() -> None:
    """Of those that have lost and won: here two, with one that has only won above them."""
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


def test_virtual_games_are_reported() -> None:
    """How many a bot, only where there are some; and with them fit is not judged."""
    lines = notes(FAIR, RatingOptions(None, 2.0))
    narrow = "pull ratings together, and intervals leave that out"
    assert f"2 virtual games per bot (prior) {narrow}" in lines
    assert not [line for line in lines if "intransitivity" in line]
    assert not starting("Ratings lean", notes(FAIR))
    one = notes(FAIR, RatingOptions(None, 1.0))
    assert f"1 virtual game per bot (prior) {narrow.replace('pull', 'pulls', 1)}" in one
    without = notes([*pair("a", "b", 1.0, 0.0, "x")], RatingOptions(None, 1.0))
    assert "1 virtual game per bot (prior) pulls ratings together" in without, "no intervals"


def test_bots_that_never_met_are_said_to_be_not_comparable() -> None:
    """Two tables, each line with its number; one table has neither."""
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
def test_an_anchor_without_a_rating_is_reported() -> None:
    """Nobody is called so; with an anchor that plays nothing is said."""
    missing = "The anchor nobody has no rating, so nothing fixes the scale"
    assert missing in notes(FAIR, RatingOptions(("nobody", 0.0)))
    assert not [x for x in notes(FAIR, RatingOptions(("bot0", 0.0))) if "could be fixed" in x]


def test_repetitions_are_said_to_be_left_out() -> None:
    """One game, or several; without any nothing is said."""
    table = standings(None, FAIR)
    once, twice = (table_notes(table._replace(repeated=count))[0] for count in (1, 2))
    assert once.startswith("Left out: 1 game that repeated another one")
    assert twice.startswith("Left out: 2 games that repeated another one")
    assert not starting("Left out", table_notes(table))


def test_what_separates_neighbours_is_reported_for_those_that_are_not_separated() -> None:
    """Two equal bots of three take more pairs; the third, far below, takes none."""
    lines = notes(simulated([0, 300, 310], 40, 1))
    told = starting("To tell ", lines)
    assert len(told) == 1
    assert "bot0" not in told[0]
    assert "more pairs" in told[0]


@pytest.mark.slow
def test_valid_settings_are_listed_in_details_only() -> None:
    """The test of the fit and what mirrored pairs are worth are; what warns is printed always."""
    decided = [(1.0, 0.0), (1.0, 1.0), (0.0, 0.0), (0.0, 1.0), (1.0, 0.0), (0.0, 1.0)]
    games = [g for k in range(2000) for g in pair("a", "b", *decided[k % 6], str(k))]
    for results, left_out in ((FAIR, "No sign of"), (games, "Mirrored pairs")):
        table = standings(None, results)
        whole, brief = table_notes(table), table_notes(table, details=False)
        assert [line for line in whole if line not in brief] == starting(left_out, whole)
        assert len(starting(left_out, whole)) == 1
    cycle = standings(None, CYCLE)
    assert table_notes(cycle, details=False) == table_notes(cycle)


@pytest.mark.slow
def test_sentences_name_the_level_that_they_hold_at() -> None:
    """Intervals, bounds and what it takes to tell two bots apart, which is more at a higher one."""
    games = [*FAIR, *pair("best", "bot0", 1.0, 1.0, "x")]
    usual, strict = (table_notes(standings(None, games, level=each)) for each in (0.95, 0.99))
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
    """Return what stands under a table of fair games at a level."""
    return table_notes(standings(None, FAIR, level=level))


def test_a_store_without_games_is_reported() -> None:
    """A bot alone has a table of its own with one sentence."""
    empty: Standings = standings(["a"], [])
    assert table_notes(empty) == ["no games that count"]


def test_intervals_are_reported_where_there_are_some() -> None:
    """With the number of deals; where results decided who met whom the line says why not."""
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


def test_what_it_takes_is_reported_for_neighbours_that_are_not_apart() -> None:
    """For two bots as one number, for more also of the two alone; for those apart nothing."""
    (told,) = starting("To tell", notes(simulated([0.0, 60.0], 60, 2)))
    assert re.fullmatch(
        r"To tell bot1 from bot0 at 95 %: about \d+ more pairs if they are \d+ Elo apart", told
    )
    lines = starting("To tell", notes(FAIR))
    form = (
        r"To tell \w+ from \w+ at 95 %: about \d+ more pairs of these two"
        r" \(or \d+ of all bots\) if they are \d+ Elo apart"
    )
    assert any(re.fullmatch(form, line) for line in lines)
    assert not starting("To tell", notes(simulated([0.0, 300.0], 100, 2)))


def test_what_a_small_difference_takes_is_reported_where_there_may_be_none() -> None:
    """Sixty pairs of which half are split and a quarter each won and lost, except for one."""
    points = [(1.0, 0.0), (1.0, 1.0), (0.0, 1.0), (0.0, 0.0)] * 15
    points[3] = (1.0, 0.0)
    games = [g for k, each in enumerate(points) for g in pair("a", "b", *each, str(k))]
    (told,) = starting("To tell a from b", notes(games))
    form = (
        r"To tell a from b at 95 %: too early to say; if they are \d+ Elo apart,"
        r" about \d+ more pairs"
    )
    assert re.fullmatch(form, told)


def test_a_rule_for_the_whole_order_is_what_it_takes() -> None:
    """At its own level, which asks for more than two bots alone do."""
    found = standings(None, FAIR)
    plain, ordered = (starting("To tell", table_notes(found, each)) for each in (None, 0.99))
    assert all(" for the whole order at 99 %" in line for line in ordered)
    assert len(ordered) >= len(plain)
    numbers = [int(re.findall(r"or (\d+) of all bots", lines[-1])[0]) for lines in (plain, ordered)]
    assert numbers[0] < numbers[1]


def summary(**changes: object) -> Summary:
    """Return the summary of forty pairs of each two of three bots, in which all is as it should."""
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
    """Return what is known of three bots, each of which was always kept apart in one way."""
    counted = {f"bot{k}": Counter({kind: 2}) for k, kind in enumerate(profiles)}
    return Conditions(persistent, {}, counted)


@pytest.mark.slow
def test_the_first_line_counts_games_and_says_if_more_are_to_come() -> None:
    """Void games are reported where there are some, and the most pairs where it is not over."""
    assert footnotes(summary())[0] == "240 games of 120 pairs; edition original, seed 7"
    part = summary(over=False, stored=119, standings=standings(None, FAIR)._replace(voids=2))
    assert footnotes(part)[0] == (
        "240 games of 119 pairs (not over; at most 120), 2 void; edition original, seed 7"
    )
    assert not starting("Part", footnotes(summary()))
    (line,) = starting("Part", footnotes(summary(shard="1/2")))
    assert line == "Part 1/2 of the schedule; `pwtourney merge` makes the whole"


@pytest.mark.slow
def test_the_sandbox_is_in_details_and_its_absence_always_shown() -> None:
    """One for all in a line; where bots differ, who ran in which."""
    safe = summary()
    assert "Sandbox: bwrap" in footnotes(safe)
    assert not starting("Sandbox", footnotes(safe, details=False))
    warning = "Sandbox: none (bots ran WITHOUT a sandbox)"
    open_to_all = summary(conditions=conditions(("none",) * 3))
    for details in (True, False):
        assert starting("Sandbox", footnotes(open_to_all, details=details)) == [warning]
    mixed = summary(conditions=conditions(("none+user", "bwrap", "bwrap")))
    told = "Sandbox none+user: bot0 (bots ran WITHOUT a sandbox)"
    assert starting("Sandbox", footnotes(mixed)) == ["Sandbox bwrap: bot1, bot2", told]
    assert starting("Sandbox", footnotes(mixed, details=False)) == [told]


@pytest.mark.slow
def test_where_results_decide_what_is_played_intervals_are_called_narrow() -> None:
    """After a test nothing is said of more pairs either: it says itself when it is over."""
    narrow = "Results decided what was played: intervals are too narrow, the leader's most"
    for is_test, told, more in ((False, False, True), (False, True, True), (True, True, False)):
        (pool,) = standings(None, FAIR).pools
        found = Standings((pool._replace(chosen_by_results=told),), 240, 0)
        lines = footnotes(summary(is_test=is_test, standings=found))
        assert (narrow in lines) == told
        assert bool(starting("To tell", lines)) == more


@pytest.mark.slow
def test_bots_that_stay_are_reported_in_detail() -> None:
    """By name, and nothing where none does."""
    stay = summary(conditions=conditions(persistent=("bot0", "bot2")))
    line = "One process for many games (processes: persistent): bot0, bot2"
    assert line in footnotes(stay)
    assert line not in footnotes(stay, details=False)
    assert not starting("One process", footnotes(summary()))


def test_what_the_machine_and_too_many_faults_did_is_always_reported() -> None:
    """Pairs that were played again, time-outs that count all the same, bots thrown out."""
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
def test_what_three_neighbours_take_is_reported_and_how_many_more_there_are() -> None:
    """Six bots of equal strength have five neighbours, of which two are only counted."""
    lines = notes(simulated([0, 1, 2, 3, 4, 5], 20, 1))
    assert len(starting("To tell", lines)) == 3
    assert starting("…", lines) == ["… and 2 more neighbours"]
    four = notes(simulated([0, 1, 2, 3], 20, 1))
    assert len(starting("To tell", four)) == 3
    assert not starting("…", four)
