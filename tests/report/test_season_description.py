"""A league of three weeks: current, old and removed bots in every report."""

import csv
import io
import json
import re
import xml.etree.ElementTree as ET
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from pwtourney.report import publish
from pwtourney.report.text.rows import (
    table_notes,
)
from pwtourney.report.text.terminal import print_standings
from pwtourney.schedule.league import Generation
from pwtourney.schedule.season import Season, trace_season
from pwtourney.standings.rate import standings
from tests.program import pwtourney
from tests.ratings.games import simulated
from tests.report.leagues import make_league
from tests.schedule.test_season import PLAN

STATUSES = {
    "magpie": "old",
    "magpie#2": "current",
    "crow": "current",
    "wren": "removed",
    "owl": "current",
}


@pytest.fixture
def out(tmp_path: Path) -> Path:
    """Return a folder with the reports of the league."""
    with closing(make_league(tmp_path)) as store:
        publish(store, tmp_path / "out")
    return tmp_path / "out"


def rows(out: Path) -> dict[str, dict[str, Any]]:
    """Return the row of each bot in `standings.json`."""
    (table,) = json.loads((out / "standings.json").read_text())["tables"]
    return {bot["bot"]: bot for bot in table["bots"]}


def find_statuses(text: str) -> dict[str, str]:
    """Return the status with which each bot is marked in a text."""
    words = {bot: re.findall(rf"(?<!\S){bot}(?: \((\w+)\))?(?!\S)", text) for bot in STATUSES}
    return {bot: "/".join(sorted({word or "current" for word in words[bot]})) for bot in words}


def badge(out: Path, name: str) -> tuple[str, str, str]:
    """Return label, message and colour of a badge; the SVG has the same text."""
    data = json.loads((out / "badges" / f"{name}.json").read_text())
    drawing = ET.parse(out / "badges" / f"{name}.svg").getroot()
    assert drawing.get("aria-label") == f"{data['label']}: {data['message']}"
    return data["label"], data["message"], data["color"]


@pytest.mark.slow
def test_json_and_csv_have_statuses_and_dates(out: Path) -> None:
    """They have each bot's status, name and dates; the JSON has each version's changes."""
    bots = rows(out)
    assert {bot: row["status"] for bot, row in bots.items()} == STATUSES
    assert bots["magpie"]["joined"] == "2026-01-05T06:00:00Z"
    assert bots["magpie"]["left"] == bots["magpie#2"]["joined"] == "2026-01-12T06:00:00Z"
    assert bots["wren"]["left"] == bots["owl"]["joined"] == "2026-01-19T06:00:00Z"
    assert bots["magpie#2"]["name"] == "magpie"
    lines = csv.DictReader(io.StringIO((out / "standings.csv").read_text()))
    for line in lines:
        for key in ("name", "status", "joined", "left"):
            assert line[key] == (bots[line["bot"]][key] or "")
    first, second, third = json.loads((out / "standings.json").read_text())["league_versions"]
    assert first["added"] == first["bots"] == ["magpie", "crow", "wren"]
    assert second["changed"] == [{"before": "magpie", "now": "magpie#2"}]
    assert (third["added"], third["removed"]) == (["owl"], ["wren"])
    assert [version["pairs"] for version in (first, second, third)] == [3, 2, 2]
    assert [version["first"] for version in (first, second, third)] == [0, 3, 5]
    assert third["began"] == "2026-01-19T06:00:00Z"


@pytest.mark.slow
def test_table_marks_old_and_removed_bots(
    out: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """On a terminal of 30 columns and in Markdown, with a line about the version."""
    with closing(make_league(tmp_path)) as store:
        summary = publish(store, tmp_path / "again")
    print_standings(summary, Console(width=30, force_terminal=False))
    printed = capsys.readouterr().out
    for text in (printed, (out / "report.md").read_text().replace("\\", "")):
        assert {
            bot: next(
                (word for word in ("old", "removed") if f" {bot} ({word}) " in text), "current"
            )
            for bot in STATUSES
        } == STATUSES
        note = "Version 3 of the league, since 2026-01-19; bots: 3 current, 1 old, 1 removed"
        assert note in " ".join(text.split())
    assert " (current)" not in printed


@pytest.mark.slow
def test_all_other_tables_mark_old_and_removed_bots(tmp_path: Path) -> None:
    """The matrices, the Nash mixture and a bot's opponents, in `report` and in `rate`."""
    make_league(tmp_path).close()
    tables = ("--matrix", "--los")
    for words in (("report", *tables), ("rate", *tables, "--nash")):
        printed = pwtourney(*words, str(tmp_path), environment={"COLUMNS": "200"}).stdout
        table, *sections = re.split(r"(?m)^(?=Head to head|Likelihood of|Nash)", printed)
        assert len(sections) == len(words) - 1
        for section in (table.partition("Elo 0")[0], *sections[:2]):
            assert find_statuses(section) == STATUSES, section
    mixture = find_statuses(sections[2])
    assert {bot: mark for bot, mark in mixture.items() if mark}.items() <= STATUSES.items()
    for word in ("report", "rate"):
        printed = pwtourney(word, str(tmp_path), "--bot", "crow").stdout
        opponents = find_statuses(printed.partition("crow by opponent")[2])
        assert opponents | {"crow": "current"} == STATUSES


@pytest.mark.slow
def test_bot_that_is_current_in_one_of_several_leagues_is_current(tmp_path: Path) -> None:
    """In a table of two leagues, in any order; a single league has its own statuses."""
    for name, weeks in (("whole", 3), ("begun", 1)):
        (tmp_path / name).mkdir()
        make_league(tmp_path / name, weeks).close()
    for folders, statuses in (
        (["whole"], STATUSES),
        (["whole", "begun"], dict.fromkeys(STATUSES, "current")),
        (["begun", "whole"], dict.fromkeys(STATUSES, "current")),
    ):
        done = pwtourney("rate", *folders, "--json", at=tmp_path)
        (table,) = json.loads(done.stdout)["tables"]
        assert {bot["bot"]: bot["status"] for bot in table["bots"]} == statuses


@pytest.mark.slow
def test_charts_of_the_page_mark_old_and_removed_bots(out: Path) -> None:
    """The rows and columns of both heat maps, and the chart of ratings and intervals."""
    text = (out / "report.html").read_text()
    labels = [bot if mark == "current" else f"{bot} ({mark})" for bot, mark in STATUSES.items()]
    assert sorted(re.findall(r'<span class="name">(.*?)</span>', text)) == sorted(2 * labels)
    assert sorted(re.findall(r'class="heat" title="([^"]*)">\d', text)) == sorted(2 * labels)
    assert sorted(re.findall(r'<text class="name" [^>]*>(.*?)</text>', text)) == sorted(labels)


@pytest.mark.slow
def test_unchanged_league_has_no_marks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Like any other tournament, it has no note about versions."""
    with closing(make_league(tmp_path, weeks=1)) as store:
        summary = publish(store, tmp_path / "out")
    print_standings(summary, Console(width=200, force_terminal=False))
    assert "(" not in capsys.readouterr().out.partition("Elo 0")[0]
    assert {row["status"] for row in rows(tmp_path / "out").values()} == {"current"}
    assert sorted(path.name for path in (tmp_path / "out" / "badges").iterdir()) == [
        "crow.json",
        "crow.svg",
        "magpie.json",
        "magpie.svg",
        "wren.json",
        "wren.svg",
    ]


@pytest.mark.slow
def test_badge_shows_the_current_version(out: Path) -> None:
    """An old version has its own badge, and a removed bot's badge says `removed`."""
    bots = rows(out)
    elo = "{:+.0f} ".format
    assert elo(bots["magpie"]["elo"]) != elo(bots["magpie#2"]["elo"])
    assert badge(out, "magpie")[0] == "magpie"
    assert badge(out, "magpie")[1].startswith(elo(bots["magpie#2"]["elo"]))
    assert badge(out, "magpie@2")[0] == "magpie#2"
    assert badge(out, "magpie@2")[1:] == badge(out, "magpie")[1:]
    label, message, colour = badge(out, "magpie@1")
    assert (label, colour) == ("magpie#1", "lightgrey")
    assert message.startswith(elo(bots["magpie"]["elo"]))
    assert message.endswith(" Elo (old)")
    assert badge(out, "wren") == ("wren", "removed", "lightgrey")
    leaders = [name for name in ("magpie", "crow", "owl") if badge(out, name)[2] == "brightgreen"]
    ranks = {row["name"]: row["rank"] for row in bots.values() if row["status"] == "current"}
    assert leaders == [min(ranks, key=ranks.__getitem__)]


@pytest.mark.slow
def test_series_of_ratings_follows_the_current_version(out: Path) -> None:
    """It has the bot's name, so a chart of its history has one line; removed bots have none."""
    series = {entry["name"]: entry for entry in json.loads((out / "benchmark.json").read_text())}
    assert series.keys() == {"magpie Elo", "crow Elo", "owl Elo"}
    assert series["magpie Elo"]["value"] == rows(out)["magpie#2"]["elo"]
    assert series["magpie Elo"]["extra"].startswith("magpie#2: 6 games of league, ")
    assert series["owl Elo"]["extra"].startswith("4 games of league, ")


@pytest.mark.slow
def test_faults_of_replaced_versions_fail_no_check(tmp_path: Path) -> None:
    """The case of magpie#2 fails while it is current, and is skipped when it is replaced."""
    with closing(make_league(tmp_path)) as store:
        publish(store, tmp_path / "plays")
        meta = store.meta()
        store.extend(("magpie", "crow", "owl"), {}, meta, "2026-01-26T06:00:00Z")
        publish(store, tmp_path / "replaced")
    for name, plays in (("plays", True), ("replaced", False)):
        suite = ET.parse(tmp_path / name / "junit.xml").getroot().find("testsuite")
        assert suite is not None
        (case,) = (element for element in suite if element.get("name") == "magpie#2")
        assert (case.find("failure") is not None) is plays
        assert (case.find("skipped") is None) is plays


@pytest.mark.slow
def test_no_pairs_are_suggested_with_removed_bots() -> None:
    """Pairs to separate neighbours are reported only for two current bots."""
    names = ("bot0", "bot1", "bot2")
    league = [Generation(0, names, PLAN), Generation(9, names[:2], PLAN)]
    table = standings(None, simulated([0.0, 10.0, 20.0], 40, 1))
    lines, left = (
        [line for line in table_notes(table, season=season) if line.startswith("To tell")]
        for season in (Season(), trace_season(league))
    )
    assert any("bot2" in line for line in lines)
    assert left == [line for line in lines if "bot2" not in line]
