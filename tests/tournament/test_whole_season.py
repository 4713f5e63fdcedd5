"""A season of eight weeks with thirty bots, in which all that happens to members of a league does.

Every week each bot plays one pair more against the two challengers, b00 and b01. Expected numbers
of games are counted by hand.
"""

import csv
import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests import picking
from tests.program import pwtourney
from tests.tournament.weekly import play_week

BOT = Path(picking.__file__).read_text()
LEAGUE = f"""
edition: express
seed: 1
format: gauntlet
challengers: [b00, b01]
pairs: {{pairs}}
clock: {{{{move: 10s}}}}
limits: {{{{start: 20s}}}}
sandbox: none
anchor: {{{{b00: 0}}}}
bots: [{{{{command: [{sys.executable}, -S, -I, bots/*/bot.py]}}}}]
{{keys}}
"""


def write_bot(folder: Path, name: str, index: int) -> None:
    """Write a bot that plays the action with this index."""
    assert "int(sys.argv[1])" in BOT
    (folder / "bots" / name).mkdir(parents=True, exist_ok=True)
    (folder / "bots" / name / "bot.py").write_text(BOT.replace("int(sys.argv[1])", str(index)))


def rename(folder: Path) -> str:
    """Rename b05 to b05x, with its folder."""
    (folder / "bots" / "b05").rename(folder / "bots" / "b05x")
    return "renames: {b05: b05x}"


def change(folder: Path) -> str:
    """Change the code of b06."""
    write_bot(folder, "b06", 3)
    return ""


def merge(folder: Path) -> str:
    """Take out b10, which is b11, and make one bot of both versions of b06."""
    (folder / "bots" / "b10" / "bot.py").unlink()
    return "merges: {b10: b11, 'b06#2': b06}"


WEEKS: list[Callable[[Path], str]] = [
    lambda _: "",
    rename,
    change,
    lambda _: "bans: {b07: copies b00, b08: {reason: talks too much, games: keep}}",
    lambda _: "bans: {b07: copies b00, b08: {reason: talks, games: keep}}\nwithdrawn: [b09]",
    lambda folder: f"bans: {{b07: copies b00}}\nwithdrawn: [b09]\n{merge(folder)}",
    lambda _: "bans: {b07: copies b00}\nwithdrawn: [b12]",
    lambda _: "bans: {b07: copies b00}\nwithdrawn: [b12]",
]
"""The events at the beginning of each week, as functions that return lines of the file."""

GAMES = {
    "b05x": 32,  # 8 weeks, 2 challengers, 2 games
    "b06": 32,  # when it became one bot it had 7 pairs against each, one more than was wanted
    "b08": 32,  # back in the sixth week, when its ban was lifted
    "b09": 32,  # back in the seventh week, when it played what it had missed
    "b11": 40,  # 5 weeks of two bots, and nothing since, because 10 pairs are more than 8
    "b12": 24,  # away for the last 2 weeks
    "b29": 32,
}


@pytest.fixture(scope="module")
def season(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Play the season; return its folder, with the results in `r`."""
    folder = tmp_path_factory.mktemp("season")
    for number in range(30):
        write_bot(folder, f"b{number:02}", 20 + 11 * number)
    for week, happen in enumerate(WEEKS, 1):
        text = LEAGUE.format(pairs=week, keys=happen(folder))
        (folder / "league.yaml").write_text(text)
        play_week(folder / "league.yaml", folder / "r", f"2026-03-{week:02}")
    return folder


def read(season: Path) -> dict[str, Any]:
    """Return the published standings."""
    data: dict[str, Any] = json.loads((season / "r" / "standings.json").read_text())
    return data


@pytest.mark.thorough
@pytest.mark.slow(120)
def test_every_report_of_a_season_tells_the_same(season: Path) -> None:
    """Table, page, badges, spreadsheet and a new rating have the same bots, games and ratings."""
    results, standings = season / "r", read(season)
    (table,) = standings["tables"]
    rows = {row["bot"]: row for row in table["bots"]}
    names = {f"b{number:02}" for number in range(30)} - {"b05", "b07", "b10"} | {"b05x"}
    assert {*rows} == names
    assert {bot: rows[bot]["games"] for bot in GAMES} == GAMES
    assert {bot for bot, row in rows.items() if row["status"] != "current"} == {"b12"}
    assert rows["b12"]["status"] == "withdrawn"
    assert [ban["bot"] for ban in standings["bans"]] == ["b07"]
    assert standings["bans"][0]["since"] == "2026-03-04T06:00:00Z"

    rated = json.loads(pwtourney("rate", str(results), "--anchor", "b00=0", "--json").stdout)
    for row in rated["tables"][0]["bots"]:
        assert row["elo"] == pytest.approx(rows[row["bot"]]["elo"], abs=1e-6)
    assert len(rated["tables"][0]["bots"]) == len(rows)

    lines = csv.DictReader(pwtourney("report", str(results), "--format", "csv").stdout.splitlines())
    assert {line["bot"]: int(line["games"]) for line in lines} == {
        bot: row["games"] for bot, row in rows.items()
    }

    for bot, row in rows.items():
        text = json.loads((results / "badges" / f"{bot}.json").read_text())["message"]
        if row["status"] == "withdrawn":
            assert text == "withdrawn"
        elif row["bound"] is None and row["plus_minus"]:
            assert text.startswith(f"{round(row['elo']):+d}" if round(row["elo"]) else "0")
    gone = {"b05": "now b05x", "b10": "now b11", "b07": "banned"}
    for bot, text in gone.items():
        assert json.loads((results / "badges" / f"{bot}.json").read_text())["message"] == text

    page = (results / "report.html").read_text()
    assert all(f'id="bot-{bot}"' in page for bot in names)
    assert not any(f'id="bot-{bot}"' in page for bot in gone)
    assert "b05 → b05x" in page
    assert "Banned since 2026-03-04: b07 (copies b00)" in page
    pwtourney("verify", str(results), "--file", str(season / "league.yaml"))


@pytest.mark.thorough
@pytest.mark.slow(120)
def test_a_season_remembers_what_happened_in_each_week(season: Path) -> None:
    """A version of the league for each change of its members: rename, code, bans, and so on."""
    changes = [
        {
            key: change[key]
            for key in ("began", "added", "removed", "changed", "renamed")
            if change[key]
        }
        for change in read(season)["league_versions"]
    ]
    dates = [change.pop("began")[:10] for change in changes]
    assert dates == [f"2026-03-{day:02}" for day in (1, 2, 3, 4, 5, 6, 7)]
    assert len(changes[0]["added"]) == 29  # b10 and b11 are one bot
    assert changes[1:] == [
        {"renamed": [{"before": "b05", "now": "b05x"}]},
        # the second version was made one with the first later
        {},
        {"removed": ["b07", "b08"]},
        {"removed": ["b09"]},
        {
            "added": ["b08"],
            "renamed": [{"before": "b10", "now": "b11"}, {"before": "b06#2", "now": "b06"}],
        },
        {"added": ["b09"], "removed": ["b12"]},
    ]
    assert re.search(
        r"^Version 7 of the league, since 2026-03-07; bots: 27 current, 1 withdrawn, 1 banned$",
        pwtourney("report", str(season / "r")).stdout,
        re.MULTILINE,
    )
