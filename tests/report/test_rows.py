"""The cells of the standings and of the resources, and how the time that is left is written."""

import math
from collections import Counter
from typing import Any

import pytest

from pwtourney.notation.game import Usage
from pwtourney.ratings.fitness import Deviation, Fitness
from pwtourney.ratings.order import Gap, MorePairs, RankInterval
from pwtourney.ratings.tally import Margin, Massey, SeatGain, Tally
from pwtourney.ratings.uncertainty import PairSaving
from pwtourney.report.summary import Conditions
from pwtourney.report.text.rows import (
    RESOURCE_HEADINGS,
    describe_columns,
    describe_effort,
    describe_rule,
    footnotes,
    format_brief_row,
    format_row,
    gap_notes,
    interval_heading,
    resource_rows,
    table_notes,
)
from pwtourney.schedule.season import Change, Member, Season
from pwtourney.standings import Anchor, Pool, Resources, Standings
from tests.report.handmade import FULL, TUNED, make_pool, make_row, make_summary

REPLACED = Season({"crow": Member("crow", "crow", "old", None, None)})
"""A league in which a later version of crow plays."""


def test_columns_are_those_of_the_documentation_in_its_order() -> None:
    """`docs/reports.md` lists them; the level is in four of the explanations."""
    assert describe_columns(0.9) == {
        "#": "Rank by rating",
        "Ranks": "The ranks that are plausible at 90 %",
        "Bot": "The bot's id; #2 and so on are later versions of one bot; old: replaced by another"
        " version; removed: not in the tournament file any more; withdrawn: absent for a time",
        "Elo": "Rating by maximum likelihood; > and < mark one-sided bounds",
        "±90%": "Half of the rating's 90 % interval, clustered by deal",
        "±all": "The same if all intervals hold together at 90 %, and so that of the first",
        "LOS": "Likelihood that it is stronger than the bot below it (CFS)",
        "OppAvg": "Mean rating of its rated opponents, weighted by games",
        "Games": "Games that count",
        "Deals": "On how many different deals they were played",
        "W–L": "Games won and lost",
        "Score": "Share of the points",
        "1st": "Share of the points with the first seat",
        "2nd": "Share of the points with the second seat",
        "Pairs": "Pairs lost, split and won",
        "Seat gain": "How much larger its share is with the first seat",
        "Margin": "Mean difference of scores in games played to their end",
        "±Margin": "Half of the margin's 90 % interval",
        "Massey": "By how many points it would win against an average bot",
        "ms/move": "Mean time of a move in milliseconds",
        "Slowest": "Longest time of a move in milliseconds",
        "Faults": "Games lost by a fault, by verdict",
    }
    assert [*describe_columns(0.95)][4] == [*describe_columns()][4] == interval_heading(0.95)


def test_each_number_of_a_bot_is_in_its_column() -> None:
    """The numbers are those of the row, rounded by hand; shares are half points by games."""
    cells = format_row(FULL, 0.9, REPLACED)
    assert cells == {
        "#": "2",
        "Ranks": "1–3",
        "Bot": "crow (old)",
        "Elo": "+112",
        "±90%": "31",
        "±all": "46",
        "LOS": "97.7%",
        "OppAvg": "-14",
        "Games": "8",
        "Deals": "9",
        "W–L": "4–2",
        "Score": "62.5%",
        "1st": "87.5%",
        "2nd": "37.5%",
        "Pairs": "1–0–3",
        "Seat gain": "+65 ± 12%",
        "Margin": "+5.3",
        "±Margin": "2.3",
        "Massey": "+6.1 ± 3.5",
        "ms/move": "7.8",
        "Slowest": "988",
        "Faults": "2 crash, 3 timeout",
    }
    assert [*cells] == [*describe_columns(0.9)]
    assert "±95%" in format_row(FULL)


def test_unknown_numbers_are_dashes() -> None:
    """A bot that has not played has no number of its own, but certainly no faults."""
    bare = make_row(
        "owl", 12.0, 3, tally=Tally(), resources=Resources(), ranks=RankInterval(3, 3), deals=0
    )
    dashes = (
        "Elo",
        "±95%",
        "±all",
        "LOS",
        "OppAvg",
        "Score",
        "1st",
        "2nd",
        "Seat gain",
        "Margin",
        "±Margin",
        "Massey",
    )
    assert format_row(bare) == {
        **dict.fromkeys(describe_columns(), "0"),
        **dict.fromkeys((*dashes, "ms/move", "Slowest"), "–"),
        "#": "3",
        "Ranks": "3",
        "Bot": "owl",
        "W–L": "0–0",
        "Pairs": "0–0–0",
    }
    # games from a table have no times, and say nothing of faults
    assert format_row(make_row("owl", resources=Resources()))["Faults"] == "–"


def test_bounds_and_estimates_without_intervals_keep_their_signs() -> None:
    """Neither has a ``±``; a bot whose games all ended by faults has no margin."""
    cells = format_row(
        make_row(
            "owl",
            -80.2,
            bound="<",
            massey=Massey(-3.04, None),
            seat=SeatGain(2, -0.5, None),
            margin=Margin(1, -2.0, None, -2.0),
        )
    )
    assert (cells["Elo"], cells["Massey"], cells["Seat gain"]) == ("< -80", "-3.0", "-50%")
    assert (cells["Margin"], cells["±Margin"]) == ("-2.0", "–")


def test_bound_that_tells_nothing_has_no_number() -> None:
    """An unbeaten bot of one deal is perhaps 512 Elo weaker than the average; a note says why."""
    row = make_row("owl", -512.0, bound=">", bound_tells=False)
    assert format_row(row)["Elo"] == ">"
    crow, _ = CALM.rows
    last = notes_of(CALM._replace(rows=(row, crow)))[-1]
    assert "rated bots (without a number, on too few deals to say more); ?: " in last


def test_brief_cell_of_faults_is_their_number() -> None:
    """Two crashes and three time-outs are five; a table without times knows of none."""
    assert format_brief_row(FULL) == {"Faults": "5"}
    assert format_brief_row(make_row("owl")) == {"Faults": "0"}
    assert format_brief_row(make_row("owl", resources=Resources())) == {"Faults": "–"}


def test_resources_are_means_in_the_units_of_their_headings() -> None:
    """By hand: 5 s in 4 starts, 333.3 ms in 100 moves, 48 ms and 16 and 12 KiB in 8 games."""
    seen = Counter({"none": 1, "bwrap": 7})
    summary = make_summary(
        [make_pool(FULL)], conditions=Conditions((), {"crow": "measure"}, {"crow": seen})
    )
    summary = summary._replace(season=REPLACED)
    (cells,) = resource_rows(summary)
    assert cells == {
        "Bot": "crow (old)",
        "Starts": "4",
        "Start ms": "1250.0",
        "p50 ms": "2.0",
        "p99 ms": "4.0",
        "Max ms": "987.7",
        "CPU ms/move": "3.3",
        "Ponder CPU ms/game": "6.0",
        "Peak MiB": "964.5",
        "In KiB/game": "2.0",
        "Out KiB/game": "1.5",
        "Stderr KiB": "5.5",
        "Sandbox": "bwrap, none",
    }
    assert tuple(cells) == RESOURCE_HEADINGS


def test_resources_of_a_bot_without_games_are_dashes() -> None:
    """Bots follow in the order of the tables; one that may ponder is not measured."""
    idle = make_row("owl", resources=Resources())
    pools = [make_pool(FULL, idle), make_pool(idle._replace(bot="jay"))]
    conditions = Conditions((), {"crow": "allow", "jay": "suspend"}, {})
    crow, owl, jay = resource_rows(make_summary(pools, conditions=conditions))
    assert (crow["Bot"], crow["Ponder CPU ms/game"], crow["Sandbox"]) == (
        "crow",
        "not measured",
        "–",
    )
    zeros = {"Starts": "0", "Stderr KiB": "0.0"}
    assert owl == {**dict.fromkeys(RESOURCE_HEADINGS, "–"), **zeros, "Bot": "owl"}
    assert jay == {**owl, "Bot": "jay"}


@pytest.mark.parametrize(
    ("more", "what", "time", "expected"),
    [
        (MorePairs(7, 7, 12.4), "more pair", "", "about 7 more pairs if they are 12 Elo apart"),
        (
            MorePairs(1, 1, 0.46),
            "more game",
            "about 5 s",
            "about 1 more game (about 5 s) if they are 0.5 Elo apart",
        ),
        (
            MorePairs(3, 9, 1.0),
            "more pair",
            "about 2 h",
            "about 3 more pairs of these two (or 9 of all bots, about 2 h) if they are 1 Elo apart",
        ),
        (
            MorePairs(3, 9, 8.0, close=True),
            "more game",
            "",
            (
                "too early to say; if they are 8 Elo apart, about 3 more games of these two"
                " (or 9 of all bots)"
            ),
        ),
    ],
)
def test_effort_is_a_number_of_pairs_and_the_difference_it_assumes(
    more: MorePairs, what: str, time: str, expected: str
) -> None:
    """Differences below 1 Elo have a digit; the time is that of the pairs of all bots."""
    sentence = describe_effort("crow", "owl", more, "at 95 %", what, time)
    assert sentence == f"to tell crow from owl at 95 %: {expected}"


def test_effort_counts_pairs_unless_told_otherwise() -> None:
    """Without a time there is no empty bracket."""
    sentence = describe_effort("a", "b", MorePairs(2, 2, 5.0), "at 95 %")
    assert sentence == "to tell a from b at 95 %: about 2 more pairs if they are 5 Elo apart"


def test_rule_names_the_level_of_two_bots_or_of_the_order() -> None:
    """The order has a level of its own."""
    assert describe_rule(None) == "at 95 %"
    assert describe_rule(None, 0.99) == "at 99 %"
    assert describe_rule(0.9, 0.99) == "for the whole order at 90 %"


def make_close_pool(**more: Any) -> Pool:
    """Return a table of crow and owl, which are 20 ± 10 Elo apart after 40 pairs on 40 deals.

    Together they have used 1800 s for their moves, and 200 s to start.
    """
    used = Resources(games=80, wall=900_000_000, usage=Usage(start=100_000_000))
    rows = [
        make_row(bot, elo, rank, deals=40, resources=used)
        for rank, (bot, elo) in enumerate((("crow", 10.0), ("owl", -10.0)), 1)
    ]
    gaps = (Gap("crow", "owl", 20.0, 10.0),)
    return make_pool(*rows, gaps=gaps, pairs=40, **more)


def test_time_to_separate_neighbours_follows_from_the_time_used() -> None:
    """2000 s for 40 pairs are 50 s a pair; two games at a time take half of the time."""
    pool = make_close_pool()
    more = pool.more_pairs(pool.gaps[0])
    assert more is not None
    assert more.of_all > 0
    start = f"To tell crow from owl at 95 %: about {more.of_all} more pairs (about "
    minutes = more.of_all * 50 / 60
    (sequential,) = gap_notes(pool)
    assert sequential.startswith(f"{start}{minutes:.0f} min one game at a time) if they are ")
    (parallel,) = gap_notes(pool, 2)
    assert parallel.startswith(f"{start}{minutes / 2:.0f} min) if they are ")
    (strict,) = gap_notes(pool._replace(level=0.99))
    assert strict.startswith("To tell crow from owl at 99 %: about ")
    (single,) = gap_notes(pool._replace(paired=False))
    assert " more games (about " in single
    (ordered,) = gap_notes(pool, 1, 0.9)
    assert ordered.startswith("To tell crow from owl for the whole order at 90 %: about ")


def test_neighbours_of_which_one_plays_no_more_are_left_out() -> None:
    """Neither the upper nor the lower one may have left."""
    pool = make_close_pool()
    for bot in ("crow", "owl"):
        left = Season({bot: Member(bot, bot, "removed", None, None)})
        assert gap_notes(pool, season=left) == []


def test_three_neighbours_are_listed_and_the_others_counted() -> None:
    """Five bots have four gaps, so one is counted, and six bots have two more than are listed."""
    for bots, end in ((5, "… and 1 more neighbour"), (6, "… and 2 more neighbours")):
        rows = [make_row(f"b{k}", deals=40, resources=Resources()) for k in range(bots)]
        gaps = tuple(Gap(f"b{k}", f"b{k + 1}", 20.0, 10.0) for k in range(bots - 1))
        notes = gap_notes(make_pool(*rows, gaps=gaps, pairs=40))
        assert [note[:17] for note in notes[:3]] == [
            f"To tell b{k} from b{k + 1}"[:17] for k in range(3)
        ]
        assert notes[3:] == [end]
        assert "min" not in notes[0], "no time is known"
    rows = [make_row(f"b{k}", deals=40) for k in range(4)]
    assert len(gap_notes(make_pool(*rows, gaps=gaps[:3], pairs=40))) == 3


def notes_of(*pools: Pool, **more: Any) -> list[str]:
    """Return the notes below tables of 24 games."""
    return table_notes(Standings(pools, 24, 0), **more)


CALM = make_pool(
    make_row("crow", 10.0, plus_minus=5.0), make_row("owl", -10.0, 2, plus_minus=5.0), gaps=()
)
"""Two bots with intervals, of which nothing has to be said beyond what always is."""

ZERO = "Elo 0 = average of these bots; 95 % confidence intervals, clustered by deal (40 deals)"


def test_calm_table_has_two_notes() -> None:
    """Where the scale is fixed, and the advantage of the first seat with half of its interval."""
    assert notes_of(CALM) == [ZERO, "First-seat advantage: +12 ± 9 Elo"]
    assert notes_of(CALM._replace(seat_elo=None))[1] == (
        "First-seat advantage: unknown from these games"
    )


def test_notes_about_whole_standings_surround_those_of_the_tables() -> None:
    """Repeated games and the anchor come first; what other tables mean comes last."""
    seat = "First-seat advantage: +12 ± 9 Elo"
    lost = make_row("jay")
    whole = Standings((CALM, make_pool(lost)), 24, 0, 1, "wren", 4, 1)
    assert table_notes(whole) == [
        "Left out: 1 game that repeated another one, move for move, on the same deal",
        "The anchor wren has no rating, so nothing fixes the scale",
        f"Table 1: {ZERO}",
        f"Table 1: {seat}",
        "Table 2: no games that count",
        "Bots of different tables have not met, even through others: not comparable.",
        (
            "Not shown: 4 more groups (1 bot) that have not met these bots, even through others;"
            " `report` and `rate` print them with --all-tables"
        ),
    ]
    assert notes_of(CALM) == [ZERO, seat], "one table has no number"


def test_scale_is_fixed_by_the_anchor_or_by_the_bots_that_have_ratings() -> None:
    """An anchor of 1000.5, several anchors, one rated bot, and two of three."""
    crow, owl = CALM.rows
    best = make_row("best", 90.0, bound=">")
    fixed, loose = Anchor("owl", 1000.5), Anchor("crow", 1100.0, 30.0)
    about = "1100 = crow (standard error 30)"
    for pool, zero in (
        (CALM._replace(anchors=(fixed,)), "Elo 1000.5 = owl"),
        (CALM._replace(anchors=(fixed, loose)), f"Elo 1000.5 = owl, {about}"),
        (CALM._replace(anchors=(loose,) * 6), f"Elo {', '.join([about] * 5)} and 1 more anchor"),
        (CALM._replace(rows=(best, owl)), "Elo 0 = owl"),
        (CALM._replace(rows=(best, crow, owl)), "Elo 0 = average of the bots with ratings"),
    ):
        assert notes_of(pool)[0].partition("; ")[0] == zero


def test_notes_explain_bounds_and_narrow_or_missing_intervals() -> None:
    """Each is a sentence of its own, in the order of the documentation of ratings."""
    crow, owl = CALM.rows
    best = make_row("best", 90.0, bound=">")
    marks = "the bot won or lost every point against rated bots; ?: nothing compares it with them"
    bound = f"> or <: one-sided 99 % bound, {marks}"
    assert notes_of(CALM._replace(rows=(best, crow, owl), level=0.99))[-1] == bound
    swiss = notes_of(CALM._replace(rows=(best, crow, owl), paired_by_results=True))
    assert swiss[-1] == f"> or <: {marks}"
    assert swiss[0].endswith(
        "; no intervals of ratings: results decided who met whom, which spreads ratings out"
    )
    chosen = "Results decided what was played: intervals are too narrow, the leader's most"
    assert notes_of(CALM._replace(chosen_by_results=True))[1] == chosen
    bare = [row._replace(plus_minus=None) for row in CALM.rows]
    without = notes_of(CALM._replace(rows=tuple(bare), chosen_by_results=True))
    assert without == [
        (
            "Elo 0 = average of these bots; no intervals: they need ratings from several deals with"
            " different results"
        ),
        "First-seat advantage: +12 ± 9 Elo",
    ]
    (first, _) = notes_of(CALM._replace(rough=True, deals=1, level=0.9))
    assert first == (
        "Elo 0 = average of these bots; 90 % confidence intervals, clustered by deal"
        " (1 deal; rough: fewer than 30)"
    )


def test_saving_of_mirrored_pairs_is_a_detail_from_300_informative_pairs() -> None:
    """12.4 % and 3.6 % are rounded; nothing is saved at 0 %, and a negative share costs."""
    template = "Mirrored pairs: {} variance than two independent games each"
    for share, words in ((0.124, "12 ± 4 % less"), (0.0, "0 ± 4 % less"), (-0.2, "20 ± 4 % more")):
        pool = CALM._replace(saved=PairSaving(share, 0.036, 300.0))
        assert notes_of(pool)[2:] == [template.format(words)]
        assert notes_of(pool, details=False) == notes_of(CALM)
    for unclear in (PairSaving(0.1, 0.036, 299.9), PairSaving(0.1, None, 400.0)):
        assert notes_of(CALM._replace(saved=unclear)) == notes_of(CALM)


def test_misfit_is_always_reported_and_a_fit_only_in_detail() -> None:
    """The border is p = 0.05; p below 0.001 is not written as 0."""
    misfit = "One rating per bot does not explain the results (χ²(2) = 9.9, {})"
    cause = "; crashes, blunders or uneven deals can be the cause, no cycle is certain"
    odd = Deviation("crow", "owl", 3.5, 2.25, 4.0, 0.0123)
    cases = (
        (0.05, (), ["Nothing contradicts one rating per bot (χ²(2) = 9.9, p = 0.050)"], False),
        (
            0.0499,
            (),
            [f"{misfit.format('p = 0.050')}, but no pairing stands out{cause}"],
            True,
        ),
        (
            0.0009,
            (odd, odd._replace(p=0.0001)),
            [
                f"{misfit.format('p < 0.001')}{cause}:",
                "  crow got 3.5 points against owl, expected were 2.2 (p = 0.012)",
                "  crow got 3.5 points against owl, expected were 2.2 (p < 0.001)",
            ],
            True,
        ),
    )
    for p, deviations, lines, always in cases:
        pool = CALM._replace(fitness=Fitness(9.87, 2, p, 1.0, deviations))
        assert notes_of(pool)[2:] == lines
        assert notes_of(pool, details=False)[2:] == (lines if always else [])
    pool = CALM._replace(fitness=Fitness(9.87, 2, 0.001, 1.0, ()))
    assert "p = 0.001)" in notes_of(pool)[2]


def test_prior_is_reported_with_what_intervals_leave_out() -> None:
    """One game pulls, two pull; without intervals nothing is left out of them."""
    bare = CALM._replace(rows=tuple(row._replace(plus_minus=None) for row in CALM.rows))
    out = ", and intervals leave that out"
    for pool, prior, line in (
        (CALM, 1.0, f"1 virtual game per bot (prior) pulls ratings together{out}"),
        (CALM, 2.0, f"2 virtual games per bot (prior) pull ratings together{out}"),
        (bare, 0.5, "0.5 virtual games per bot (prior) pull ratings together"),
    ):
        assert notes_of(pool._replace(prior=prior))[2:] == [line]


def test_neighbours_are_left_out_of_the_notes_on_request() -> None:
    """Their place is after the fit; the season and the order reach them."""
    pool = make_close_pool()
    assert [note[:7] for note in notes_of(pool)[2:]] == ["To tell"]
    assert notes_of(pool, gaps=False) == notes_of(pool)[:2]
    left = Season({"crow": Member("crow", "crow", "old", None, None)})
    assert notes_of(pool, season=left) == notes_of(pool)[:2]
    assert " for the whole order at 80 %: " in notes_of(pool, order=0.8)[2]


def test_footnotes_are_the_conditions_around_those_of_the_tables() -> None:
    """All of them at once, in their order."""
    pool = make_close_pool(fitness=Fitness(1.0, 1, 0.5, 1.0, ()))
    changes = tuple(
        Change(number, 0, "2026-01-05T06:00:00Z", 1, (), (), (), ()) for number in (1, 2)
    )
    summary = make_summary(
        [pool],
        standings=Standings((pool,), 24, 2),
        over=False,
        shard="1/2",
        order=0.9,
        season=Season({"crow": Member("crow", "crow", "current", None, None)}, changes),
        conditions=Conditions(("owl",), {}, {"crow": Counter({"bwrap": 2})}, games=2, voids=2),
    )
    lines = footnotes(summary)
    rated = [
        line
        for line in lines
        if line.startswith(("Elo", "First", "Nothing contradicts", "To tell"))
    ]
    assert len(rated) == 4
    assert " for the whole order at 90 %: " in rated[3]
    assert lines == [
        "No valid game, so no result: all 2 games are void",
        "24 games of 12 pairs (not over; at most 20), 2 void; edition express, seed 7",
        "Part 1/2 of the schedule; `pwtourney merge` makes the whole",
        "Version 2 of the league, since 2026-01-05; bots: 1 current",
        *rated,
        "Sandbox: bwrap",
        "One process for many games (processes: persistent): owl",
        "Game hash a hash, pwtourney 1.2.3",
    ]
    brief = footnotes(summary, details=False)
    assert [line for line in lines if line not in brief] == [rated[2], *lines[-3:-1]]
    assert footnotes(summary._replace(is_test=True)) == [x for x in lines if x != rated[3]]
    gone = Season({"crow": Member("crow", "crow", "old", None, None)})
    assert rated[3] not in footnotes(summary._replace(season=gone))


def test_footnotes_of_a_whole_tournament_start_with_its_size() -> None:
    """It is over, so neither the planned pairs nor a part is mentioned; one game is singular."""
    alone = make_pool(make_row("crow", math.nan))
    summary = make_summary([alone], standings=Standings((alone,), 1, 0), stored=1)
    hashed = "Game hash a hash, pwtourney 1.2.3"
    assert footnotes(summary) == [
        "1 game of 1 pair; edition express, seed 7",
        "no games that count",
        hashed,
    ]
    # the table of a tuning has no ratings to explain
    assert footnotes(summary._replace(tuning=TUNED)) == [
        "1 game of 1 pair; edition express, seed 7",
        hashed,
    ]
