"""`rate`: ratings from any table of games."""

import json
import math
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.program import pwtourney
from tests.ratings.games import simulated


def rate(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command."""
    return pwtourney("rate", *arguments, code=None)


def tables(*files: Path) -> dict[str, Any]:
    """Rate files, and return the JSON."""
    done = rate("--json", *map(str, files))
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    loaded: dict[str, Any] = json.loads(done.stdout)
    return loaded


def written(folder: Path, name: str = "games.csv") -> Path:
    """Write simulated games of three bots as a table."""
    path = folder / name
    rows = [
        {
            "first": g.first,
            "second": g.second,
            "score": g.points,
            "deal": g.deal,
            "pair": g.deal,
        }
        for g in simulated([0, 80, 160], 200, 5)
    ]
    if name.endswith(".jsonl"):
        path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    else:
        lines = [",".join(map(str, row.values())) for row in rows]
        path.write_text("\n".join([",".join(rows[0]), *lines]) + "\n")
    return path


@pytest.mark.slow
def test_csv_and_jsonl_tables_are_rated_with_full_covariance(tmp_path: Path) -> None:
    """The bots are in order, ± 95 % follows from the diagonal; JSON Lines give the same."""
    report = tables(written(tmp_path))
    (table,) = report["tables"]
    assert [bot["bot"] for bot in table["bots"]] == ["bot2", "bot1", "bot0"]
    for k, bot in enumerate(table["bots"]):
        assert bot["plus_minus"] == pytest.approx(1.96 * table["covariance"][k][k] ** 0.5, abs=0.02)
        assert (
            abs(sum(table["covariance"][k])) < 1e-6
        )  # ratings are relative to their mean, so each row sums to 0
    assert report == tables(written(tmp_path, "games.jsonl"))


@pytest.mark.slow
def test_level_option_sets_the_confidence_level(tmp_path: Path) -> None:
    """The normal quantiles of printed tables are 1.6449 at 90 % and 2.5758 at 99 %."""
    path = written(tmp_path)
    for level, factor in (("90%", 1.6449), ("99", 2.5758)):
        done = rate("--json", "--level", level, str(path))
        (table,) = json.loads(done.stdout)["tables"]
        for k, bot in enumerate(table["bots"]):
            error = table["covariance"][k][k] ** 0.5
            assert bot["plus_minus"] == pytest.approx(factor * error, abs=0.01)
    shown = rate("--level", "99", str(path)).stdout
    assert "±99%" in shown
    assert "; 99 % confidence intervals" in shown
    assert "Nothing contradicts" not in shown
    assert "Nothing contradicts" in rate("--details", str(path)).stdout


def test_games_without_pairs_and_deals_are_independent(tmp_path: Path) -> None:
    """Three columns are enough; then there are as many deals as games, and no pairs."""
    path = tmp_path / "g.csv"
    path.write_text("score,first,second\n1,a,b\n0,a,b\n1,b,a\n\n0.5,b,a\n,a,b\n")
    report = tables(path)
    (table,) = report["tables"]
    assert (report["games"], report["voids"], table["deals"]) == (4, 1, 4)


@pytest.mark.slow
def test_several_files_are_rated_as_one_table(tmp_path: Path) -> None:
    """Bots that met in different files are compared through common opponents."""
    (tmp_path / "one.csv").write_text("first,second,score,deal\na,b,1,x\nb,a,1,x\na,b,0,y\n")
    (tmp_path / "two.csv").write_text("first,second,score,deal\nb,c,1,x\nc,b,1,x\nb,c,0,y\n")
    (table,) = tables(tmp_path / "one.csv", tmp_path / "two.csv")["tables"]
    assert len(table["bots"]) == 3
    assert table["deals"] == 4


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("g.csv", "", "g.csv:1: there is no column first; needed are first, second and score"),
        ("g.csv", "first,second\na,b\n", "g.csv:1: there is no column score"),
        ("g.csv", "first,second,score\na,b,1\na,b,2\n", "g.csv:3: the score '2' is not 1, 0, 0.5"),
        ("g.csv", "first,second,score\na,b\n", "g.csv:2: the row is too short"),
        (
            "g.csv",
            "first,second,score\na,a,1\n",
            "g.csv:2: 'a' against 'a' is not a game between two",
        ),
        (
            "g.csv",
            "first,second,score,margin\na,b,1,x\n",
            "g.csv:2: the margin 'x' is not a whole",
        ),
        ("g.jsonl", "{\n", "g.jsonl:1: not JSON: Expecting property name"),
        ("g.jsonl", "[]\n", "g.jsonl:1: a line holds one object"),
        ("g.jsonl", '{"first": "a", "second": "b"}\n', "g.jsonl:1: there is no score"),
        ("g.jsonl", '{"first": [], "second": "b", "score": 1}\n', "is neither a text nor a num"),
        ("g.txt", "a b 1\n", "g.txt: games are read from .csv, .jsonl, .sqlite or a results"),
        ("g.csv", "first,second,score\n\x00\n", "g.csv:"),
    ],
)
def test_invalid_table_is_one_clear_error(
    tmp_path: Path, name: str, text: str, message: str
) -> None:
    """The message has the file, the line and what was expected, without a traceback."""
    path = tmp_path / name
    path.write_text(text)
    done = rate(str(path))
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_few_games_are_rated_without_warnings(tmp_path: Path) -> None:
    """Covers one game, a perfect score, two components, only void games, and no game."""
    shown = {
        "a,b,1\n": "1 game\n",
        "a,b,1\na,b,1\nb,a,0\n": "one-sided 95 % bound",
        "a,b,1\nb,a,1\nc,d,1\nd,c,1\n": "Table 2",
        "a,b,\nb,a,\n": "no games that count",
        "": "0 games",
    }
    paths = [tmp_path / f"{number}.csv" for number in range(len(shown))]
    for path, rows in zip(paths, shown, strict=True):
        path.write_text(f"first,second,score\n{rows}")
        assert tables(path)
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", RATE_EACH, *map(str, paths)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    for rows, text, printed in zip(shown, shown.values(), done.stdout.split("\f"), strict=True):
        assert text in printed, rows


RATE_EACH = """
import sys
from pwtourney.cli import main

for number, path in enumerate(sys.argv[1:]):
    print(end="\\f" if number else "", flush=True)
    sys.argv = ["pwtourney", "rate", path]
    try:
        main()
    except SystemExit as end:
        assert not end.code, end.code
"""
"""Python code that rates one file after the other in one process."""


@pytest.mark.slow
def test_order_of_rows_does_not_change_a_bit_of_the_ratings(tmp_path: Path) -> None:
    """Covers tables with deals, with pairs, and with neither."""
    rows = [f"{g.first},{g.second},{g.points:g},{g.deal}" for g in simulated([0, 50, 90], 40, 4)]
    shuffled = random.Random(1).sample(rows, len(rows))
    for head in ("first,second,score,deal", "first,second,score,pair", "first,second,score,x"):
        for name, lines in (("one", rows), ("two", shuffled)):
            (tmp_path / f"{name}.csv").write_text("\n".join([head, *lines]) + "\n")
        assert rate("--json", str(tmp_path / "one.csv")).stdout == (
            rate("--json", str(tmp_path / "two.csv")).stdout
        )


def test_pair_names_reused_by_other_bots_are_distinct(tmp_path: Path) -> None:
    """Two pairings both have a pair 1: each bot has one whole pair."""
    path = tmp_path / "g.csv"
    path.write_text(
        "first,second,score,pair\na,b,1,1\nb,a,0,1\nc,d,1,1\nd,c,0,1\nb,c,1,1\nc,b,1,1\n"
    )
    report = tables(path)
    (table,) = report["tables"]
    played = {b["bot"]: b["pairs_lost"] + b["pairs_split"] + b["pairs_won"] for b in table["bots"]}
    assert played == {"a": 1, "b": 2, "c": 2, "d": 1}


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("--prior", "nan", "expected 0, or a number from 0.01 to 1000, not "),
        ("--prior", "1e-300", "expected 0, or a number from 0.01 to 1000, not "),
        ("--anchor", "", "expected BOT=ELO"),
        ("--anchor", "a=1e308", "within ±100000"),
        ("--anchor", "nobody=5", "no such bot has a rating"),
        ("--anchor", "nobody=5~9", "--anchor nobody=5~9: no such bot has a rating"),
        ("--anchor", "a=5~", "within ±100000, or BOT=ELO~ERROR"),
        ("--anchor", "a=5~-1", "within ±100000, or BOT=ELO~ERROR"),
        ("--anchor", "a=5~x", "within ±100000, or BOT=ELO~ERROR"),
    ],
)
def test_invalid_rating_options_are_refused(
    tmp_path: Path, option: str, value: str, message: str
) -> None:
    """The exit code is 2, with one line."""
    done = rate(str(written(tmp_path)), option, value)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_several_anchors_fix_the_scale(tmp_path: Path) -> None:
    """They are named below the table; the same bot twice, or a prior too, is refused."""
    anchors = ("--anchor", "bot0=1000", "--anchor", "bot2=1100~30")
    done = rate(str(written(tmp_path)), *anchors)
    assert "Elo 1000 = bot0, 1100 = bot2 (standard error 30); 95 % confidence" in done.stdout
    (table,) = json.loads(rate("--json", str(tmp_path / "games.csv"), *anchors).stdout)["tables"]
    assert table["anchor"] is None
    assert table["anchors"] == [
        {"bot": "bot0", "elo": 1000.0, "error": 0.0},
        {"bot": "bot2", "elo": 1100.0, "error": 30.0},
    ]
    twice = rate("x.csv", "--anchor", "a=1", "--anchor", "a=2")
    assert (twice.returncode, "--anchor: a bot is named twice" in twice.stderr) == (2, True)
    prior = rate("x.csv", *anchors, "--prior", "2")
    assert (prior.returncode, "--prior: several or loose anchors" in prior.stderr) == (2, True)


@pytest.mark.thorough
@pytest.mark.slow
def test_matrix_nash_and_los_are_shown_after_the_table(tmp_path: Path) -> None:
    """Together with an anchor and a prior, all sections are printed."""
    done = rate(
        str(written(tmp_path)),
        "--matrix",
        "--nash",
        "--los",
        "--anchor",
        "bot0=1000",
        "--prior",
        "2",
    )
    assert (done.returncode, done.stderr) == (0, "")
    for text in (
        "Head to head",
        "Nash mixture",
        "Likelihood of superiority",
        "Elo 1000 = bot0",
        "(prior)",
    ):
        assert text in done.stdout


@pytest.mark.slow
def test_bot_option_compares_one_bot_with_each_opponent(tmp_path: Path) -> None:
    """Only games of the two count: score, Elo, pairs by points, and normalised Elo.

    Worked by hand: 30 points of 40 are 400 log10(3) = 191 Elo. Pairs with a share of ½ and of 1 are
    equally frequent, so the mean share is ¾ and its deviation ¼, which is 800/(√2 ln 10) = 246
    nElo. The error is ¼/√19, over a slope of ln 10/400 · ¾ · ¼; Student's t with 19 degrees of
    freedom is 2.093: ± 111.
    """
    rows = [f"a,b,1,{k}\nb,a,{k % 2},{k}\nc,b,{k % 2},x{k}\n" for k in range(20)]
    (tmp_path / "g.csv").write_text(f"first,second,score,deal\n{''.join(rows)}")
    done = rate(str(tmp_path / "g.csv"), "--bot", "a")
    (line,) = [line for line in done.stdout.splitlines() if line.startswith(" b ")]
    assert line.split()[:5] == ["b", "40", "30", "75.0%", "+191"]
    assert "0–0–10–0–10" in line
    assert "+246" in line
    assert " c " not in done.stdout.partition("by opponent")[2], "they have not met"
    (met,) = [
        meeting
        for meeting in tables(tmp_path / "g.csv")["tables"][0]["meetings"]
        if meeting["first"] == "a"
    ]
    assert met["elo"] == pytest.approx(400 * math.log10(3), abs=0.01)
    assert met["elo_plus_minus"] == pytest.approx(111, abs=1)
    done = rate(str(tmp_path / "g.csv"), "--bot", "d")
    assert (done.returncode, done.stdout) == (2, "")
    assert "--bot d: there is no such bot in the table" in done.stderr


@pytest.mark.slow
def test_lookalike_names_in_different_files_are_refused(tmp_path: Path) -> None:
    """Each file alone is fine; together they would give two rows that look the same."""
    for file, name in (("g.csv", "a"), ("h.csv", "a\u200b")):
        (tmp_path / file).write_text(f"first,second,score\n{name},b,1\nb,{name},1\n")
        assert rate(str(tmp_path / file)).returncode == 0
    done = rate(str(tmp_path / "g.csv"), str(tmp_path / "h.csv"))
    assert done.returncode == 2
    assert "these files: 'a' and 'a\\u200b' look alike" in done.stderr
