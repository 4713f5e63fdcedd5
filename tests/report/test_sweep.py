"""The table of compared values of options."""

import math
from typing import Any

import pytest

from pwtourney.ratings.order import RankInterval
from pwtourney.report.sweep import Sweep, find_rows, read_sweep, tabulate_sweep, write_elo
from pwtourney.standings import Standings
from tests.report.handmade import make_pool, make_row

FACTS = {
    "sweep": {"bot": "magpie", "options": {"pace": ["0", "3.0"], "nook": ["5", "15"]}},
    "bots": ["p0n5", "p3n15", "frugal"],
    "bots.p0n5.set": {"pace": "0", "nook": 5, "other": "1"},
    "bots.p3n15.set": {"nook": "15", "pace": "3.0"},
}
"""The facts of a sweep of two options; frugal has no options and is none of its players."""

LINE = Sweep("magpie", {"pace": ["0", "2", "3"]}, {("0",): "p0", ("2",): "p2"})


def test_sweep_is_read_from_the_facts_of_its_tournament() -> None:
    """Values are in the order of the options, whatever the order in which a bot has them."""
    assert read_sweep(FACTS) == Sweep(
        "magpie",
        {"pace": ["0", "3.0"], "nook": ["5", "15"]},
        {("0", "5"): "p0n5", ("3.0", "15"): "p3n15"},
    )


@pytest.mark.parametrize(
    "sweep",
    [
        None,
        {"bot": "magpie"},
        {"bot": 1, "options": {"a": ["1"]}},
        {"bot": "magpie", "options": {}},
        {"bot": "magpie", "options": {"a": ["1"], "b": ["1"], "c": ["1"]}},
        {"bot": "magpie", "options": {"a": ["1"]}, "more": 1},
    ],
)
def test_facts_without_a_valid_sweep_have_none(sweep: Any) -> None:
    """A store is not trusted: it may have anything there, and one or two options are a sweep."""
    assert read_sweep({"sweep": sweep}) is None
    assert read_sweep({}) is None


def test_sweep_without_bots_has_no_players() -> None:
    """One option is enough."""
    facts = {"sweep": {"bot": "magpie", "options": {"a": ["1", "2"]}}}
    assert read_sweep(facts) == Sweep("magpie", {"a": ["1", "2"]}, {})


BEST = make_row("p2", 24.6, plus_minus=10.6, ranks=RankInterval(1, 2))
OTHER = make_row("p0", -24.6, 2)
POOL = make_pool(BEST, OTHER, level=0.9)


def test_ratings_of_one_option_are_a_line_for_each_value() -> None:
    """A value that has not met the others has none yet; a row without an interval has a dash."""
    table = tabulate_sweep(LINE, Standings((POOL,), 8, 0))
    assert table is not None
    assert table.title == "magpie: Elo by pace"
    assert table.headings == ("pace", "Elo", "±90%", "Ranks", "Games")
    assert table.rows == (
        ("0", "-25", "–", "2–2", "4"),
        ("2", "+25", "11", "1–2", "4"),
        ("3", "–", "–", "–", "0"),
    )
    assert table.notes == (
        "Best so far: pace 2",
        "Elo 0 = average of these values; ranks at 90 %",
    )
    # a narrow terminal keeps what the title names: the Elo by the values of the option
    assert {*table.headings} - {*table.leaving} == {"pace", "Elo"}


def test_ratings_of_two_options_are_a_grid() -> None:
    """Rows are the values of the first option, columns those of the second."""
    sweep = read_sweep(FACTS)
    assert sweep is not None
    rows = (make_row("p3n15", 9.6), make_row("p0n5", -9.6), make_row("frugal", -50.0))
    table = tabulate_sweep(sweep, Standings((make_pool(*rows),), 8, 0))
    assert table is not None
    assert table.title == "magpie: Elo by pace (rows) and nook (columns)"
    assert table.headings == ("pace", "5", "15")
    assert table.rows == (("0", "-10", "–"), ("3.0", "–", "+10"))
    assert table.notes == (
        "Best so far: pace 3.0, nook 15",
        "Elo 0 = average of these values; ranks at 95 %",
    )


def test_player_of_no_value_is_named_by_its_own_name() -> None:
    """The best of the table may be another bot."""
    pool = make_pool(make_row("frugal", 50.0), BEST, OTHER)
    table = tabulate_sweep(LINE, Standings((pool,), 8, 0))
    assert table is not None
    assert table.notes[0] == "Best so far: frugal"
    assert find_rows(LINE, Standings((pool,), 8, 0)) == (pool, {("2",): BEST, ("0",): OTHER})


def test_fewer_than_two_bots_are_no_table() -> None:
    """No table and a table of one bot give no result, and only the largest table counts."""
    for pools in ((), (make_pool(BEST),)):
        assert tabulate_sweep(LINE, Standings(pools, 0, 0)) is None
        assert find_rows(LINE, Standings(pools, 0, 0)) is None
    table = find_rows(LINE, Standings((POOL, make_pool(BEST)), 8, 0))
    assert table is not None
    assert table[0] is POOL


def test_rating_of_a_value_has_its_bound_but_no_interval() -> None:
    """Without a number only the sign of the bound is left, or a dash."""
    assert write_elo(BEST) == "+25"
    assert write_elo(BEST._replace(bound=">")) == "> +25"
    assert write_elo(BEST._replace(elo=math.nan, bound="?")) == "?"
    assert write_elo(BEST._replace(elo=math.nan)) == write_elo(None) == "–"
