"""Reading CSV many rows at a time equals reading it row by row with the module `csv`."""

import csv
import io
import os
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pwtourney.errors import UsageError
from pwtourney.ratings import Result
from pwtourney.ratings.game_columns import gather_blocks
from pwtourney.tables.csv_table import read_csv
from pwtourney.tables.game_table import read_games

HEADINGS = ("first", "second", "score", "pair", "deal", "margin")

NAMES = st.sampled_from(
    ["a", "b", "ä", "bot-17", "white", "draw", "棋士", "a name of words", "x" * 64]
)
ODD_NAMES = st.sampled_from(
    ["", " a", "b\u00a0", "a\0", "a\nb", 'a"b', '"a"', "a,b", "x" * 65, "x" * 201, "\r"]
)
SCORES = st.sampled_from(["1", "0", "0.5", "", "1-0", "½", "0,5", " 1", "1.000"])
ODD_SCORES = st.sampled_from(["2", "nan", "one", "-1", '"', "0.5.5"])
IDS = st.one_of(
    st.sampled_from(["", "1", "c1", "pair 1", "d" * 8, "d" * 9, "d" * 64, "d" * 65, "ü"]),
    st.text("ab1 ü", max_size=12),
)
MARGINS = st.sampled_from(["", "0", "-7", "12", "+3", " 4", "1_0"])
ODD_MARGINS = st.sampled_from(["x", "1.5", "1000001", "-2147483648", " ", "9" * 30])
WINNERS = st.sampled_from(["a", "b", "ä", "white", "Second", "draw", "TIE", "", " a ", "first"])


def rows(odd: bool) -> st.SearchStrategy[list[str]]:
    """Return a strategy of rows in the order of the headings; odd rows may be invalid."""
    if odd:
        bots, margins = NAMES | ODD_NAMES, MARGINS | ODD_MARGINS
        return st.tuples(bots, bots, SCORES | ODD_SCORES, IDS, IDS, margins).map(list)
    fields = st.tuples(NAMES, NAMES, SCORES, IDS, IDS, MARGINS)
    return fields.filter(lambda row: row[0] != row[1]).map(list)


@st.composite
def files(draw: st.DrawFn, *, odd: bool) -> bytes:
    """Draw a table with random columns, separators, line ends, quotes, BOM and empty lines."""
    order = draw(st.permutations(range(len(HEADINGS) + 1)))
    present = {0, 1, 2, *draw(st.sets(st.integers(3, len(HEADINGS))))}
    columns = [k for k in order if k in present]
    separator = draw(st.sampled_from(",;\t"))
    games = draw(st.lists(rows(odd), max_size=30))
    by_winner = draw(st.booleans())
    heading = [*HEADINGS, "note"]
    if by_winner:
        heading[2] = "winner"
    notes = st.sampled_from(["", "x", "a note; with, marks", "two\nlines"])
    if odd:
        notes |= st.sampled_from(['he said "no"', "\t\r", "\0"])
    text = io.StringIO()
    writer = csv.writer(
        text,
        delimiter=separator,
        lineterminator=draw(st.sampled_from(["\n", "\r\n"])),
        quoting=draw(st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL])),
    )
    writer.writerow([heading[k] for k in columns])
    for game in games:
        row = [*game, draw(notes)]
        if by_winner:
            row[2] = draw(WINNERS) if not odd else draw(WINNERS | ODD_NAMES)
        writer.writerow([row[k] for k in columns])
        if not draw(st.integers(0, 9)):
            text.write(draw(st.sampled_from(["\n", "\r\n", "\n\n"])))
    whole = text.getvalue().encode()
    if draw(st.booleans()):
        whole = b"\xef\xbb\xbf" + whole
    if draw(st.booleans()):
        whole = whole.rstrip(b"\r\n")
    if odd and draw(st.booleans()):
        index, what = draw(st.integers(0, len(whole))), draw(st.binary(min_size=1, max_size=3))
        whole = whole[:index] + what + whole[index:]
    return whole


def read(whole: bytes, *, in_bulk: bool) -> list[Result] | str:
    """Return the games of a file, or the error message."""
    try:
        blocks = list(read_csv(io.BytesIO(whole), "g.csv", in_bulk=in_bulk))
    except UsageError as error:
        return str(error)
    return [game for block in blocks for game in block.results()]


@given(files(odd=False))
@pytest.mark.slow
def test_both_ways_of_reading_give_the_same_games(whole: bytes) -> None:
    """For any columns, separators, line ends and quotation marks."""
    games = read(whole, in_bulk=True)
    assert games == read(whole, in_bulk=False)


@given(files(odd=True))
@example(b"first,second,score\na,b,1\nb,a,1\n\n\xff,b,1\n")
@example(b"first,second,score\na,b,1\rb,a,0\r\n\rb,a,0")
@example(b'first,second,score\na,b,1\n"b,a,1\n')
@example(b'first,second,score,note\na,b,1,"x"\n"a"b,a,1,\n')
@example(b'first,second,score,note\na,b,1,"x" \n a,"b",1,\n')
@example(b"first,second,score\na,b,1\n\x00,b,1\n")
@example(b"first,second,score\na\x00,a,1\n")
@pytest.mark.slow
def test_both_ways_of_reading_report_the_same_error(whole: bytes) -> None:
    """The error has the first invalid line and the reason."""
    assert read(whole, in_bulk=True) == read(whole, in_bulk=False)


def big_table(path: Path, bad: str = "") -> None:
    """Write 60,000 valid games of several kinds, with a bad line before the last ten."""
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([*HEADINGS, "note"])
        for k in range(60_000):
            pair = ("magpie", f"bot {k % 97}")
            note = "two\nlines, in one field" if k % 1000 == 7 else k
            if k == 59_990:
                file.write(bad)
            writer.writerow([*pair[:: 1 - 2 * (k % 2)], k // 2 % 2, k // 2, "", k % 61 - 30, note])


@pytest.mark.slow
def test_rows_are_whole_wherever_a_file_is_cut_into_blocks(tmp_path: Path) -> None:
    """A file of two megabytes with multi-line fields equals the result of `csv`."""
    big_table(tmp_path / "g.csv")
    with (tmp_path / "g.csv").open(newline="") as file:
        expected = [
            (row["first"], row["second"], float(row["score"]), f"pair {row['pair']}")
            for row in csv.DictReader(file)
        ]
    with (tmp_path / "g.csv").open("rb") as file:
        games = [game for block in read_csv(file, "g.csv") for game in block.results()]
    assert [game[:4] for game in games] == expected
    assert [game.margin for game in games] == [k % 61 - 30 for k in range(60_000)]


@pytest.mark.slow
def test_bad_line_far_down_is_named(tmp_path: Path) -> None:
    """The heading, 59,990 games, and 60 more lines within fields come before it."""
    big_table(tmp_path / "g.csv", bad="magpie,raven,2,,,,\n")
    with pytest.raises(UsageError, match=r"g\.csv:60052: the score '2' is not 1, 0, 0.5 or empty"):
        list(read_games(tmp_path / "g.csv"))


class Endless(io.RawIOBase):
    """A file with a given beginning, followed by endless repetitions; too much reading fails."""

    def __init__(self, begin: bytes, again: bytes, most: int) -> None:
        super().__init__()
        self._left = begin
        self._again, self._most = again * (1 + (1 << 16) // len(again)), most

    def readable(self) -> bool:
        """Return True, so that a buffered reader accepts it."""
        return True

    def readinto(self, buffer: "memoryview[int]") -> int:  # type: ignore[override]
        """Fill the buffer with the next bytes."""
        self._left = self._left or self._again
        given = self._left[: len(buffer)]
        buffer[: len(given)] = given
        self._left = self._left[len(given) :]
        self._most -= len(given)
        assert self._most > 0, "it is read and read"
        return len(given)


HOSTILE = {
    "a line": (b"a,b,1", b",", "the row is longer than 4 MiB"),
    "a heading": (b"", b",x", "the row is longer than 4 MiB"),
    "a field": (b'a,b,1,"', b"x\n", "this is not CSV: field larger than field limit (131072)"),
    "a row of fields of two lines": (b'a,b,1,"', b'\n","', "the row is longer than 4 MiB"),
    "no text": (b"", b"\0", "the row is longer than 4 MiB"),
    "no text, in lines": (b"", b"\0\n", "the row is too short"),
    "rows of a million fields": (b"a,b,2", b"," * 1_000_000 + b"\n", "the score '2' is not 1"),
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", HOSTILE)
def test_endless_file_is_refused_early(kind: str) -> None:
    """The error is about its first invalid line, before 16 MB are read."""
    begin, again, message = HOSTILE[kind]
    heading = b"" if kind == "a heading" else b"first,second,score\n"
    file = io.BufferedReader(Endless(heading + begin, again, most=16_000_000))
    with pytest.raises(UsageError) as caught:
        list(read_csv(file, "g.csv"))
    assert message in str(caught.value)


PLAIN = "first,second,score,pair,deal,margin,note\n" + "".join(
    f"bot {k % 7},rival,{k % 2},{k // 2},deal {k // 2},{k - 50},ä{k}\n" for k in range(100)
)


@pytest.mark.parametrize(
    "text",
    [
        PLAIN,
        PLAIN.replace(",", ";"),
        PLAIN.replace("\n", "\r\n"),
        PLAIN.rstrip(),
        f"\ufeff{PLAIN}",
        "\n".join(f'"{row}"'.replace(",", '","') for row in PLAIN.splitlines()),
        PLAIN.replace("ä1\n", '"two\n\nlines, with separators"\n'),
    ],
    ids=["plain", "semicolons", "CRLF", "no end", "a mark", "quoted", "long notes"],
)
def test_usual_csv_is_read_many_rows_at_a_time(text: str) -> None:
    """Names are then arrays of bytes; row by row they are strings."""
    blocks = list(read_csv(io.BytesIO(text.encode()), "g.csv"))
    for block in blocks:
        columns = (block.first, block.second, block.pair, block.deal)
        assert all(isinstance(column.names, np.ndarray) for column in columns)
    assert sum(len(block.results()) for block in blocks) == 100


@pytest.mark.slow
def test_name_too_long_for_an_array_affects_only_its_own_block() -> None:
    """The games before and after it are the same as without it."""
    rows = [f"magpie,raven,1,{k}\n" for k in range(100_000)]
    rows[50_000] = f"magpie,raven,1,{'x' * 65}\n"
    whole = "".join(["first,second,score,pair\n", *rows]).encode()
    blocks = list(read_csv(io.BytesIO(whole), "g.csv"))
    kinds = [isinstance(block.pair.names, np.ndarray) for block in blocks]
    assert True in kinds
    assert kinds.count(False) == 1
    columns = gather_blocks(None, blocks)
    assert (columns.pairs, len(columns.first), columns.bots) == (
        100_000,
        100_000,
        ("magpie", "raven"),
    )


def test_table_is_read_from_a_pipe(tmp_path: Path) -> None:
    """No part is read twice, so another program may write at the same time."""
    pipe = tmp_path / "g.csv"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=(PLAIN,))
    writer.start()
    games = [game for block in read_games(pipe) for game in block.results()]
    writer.join(timeout=60)
    assert len(games) == 100


@pytest.mark.parametrize("in_bulk", [True, False])
def test_impossible_margin_is_refused_in_both_ways(in_bulk: bool) -> None:
    """This includes the number that means "no margin" in our arrays."""
    table = b"first,second,score,margin\na,b,1,3\na,b,1,-2147483648\n"
    with pytest.raises(UsageError, match=r"^g\.csv:3: the margin"):
        list(read_csv(io.BytesIO(table), "g.csv", in_bulk=in_bulk))


def test_heading_of_many_columns_is_read_fast() -> None:
    """Comparing 40,000 columns with each other would take half a minute."""
    names = ",".join(f"column{k}" for k in range(40_000))
    began = time.process_time()
    with pytest.raises(UsageError, match="there is no column first"):
        list(read_csv(io.BytesIO(names.encode() + b"\n"), "g.csv"))
    assert time.process_time() - began < 5
