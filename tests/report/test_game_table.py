"""Tables of games as people and spreadsheets write them."""

from pathlib import Path

import pytest

from pwtourney.errors import UsageError
from pwtourney.ratings.games import gather_blocks
from pwtourney.report.game_table import read_games
from pwtourney.report.machine import line_json
from pwtourney.report.text import amount, format_brief_row, format_row
from pwtourney.standings import Resources
from pwtourney.standings.rate import standings, tables
from tests.ratings.games import pair

PLAIN = "first,second,score\na,b,1\nb,a,0.5\na,b,\n"


def read(folder: Path, text: str, name: str = "g.csv") -> list[tuple[str, str, float | None]]:
    """Return who played whom in a table, and what the first got."""
    path = folder / name
    path.write_text(text)
    return [
        row
        for block in read_games(path)
        for row in zip(block.first, block.second, block.points, strict=True)
    ]


@pytest.mark.parametrize(
    "text",
    [
        PLAIN,
        PLAIN.replace(",", ";"),
        PLAIN.replace(",", "\t"),
        PLAIN.replace(",", ";").replace("0.5", "0,5"),
        PLAIN.replace("first,second,score", " First ,SECOND,Score"),
        PLAIN.replace(",1\n", ", 1\n").replace("0.5", ".50"),
        PLAIN.replace(",1\n", ",1.00\n").replace("0.5", "0.500"),
        PLAIN.replace("first", "\ufefffirst"),
        PLAIN.replace("\n", "\r\n"),
        "note;first;second;score\nx, y;a;b;1\n;b;a;0.5\n;a;b;\n",
    ],
)
def test_a_table_is_read_as_spreadsheets_write_it(tmp_path: Path, text: str) -> None:
    """Other separators, spellings of a score, capital letters, blanks: the same three games."""
    assert read(tmp_path, text) == [("a", "b", 1.0), ("b", "a", 0.5), ("a", "b", None)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("first,second,score,First\na,b,1,c\n", "g.csv:1: there are several columns first; leave"),
        ("first,second,score,deal,deal\na,b,1,x,y\n", "g.csv:1: there are several columns deal"),
        (
            "first,second,score\na,b,1\na ,b,1\n",
            "g.csv:3: the name 'a ' begins or ends with",
        ),
        ("first,second,score\na,\tb,1\n", "g.csv:2: the name '\\tb' begins or ends with"),
        ("first,second,score\na,b,one\n", "g.csv:2: the score 'one' is not 1, 0, 0.5 or empty"),
        ("first,second,score\na,b,0.25\n", "g.csv:2: the score '0.25' is not 1, 0, 0.5 or empty"),
        ("first,second,score\na,b,nan\n", "g.csv:2: the score 'nan' is not 1, 0, 0.5 or empty"),
        ("first,second,score\na,b,-1\n", "g.csv:2: the score '-1' is not 1, 0, 0.5 or empty"),
        (
            "first,second,score,margin\na,b,1,3.5\n",
            "g.csv:2: the margin '3.5' is not a whole",
        ),
        ("first;second\na;b\n", "g.csv:1: there is no column score"),
    ],
)
def test_what_could_be_misread_is_refused(tmp_path: Path, text: str, message: str) -> None:
    """With file, line and what to do."""
    with pytest.raises(UsageError) as told:
        read(tmp_path, text)
    assert message in str(told.value)


def test_names_with_blanks_are_refused_in_lines_of_json_as_well(tmp_path: Path) -> None:
    """They would be printed as if they were one bot."""
    line = '{"first": "a", "second": "b ", "score": 1}\n'
    with pytest.raises(UsageError, match=r"g\.jsonl:1: the name 'b ' begins or ends with a blank"):
        read(tmp_path, line, "g.jsonl")


def test_what_a_table_does_not_say_of_its_bots_is_a_dash(tmp_path: Path) -> None:
    """Neither times nor faults are known; in a tournament of ours no fault is a zero."""
    path = tmp_path / "g.csv"
    path.write_text(PLAIN)
    used = {"a": Resources(), "b": Resources()}
    (pool,) = tables(gather_blocks(None, read_games(path)), used).pools
    row = format_row(pool.lines[0])
    assert (row["Faults"], row["Slowest"], row["ms/move"]) == ("–", "–", "–")
    assert format_brief_row(pool.lines[0]) == {"Faults": "–"}
    told = line_json(pool.lines[0])
    assert (told["faults"], told["ms_slowest"], told["ms_per_move"]) == (None, None, None)
    known = pool.lines[0]._replace(resources=Resources(games=3))
    assert format_row(known)["Faults"] == "0"
    assert line_json(known)["faults"] == {}


def test_a_bot_without_games_has_no_rating() -> None:
    """A dash, and null; whoever has played has a number."""
    table = standings(
        ["a", "b", "new"],
        [g for k in range(30) for g in pair("a", "b", float(k % 3 > 0), k % 2, str(k))],
    )
    alone = next(line for pool in table.pools for line in pool.lines if line.bot == "new")
    assert format_row(alone)["Elo"] == "–"
    assert line_json(alone)["elo"] is None
    assert format_row(alone)["Faults"] == "0"
    rated = table.pools[0].lines[0]
    assert format_row(rated)["Elo"] == f"{rated.elo:+.0f}"
    assert line_json(rated)["elo"] == pytest.approx(rated.elo, abs=0.01)


@pytest.mark.parametrize(
    ("number", "told"),
    [
        *((0, "0 games"), (1, "1 game"), (2, "2 games"), (1_234_567, "1234567 games")),
        *((0.5, "0.5 games"), (1.0, "1 game"), (10_000_000_000, "1e+10 games")),
    ],
)
def test_things_are_counted_as_people_say_it(number: float, told: str) -> None:
    """One is singular, everything else is plural."""
    assert amount(number, "game") == told
