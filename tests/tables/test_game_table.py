"""Tables of games as people and spreadsheets write them."""

import json
from collections import defaultdict
from contextlib import closing
from pathlib import Path

import pytest

from pwtourney.errors import UsageError
from pwtourney.ratings.game_columns import gather_blocks
from pwtourney.ratings.pairs import Sprt
from pwtourney.report.figures import amount
from pwtourney.report.text.machine import row_json
from pwtourney.report.text.rows import (
    format_brief_row,
    format_row,
)
from pwtourney.standings import Resources
from pwtourney.standings.rate import standings, tables
from pwtourney.store import Store
from pwtourney.store.meta import read_meta
from pwtourney.tables.game_table import read_games
from tests.ratings.games import pair
from tests.store.helpers import META
from tests.store.helpers import pair as stored_pair

PLAIN = "first,second,score\na,b,1\nb,a,0.5\na,b,\n"


def read(folder: Path, text: str, name: str = "g.csv") -> list[tuple[str, str, float | None]]:
    """Return the two bots of each game in a table, and the first one's points."""
    path = folder / name
    path.write_text(text)
    return [game[:3] for block in read_games(path) for game in block.results()]


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
def test_spreadsheet_formats_are_read(tmp_path: Path, text: str) -> None:
    """Other separators, score formats, capital letters and blanks give the same three games."""
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
def test_ambiguous_tables_are_refused(tmp_path: Path, text: str, message: str) -> None:
    """The error has file, line and a remedy."""
    with pytest.raises(UsageError) as caught:
        read(tmp_path, text)
    assert message in str(caught.value)


def test_names_with_blanks_are_refused_in_json_lines(tmp_path: Path) -> None:
    """They would be printed like another bot's name."""
    line = '{"first": "a", "second": "b ", "score": 1}\n'
    with pytest.raises(UsageError, match=r"g\.jsonl:1: the name 'b ' begins or ends with a blank"):
        read(tmp_path, line, "g.jsonl")


def test_unknown_values_of_a_table_are_dashes(tmp_path: Path) -> None:
    """A table has no times and no faults; in our own tournaments zero faults are known."""
    path = tmp_path / "g.csv"
    path.write_text(PLAIN)
    used = {"a": Resources(), "b": Resources()}
    (pool,) = tables(gather_blocks(None, read_games(path)), used).pools
    row = format_row(pool.rows[0])
    assert (row["Faults"], row["Slowest"], row["ms/move"]) == ("–", "–", "–")
    assert format_brief_row(pool.rows[0]) == {"Faults": "–"}
    data = row_json(pool.rows[0])
    assert (data["faults"], data["ms_slowest"], data["ms_per_move"]) == (None, None, None)
    known = pool.rows[0]._replace(resources=Resources(games=3))
    assert format_row(known)["Faults"] == "0"
    assert row_json(known)["faults"] == {}


def test_faults_of_void_games_in_a_table_are_unknown(tmp_path: Path) -> None:
    """The table does not say that there were none."""
    path = tmp_path / "void.csv"
    path.write_text("first,second,score\na,b,\nb,a,\n")
    for pool in tables(gather_blocks(None, read_games(path)), defaultdict(Resources)).pools:
        for line in pool.rows:
            assert format_row(line)["Faults"] == "–"
            assert row_json(line)["faults"] is None


@pytest.mark.parametrize(
    ("alike", "other"),
    [
        ("a", "a\u200b"),
        ("\u00e4x", "a\u0308x"),
        ("b\u202ea", "ba"),
        ("a b", "a\u00a0b"),
        ("a b", "a  b"),
    ],
    ids=[
        "a blank without width",
        "composed and not",
        "a mark of direction",
        "a blank that does not break",
        "two blanks",
    ],
)
@pytest.mark.parametrize("name", ["g.csv", "g.jsonl"])
def test_names_that_look_alike_are_refused(
    tmp_path: Path, alike: str, other: str, name: str
) -> None:
    """They would be two bots that readers cannot distinguish."""
    rows = [(alike, "rival", 1), ("rival", other, 0)]
    text = "".join(f"{first},{second},{score}\n" for first, second, score in rows)
    if name.endswith(".csv"):
        text = f"first,second,score\n{text}"
    else:
        lines = (dict(zip(("first", "second", "score"), row, strict=True)) for row in rows)
        text = "".join(f"{json.dumps(line)}\n" for line in lines)
    with pytest.raises(UsageError, match="look alike; write them the same way"):
        read(tmp_path, text, name)


def test_duplicate_columns_and_keys_are_refused(tmp_path: Path) -> None:
    """A column of winners, and a key of an object; the error asks for one of them."""
    with pytest.raises(UsageError, match="several columns winner; leave one of them"):
        read(tmp_path, "first,second,winner,Winner\na,b,a,b\n")
    with pytest.raises(UsageError, match=r"g.jsonl:1: 'score' is there twice"):
        read(tmp_path, '{"first": "a", "second": "b", "score": 1, "score": 0}\n', "g.jsonl")


@pytest.mark.parametrize(
    ("score", "points"), [("½-½", 0.5), ("½–½", 0.5), ("1–0", 1.0), ("0–1", 0.0), ("½", 0.5)]
)
def test_typographic_signs_are_read(tmp_path: Path, score: str, points: float) -> None:
    """An en dash and ½; blanks around the name of a winner do not matter either."""
    assert read(tmp_path, f"first,second,score\na,b,{score}\n") == [("a", "b", points)]
    assert read(tmp_path, "first,second,winner\na,b, b \n") == [("a", "b", 0.0)]


def test_bot_without_games_has_no_rating() -> None:
    """It has a dash, and null in JSON; a bot with games has a number."""
    table = standings(
        ["a", "b", "new"],
        [g for k in range(30) for g in pair("a", "b", float(k % 3 > 0), k % 2, str(k))],
    )
    alone = next(line for pool in table.pools for line in pool.rows if line.bot == "new")
    assert format_row(alone)["Elo"] == "–"
    assert row_json(alone)["elo"] is None
    assert format_row(alone)["Faults"] == "0"
    rated = table.pools[0].rows[0]
    assert format_row(rated)["Elo"] == f"{rated.elo:+.0f}"
    assert row_json(rated)["elo"] == pytest.approx(rated.elo, abs=0.01)


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        (0, "0 games"),
        (1, "1 game"),
        (2, "2 games"),
        (1_234_567, "1234567 games"),
        (0.5, "0.5 games"),
        (1.0, "1 game"),
        (10_000_000_000, "1e+10 games"),
    ],
)
def test_amounts_have_singular_or_plural(number: float, expected: str) -> None:
    """One is singular, everything else is plural."""
    assert amount(number, "game") == expected


@pytest.mark.parametrize(
    ("form", "by_results", "chosen"),
    [
        ("swiss", True, False),
        ("round-robin", False, False),
        ("focus", False, True),
        ("sprt", False, True),
    ],
)
def test_games_of_a_store_know_what_results_decided(
    tmp_path: Path, form: str, by_results: bool, chosen: bool
) -> None:
    """Results decided the pairings or their number; also when rated together with a table."""
    rules = {
        "format": form,
        "pairs": 1,
        "deals": "fresh",
        "until": {},
        "rounds": 1,
        "sprt": Sprt()._asdict(),
    }
    meta = read_meta({**META.model_dump(), "schedule": rules})
    with closing(Store.create(tmp_path / "games.sqlite", meta)) as store:
        store.add(stored_pair(0))
    (tmp_path / "g.csv").write_text(PLAIN)
    blocks = [b for name in ("games.sqlite", "g.csv") for b in read_games(tmp_path / name)]
    assert [block.paired_by_results for block in blocks] == [by_results, False]
    assert gather_blocks(None, blocks).paired_by_results == by_results
    assert [block.chosen_by_results for block in blocks] == [chosen, False]
    assert gather_blocks(None, blocks).chosen_by_results == chosen


@pytest.mark.parametrize(
    "text",
    [
        "first,second,winner\na,b,a\nb,a,draw\na,b,\n",
        "first,second,winner,score\na,b,x,1\nb,a,y,0.5\na,b,z,\n",
        "White,Black,Result\na,b,1-0\nb,a,1/2-1/2\na,b,*\n",
        "White;Black;Winner\na;b;a\nb;a;Draw\na;b;\n",
        "first,second,winner\na,b,First\nb,a,tie\na,b,\n",
        "White,Black,Result\na,b, 1-0\nb,a,1/2-1/2 \na,b,*\n",
        "first,second,score,result,white\na,b,1,mate,x\nb,a,0.5,,y\na,b,,,z\n",
    ],
)
def test_other_notations_of_results_are_read(tmp_path: Path, text: str) -> None:
    """The winner's name, or chess results; if both are given, the score counts."""
    assert read(tmp_path, text) == [("a", "b", 1.0), ("b", "a", 0.5), ("a", "b", None)]
    for won, lost in (("a,b,a", "a,b,b"), ("a;b;a", "a;b;b"), ("1-0", "0-1"), ("First", "black")):
        text = text.replace(won, lost)
    text = text.replace("x,1", "x,0").replace("a,b,1,", "a,b,0,")
    assert read(tmp_path, text)[0] == ("a", "b", 0.0)


def test_json_lines_may_name_the_winner(tmp_path: Path) -> None:
    """They may also use chess results."""
    text = (
        '{"first": "a", "second": "b", "winner": "b"}\n'
        '{"white": "a", "black": "b", "result": "1-0"}\n'
        '{"first": "a", "second": "b", "score": 1, "result": "mate"}\n'
        '{"first": "a", "second": "b", "winner": null}\n'
    )
    games = read(tmp_path, text, "g.jsonl")
    assert games == [("a", "b", score) for score in (0.0, 1.0, 1.0, None)]


@pytest.mark.parametrize("name", ["g.csv", "g.jsonl"])
def test_unknown_winner_is_refused_with_its_line(tmp_path: Path, name: str) -> None:
    """In CSV and in JSON lines."""
    rows = [("a", "b", "a"), ("a", "b", "crow")]
    text = "first,second,winner\n" + "".join(f"{','.join(row)}\n" for row in rows)
    if name == "g.jsonl":
        text = "".join(
            json.dumps(dict(zip(("first", "second", "winner"), row, strict=True))) + "\n"
            for row in rows
        )
    line = 3 if name == "g.csv" else 2
    with pytest.raises(UsageError) as caught:
        read(tmp_path, text, name)
    assert str(caught.value) == (
        f"{tmp_path / name}:{line}: the winner 'crow' is neither of the two bots, nor draw, nor"
        " empty (void)"
    )


@pytest.mark.parametrize("name", ["g.csv", "g.jsonl"])
@pytest.mark.parametrize(("column", "loose"), [("pair", 0), ("deal", 0), ("opening", 4)])
def test_games_of_a_file_know_whether_they_have_deals(
    tmp_path: Path, name: str, column: str, loose: int
) -> None:
    """A pair is enough; a void game does not count, nor does a column with another name."""
    path = tmp_path / name
    rows: list[tuple[str, str, int | None, str]]
    rows = [("a", "b", 1, "x"), ("b", "a", 0, "x"), ("a", "b", 0, "y"), ("b", "a", 0, "y")]
    rows.append(("a", "b", None, "z"))
    if name == "g.csv":
        lines = [",".join("" if cell is None else str(cell) for cell in row) for row in rows]
        path.write_text("\n".join([f"first,second,score,{column}", *lines, ""]))
    else:
        keys = ("first", "second", "score", column)
        games = (dict(zip(keys, row, strict=True)) for row in rows)
        path.write_text("".join(f"{json.dumps(game)}\n" for game in games))
    columns = gather_blocks(None, read_games(path))
    assert columns.count_loose_games() == loose
