"""Tables that fit the terminal: columns are dropped, names are cut, and no line wraps."""

import io
import re
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console

from pwtourney.ratings.meetings import HeadToHead
from pwtourney.ratings.pairs import Sprt
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
    print_likelihoods,
    print_matrix,
    print_nash,
    print_resources,
    print_standings,
    print_tables,
    shorten,
    split,
)
from pwtourney.schedule import FormatTable
from pwtourney.schedule.formats.knockout import Knockout
from pwtourney.schedule.formats.sprt import SprtFormat
from pwtourney.schedule.formats.swiss import Swiss
from pwtourney.schedule.season import Member, Season
from pwtourney.standings import Standings
from pwtourney.standings.gates import Checked
from tests.report.handmade import FULL, TUNED, make_pool, make_row, make_summary

NAMES = ("a" * 29 + "-v1", "a" * 29 + "-v2", "wren")
"""Two names of 32 characters, the maximum, that differ at their ends."""


def test_natural_width_is_that_of_the_widest_cells() -> None:
    """By hand: a blank at the left, two after each column; CJK characters have width 2."""
    columns = [Column("Bot", ("wren", "magpie")), Column("Elo", ("+7", "喜鹊"))]
    assert natural_width(columns) == 1 + (6 + 2) + (4 + 2)


def test_columns_are_dropped_in_order_and_only_if_needed() -> None:
    """Three columns take 5 + 2 characters each, and a blank is before them."""
    columns = [Column(heading * 5, (heading,)) for heading in "abc"]
    order = ("nowhere", "ccccc", "aaaaa")
    for width, left in ((22, "abc"), (21, "ab"), (15, "ab"), (14, "b"), (1, "b")):
        assert [column.heading[0] for column in fit(columns, order, width)] == list(left)


def test_column_with_a_brief_form_is_shortened_before_it_is_dropped() -> None:
    """Verdicts of faults become a number, and only then is the column dropped."""
    faults = Column("Faults", ("2 crash, 3 timeout",), words=True, brief=("5",))
    columns, order = [Column("Bot", ("wren",), words=True), faults], ("Faults", "Faults")
    assert [column.cells for column in fit(columns, order, 27)] == [
        ("wren",),
        ("2 crash, 3 timeout",),
    ]
    assert [column.cells for column in fit(columns, order, 26)] == [("wren",), ("5",)]
    assert [column.cells for column in fit(columns, order, 14)] == [("wren",)]


def test_all_columns_except_bot_and_elo_can_be_dropped() -> None:
    """Every column that is added to the table needs a place in the order."""
    headings = set(describe_columns(0.99))
    assert headings - set(LEAVING) == {"Bot", "Elo", interval_heading(0.99)}
    assert set(LEAVING) <= headings


def test_longest_names_leave_room_for_ranks_and_los() -> None:
    """At 80 columns they stay next to names of 32 characters, the maximum in a tournament file."""
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
    assert {"#", "Ranks", "Bot", "Elo", "±95%", "LOS"} <= {column.heading for column in left}
    assert "x" * 32 in {column.cells[0] for column in left}


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
    cut = shorten(names, width)
    assert len(set(cut)) == len(names)
    assert all(cell_len(name) <= width for name in cut)


def test_wide_table_is_printed_in_parts_with_names_in_each() -> None:
    """A name takes 4 + 2 and a column 5 + 2, with a blank: two columns fit 21 characters."""
    columns = [Column("Bot", ("wren",))]
    columns += [Column(letter * 5, (letter,)) for letter in "abc"]
    parts = split(columns, 1, 21)
    assert [[column.heading for column in part] for part in parts] == [
        ["Bot", "aaaaa", "bbbbb"],
        ["Bot", "ccccc"],
    ]


BRACKET = Knockout(NAMES[:2], 1).table(())
BRACKET = BRACKET._replace(
    notes=(),
    rows=(("semifinal", NAMES[0], NAMES[1], "12–4", f"{NAMES[0]} (points)"),),
)
SWISS = Swiss(NAMES, 3, 1).table(())
SWISS = SWISS._replace(
    notes=(),
    rows=tuple(
        (str(place), name, "3", "4.5", "12", ", ".join(NAMES)) for place, name in enumerate(NAMES)
    ),
)
SPRT = SprtFormat(NAMES[:2], Sprt()).table(())
NUMBERS = ("2.95", "4000", "100–200–300–200–100", "+12 ± 8", "+20 ± 8", "99.9%")
SPRT = SPRT._replace(notes=(), rows=((NAMES[1], "better", *NUMBERS),))
DEPTH = FormatTable(
    f"{NAMES[0]} by opponent",
    ("Against", "Games", "Points", "Score", "Margin", "Void"),
    ((NAMES[1], "10000", "4999.5", "50.0%", "+12.3", "10"),),
    leaving=("Void", "Margin", "Points", "Games"),
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
    rule = next(index for index, line in enumerate(lines) if "──" in line)
    assert len([line for line in lines[rule + 1 :] if line.strip()]) == len(table.rows)
    if (width >= 60 and table is not BRACKET) or width == 80:
        assert all(NAMES[1] in line for line in lines if "-v2" in line)


def test_table_that_cannot_fit_is_left_whole() -> None:
    """Numbers are never cut: at 8 columns the terminal wraps the line, and no cell is lost."""
    console = Console(width=8, file=io.StringIO(), force_terminal=False)
    print_format_table(
        FormatTable("", ("Seat", "Score"), (("first", "100.0%"),), words=("Seat",)), console
    )
    assert isinstance(console.file, io.StringIO)
    assert " first  100.0%  " in console.file.getvalue().splitlines()


def make_console(width: int = 80, **more: Any) -> Console:
    """Return a console that writes into memory."""
    return Console(width=width, file=io.StringIO(), **{"force_terminal": False, **more})


def read(console: Console) -> list[str]:
    """Return the printed lines without blanks at their ends and without empty ones."""
    assert isinstance(console.file, io.StringIO)
    lines = [line.rstrip() for line in console.file.getvalue().splitlines()]
    return [line for line in lines if line]


CLOSE = make_pool(make_row("crow", 10.0), make_row("owl", -10.0, 2), gaps=())
LEFT = Season({"owl": Member("owl", "owl", "old", None, None)})
"""A league in which another version of owl plays."""

NO_INTERVALS = (
    "Elo 0 = average of these bots; no intervals: they need ratings from several deals with"
    " different results"
)
FIRST_SEAT = "First-seat advantage: +12 ± 9 Elo"
GAMES = "24 games of 12 pairs; edition express, seed 7"
HASHED = "Game hash a hash, pwtourney 1.2.3"


def test_table_has_a_rule_and_aligned_columns() -> None:
    """Words begin at the left, numbers end at the right; the title comes first, notes last."""
    console = make_console()
    rows = (("喜鹊", "1", "10.5"), ("wren\x1b", "12", "-3"))
    table = FormatTable("Swiss\n", ("Bot", "Met", "Elo"), rows, ("one", "two"), words=("Met",))
    print_format_table(table, console)
    assert isinstance(console.file, io.StringIO)
    assert console.file.getvalue().splitlines() == [
        "Swiss?",
        " " * 19,
        " Bot    Met   Elo  ",
        f" {'─' * 17} ",
        " 喜鹊   1    10.5  ",
        " wren?  12     -3  ",
        " " * 19,
        "one",
        "two",
    ]


def test_table_says_which_columns_are_words_and_which_leave() -> None:
    """A new format names its own: words begin at the left, and a narrow table drops the step."""
    rows = (("owl", "oak", "1"), ("wren", "hedge", "2"))
    table = FormatTable(
        "Ring", ("Bot", "Home", "Step"), rows, words=("Home",), leaving=("Step", "Home")
    )
    wide, narrow = make_console(), make_console(15)
    print_format_table(table, wide)
    print_format_table(table, narrow)
    assert read(wide)[3:] == [" owl   oak       1", " wren  hedge     2"]
    assert read(narrow)[3:] == [" owl   oak", " wren  hedge"]


def test_table_without_rows_has_its_headings() -> None:
    """A format may have no result yet."""
    console = make_console()
    print_format_table(FormatTable("Swiss", ("Bot", "Points"), ()), console)
    assert read(console) == ["Swiss", " Bot  Points", f" {'─' * 12}"]


def test_title_is_italic_and_notes_are_dim() -> None:
    """Codes 3 and 2 of a terminal; a note is not wrapped, and its markup not interpreted."""
    console = make_console(20, force_terminal=True, color_system="standard")
    note = "[bold]" + "x" * 40
    print_format_table(FormatTable("[b]T", ("Seat",), (("first",),), (note,)), console)
    title, *_, last = read(console)
    assert title == "\x1b[3m[b]T\x1b[0m"
    assert last == f"\x1b[2m{note}\x1b[0m"


def test_standings_are_a_table_with_notes_below_and_gates_last() -> None:
    """Of its long notes none is wrapped; `details` adds what is normal."""
    gates = (
        Checked("a > 0", passed=True, numbers="+3"),
        Checked("b > 0", passed=False, numbers="-3\x1b"),
    )
    summary = make_summary([CLOSE], gates=gates, season=LEFT)
    summary.conditions.profiles["crow"]["bwrap"] += 1
    console = make_console(50)
    print_standings(summary, console)
    title, headings, _, first, second, *notes = read(console)
    assert title == "t"
    assert headings.split()[:4] == ["#", "Ranks", "Bot", "Elo"]
    assert first.split()[:4] == ["1", "1", "crow", "+10"]
    assert second.split()[:5] == ["2", "2", "owl", "(old)", "-10"]
    last = ["✓ a > 0: +3", "✗ b > 0: -3?"]
    assert notes == [GAMES, NO_INTERVALS, FIRST_SEAT, HASHED, *last]
    console = make_console(50)
    print_standings(summary, console, details=True)
    assert read(console)[5:] == [GAMES, NO_INTERVALS, FIRST_SEAT, "Sandbox: bwrap", HASHED, *last]
    console = make_console(50, force_terminal=True, color_system="standard")
    print_standings(summary, console)
    assert read(console)[-2:] == [
        f"\x1b[32m{last[0]}\x1b[0m",
        f"\x1b[1;31m{last[1]}\x1b[0m",
    ]


def test_long_gate_is_not_wrapped() -> None:
    """It is one line on any terminal."""
    gate = Checked("elo(crow) > elo(owl)", passed=True, numbers="difference +3 and more")
    console = make_console(30)
    print_standings(make_summary([CLOSE], gates=(gate,)), console)
    assert read(console)[-1] == f"✓ {gate.text}: {gate.numbers}"


def test_table_of_the_format_comes_before_the_standings() -> None:
    """A tuning has its own table only, with the notes of the tournament."""
    table = FormatTable("Swiss", ("Bot", "Points"), (("owl", "1"),), ("a note",))
    console = make_console()
    print_standings(make_summary([CLOSE], table=table), console)
    assert read(console)[:6] == [
        "Swiss",
        " Bot  Points",
        f" {'─' * 12}",
        " owl       1",
        "a note",
        "t",
    ]
    console = make_console()
    print_standings(make_summary([CLOSE], table=table, tuning=TUNED), console)
    assert read(console)[4:] == ["a note", GAMES, HASHED]


def test_very_many_tables_are_printed_only_on_request() -> None:
    """Of four, one is printed without a number, or all with theirs."""
    summary = make_summary([CLOSE] * 4)
    for all_tables, titles in ((False, ["t"]), (True, [f"Table {k}" for k in range(1, 5)])):
        console = make_console()
        print_standings(summary, console, all_tables=all_tables)
        lines = read(console)
        above = [before for before, line in pairwise(lines) if " Bot " in line]
        assert above == titles
        assert any(line.startswith("Not shown: 3 more groups (6 bots)") for line in lines) is (
            not all_tables
        )


def test_columns_of_a_table_leave_in_the_documented_order() -> None:
    """At 60 columns faults are only counted, and at 28 the interval leaves after all others."""
    pool = make_pool(FULL, make_row("wren", -60.0, 3), level=0.9)
    seen = []
    for width in (200, 60, 28, 15):
        console = make_console(width)
        print_tables(Standings((pool,), 12, 0), "league", ["a note"], console)
        title, headings, _, first, second, note = read(console)
        assert (title, note) == ("league", "a note")
        seen.append((re.split(" {2,}", headings.strip()), first.split(), second.split()))
    whole, faults, interval, rest = seen
    assert whole[0] == list(describe_columns(0.9))
    assert whole[1][-4:] == ["2", "crash,", "3", "timeout"]
    assert "Faults" in faults[0]
    assert faults[1][-1] == "5"
    assert interval == (
        ["Bot", "Elo", "±90%", "Games"],
        ["crow", "+112", "31", "8"],
        ["wren", "-60", "–", "4"],
    )
    assert rest == (["Bot", "Elo"], ["crow", "+112"], ["wren", "-60"])


def test_several_tables_are_numbered() -> None:
    """The name of the tournament is not repeated, and bots that play no more are marked."""
    console = make_console()
    print_tables(Standings((CLOSE, CLOSE), 8, 0), "league", [], console, LEFT)
    lines = read(console)
    assert [line for line in lines if line.startswith(("Table", "league"))] == [
        "Table 1",
        "Table 2",
    ]
    assert len([line for line in lines if " owl (old) " in line]) == 2


MET = HeadToHead("crow", "owl", 4, 3.0, 2, 0.1, None)


def make_triangle() -> Standings:
    """Return two tables: crow, owl and jay, and two that have no number in common."""
    meetings = (
        MET,
        MET._replace(second="jay", points=1.5, p=0.0009),
        MET._replace(first="a", second="b"),
    )
    rows = [make_row(bot, rank=rank) for rank, bot in enumerate(("crow", "owl", "jay"), 1)]
    return Standings((make_pool(*rows, meetings=meetings[:2], gaps=()),), 8, 0)


def test_matrix_has_the_share_of_each_two_bots_that_met() -> None:
    """Three of four points are 75 %, and 25 % from the other side; numbers head the columns."""
    console = make_console()
    print_matrix(make_triangle(), console, LEFT)
    title, headings, _, *rows, note = read(console)
    assert title == "Head to head"
    assert headings.split() == ["#", "Bot", "1", "2", "3"]
    assert [row.split() for row in rows] == [
        ["1", "crow", "·", "75%", "/4", "38%**", "/4"],
        ["2", "owl", "(old)", "25%", "/4", "·", "–"],
        ["3", "jay", "62%**", "/4", "–", "·"],
    ]
    assert note == (
        "Share of the points of the bot on the left, and games. * p < 0.05, ** p < 0.001 that bots"
        " of equal strength differ as much, clustered by deal and corrected (Holm) for all"
        " pairings."
    )


def test_matrix_without_deals_does_not_claim_to_be_clustered() -> None:
    """Its stars rest on independent games."""
    console = make_console()
    print_matrix(Standings((CLOSE._replace(loose=4),), 4, 0), console, LEFT)
    *_, note = read(console)
    assert "clustered" not in note
    assert "differ as much, if games without pair or deal are independent, and corrected" in note


@pytest.mark.parametrize(
    ("p", "mark"), [(None, ""), (0.05, ""), (0.0499, "*"), (0.001, "*"), (0.00099, "**")]
)
def test_sure_differences_of_the_matrix_have_stars(p: float | None, mark: str) -> None:
    """One below 0.05, two below 0.001."""
    pool = CLOSE._replace(meetings=(MET._replace(p=p),))
    console = make_console()
    print_matrix(Standings((pool,), 4, 0), console)
    assert f" 75%{mark} /4" in read(console)[3]
    assert f" 25%{mark} /4" in read(console)[4]


def test_bots_that_share_a_rank_have_columns_of_their_own() -> None:
    """Two columns with the same heading would be ambiguous."""
    pool = make_pool(make_row("crow"), make_row("owl"), gaps=(), meetings=(MET,))
    console = make_console()
    print_matrix(Standings((pool,), 4, 0), console)
    _, headings, _, *rows, _ = read(console)
    assert headings.split() == ["#", "Bot", "1", "2"]
    assert [row.split()[:2] for row in rows] == [["1", "crow"], ["2", "owl"]]


def test_wide_matrix_is_printed_in_parts_with_the_names_in_each() -> None:
    """21 columns: the head takes 1 + (1 + 2) + (4 + 2), and each other one 6 + 2 or more."""
    console = make_console(30)
    print_matrix(make_triangle(), console)
    lines = read(console)
    assert lines.count("Head to head") == 2
    assert [line.split() for line in lines if " Bot " in line] == [
        ["#", "Bot", "1", "2"],
        ["#", "Bot", "3"],
    ]
    double = Standings(make_triangle().pools * 2, 8, 0)
    console = make_console()
    print_matrix(double, console)
    assert [line for line in read(console) if line.startswith("Head")] == [
        "Head to head, table 1",
        "Head to head, table 2",
    ]


def test_likelihoods_are_those_of_the_bot_on_the_left() -> None:
    """20 Elo apart with a variance of 100 are two standard errors: Φ(2) = 97.7 %."""
    pool = make_pool(
        *(row._replace(deals=40) for row in CLOSE.rows),
        make_row("best", 90.0, 3, bound=">"),
        covariance=((50.0, 0.0, 0.0), (0.0, 50.0, 0.0), (0.0, 0.0, 50.0)),
    )
    console = make_console()
    print_likelihoods(Standings((pool,), 4, 0), console, LEFT)
    title, headings, _, *rows, note = read(console)
    assert title == "Likelihood of superiority"
    assert headings.split() == ["#", "Bot", "1", "2", "3"]
    assert [row.split() for row in rows] == [
        ["1", "crow", "·", "97.7%", "–"],
        ["2", "owl", "(old)", "2.3%", "·", "–"],
        ["3", "best", "–", "–", "·"],
    ]
    assert note == (
        "Likelihood that the bot on the left is stronger than the one whose number is at the top,"
        " if nothing is known of them but these games."
    )


def test_resources_are_printed_in_parts_with_the_bot_in_each() -> None:
    """On a narrow terminal, no column leaves; the cells are those of the bot."""
    summary = make_summary([make_pool(FULL)])
    parts = []
    for width in (200, 60):
        console = make_console(width)
        print_resources(summary, console)
        lines = read(console)
        parts.append(lines.count("Resources"))
        words = " ".join(lines).split()
        for cell in ("Stderr", "1250.0", "987.7", "5.5", "crow"):
            assert cell in words
    assert parts[0] == 1
    assert parts[1] > 1
    assert words.count("crow") == parts[1]
    assert all(cell_len(line) <= 60 for line in lines)


def test_mixture_of_no_games_is_explained_all_the_same() -> None:
    """Without a table there is only the note."""
    console = make_console()
    print_nash(Standings((), 0, 0), console)
    assert read(console) == [
        (
            "What no bot beats on average; several bots in most of the draws are a cycle of"
            " strengths. Not a ranking."
        )
    ]


@pytest.mark.slow
def test_mixture_has_the_bots_that_have_a_weight() -> None:
    """Crow won all games of owl, so it has all of the weight; jay lost every game to both."""
    rows = [make_row(bot, rank=rank) for rank, bot in enumerate(("owl", "crow", "jay"), 1)]
    lost = MET._replace(points=0.0, error=0.0)
    meetings = (
        lost._replace(first="owl", second="crow"),
        lost._replace(first="jay", second="crow"),
        lost._replace(first="jay", second="owl"),
    )
    console = make_console()
    print_nash(Standings((make_pool(*rows, meetings=meetings),), 12, 0), console, LEFT)
    assert [line.split() for line in read(console)[:-1]] == [
        ["Nash", "mixture"],
        ["Bot", "Weight", "In", "draws"],
        ["─" * 23],
        ["crow", "100%", "100%"],
    ]


def test_words_are_cut_from_the_widest_column_down_to_six() -> None:
    """Two columns of words, of 12 and 9, leave 8 and 8 at 1 + (8 + 2) + (8 + 2) + (3 + 2)."""
    columns = [
        Column("Bot", ("a" * 12,), words=True),
        Column("Against", ("b" * 9,), words=True),
        Column("Elo", ("+10",)),
    ]
    for width, lengths in ((31, 12 + 9), (28, 9 + 9), (26, 8 + 8), (25, 8 + 7), (22, 12), (5, 12)):
        first, second, elo = (column.cells[0] for column in fit(columns, (), width))
        assert elo == "+10"
        assert len(first) + len(second) == lengths
        assert abs(len(first) - len(second)) <= 1 or width == 31


def test_cut_name_keeps_the_same_number_of_letters_on_both_sides() -> None:
    """Of 8 places one is for the dots, 4 for the beginning and 3 for the end."""
    assert shorten(("abcdefghijkl",), 8) == ("abcd…jkl",)
    assert shorten(("abcdefghijkl",), 12) == ("abcdefghijkl",)
    assert shorten(("abcdefghijkl", "wren"), 11) == ("abcde…hijkl", "wren")


def test_names_that_no_cut_tells_apart_are_numbered_in_their_order() -> None:
    """The numbers are those of the sorted names; a short one keeps its name."""
    names = (f"{'a' * 9}Y{'a' * 9}", "a", f"{'a' * 9}X{'a' * 9}")
    assert shorten(names, 7) == ("aaaaa…3", "a", "aaaaa…2")


def test_wide_letters_are_cut_by_their_cells() -> None:
    """Each takes two, so of nine cells two letters are before the dots and two behind."""
    assert shorten(("喜鹊喜鹊喜鹊",), 9) == ("喜鹊…喜鹊",)
    # of seven cells three are on either side: a letter and half of one, which is left empty
    assert shorten(("喜鹊喜鹊喜鹊",), 7) == ("喜 … 鹊",)
