"""Tables that fit the terminal: columns are dropped, names are cut, and no line wraps."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console

from pwtourney.report.text.rows import (
    LEAVING,
    describe_columns,
    interval_heading,
)
from pwtourney.report.text.terminal import (
    Column,
    fit,
    natural_width,
    print_format_table,
    shorten,
    split,
)
from pwtourney.schedule import FormatTable

NAMES = ("a" * 29 + "-v1", "a" * 29 + "-v2", "wren")
"""Two names of 32 characters, the maximum, that differ at their ends."""


def test_natural_width_is_that_of_the_widest_cells() -> None:
    """By hand: a blank at the left, two after each column; CJK characters have width 2."""
    columns = [Column("Bot", ("wren", "magpie")), Column("Elo", ("+7", "喜鹊"))]
    assert natural_width(columns) == 1 + (6 + 2) + (4 + 2)


def test_columns_are_dropped_in_order_and_only_if_needed() -> None:
    """Three columns of 5 + 2 characters and the blank before them."""
    columns = [Column(heading * 5, (heading,)) for heading in "abc"]
    order = ("nowhere", "ccccc", "aaaaa")
    for width, left in ((22, "abc"), (21, "ab"), (15, "ab"), (14, "b"), (1, "b")):
        assert [each.heading[0] for each in fit(columns, order, width)] == list(left)


def test_column_with_a_brief_form_is_shortened_before_it_is_dropped() -> None:
    """Verdicts of faults become a number, and only then is the column dropped."""
    faults = Column("Faults", ("2 crash, 3 timeout",), words=True, brief=("5",))
    columns, order = [Column("Bot", ("wren",), words=True), faults], ("Faults", "Faults")
    assert [each.cells for each in fit(columns, order, 27)] == [("wren",), ("2 crash, 3 timeout",)]
    assert [each.cells for each in fit(columns, order, 26)] == [("wren",), ("5",)]
    assert [each.cells for each in fit(columns, order, 14)] == [("wren",)]


def test_all_columns_except_bot_and_elo_can_be_dropped() -> None:
    """Every column that is added to the table needs a place in the order."""
    headings = set(describe_columns(0.99))
    assert headings - set(LEAVING) == {"Bot", "Elo", interval_heading(0.99)}
    assert set(LEAVING) <= headings


def test_longest_names_leave_room_for_ranks_and_los() -> None:
    """At 80 columns with names of 32 characters, the maximum in a tournament file."""
    cells = {
        **dict.fromkeys(describe_columns(), "1234"),
        "#": "12",
        "Ranks": "10–12",
        "Bot": "x" * 32,
        "Elo": "-1234",
        "LOS": "99.9%",
        "W–L": "123–123",
        "Score": "50.0%",
    }
    columns = [Column(name, (cells[name],), words=name == "Bot") for name in describe_columns()]
    left = fit(columns, LEAVING, 80)
    assert {"#", "Ranks", "Bot", "Elo", "±95%", "LOS"} <= {each.heading for each in left}
    assert "x" * 32 in {each.cells[0] for each in left}


def test_names_are_cut_and_stay_different_if_nothing_else_fits() -> None:
    """Two names of 32 characters in a table of 30: 1 + (20 + 2) + (5 + 2)."""
    columns = [Column("Bot", NAMES, words=True), Column("Elo", ("+1234", "0", "-9"))]
    bots, elo = fit(columns, (), 30)
    assert bots.cells == ("aaaaaaaaaa…aaaaaa-v1", "aaaaaaaaaa…aaaaaa-v2", "wren")
    assert elo.cells == ("+1234", "0", "-9")


@pytest.mark.parametrize(
    ("names", "cut"),
    [
        (("abcdefghij", "wren"), ("abc…hij", "wren")),
        (("abcXefghij", "abcYefghij"), ("abcX…ij", "abcY…ij")),
        (("Xbcdefghij", "abcdefghiY", "abcdefghij"), ("Xbc…hij", "abc…hiY", "abc…hij")),
        (("aaaaaaaXaaaaaaa", "aaaaaaaYaaaaaaa"), ("aaaaa…1", "aaaaa…2")),
    ],
)
def test_names_are_cut_where_they_stay_different(
    names: tuple[str, ...], cut: tuple[str, ...]
) -> None:
    """In the middle if possible, elsewhere otherwise, and with a number as the last resort."""
    assert sorted(shorten(names, 7)) == sorted(cut)


@given(
    st.lists(st.text("ab喜", min_size=1, max_size=14), min_size=1, unique=True), st.integers(6, 14)
)
@pytest.mark.slow
def test_cut_names_fit_and_stay_different(names: list[str], width: int) -> None:
    """The names have few different letters, so they are as similar as possible."""
    found = shorten(names, width)
    assert len(set(found)) == len(names)
    assert all(cell_len(each) <= width for each in found)


def test_wide_table_is_printed_in_parts_with_names_in_each() -> None:
    """A name of 4 + 2 and columns of 5 + 2, with a blank: two columns fit 21 characters."""
    columns = [Column("Bot", ("wren",)), *(Column(each * 5, (each,)) for each in "abc")]
    parts = split(columns, 1, 21)
    assert [[each.heading for each in part] for part in parts] == [
        ["Bot", "aaaaa", "bbbbb"],
        ["Bot", "ccccc"],
    ]


BRACKET = FormatTable(
    "Knockout",
    ("Round", "Bot", "Against", "Points", "Goes on"),
    (("semifinal", NAMES[0], NAMES[1], "12–4", f"{NAMES[0]} (points)"),),
)
SWISS = FormatTable(
    "Swiss, after 3 of 3 rounds",
    ("Place", "Bot", "Points", "Buchholz", "Game points", "Met"),
    tuple(
        (str(place), name, "3", "4.5", "12", ", ".join(NAMES)) for place, name in enumerate(NAMES)
    ),
)
SPRT = FormatTable(
    f"Is {NAMES[0]} better?",
    ("Against", "Answer", "LLR", "Pairs", "0–½–1–1½–2", "Elo", "nElo", "LOS"),
    ((NAMES[1], "better", "2.95", "4000", "100–200–300–200–100", "+12 ± 8", "+20 ± 8", "99.9%"),),
)
DEPTH = FormatTable(
    f"{NAMES[0]} by opponent",
    ("Against", "Games", "Points", "Score", "Margin", "Void"),
    ((NAMES[1], "10000", "4999.5", "50.0%", "+12.3", "10"),),
)


@pytest.mark.parametrize("width", [80, 60, 40, 30])
@pytest.mark.parametrize("table", [BRACKET, SWISS, SPRT, DEPTH], ids=lambda table: table.title[:5])
def test_no_cell_of_any_table_is_wrapped(table: FormatTable, width: int) -> None:
    """There are as many lines as rows; names are whole if one fits, and no line is too wide."""
    console = Console(width=width, file=io.StringIO(), force_terminal=False)
    print_format_table(table, console)
    assert isinstance(console.file, io.StringIO)
    lines = console.file.getvalue().splitlines()
    assert all(cell_len(line) <= width for line in lines)
    rule = next(place for place, line in enumerate(lines) if "──" in line)
    assert len([line for line in lines[rule + 1 :] if line.strip()]) == len(table.rows)
    if (width >= 60 and table is not BRACKET) or width == 80:
        assert all(NAMES[1] in line for line in lines if "-v2" in line)


def test_table_that_cannot_fit_is_left_whole() -> None:
    """Numbers are never cut: at 8 columns the terminal wraps the line, and no cell is lost."""
    console = Console(width=8, file=io.StringIO(), force_terminal=False)
    print_format_table(FormatTable("", ("Seat", "Score"), (("first", "100.0%"),)), console)
    assert isinstance(console.file, io.StringIO)
    assert " first  100.0%  " in console.file.getvalue().splitlines()
