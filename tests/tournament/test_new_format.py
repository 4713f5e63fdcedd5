"""A format in one file: nothing else has to be changed to play it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from pwtourney.schedule import find_format, list_formats, register
from tests.tournament.test_formats_run import DRAWS, LOSES, WINS, written

pytestmark = pytest.mark.slow(3)

RUN = "import ring_format; from pwtourney.__main__ import main; main()"
"""Runs the `pwtourney` command after importing the module of the format."""


def call(
    folder: Path, *words: str, code: int = 0, more: str = ""
) -> subprocess.CompletedProcess[str]:
    """Run the command in a folder that holds only the file of the format, with `more` lines."""
    source = Path(__file__).with_name("ring.py").read_text()
    (folder / "ring_format.py").write_text(source + more)
    done = subprocess.run(
        [sys.executable, "-c", RUN, *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == code, done.stderr
    return done


def test_new_format_is_played_and_reported(tmp_path: Path) -> None:
    """Three bots with step 2 play three pairs a round: 6 pairs in two rounds."""
    config = written(tmp_path, "format: ring\nstep: 2\npairs: 2\n", WINS, LOSES, DRAWS)
    call(tmp_path, "run", str(config), "--results", "r")
    data = json.loads((tmp_path / "r" / "standings.json").read_text())
    assert (data["over"], data["pairs_stored"], data["pairs_planned"]) == (True, 6, 6)
    rows = [[*row.values()] for row in data["format_table"]["rows"]]
    assert rows == [["wins", "2"], ["loses", "2"], ["draws", "2"]]
    games = map(json.loads, (tmp_path / "r" / "games.jsonl").read_text().splitlines())
    met = [(game["first"], game["second"]) for game in games if game["game"].endswith(".0")]
    assert sorted(met) == sorted([("wins", "draws"), ("loses", "wins"), ("draws", "loses")] * 2)
    reported = call(tmp_path, "report", "r").stdout
    assert "Ring of step 2" in reported
    assert "12 games replayed" in call(tmp_path, "verify", "r").stdout
    # no pair depends on results, so parts can be played, each with the table of what it has
    call(tmp_path, "run", str(config), "--shard", "1/2", "--results", "part")
    part = json.loads((tmp_path / "part" / "standings.json").read_text())
    assert sum(int(count) for _, count in map(dict.values, part["format_table"]["rows"])) == 3
    # settings that the format locks belong to the tournament's identity
    config.write_text(config.read_text().replace("step: 2", "step: 1"))
    refused = call(tmp_path, "run", str(config), "--results", "r", code=3).stderr
    assert "format.step: stored is 2, the file says 1" in refused


def test_new_format_is_checked_previewed_and_estimated(tmp_path: Path) -> None:
    """Its keys are validated, described in the schema, and refused in files of other formats."""
    config = written(tmp_path, "format: ring\nstep: 3\npairs: 2\n", WINS, LOSES, DRAWS)
    wrong = call(tmp_path, "config", "validate", str(config), code=2).stderr
    assert "step: a step of 3 leads round a ring of 3 bots" in wrong
    config.write_text(config.read_text().replace("step: 3", "step: 1"))
    assert "3 bots, 6 pairs, 12 games" in call(tmp_path, "config", "validate", str(config)).stdout
    previewed = call(tmp_path, "run", str(config), "--dry-run").stdout
    assert "intervals: up to about ± 100 Elo at 95 %" in previewed
    schema = json.loads(call(tmp_path, "config", "schema").stdout)
    assert schema["properties"]["step"]["description"].startswith("In a ring")
    assert schema["properties"]["format"]["enum"][-1] == "ring"
    config.write_text(config.read_text().replace("ring", "swiss"))
    misplaced = call(tmp_path, "config", "validate", str(config), code=2).stderr
    assert "step: goes with format: ring, and the format is swiss" in misplaced


def test_new_format_that_depends_on_results_cannot_be_split(tmp_path: Path) -> None:
    """It need not say why: the distance to the results that it needs is enough."""
    config = written(tmp_path, "format: ring\nstep: 1\npairs: 2\n", WINS, LOSES, DRAWS)
    split = ("run", str(config), "--shard", "1/2")
    refused = call(tmp_path, *split, code=2, more="Ring.lag = 1\n").stderr
    assert "--shard 1/2: who plays whom depends on results, and a part" in refused


def test_duplicate_or_late_format_is_refused() -> None:
    """The first format stays, and after the models of files are built there is no registration."""
    swiss, formats = find_format("swiss"), list_formats()
    with pytest.raises(ValueError, match="two formats called swiss"):
        register(swiss._replace(rank=0))
    with pytest.raises(RuntimeError, match="late must be registered before"):
        register(swiss._replace(name="late"))
    assert list_formats() == formats
    assert find_format("swiss") is swiss
