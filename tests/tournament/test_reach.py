"""Ladders are round robins in which only bots near each other play; from file to verified store."""

import json
import sys
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest

from pwtourney.errors import EXIT_STORE
from pwtourney.store import ResultsFolder, Store
from pwtourney.tournament import verify
from tests.program import pwtourney
from tests.tournament.test_run import comparable, run

pytestmark = pytest.mark.slow(2)

PICKING = f"{sys.executable}, -S, -I, {Path(__file__).parents[1] / 'picking.py'}"
HEAD = (
    "name: ladder\nseed: 5000000000000000\nclock: {move: 5s}\nprocesses: persistent\n"
    "sandbox: none\npairs: 2\n"
)


def written(folder: Path, bots: str, reach: int) -> Path:
    """Write the file of a ladder whose bots have single letters as names."""
    path = folder / "ladder.yaml"
    entries = (f"{{id: {bot}, command: [{PICKING}, '{ord(bot) % 7}']}}" for bot in bots)
    path.write_text(f"{HEAD}reach: {reach}\nbots: [{', '.join(entries)}]\n")
    return path


def meetings(results: Path) -> Counter[str]:
    """Count the pairs of every two bots, after a check of the whole store."""
    with closing(Store.open(ResultsFolder(results).database)) as store:
        assert list(verify(store)) == []
        return Counter("".join(sorted(game.bots)) for game in store.records() if game.game == 0)


@pytest.mark.thorough
def test_ladder_of_four_is_the_same_table_however_it_is_run(tmp_path: Path) -> None:
    """Neighbours play two pairs each: with one or two workers, after an early stop, or in parts."""
    config = written(tmp_path, "abcd", 1)
    first, second, parts = (tmp_path / name for name in ("one", "two", "parts"))
    run(config, "--results", str(first), "--workers", "1")
    hasty = ("--workers", "2", "--set", "budget=1ms")
    # exit code 1 if no pair has ended
    pwtourney("run", str(config), "--results", str(second), *hasty, code=None)
    assert meetings(second).total() < 6
    run(config, "--results", str(second), "--workers", "2")
    assert meetings(first) == {"ab": 2, "bc": 2, "cd": 2}
    assert comparable(first) == comparable(second)
    data = json.loads((first / "standings.json").read_text())
    assert (data["over"], data["pairs_stored"]) == (True, 6)
    (table,) = data["tables"]
    assert sorted(bot["bot"] for bot in table["bots"]) == ["a", "b", "c", "d"]
    for number in (1, 2):
        shard = ("--shard", f"{number}/2", "--results", f"{parts}{number}")
        assert f"Part {number}/2 of the schedule" in run(config, *shard).stdout
    pwtourney("merge", f"{parts}1", f"{parts}2", "--out", str(parts))
    assert meetings(parts) == meetings(first)
    assert comparable(parts) == comparable(first)


def test_dry_run_counts_the_pairs_of_a_ladder(tmp_path: Path) -> None:
    """By hand: three bots have two pairs of neighbours; a bot at an end has the widest interval."""
    shown = run(
        written(tmp_path, "abc", 1),
        "--results",
        str(tmp_path / "r"),
        "--dry-run",
        "--set",
        "pairs=6",
        "--workers",
        "2",
    ).stdout
    assert "schedule: a–b, b–c, b–a, c–b, a–b, b–c" in shown
    assert "to play: 12 pairs, 24 games, 2 at a time" in shown
    # The information of the chain is 6/2 · L with L = (1 -1 0; -1 2 -1; 0 -1 1), whose
    # pseudo-inverse is 5/9 for an end: 1.96 · √(2/6 · 5/9) · 400/ln 10 = 146.5
    assert "intervals: up to about ± 147 Elo at 95 %" in shown


@pytest.mark.thorough
@pytest.mark.slow(4)
def test_league_with_a_reach_plays_the_new_neighbours(tmp_path: Path) -> None:
    """A wider reach adds pairs, and so does a bot between two others; no pair is played again."""
    results = tmp_path / "r"
    run(written(tmp_path, "abcd", 1), "--results", str(results))
    wider = written(tmp_path, "abcd", 2)
    refused = run(wider, "--results", str(results), code=EXIT_STORE).stderr
    assert "format.reach: stored is 1, the file says 2" in refused
    assert "use --extend" in refused
    assert (
        "to play: 4 pairs" in run(wider, "--results", str(results), "--extend", "--dry-run").stdout
    )
    run(wider, "--results", str(results), "--extend")
    ladder = {"ab": 2, "bc": 2, "cd": 2, "ac": 2, "bd": 2}
    assert meetings(results) == ladder
    # e plays its neighbours b and c; the other neighbours have already met
    run(written(tmp_path, "abecd", 1), "--results", str(results), "--extend")
    assert meetings(results) == {**ladder, "be": 2, "ce": 2}
    # the same bots in another order: a and d are neighbours now, and so are d and e
    run(written(tmp_path, "cbade", 1), "--results", str(results), "--extend")
    assert meetings(results) == {**ladder, "be": 2, "ce": 2, "ad": 2, "de": 2}
