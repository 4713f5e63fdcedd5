"""Bots in many groups that have not met: one table and one sentence, or all tables on request."""

import json
import shutil
from pathlib import Path

import pytest

from pwtourney.standings.rate import standings
from tests.program import pwtourney
from tests.ratings.games import pair
from tests.sharing import Once

pytestmark = pytest.mark.slow

WALKER = """\
while read -r word rest; do
  case $word in
    pwtp) echo feature legal; echo ready ;;
    end) echo ready ;;
    legal) legal=$rest ;;
    go) echo "move ${legal%% *}" ;;
  esac
done
"""
HEAD = "name: x\nseed: 5\nworkers: 1\nsandbox: none\nedition: express\nformat: swiss\nrounds: 1\n"
SENTENCE = (
    "Not shown: 3 more groups (6 bots) that have not met these bots, even through others;"
    " `report` and `rate` print them with --all-tables"
)


@pytest.fixture
def played(once: Once, tmp_path: Path) -> Path:
    """Return a folder with the first round of a Swiss tournament of eight, and what it printed."""
    return shutil.copytree(once("many-tables", play), tmp_path / "own")


def play(folder: Path) -> None:
    """Play the tournament, with results in a folder called x."""
    (folder / "walker.sh").write_text(WALKER)
    bots = "".join(f"  - {{id: bot{number}, command: [sh, walker.sh]}}\n" for number in range(8))
    (folder / "x.yaml").write_text(f"{HEAD}pairs: 1\nbots:\n{bots}")
    done = pwtourney("run", "x.yaml", "--quiet", at=folder)
    (folder / "printed").write_text(done.stdout)


def count_tables(text: str) -> int:
    """Return the number of standings tables, counted by a heading that only they have."""
    return text.count("W–L")


def test_run_prints_one_table_and_one_sentence(played: Path) -> None:
    """Also with --quiet; `report`, the page and Markdown are the same."""
    printed = (played / "printed").read_text()
    assert count_tables(printed) == 1
    assert printed.count(f"{SENTENCE}\n") == 1
    assert "Table" not in printed
    assert pwtourney("report", "x", at=played).stdout == printed
    markdown = (played / "results/x/report.md").read_text()
    assert count_tables(markdown) == 1
    assert "- Not shown: 3 more groups (6 bots)" in markdown
    page = (played / "results/x/report.html").read_text()
    assert page.count('<table class="sortable standings"') == 1
    assert "Not shown: 3 more groups (6 bots)" in page


def test_all_tables_are_printed_on_request(played: Path) -> None:
    """As text and Markdown, with the matrix of each; JSON and CSV always have all."""
    printed = pwtourney("report", "x", "--all-tables", "--matrix", at=played).stdout
    assert count_tables(printed) == 4
    assert "Head to head, table 4" in printed
    assert "Not shown" not in printed
    markdown = pwtourney("report", "x", "--all-tables", "--format", "markdown", at=played).stdout
    assert count_tables(markdown) == 4
    assert len(json.loads((played / "results/x/standings.json").read_text())["tables"]) == 4
    refused = pwtourney("report", "x", "--all-tables", "--format", "csv", at=played, code=2)
    assert "leave --all-tables out: --format csv has all of them" in refused.stderr


def test_rate_prints_one_of_many_tables(played: Path) -> None:
    """From a file of games; likelihoods are those of the printed bots."""
    printed = pwtourney("rate", "results/x/games.jsonl", "--los", at=played).stdout
    assert count_tables(printed) == 1
    assert SENTENCE in printed
    assert printed.count("Likelihood of superiority\n") == 1
    printed = pwtourney("rate", "results/x/games.jsonl", "--all-tables", at=played).stdout
    assert count_tables(printed) == 4


def test_up_to_three_tables_are_all_shown() -> None:
    """A ladder that a disqualified bot splits has two tables of equal importance."""
    games = [game for k in range(4) for game in pair(f"a{k}", f"b{k}", 1.0, 0.0, f"d{k}")]
    three = standings(None, games[:6])
    assert three.hide_small_pools() == three
    four = standings(None, games).hide_small_pools()
    assert (len(four.pools), four.hidden_pools, four.hidden_bots) == (1, 3, 6)
