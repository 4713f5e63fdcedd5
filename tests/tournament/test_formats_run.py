"""Formats, deals and stopping rules with real bots, from the file to a verified store."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from pwtourney.notation.game_text import deals_text, parse_deals
from pwtourney.rules import deal, find_edition
from pwtourney.schedule import list_formats
from pwtourney.store import ResultsFolder, Store
from pwtourney.tournament import verify
from tests.thorough import thorough_but
from tests.tournament.test_run import comparable, run

pytestmark = pytest.mark.slow(2)

HEAD = (
    "name: test\nseed: 5000000000000000\nclock: {move: 5s}\nprocesses: persistent\nsandbox: none\n"
)
PICKING = f"{sys.executable}, -S, -I, {Path(__file__).parents[1] / 'picking.py'}"
WINS, LOSES, DRAWS = (  # "loses" loses all games, and the others win some
    f"{{id: {name}, command: [{PICKING}, '{index}']}}"
    for name, index in (("wins", 1), ("loses", 0), ("draws", 5))
)
FORMATS = {
    "gauntlet": "format: gauntlet\nchallengers: [wins]\npairs: 3\n",
    "swiss": "format: swiss\npairs: 2\n",
    "knockout": "format: knockout\npairs: 3\n",
    "focus": "format: focus\npairs: 4\n",
    "sprt": "format: sprt\nsprt: {elo0: -200, elo1: 200}\n",
    "until": "until: {interval: 250}\npairs: 200\n",
    "shared": "deals: shared\npairs: 2\n",
    "solo": "format: solo\nsolo: {level: 3, deck: tactical}\npairs: 2\n",
}


def written(folder: Path, text: str, *bots: str) -> Path:
    """Write a tournament file with these settings and bots."""
    path = folder / "test.yaml"
    path.write_text(f"{HEAD}{text}bots: [{', '.join(bots)}]\n")
    return path


def standings(results: Path) -> dict[str, Any]:
    """Return the contents of `standings.json`."""
    data: dict[str, Any] = json.loads((results / "standings.json").read_text())
    return data


def test_every_format_is_played() -> None:
    """A new format is played below; round robins and tunings have modules of their own."""
    names = {spec.name for spec in list_formats()}
    assert names <= FORMATS.keys() | {"round-robin", "tune"}


@pytest.mark.slow(4)
@pytest.mark.parametrize("form", thorough_but(["swiss"], FORMATS))
def test_each_format_is_the_same_with_one_and_two_workers_and_verifies(
    tmp_path: Path, form: str
) -> None:
    """Standings and game hash are equal, and `verify` computes the schedule that was played."""
    bots = (WINS, DRAWS) if form == "until" else (WINS, LOSES, DRAWS)
    config = written(tmp_path, FORMATS[form], *bots)
    run(config, "--results", str(tmp_path / "one"), "--workers", "1")
    run(config, "--results", str(tmp_path / "two"), "--workers", "2")
    assert comparable(tmp_path / "one") == comparable(tmp_path / "two")
    assert list(verify(Store.open(ResultsFolder(tmp_path / "two").database))) == []
    data = standings(tmp_path / "two")
    assert data["over"]
    # 64 pairs are enough, and another 64 are played while the rule is evaluated
    assert form != "until" or data["pairs_stored"] == 128
    table = data["format_table"]
    assert (table is None) == (form not in ("swiss", "knockout", "sprt"))
    unsure = form in ("swiss", "knockout")
    rows = [line for pool in data["tables"] for line in pool["bots"] if line["games"]]
    assert {pool["paired_by_results"] for pool in data["tables"]} == {unsure}
    assert not unsure or {line["plus_minus"] for line in rows} == {None}
    results = tmp_path / "two"
    again = run(config, "--results", str(results))
    first, page = again.stderr.splitlines()
    assert first.startswith("nothing was left to play: every game of this run is stored")
    # more pairs help where neither results nor a rule decide how many are played
    assert ("raise `pairs`" in first) == (form in ("gauntlet", "shared", "solo"))
    assert page == f"page: {results}/report.html; games, reports and logs: {results}"


@pytest.mark.thorough
def test_list_of_deals_is_repeated_in_order(tmp_path: Path) -> None:
    """Every two bots play the deals of the file in order; another list is another tournament."""
    original = find_edition("original")
    deals = (deal(original, 1), deal(original, 2))
    (tmp_path / "deals.txt").write_text(f"# two\n\n{deals_text(deals)}")
    assert parse_deals((tmp_path / "deals.txt").read_text(), original) == deals
    config = written(tmp_path, "deals: deals.txt\npairs: 3\n", WINS, DRAWS)
    run(config, "--results", str(tmp_path / "r"))
    with_store = Store.open(ResultsFolder(tmp_path / "r").database)
    assert [r.deal.id() for r in with_store.records() if r.game == 0] == [
        deals[0].id(),
        deals[1].id(),
        deals[0].id(),
    ]
    assert list(verify(with_store)) == []
    (tmp_path / "deals.txt").write_text(deals_text(deals[:1]))
    refused = run(config, "--results", str(tmp_path / "r"), code=3)
    assert "deals: stored is" in refused.stderr


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "it contains no deal"),
        ("1,2,3\n", "line 1: the deal does not hold the patches"),
        ("# x\nmagpie\n", "line 2: "),
        ("1 2 3\n", "line 1: expected CIRCLE LATE"),
    ],
)
def test_invalid_list_of_deals_is_refused(tmp_path: Path, text: str, message: str) -> None:
    """The error names the tournament file, its key, the list and the line."""
    (tmp_path / "deals.txt").write_text(text)
    done = run(written(tmp_path, "deals: deals.txt\n", WINS, DRAWS), code=2)
    assert f"test.yaml:6:8: deals: deals.txt: {message}" in done.stderr


@pytest.mark.thorough
def test_anchor_may_be_added_later(tmp_path: Path) -> None:
    """The ratings of the same games are computed again, and the game hash stays."""
    results = tmp_path / "r"
    config = written(tmp_path, "pairs: 3\n", WINS, DRAWS)
    run(config, "--results", str(results))
    before = standings(results)
    assert {bot["bound"] for bot in before["tables"][0]["bots"]} == {None}
    config.write_text(config.read_text() + "anchor: {draws: 1000}\n")
    run(config, "--results", str(results))
    after = standings(results)
    (table,) = after["tables"]
    assert table["anchor"] == "draws"
    assert next(bot["elo"] for bot in table["bots"] if bot["bot"] == "draws") == 1000.0
    assert after["game_hash"] == before["game_hash"]


@pytest.mark.thorough
def test_budget_ends_a_run_and_the_next_run_continues(tmp_path: Path) -> None:
    """After 1 ms no further pair begins; without the budget the rest is played."""
    results = tmp_path / "r"
    config = written(tmp_path, "pairs: 1\n", WINS, DRAWS)
    run(config, "--results", str(results))  # so that there is a result, whatever 1 ms suffices for
    config.write_text(config.read_text().replace("pairs: 1\n", "pairs: 3\nbudget: 1ms\n"))
    done = run(config, "--results", str(results))
    assert "the budget of 0.001 s is used up; to continue: pwtourney run" in done.stderr
    assert not standings(results)["over"]
    assert standings(results)["pairs_stored"] in (1, 2)
    config.write_text(config.read_text().replace("budget: 1ms\n", ""))
    run(config, "--results", str(results))
    assert standings(results)["over"]
    assert standings(results)["pairs_stored"] == 3


@pytest.mark.thorough
def test_dry_run_shows_what_is_left_to_play_and_writes_nothing(tmp_path: Path) -> None:
    """By hand: 3 bots and 6 pairs for every two are 18 pairs, 36 games; ± 93 Elo for equal bots."""
    config = written(tmp_path, "pairs: 6\n", WINS, LOSES, DRAWS)
    results = tmp_path / "r"
    done = run(config, "--results", str(results), "--dry-run", "--workers", "2")
    assert "to play: 18 pairs, 36 games, 2 at a time" in done.stdout
    # 1.96 · √(2 · 2 / (6 · 9)) · 400/ln 10 = 92.7
    assert "about ± 93 Elo" in done.stdout
    assert "schedule: loses–draws, wins–draws, wins–loses" in done.stdout
    assert "duration: at most" in done.stdout
    assert not results.exists()
    run(config, "--results", str(results))
    after = run(config, "--results", str(results), "--dry-run")
    assert "to play: 0 pairs" in after.stdout
    assert "18 pairs" in after.stdout
