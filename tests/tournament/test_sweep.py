"""Sweeps compare values of options, from the file to the reports."""

import json
import re
import shutil
from pathlib import Path

import pytest

from tests.program import pwtourney
from tests.sharing import Once
from tests.tournament.test_tune import CONFIG

pytestmark = pytest.mark.slow(10)

TUNE = re.compile(r"tune: .*\n")


def config(options: str, more: str = "") -> str:
    """Return a file that compares these values of the bot whose strength is known."""
    return TUNE.sub(f"sweep: {{bot: magpie, options: {options}}}\n{more}", CONFIG)


def sweep(folder: Path) -> None:
    """Compare four combinations of two options."""
    values = "{pace: [0, 3.0], nook: {low: 5, high: 15, steps: 2}}"
    (folder / "grid.yaml").write_text(config(values, "pairs: 8\n"))
    done = pwtourney("sweep", "grid.yaml", "--results", "r", "--workers", "2", at=folder)
    (folder / "printed").write_text(done.stdout)


@pytest.fixture
def played(once: Once, tmp_path: Path) -> Path:
    """Return a folder with a sweep of two options and what was printed."""
    return shutil.copytree(once("sweep", sweep), tmp_path / "own")


@pytest.mark.thorough
def test_grid_is_printed_as_a_map_of_ratings(played: Path) -> None:
    """Rows are the first option, columns the second; the best cell is the known optimum."""
    printed = (played / "printed").read_text()
    assert "magpie: Elo by pace (rows) and nook (columns)" in printed
    assert re.search(r"pace +5 +15 *\n", printed)
    assert "Best so far: pace 3.0, nook 15" in printed
    data = json.loads((played / "r" / "standings.json").read_text())
    assert data["format_table"]["title"].startswith("magpie: Elo by pace")
    (table,) = data["tables"]
    assert {line["bot"] for line in table["bots"]} == {
        f"pace={pace},nook={nook}" for pace in ("0", "3.0") for nook in ("5", "15")
    }
    assert sum(line["games"] for line in table["bots"]) == 2 * 2 * 8 * 6
    page = (played / "r" / "report.html").read_text()
    assert "pace 3.0, nook 15: " in page
    assert "background:rgba(var(--cold)" in page


@pytest.mark.thorough
def test_sweep_continues_and_verifies_like_any_tournament(played: Path) -> None:
    """The same table is printed again; other values are refused; frugal never plays."""
    again = pwtourney("sweep", "grid.yaml", "--results", "r", at=played)
    assert again.stdout == (played / "printed").read_text()
    pwtourney("verify", "r", at=played)
    other = ("--set", "sweep.options={pace: [0, 2]}")
    refused = pwtourney("sweep", "grid.yaml", "--results", "r", *other, at=played, code=3)
    assert "sweep: stored is" in refused.stderr
    assert "frugal" not in again.stdout
    checked = pwtourney("config", "validate", "grid.yaml", at=played).stdout
    assert "grid.yaml: 4 bots, 48 pairs, 96 games" in checked


@pytest.mark.thorough
def test_sweep_of_one_option_is_a_list_and_ends_when_the_best_is_known(tmp_path: Path) -> None:
    """Without `pairs` it ends as soon as no value can be much better than the best."""
    (tmp_path / "line.yaml").write_text(
        config("{pace: [0, 3]}", "until: {best: 95%, within: 50}\n")
    )
    done = pwtourney("sweep", "line.yaml", "--results", "r", "--quiet", at=tmp_path)
    rows = re.findall(r"^ +(\d) +([<>]? ?[-+]\d+) ", done.stdout, re.MULTILINE)
    assert [value for value, _ in rows[:2]] == ["0", "3"]
    assert "Best so far: pace 3" in done.stdout
    data = json.loads((tmp_path / "r" / "standings.json").read_text())
    assert data["over"]
    assert 30 <= data["pairs_stored"] <= 400
    page = (tmp_path / "r" / "report.html").read_text()
    assert 'aria-label="Elo by pace: pace 0: ' in page or "Best so far" in page


@pytest.mark.thorough
def test_values_that_cannot_be_set_are_named_before_any_game(tmp_path: Path) -> None:
    """The bot is asked, and the error is that of a wrong `set`; a dry run does not ask."""
    (tmp_path / "bad.yaml").write_text(config("{pace: [0, 9], mode: [calm, wild]}"))
    refused = pwtourney("sweep", "bad.yaml", "--results", "r", at=tmp_path, code=2)
    wrong = "bad.yaml:7:38: sweep.options.pace: the config sets pace to '9': it must be from 0 to 4"
    assert refused.stderr.count(wrong) == 1
    (tmp_path / "lacking.yaml").write_text(config("{place: [0, 1, 2]}"))
    refused = pwtourney("sweep", "lacking.yaml", at=tmp_path, code=2)
    assert refused.stderr.count("lacking.yaml:7:39: sweep.options.place: ") == 1
    (tmp_path / "none.yaml").write_text(CONFIG)
    refused = pwtourney("sweep", "none.yaml", at=tmp_path, code=2)
    assert "write `sweep: {bot: BOT, options: {NAME: [VALUE, …]}}` into the file" in refused.stderr
    shown = pwtourney("sweep", "bad.yaml", "--dry-run", "--results", "r", at=tmp_path).stdout
    assert "pace=9,mode=wild: " in shown


@pytest.mark.thorough
def test_values_that_cannot_be_set_leave_results_in_place(played: Path) -> None:
    """With --fresh the bot is asked first; so is a bot whose own `set` is wrong."""
    before = sorted(played.iterdir())
    (played / "grid.yaml").write_text(config("{pace: [0, 9], nook: [5, 15]}"))
    again = ("--results", "r", "--fresh")
    refused = pwtourney("sweep", "grid.yaml", *again, at=played, code=2)
    assert "grid.yaml:7:38: sweep.options.pace: the config sets pace to '9'" in refused.stderr
    own = config("{pace: [0, 3]}").replace("id: magpie,", "id: magpie, set: {nook: 21},")
    (played / "grid.yaml").write_text(own)
    refused = pwtourney("sweep", "grid.yaml", *again, at=played, code=2)
    assert "bots[0].set: the config sets nook to '21': it must be from 0 to 20" in refused.stderr
    assert sorted(played.iterdir()) == before
