"""Exports of games say which format they come from, and are rated like their results folder."""

import csv
import json
import random
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

import pytest

from pwtourney.errors import UsageError
from pwtourney.library.tournaments import rate
from pwtourney.ratings.game_columns import Columns, gather_blocks
from pwtourney.ratings.pairs import Sprt
from pwtourney.report.text.game_rows import games_csv
from pwtourney.report.text.rows import table_notes
from pwtourney.store import Store, result_of
from pwtourney.store.meta import read_meta
from pwtourney.tables.csv_table import read_csv
from pwtourney.tables.game_table import game_line, read_games
from tests.program import pwtourney
from tests.ratings.games import simulated
from tests.store.helpers import META
from tests.store.helpers import pair as stored_pair

NO_INTERVALS = "no intervals of ratings: results decided who met whom"
TOO_NARROW = "Results decided what was played: intervals are too narrow"


def write_exports(folder: Path, form: str) -> list[Path]:
    """Write a store of this format, and both exports of its games; return all three."""
    rules = {
        "format": form,
        "pairs": 1,
        "deals": "fresh",
        "until": {},
        "rounds": 1,
        "sprt": Sprt()._asdict(),
    }
    meta = read_meta({**META.model_dump(), "schedule": rules})
    paths = [folder / name for name in ("games.sqlite", "games.jsonl", "games.csv")]
    with closing(Store.create(paths[0], meta)) as store:
        store.add(stored_pair(0))
        games, numbers = list(store.records()), store.numbers()
    lines = (f"{game_line(game, result_of(game), form)}\n" for game in games)
    paths[1].write_text("".join(lines))
    paths[2].write_text(games_csv(games, numbers, form))
    return paths


def write_lines(path: Path, forms: Iterable[object]) -> Path:
    """Write simulated games of three bots as JSON Lines, whose formats are these in turn."""
    forms = list(forms)
    games = simulated([0, 80, 160], 40, 5)
    lines = [
        {
            "first": game.first,
            "second": game.second,
            "score": game.points,
            "pair": game.deal,
            **({} if form is None else {"format": form}),
        }
        for game, form in zip(games, forms * len(games), strict=False)
    ]
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return path


def gather_files(*paths: Path) -> Columns:
    """Return the games of files."""
    return gather_blocks(None, (block for path in paths for block in read_games(path)))


@pytest.mark.parametrize(
    ("form", "by_results", "chosen"),
    [
        ("swiss", True, False),
        ("knockout", True, False),
        ("focus", False, True),
        ("sprt", False, True),
        ("round-robin", False, False),
    ],
)
def test_exports_know_what_results_decided(
    tmp_path: Path, form: str, by_results: bool, chosen: bool
) -> None:
    """They know what the documentation of the format says, as the store does."""
    for path in write_exports(tmp_path, form):
        columns = gather_files(path)
        assert (columns.paired_by_results, columns.chosen_by_results) == (by_results, chosen), path


def test_single_line_of_an_export_still_says_it(tmp_path: Path) -> None:
    """As after `grep`: the second game alone."""
    _, lines, table = write_exports(tmp_path, "swiss")
    lines.write_text(lines.read_text().splitlines(keepends=True)[1])
    headings, _, second = table.read_text().splitlines(keepends=True)
    table.write_text(headings + second)
    assert gather_files(lines).paired_by_results
    assert gather_files(table).paired_by_results


def test_joined_files_have_the_caveats_of_each(tmp_path: Path) -> None:
    """A Swiss tournament and a sequential test, apart and together."""
    swiss = write_lines(tmp_path / "swiss.jsonl", ["swiss"])
    test = write_lines(tmp_path / "test.jsonl", ["sprt"])
    both = gather_files(swiss, test)
    assert (both.paired_by_results, both.chosen_by_results) == (True, True)
    mixed = gather_files(write_lines(tmp_path / "mixed.jsonl", [None, "focus"]))
    assert (mixed.paired_by_results, mixed.chosen_by_results) == (False, True)


def test_rate_of_an_export_prints_the_caveat(tmp_path: Path) -> None:
    """A Swiss tournament has no intervals, and no pairs to separate bots; a round robin has."""
    swiss = write_lines(tmp_path / "swiss.jsonl", ["swiss"])
    printed = " ".join(pwtourney("rate", str(swiss)).stdout.split())
    assert NO_INTERVALS in printed
    assert "more pairs" not in printed
    plain = write_lines(tmp_path / "plain.jsonl", ["round-robin"])
    printed = " ".join(pwtourney("rate", str(plain)).stdout.split())
    assert "95 % confidence intervals, clustered by deal" in printed
    assert "esults decided" not in printed
    test = write_lines(tmp_path / "test.jsonl", ["sprt"])
    assert TOO_NARROW in " ".join(pwtourney("rate", str(test)).stdout.split())


def test_rows_of_a_program_may_name_their_format() -> None:
    """A mapping has the caveat of its format, and a tuple has none."""
    games = [(game.first, game.second, game.points) for game in simulated([0, 80], 40, 5)]
    rows = [dict(zip(("first", "second", "score"), game, strict=True)) for game in games]
    (note, *_) = table_notes(rate([{**row, "format": "knockout"} for row in rows]))
    assert NO_INTERVALS in note
    for plain in (rows, games):
        assert NO_INTERVALS not in table_notes(rate(plain))[0]


@pytest.mark.parametrize("form", [None, "blitz", "", 7, ["swiss"], "Swiss"])
def test_other_formats_say_nothing(tmp_path: Path, form: object) -> None:
    """Files of other programs, and older ones of ours, are read as before."""
    columns = gather_files(write_lines(tmp_path / "g.jsonl", [form]))
    assert (columns.paired_by_results, columns.chosen_by_results) == (False, False)


@pytest.mark.parametrize("in_bulk", [True, False])
@pytest.mark.parametrize(
    ("text", "by_results"),
    [
        ("first,second,score,format\na,b,1,blitz\nb,a,1,swiss\n", True),
        ("first,second,score,format\na,b,1,blitz\nb,a,1,\n", False),
        ("first,second,score,format\na,b,1,swiss\nb,a,1\n", True),
        ("first,second,score,format\na,b,1\nb,a,1\n", False),
        ("first,second,score,format,format\na,b,1,swiss,swiss\n", False),
        (f"first,second,score,format\na,b,1,{'x' * 80}\nb,a,0,swiss\n", True),
        ("first,second,score\na,b,1\nb,a,1\n", False),
    ],
    ids=["named", "unknown", "a short row", "short rows", "twice", "a long one", "none"],
)
def test_column_of_formats_is_optional(
    tmp_path: Path, text: str, by_results: bool, in_bulk: bool
) -> None:
    """Rows may be too short for it, and both ways of reading agree."""
    path = tmp_path / "g.csv"
    path.write_text(text)
    with path.open("rb") as file:
        columns = gather_blocks(None, read_csv(file, "g.csv", in_bulk=in_bulk))
    assert len(columns.first) == len(list(csv.reader(text.splitlines()))) - 1
    assert columns.paired_by_results == by_results


def test_export_of_a_tuning_is_refused(tmp_path: Path) -> None:
    """As its folder is: the players are one bot, with other values in every pair."""
    lines = write_lines(tmp_path / "g.jsonl", ["tune"])
    table = tmp_path / "g.csv"
    table.write_text("first,second,score,format\na,b,1,tune\n")
    for path in (lines, table):
        with pytest.raises(UsageError, match=rf"{path.name}: a tuning has no ratings"):
            gather_files(path)


def test_many_formats_of_others_are_not_remembered(tmp_path: Path) -> None:
    """A file may have another text in each line; one known format in the middle still counts."""
    forms = [str(random.Random(k).random()) for k in range(200)]
    columns = gather_files(write_lines(tmp_path / "g.jsonl", [*forms[:100], "swiss", *forms[100:]]))
    assert columns.paired_by_results
