"""The standings for programs: the keys that `docs/reports.md` lists, with the numbers of the rows.

Every number of the tables here is chosen by hand, so each expected value is that number, rounded.
"""

import csv
import io
import json
import math
import xml.etree.ElementTree as ET
from collections import Counter
from hashlib import sha256
from typing import Any

import pytest

from pwtourney.notation.game import Ply
from pwtourney.ratings.fitness import Deviation, Fitness
from pwtourney.ratings.meetings import HeadToHead
from pwtourney.ratings.order import Gap
from pwtourney.ratings.pairs import NELO
from pwtourney.ratings.tally import Tally
from pwtourney.ratings.uncertainty import PairSaving
from pwtourney.report.game_statistics import StatisticsCollector
from pwtourney.report.summary import Conditions, Summary
from pwtourney.report.text.machine import (
    Case,
    benchmark_json,
    escape_xml,
    junit_suite,
    junit_xml,
    quote_xml,
    resources_json,
    row_json,
    standings_csv,
    standings_json,
    tables_json,
)
from pwtourney.schedule.pairing import FormatTable
from pwtourney.schedule.season import Change, Member, Season
from pwtourney.standings import Anchor, Resources, Standings
from pwtourney.standings.gates import Checked
from tests.report.handcount import GAME, TINY
from tests.report.handmade import FULL, TUNED, make_pool, make_row, make_summary

DATES = ("2026-01-05T06:00:00Z", "2026-01-12T06:00:00Z")
LEAGUE = Season(
    {
        "crow": Member("crow", "crow", "old", *DATES),
        "crow#2": Member("crow#2", "crow", "current", DATES[1], None),
        "wren": Member("wren", "wren", "removed", *DATES),
    },
    (
        Change(1, 0, DATES[0], 3, ("crow", "wren"), ("crow", "wren"), (), ()),
        Change(2, 3, None, 4, ("crow#2",), (), (("crow", "crow#2"),), ("wren",)),
    ),
)
"""A league whose second version replaced crow and removed wren."""

NUMBERS = {
    "rank": 2,
    "rank_best": 1,
    "rank_worst": 3,
    "los": 0.976543,
    "shrunk_los": 0.876543,
    "bot": "crow",
    "elo": 112.41,
    "plus_minus": 30.62,
    "joint_plus_minus": 45.68,
    "opponents_elo": -14.33,
    "bound": None,
    "bound_tells": None,
    "games": 8,
    "wins": 4,
    "losses": 2,
    "technical_draws": 2,
    "voids": 6,
    "score": 0.625,
    "score_first": 0.875,
    "score_second": 0.375,
    "pairs_lost": 1,
    "pairs_split": 0,
    "pairs_won": 3,
    "deals": 9,
    "mean_margin": 5.271,
    "mean_margin_plus_minus": 2.342,
    "median_margin": 4.5,
    "margin_first": 7.125,
    "margin_second": 3.376,
    "share_by_tie_break": 0.125,
    "massey": 6.123,
    "massey_plus_minus": 3.457,
    "seat_gain": 0.651235,
    "seat_gain_plus_minus": 0.124235,
    "ms_per_move": 7.777,
    "ms_slowest": 987.654,
    "faults": {"crash": 2, "timeout": 3},
}
"""The numbers of FULL: Elo to 2 digits, times and points to 3, shares to 6."""

AVERAGES = (
    "won",
    "score",
    "margin",
    "margin_first",
    "margin_second",
    "empty_squares",
    "buttons",
    "tile",
    "special_patches",
    "income",
    "income_collected",
    "advance_buttons",
    "advances",
    "advance_share",
    "patches",
    "patch_cost",
    "patch_time",
    "cost_per_square",
    "time_per_square",
    "ms_per_move",
    "seconds_per_game",
)
"""The keys of averages that are null without games."""


def test_numbers_of_a_bot_have_the_documented_keys() -> None:
    """They are rounded, and the faults sorted by verdict."""
    numbers = row_json(FULL)
    assert numbers == NUMBERS
    assert [*numbers["faults"]] == ["crash", "timeout"]


def test_unknown_numbers_are_null() -> None:
    """A bot without games has no rating, and one of a table of games has no times or faults."""
    unknown = (
        "los",
        "shrunk_los",
        "plus_minus",
        "joint_plus_minus",
        "opponents_elo",
        "bound",
        "bound_tells",
        "seat_gain",
        "seat_gain_plus_minus",
        "ms_slowest",
    )
    margins = [key for key in NUMBERS if "margin" in key or "massey" in key or "tie_break" in key]
    bare = row_json(make_row("owl", 3.0, tally=Tally(), resources=Resources()))
    nothing = dict.fromkeys((*unknown, *margins, "elo", "ms_per_move"))
    scores = dict.fromkeys(("score", "score_first", "score_second"))
    places = {"rank": 1, "rank_best": 1, "rank_worst": 1, "bot": "owl", "faults": {}}
    assert bare == {**dict.fromkeys(NUMBERS, 0), **nothing, **scores, **places}
    unrated = row_json(make_row("owl", math.nan, bound="?", resources=Resources()))
    assert (unrated["elo"], unrated["bound"], unrated["faults"]) == (None, "?", None)
    assert unrated["bound_tells"] is None


def test_bound_that_says_nothing_is_marked() -> None:
    """Its number stays for programs; tables for people leave it out."""
    unbeaten = make_row("owl", -35.2, bound=">")
    rows = [row_json(unbeaten._replace(bound_tells=tells)) for tells in (True, False)]
    assert [(row["elo"], row["bound_tells"]) for row in rows] == [(-35.2, True), (-35.2, False)]


def test_resources_have_the_documented_units() -> None:
    """Times are milliseconds with 3 digits, sizes are bytes, and quantiles are right to 1 %."""
    seen = Counter({"none": 1, "bwrap": 7})
    conditions = Conditions((), {}, {"crow": seen})
    numbers = resources_json(FULL, make_summary([], conditions=conditions))
    assert numbers.pop("ms_p50") == pytest.approx(2.0, rel=0.01)
    assert numbers.pop("ms_p99") == pytest.approx(4.0, rel=0.01)
    assert numbers == {
        "processes_started": 4,
        "ms_start": 1250.0,
        "cpu_ms_per_move": 3.333,
        "ponder_cpu_ms_per_game": 6.0,
        "peak_bytes": 987_648 * 1024,
        "bytes_received": 16_384,
        "bytes_written": 12_288,
        "bytes_stderr": 5632,
        "profiles": {"bwrap": 7, "none": 1},
    }
    assert [*numbers["profiles"]] == ["bwrap", "none"]
    uneven = FULL.resources
    odd = Resources(3, 3, cpu=10, usage=uneven.usage._replace(start=10, pondering=10))
    odd.times.add(1234, 1234, 1234)
    rounded = resources_json(FULL._replace(resources=odd), make_summary([]))
    # 10 µs by 3 are 0.0033… ms
    assert {rounded[key] for key in ("ms_start", "cpu_ms_per_move", "ponder_cpu_ms_per_game")} == {
        0.003
    }
    assert rounded["ms_p50"] == round(rounded["ms_p50"], 3)
    assert rounded["profiles"] == {}
    idle = resources_json(make_row("owl", resources=Resources()), make_summary([]))
    assert {key for key, value in idle.items() if value is None} == {
        "ms_start",
        "ms_p50",
        "ms_p99",
        "cpu_ms_per_move",
        "ponder_cpu_ms_per_game",
    }


CLOSE = (
    make_row("crow", 10.0, deals=40),
    make_row("owl", -10.0, 2, deals=40),
)
MET = HeadToHead(
    "crow", "owl", 4, 3.0, 2, 0.12345678, 0.98765432, 1.23456789, None, (0, 0, 1, 0, 1)
)
"""Three of four points: a share of ¾ is 400 · log10(3) = 190.85 Elo."""

POOL = make_pool(
    *CLOSE,
    prior=2.5,
    rough=True,
    anchors=(Anchor("owl", -10.0),),
    design_effect=0.9123456,
    saved=PairSaving(0.0876543, 0.0321098, 400.0),
    fitness=Fitness(
        9.8765432, 3, 0.0123456789, 1.2345678, (Deviation("a", "b", 3.5, 2.25, 4.12345678, 0.5),)
    ),
    meetings=(MET,),
    gaps=(Gap("crow", "owl", 20.12345, 10.123456),),
    covariance=((1 / 3, math.nan), (0.0, 2.0)),
    pairs=40,
    level=0.9,
)


def read_table(summary: Summary) -> dict[str, Any]:
    """Return the only table of `standings.json`, without its bots."""
    (table,) = json.loads(standings_json(summary))["tables"]
    del table["bots"]
    return dict(table)


def test_table_has_the_documented_keys() -> None:
    """`fit` is rounded; the covariance is not, and has no NaN."""
    table = read_table(make_summary([POOL]))
    assert table.pop("meetings")
    assert table.pop("gaps")
    nothing_known = [[None, None], [None, None]]
    assert table == {
        "likelihoods": nothing_known,
        "level": 0.9,
        "deals": 40,
        "rough": True,
        "prior": 2.5,
        "anchor": "owl",
        "anchors": [{"bot": "owl", "elo": -10.0, "error": 0.0}],
        "paired_by_results": False,
        "chosen_by_results": False,
        "design_effect": 0.9123,
        "variance_saved": 0.0877,
        "variance_saved_plus_minus": 0.0321,
        "fit": {
            "chi_square": 9.8765,
            "freedom": 3,
            "p": 0.012346,
            "spread": 1.2346,
            "deviations": [
                {
                    "first": "a",
                    "second": "b",
                    "points": 3.5,
                    "expected": 2.25,
                    "z": 4.123457,
                    "p": 0.5,
                }
            ],
        },
        "cycle": [],
        "strength_spread": None,
        "first_seat_elo": 12.35,
        "first_seat_plus_minus": 8.77,
        "covariance": [[1 / 3, None], [0.0, 2.0]],
    }


def test_meeting_of_a_table_has_the_documented_keys() -> None:
    """Its numbers are rounded; those of the pairs are whole."""
    (meeting,) = read_table(make_summary([POOL]))["meetings"]
    # shares of ½ and 1 have a mean of ¾ and a deviation of ¼
    assert meeting.pop("elo_plus_minus") > 100
    assert meeting == {
        "first": "crow",
        "second": "owl",
        "games": 4,
        "points": 3.0,
        "deals": 2,
        "error": 0.123457,
        "p": 0.987654,
        "margin": 1.234568,
        "margin_plus_minus": None,
        "pairs": [0, 0, 1, 0, 1],
        "elo": 190.85,
        "nelo": round(NELO, 2),
    }


def test_gap_of_a_table_has_the_documented_keys() -> None:
    """With the pairs that would close it, played by all or by these two alone."""
    (gap,) = read_table(make_summary([POOL]))["gaps"]
    more = POOL.more_pairs(POOL.gaps[0])
    assert more is not None
    assert more.of_all > 0
    assert gap == {
        "above": "crow",
        "below": "owl",
        "elo": 20.12,
        "standard_error": 10.1235,
        "more_pairs": more.of_all,
        "more_pairs_of_two": more.of_two,
        "close": False,
    }


def test_level_of_a_table_and_of_the_order_change_its_numbers() -> None:
    """Intervals of a meeting are wider at a higher level, and a whole order needs more pairs."""
    narrow, wide = (read_table(make_summary([POOL._replace(level=level)])) for level in (0.8, 0.99))
    reach = [table["meetings"][0]["elo_plus_minus"] for table in (narrow, wide)]
    # Student's t of one degree of freedom, from a printed table: 3.078 and 63.657
    assert reach[1] / reach[0] == pytest.approx(63.657 / 3.078, rel=1e-3)
    assert reach == [round(width, 2) for width in reach]
    rows = (*CLOSE, make_row("jay", -99.0, 3, deals=40))
    # with a small design effect, a pair of these two tells much
    third = make_pool(*rows, gaps=POOL.gaps, pairs=40, design_effect=0.02)
    plain, ordered = (
        read_table(make_summary([third], order=order))["gaps"][0] for order in (None, 0.99)
    )
    assert ordered["more_pairs"] > plain["more_pairs"]
    assert ordered["more_pairs_of_two"] > plain["more_pairs_of_two"]
    assert plain["more_pairs"] > plain["more_pairs_of_two"]


def test_likelihoods_are_rounded_to_six_digits() -> None:
    """20 Elo apart with a variance of 100 are two standard errors: Φ(2) = 0.97725."""
    pool = POOL._replace(covariance=((50.0, 0.0), (0.0, 50.0)))
    assert read_table(make_summary([pool]))["likelihoods"] == [[None, 0.97725], [0.02275, None]]


def test_bare_table_has_nulls_where_nothing_is_known() -> None:
    """No fit, no saving, no seat, and a gap below a bot that has only a bound."""
    bare = make_pool(
        *CLOSE,
        seat_elo=None,
        seat_plus_minus=None,
        gaps=(Gap("crow", "owl", 5.0, None),),
        meetings=(MET._replace(pairs=(0, 0, 0, 0, 0), points=4.0, p=None),),
        paired_by_results=True,
        chosen_by_results=True,
    )
    table = read_table(make_summary([bare]))
    assert (table["paired_by_results"], table["chosen_by_results"]) == (True, True)
    (gap,) = table["gaps"]
    names = {"above": "crow", "below": "owl"}
    assert gap == {
        **dict.fromkeys(("elo", "standard_error", "more_pairs", "more_pairs_of_two", "close")),
        **names,
    }
    (meeting,) = table["meetings"]
    assert [meeting[key] for key in ("elo", "elo_plus_minus", "nelo", "p")] == [None] * 4
    for key in ("fit", "design_effect", "variance_saved", "variance_saved_plus_minus"):
        assert table[key] is None
    assert (table["first_seat_elo"], table["first_seat_plus_minus"]) == (None, None)
    assert table["anchor"] is None


LEAGUE_VERSIONS: list[dict[str, Any]] = [
    {
        "number": 1,
        "first": 0,
        "began": DATES[0],
        "pairs": 3,
        "bots": ["crow", "wren"],
        "added": ["crow", "wren"],
        "changed": [],
        "removed": [],
        "renamed": [],
    },
    {
        "number": 2,
        "first": 3,
        "began": None,
        "pairs": 4,
        "bots": ["crow#2"],
        "added": [],
        "changed": [{"before": "crow", "now": "crow#2"}],
        "removed": ["wren"],
        "renamed": [],
    },
]
"""The versions of `LEAGUE`, as the documentation shows them."""


def test_whole_document_has_the_documented_keys() -> None:
    """Format 4; each value is that of the summary."""
    swiss = FormatTable("Swiss", ("Place", "Bot"), (("1", "crow"), ("2", "owl")), ("a note",))
    summary = make_summary(
        [],
        seed=2**60,
        over=False,
        table=swiss,
        tuning=TUNED,
        season=LEAGUE,
        gates=(Checked("elo(a) > 0", passed=True, numbers="difference +3"),),
        standings=Standings((), 23, 2, 5),
        conditions=Conditions((), {}, {"crow": Counter({"bwrap": 2})}, games=24, valid=21),
    )
    text = standings_json(summary)
    data = json.loads(text)
    assert data.pop("tuning")["bot"] == "magpie"
    assert data == {
        "format": 4,
        "name": "t",
        "edition": "express",
        "seed": 2**60,
        "version": "1.2.3",
        "pairs_planned": 20,
        "pairs_stored": 12,
        "over": False,
        "games": 23,
        "voids": 2,
        "valid_games": 21,
        "repeated": 5,
        "game_hash": "a hash",
        "chain_head": "a head",
        "conditions": ["Sandbox: bwrap"],
        "gates": [{"text": "elo(a) > 0", "passed": True, "numbers": "difference +3"}],
        "league_versions": LEAGUE_VERSIONS,
        "bans": [],
        "format_table": {
            "title": "Swiss",
            "rows": [{"Place": "1", "Bot": "crow"}, {"Place": "2", "Bot": "owl"}],
            "notes": ["a note"],
        },
        "tables": [],
        "income_marks": [],
        "field": {"games": 0, "income_at_marks": [], **dict.fromkeys(AVERAGES)},
    }
    assert text.startswith('{\n  "format": 4,\n  "name": "t",\n')
    assert text.endswith("\n}\n")
    assert standings_json(make_summary([], name="Häher")).isascii()
    plain = json.loads(standings_json(make_summary([])))
    assert (plain["format_table"], plain["tuning"]) == (None, None)


def test_bots_of_a_table_have_their_identity_status_and_resources() -> None:
    """The identity is 12 digits of the SHA-256 of the content, which may have any bytes."""
    content = "greedy 1.0 \udcff"
    summary = make_summary(
        [make_pool(FULL, make_row("wren"))], season=LEAGUE, contents={"crow": content}
    )
    (table,) = json.loads(standings_json(summary))["tables"]
    crow, wren = table["bots"]
    resources = crow.pop("resources")
    assert crow.pop("statistics") is None, "it has played no game to its end"
    assert resources["processes_started"] == 4
    assert crow == {
        **NUMBERS,
        "identity": sha256(b"greedy 1.0 \xff").hexdigest()[:12],
        "content": content,
        "name": "crow",
        "status": "old",
        "joined": DATES[0],
        "left": DATES[1],
    }
    assert (wren["bot"], wren["identity"], wren["content"]) == ("wren", None, None)
    assert wren["status"] == "removed"


def test_standings_of_any_games_have_the_same_tables() -> None:
    """They have no tournament around them, and no identities or resources."""
    standings = Standings((POOL,), 23, 2, 5)
    data = json.loads(tables_json(standings, LEAGUE))
    (table,) = data.pop("tables")
    assert data == {"format": 4, "games": 23, "voids": 2, "repeated": 5}
    crow, owl = table.pop("bots")
    assert table == read_table(make_summary([POOL]))
    assert crow == {
        **row_json(CLOSE[0]),
        "name": "crow",
        "status": "old",
        "joined": DATES[0],
        "left": DATES[1],
    }
    assert (owl["bot"], owl["status"]) == ("owl", "current")
    assert tables_json(standings, LEAGUE).startswith('{\n  "format": 4,')
    assert tables_json(standings, LEAGUE).endswith("}\n")


def test_csv_has_a_row_for_each_bot_of_each_table() -> None:
    """One line of headings; faults are words, unknown values empty, and texts no formulas."""
    odd = make_row("=1+1", resources=Resources())
    pools = [make_pool(FULL, odd, level=0.9), make_pool(make_row("wren"))]
    summary = make_summary(pools, season=LEAGUE, contents={"crow": "content"})
    text = standings_csv(summary)
    crow, formula, wren = csv.DictReader(io.StringIO(text))
    plain = {key: "" if value is None else str(value) for key, value in NUMBERS.items()}
    assert crow == {
        **plain,
        "table": "1",
        "level": "0.9",
        "faults": "crash:2 timeout:3",
        "identity": sha256(b"content").hexdigest()[:12],
        "name": "crow",
        "status": "old",
        "joined": DATES[0],
        "left": DATES[1],
    }
    assert (formula["bot"], formula["name"], formula["table"]) == ("'=1+1", "'=1+1", "1")
    assert (formula["faults"], formula["identity"], formula["joined"]) == ("", "", "")
    assert (wren["bot"], wren["table"], wren["level"]) == ("wren", "2", "0.95")
    assert text.count("rank_best") == 1
    assert text.splitlines()[0].startswith("table,level,rank,")
    assert "\r" not in text
    signs = make_pool(*(make_row(f"{mark}x") for mark in "+-@\t"), make_row("x=1"))
    bots = [row["bot"] for row in csv.DictReader(io.StringIO(standings_csv(make_summary([signs]))))]
    # a tab is a control character, so it is replaced before anything else
    assert bots == ["'+x", "'-x", "'@x", "?x", "x=1"]


def test_statistics_of_a_bot_have_the_documented_keys() -> None:
    """The bot has 12 points in the hand-counted game, 4 behind, and expected 2 at first."""
    plies = (Ply(0, "5:r0:a1", 1000, 0, "score 2"), *GAME.plies[1:])
    collector = StatisticsCollector(TINY)
    collector.add(GAME._replace(plies=plies))
    statistics = collector.conclude()
    summary = make_summary([make_pool(make_row("magpie"))], statistics=statistics)
    data = json.loads(standings_json(summary))
    ((magpie,),) = (table["bots"] for table in data["tables"])
    numbers = magpie["statistics"]
    assert {*numbers} == {"own", "opponents", "worst", "lost_games_expected"}
    assert {*numbers["own"]} == {*AVERAGES, "games", "income_at_marks"}
    assert (numbers["own"]["score"], numbers["opponents"]["score"], data["field"]["score"]) == (
        (12.0, 16.0, 14.0)
    )
    assert numbers["own"]["income_at_marks"] == [0.0, 0.0, 2.0, 2.0]
    assert numbers["own"]["advance_share"] == 0.6
    assert numbers["worst"]["advances"] == {"game": "7.0", "value": 3}
    assert numbers["lost_games_expected"] == {"games": 1, "steps": [2.0, 2.0, 2.0, 2.0, -4.0]}
    assert data["income_marks"] == [3, 4, 8, 12]


def read_suite(text: str) -> ET.Element:
    """Return the only suite of a JUnit document."""
    root = ET.fromstring(text)
    assert root.tag == "testsuites"
    (suite,) = root
    assert suite.tag == "testsuite"
    return suite


def test_junit_suite_counts_and_explains_its_cases() -> None:
    """Two passed, one was skipped, one of two failures has two lines of details."""
    cases = [
        Case("gates", "a < b"),
        Case("bots", "wren", skipped="gone & away"),
        Case("bots", "owl", "1 crash", details="<one>\ntwo", seconds=1.23456),
        Case("bots", "jay", "2 crash"),
        Case("gates", "e"),
    ]
    text = junit_suite('my "league"', cases)
    assert text.startswith('<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n<testsuite name=')
    assert text.endswith("</testsuite>\n</testsuites>\n")
    suite = read_suite(text)
    assert suite.attrib == {
        "name": 'my "league"',
        "tests": "5",
        "failures": "2",
        "errors": "0",
        "skipped": "1",
    }
    parsed = [
        (case.tag, case.attrib, [(child.tag, child.attrib) for child in case]) for case in suite
    ]
    assert parsed == [
        ("testcase", {"classname": "gates", "name": "a < b"}, []),
        (
            "testcase",
            {"classname": "bots", "name": "wren"},
            [("skipped", {"message": "gone & away"})],
        ),
        (
            "testcase",
            {"classname": "bots", "name": "owl", "time": "1.235"},
            [("failure", {"message": "1 crash"})],
        ),
        ("testcase", {"classname": "bots", "name": "jay"}, [("failure", {"message": "2 crash"})]),
        ("testcase", {"classname": "gates", "name": "e"}, []),
    ]
    assert [case.findtext("failure") for case in suite] == [None, None, "<one>\ntwo", "", None]


def test_junit_has_a_case_for_each_gate_and_each_bot_that_plays() -> None:
    """Faults fail a bot that plays; one that was replaced or removed is skipped."""
    clean = make_row("crow#2")
    summary = make_summary(
        [make_pool(FULL, clean), make_pool(make_row("wren"), FULL._replace(bot="jay"))],
        season=LEAGUE,
        gates=(Checked("g > 0", passed=True, numbers="1"), Checked("h > 0", False, "-2")),  # noqa: FBT003
    )
    suite = read_suite(junit_xml(summary))
    assert suite.get("name") == "t"
    cases = [
        (
            case.get("classname"),
            case.get("name"),
            [(child.tag, child.get("message")) for child in case],
        )
        for case in suite
    ]
    assert cases == [
        ("gates", "g > 0", []),
        ("gates", "h > 0", [("failure", "-2")]),
        ("bots", "crow", [("skipped", "old: plays no more")]),
        ("bots", "crow#2", []),
        ("bots", "wren", [("skipped", "removed: plays no more")]),
        ("bots", "jay", [("failure", "2 crash, 3 timeout")]),
    ]


def test_junit_fails_without_a_valid_game() -> None:
    """The case comes first, and says why."""
    conditions = Conditions((), {}, games=2, voids=2)
    suite = read_suite(junit_xml(make_summary([], conditions=conditions)))
    (case,) = suite
    assert (case.get("classname"), case.get("name")) == ("games", "valid games")
    (failure,) = case
    assert failure.get("message") == "No valid game, so no result: all 2 games are void"


def test_texts_are_safe_in_xml() -> None:
    """Markup is escaped, and what XML 1.0 forbids is replaced."""
    assert escape_xml('a<b>&"c"\'') == "a&lt;b&gt;&amp;&quot;c&quot;&#x27;"
    assert escape_xml("\x1b\ufffe喜") == "??喜"
    assert quote_xml('a"b') == '"a&quot;b"'


def test_series_have_the_ratings_of_bots_that_play() -> None:
    """A bound, an unknown rating and a bot that plays no more make no series."""
    later = FULL._replace(bot="crow#2")
    pools = [
        make_pool(FULL, later, make_row("wren"), make_row("best", 9.0, bound=">")),
        make_pool(make_row("lost", math.nan), make_row("owl", 0.126)),
    ]
    text = benchmark_json(make_summary(pools, season=LEAGUE, level=0.9))
    assert json.loads(text) == [
        {
            "name": "crow Elo",
            "unit": "Elo",
            "value": 112.41,
            "range": "± 31",
            "extra": "crow#2: 8 games of t, a hash, ± at 90 %",
        },
        {
            "name": "owl Elo",
            "unit": "Elo",
            "value": 0.13,
            "extra": "4 games of t, a hash, ± at 90 %",
        },
    ]
    assert text.startswith('[\n  {\n    "name": ')
    assert text.endswith("]\n")


def test_series_end_without_a_result() -> None:
    """Neither a tuning nor games that are all void continue a series."""
    void = Conditions((), {}, games=2, voids=2)
    for summary in (
        make_summary([make_pool(FULL)], tuning=TUNED),
        make_summary([make_pool(FULL)], conditions=void),
    ):
        assert benchmark_json(summary) == "[]\n"
