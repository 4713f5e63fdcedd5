"""``docs/bots.md`` and ``configs`` agree with the bundled bots and the ladder."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from pwtourney.bots.names import installed_bots
from pwtourney.sdk import Bot
from pwtourney.tournament.entrants import load_tournament
from tests.program import pwtourney

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "bots.md").read_text()
CONFIGS = sorted((ROOT / "configs").glob("*.yaml"))
LADDER = ROOT / "results" / "ladder"
OWN = {name: point for name, point in installed_bots().items() if "pwtourney_bots" in point.value}


@pytest.mark.parametrize("name", OWN)
def test_every_bot_and_option_is_documented(name: str) -> None:
    """It has a row in the first table, and a section with each option and its default."""
    bot: type[Bot] = OWN[name].load()
    assert bot.name == name
    assert re.search(rf"^\| `{name}` \| [^|]+ \| (–|`\[fast\]`) \|$", PAGE, re.MULTILINE)
    section = re.split(r"^##+ ", PAGE.split(f"\n### {name}\n")[1], flags=re.MULTILINE)[0]
    rows = re.findall(r"^\| `(\w+)` \| ([\d.]+) \| .+ \|$", section, re.MULTILINE)
    assert rows == [(option.name, option.default) for option in bot.options]


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)
def test_every_tournament_of_configs_can_be_played(
    path: Path, needs: Callable[[str], None]
) -> None:
    """The file is valid, its bots are found or built, and a comment describes its purpose."""
    for program in ("node", "cc") if path.stem == "languages" else ():
        needs(program)
    assert load_tournament(path).config.seed is not None
    assert path.read_text().startswith("# ")


def test_published_standings_are_those_of_the_ladder() -> None:
    """The page has each rating with its error, in this order, and the game hash."""
    standings = json.loads((LADDER / "standings.json").read_text())
    (table,) = standings["tables"]
    section = PAGE.split("\n## The ladder\n")[1].split("\n## ")[0]
    rows = re.findall(r"^\| \d+ \| `(\S+)` \| ([+-]?\d+) \| (\d+|–) \|", section, re.MULTILINE)
    assert rows == [
        (row["bot"], f"{round(row['elo']):+d}".replace("+0", "0"), _rounded(row["plus_minus"]))
        for row in table["bots"]
    ]
    assert f"Game hash {standings['game_hash']}" in section
    assert f"Game hash {standings['game_hash']}" in (LADDER / "report.md").read_text()


def _rounded(error: float | None) -> str:
    return "–" if not error else str(round(error))


@pytest.mark.timeout(300)
@pytest.mark.slow(15)
@pytest.mark.thorough
def test_ladder_is_reproduced(
    tmp_path: Path, needs: Callable[[str], None], numba_cache: None
) -> None:
    """Seven pairs with fourteen of the bots: the same deals, plies, scores and winners."""
    needs("bwrap")
    kept = {line: json.loads(line) for line in (LADDER / "games.jsonl").read_text().splitlines()}
    ladder = str(ROOT / "configs" / "ladder.yaml")
    bots = {bot.name for bot in load_tournament(Path(ladder)).config.bots}
    assert {game["first"] for game in kept.values()} == bots
    # This part leaves out the slowest bots.
    pwtourney("run", ladder, "--shard", "127/203", "--results", str(tmp_path / "r"), at=ROOT)
    again = (tmp_path / "r" / "games.jsonl").read_text().splitlines()
    assert len(again) == 14
    assert {kept[line]["first"] for line in again} == bots - {
        "champion-130",
        "champion-1000",
        "champion-3000",
        "champion-10000",
        "champion-33000",
    }
