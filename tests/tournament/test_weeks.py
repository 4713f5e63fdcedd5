"""A season of eight weeks: every report shows what happened, as it was counted by hand."""

import json
import shutil
import signal
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from pwtourney.store import ResultsFolder, Store
from pwtourney.tournament import verify
from tests.program import pwtourney
from tests.sharing import Once
from tests.tournament.test_league import BOT, LEAGUE, meetings
from tests.tournament.weekly import play_week

pytestmark = [pytest.mark.slow(4), pytest.mark.thorough, pytest.mark.xdist_group("weeks")]
"""Runs these tests in one process; others would wait for the one that plays the season."""

WEEKS = ("2026-01-05", *(f"2026-01-{day}" for day in (12, 19, 26)))
WEEKS += ("2026-02-02", "2026-02-09", "2026-02-16", "2026-02-23")
LINE_UPS: tuple[tuple[str, ...], ...] = (
    ("magpie", "random", "frugal"),
    ("magpie", "random", "frugal", "greedy"),
    ("magpie#2", "random", "frugal", "greedy"),
    ("magpie#2", "random", "greedy"),
    ("magpie#3", "random", "greedy"),
    ("magpie#3", "random", "greedy", "wren"),
    ("magpie#3", "random", "greedy", "wren", "frugal"),
    ("magpie", "greedy", "wren", "frugal"),
)
"""A bot joins, changes, leaves and changes again; another joins; the removed one returns.

In the last week one leaves, and magpie has its first version again.
"""

PAIRS = (6, 6, 6, 0, 4, 6, 4, 2)
"""Two pairs for every two bots that have not met before.

By week: three meetings, three of greedy, three of magpie#2, none, two of magpie#3, three of wren,
those of frugal with magpie#3 and wren, and the one of magpie with wren.
"""

STATUSES = {
    **dict.fromkeys(("magpie", "greedy", "wren", "frugal"), "current"),
    **dict.fromkeys(("magpie#2", "magpie#3"), "old"),
    "random": "removed",
}
SPANS = {
    "magpie": (0, None),
    "random": (0, 7),
    "frugal": (0, None),
    "greedy": (1, None),
    "magpie#2": (2, 4),
    "magpie#3": (4, 7),
    "wren": (5, None),
}
"""The indices of the weeks in which each bot joined and left."""

FINGERPRINTS = {"magpie": 0, "magpie#2": -1, "magpie#3": 1}
"""The index of the legal action that each version of magpie plays."""


def write_week(folder: Path, bots: Sequence[str]) -> Path:
    """Write the tournament file of a week, with that week's version of magpie."""
    names = []
    for bot in bots:
        name = bot.partition("#")[0]
        if name == "magpie":
            (folder / "magpie.py").write_text(BOT.format(index=FINGERPRINTS[bot]))
        names.append({"magpie": "magpie.py", "wren": "wren.py"}.get(name, name))
    (folder / "wren.py").write_text(BOT.format(index=2).replace("Magpie", "Wren"))
    file = folder / "league.yaml"
    # in Express more of these bots win a game, so more have ratings instead of bounds
    league = LEAGUE.replace("edition: original", "edition: express")
    file.write_text(league.replace("[magpie.py, random, frugal]", f"[{', '.join(names)}]"))
    return file


def play_season(folder: Path) -> None:
    """Play the season: week 5 is killed and continued a day later, week 6 has two parts."""
    results = folder / "r"
    for week, (date, bots) in enumerate(zip(WEEKS, LINE_UPS, strict=True), 1):
        file = write_week(folder, bots)
        if week == 5:
            play_week(file, results, date, kill_after=2, code=-signal.SIGKILL)
            play_week(file, results, "2026-02-03")
        elif week == 6:
            machines = [folder / "one", folder / "two"]
            for number, machine in enumerate(machines, 1):
                shutil.copytree(results, machine)
                # the second machine begins a day later, and its part belongs to the same version
                play_week(file, machine, f"2026-02-{8 + number:02}", shard=f"{number}/2")
            shutil.rmtree(results)
            pwtourney("merge", *map(str, machines), "--out", str(results))
        else:
            play_week(file, results, date)
    (folder / "printed").write_text(pwtourney("report", str(results)).stdout)


@pytest.fixture(scope="module")
def season(once: Once) -> Path:
    """Return the folder of a played season; tests only read it."""
    return once("season", play_season)


def standings(season: Path) -> dict[str, Any]:
    """Return the contents of `standings.json`."""
    data: dict[str, Any] = json.loads((season / "r" / "standings.json").read_text())
    return data


def test_store_verifies_and_holds_every_scheduled_pair(season: Path) -> None:
    """Every two bots that were in the league in the same week have met twice; no others have."""
    with closing(Store.open(ResultsFolder(season / "r").database)) as store:
        assert list(verify(store)) == []
        meta = store.meta()
        numbers = [game.pair for game in store.records() if game.game == 0]
    assert numbers == list(range(sum(PAIRS)))
    assert (meta.over, meta.shard) == (True, None)
    expected = {
        tuple(sorted((first, second)))
        for bots in LINE_UPS
        for first in bots
        for second in bots
        if first < second
    }
    assert meetings(season / "r") == dict.fromkeys(expected, 2)


def test_each_machine_played_its_half_of_the_week(season: Path) -> None:
    """The even or the odd pairs of 22 to 27, after all earlier pairs."""
    for number in (1, 2):
        with closing(
            Store.open(ResultsFolder(season / ("one", "two")[number - 1]).database)
        ) as store:
            assert list(verify(store)) == []
            assert str(store.meta().shard) == f"{number}/2"
            pairs = {game.pair for game in store.records()}
        assert pairs == {*range(22), *range(21 + number, 28, 2)}


def test_json_has_the_changes_of_each_week(season: Path) -> None:
    """Each league version has its date, bots, pairs and changes."""
    data = standings(season)
    versions = data["league_versions"]
    assert [version["number"] for version in versions] == list(range(1, 9))
    # a version begins with its first run, also if that was killed or there are two parts
    assert [version["began"] for version in versions] == [f"{week}T06:00:00Z" for week in WEEKS]
    assert [set(version["bots"]) for version in versions] == [set(bots) for bots in LINE_UPS]
    assert [version["pairs"] for version in versions] == list(PAIRS)
    assert [version["first"] for version in versions] == [
        sum(PAIRS[:week]) for week in range(len(PAIRS))
    ]
    assert [version["added"] for version in versions[1:]] == [
        ["greedy"],
        [],
        [],
        [],
        ["wren"],
        ["frugal"],
        [],
    ]
    assert [version["removed"] for version in versions[1:]] == [
        [],
        [],
        ["frugal"],
        [],
        [],
        [],
        ["random"],
    ]
    changes = [[tuple(change.values()) for change in version["changed"]] for version in versions]
    assert changes == [
        [],
        [],
        [("magpie", "magpie#2")],
        [],
        [("magpie#2", "magpie#3")],
        [],
        [],
        [("magpie#3", "magpie")],
    ]


def test_json_has_the_status_and_dates_of_each_bot(season: Path) -> None:
    """Every bot has its status, the weeks in which it joined and left, and its games."""
    data = standings(season)
    (table,) = data["tables"]
    rows = {row["bot"]: row for row in table["bots"]}
    assert {bot: row["status"] for bot, row in rows.items()} == STATUSES
    for bot, (joined, left) in SPANS.items():
        assert rows[bot]["joined"] == f"{WEEKS[joined]}T06:00:00Z"
        assert rows[bot]["left"] == (None if left is None else f"{WEEKS[left]}T06:00:00Z")
    met = Counter(bot for pair in meetings(season / "r") for bot in pair)
    assert {bot: row["games"] for bot, row in rows.items()} == {
        bot: 4 * others for bot, others in met.items()
    }
    assert data["games"] == 2 * sum(PAIRS)


def test_tables_show_the_same_statuses(season: Path) -> None:
    """On the terminal and in Markdown, the same bots are marked, and the version is named."""
    note = "Version 8 of the league, since 2026-02-23; bots: 4 current, 2 old, 1 removed"
    report = (season / "r" / "report.md").read_text().replace("\\", "")
    for text in ((season / "printed").read_text(), report):
        for bot, status in STATUSES.items():
            label = bot if status == "current" else f"{bot} ({status})"
            assert f" {label} " in text
        assert text.count("(old)") == 2 * text.count("(removed)")
        assert note in text


def test_badges_and_benchmarks_show_the_same_ratings(season: Path) -> None:
    """The badge of magpie is that of its first version, which plays again; random is removed."""
    rows = {row["bot"]: row for row in standings(season)["tables"][0]["bots"]}
    badges = {
        path.stem: json.loads(path.read_text()) for path in (season / "r" / "badges").glob("*.json")
    }
    assert badges.keys() == {
        "magpie",
        "greedy",
        "wren",
        "frugal",
        "random",
        "magpie@1",
        "magpie@2",
        "magpie@3",
    }
    ratings = {
        name: rows[bot]["elo"]
        for name, bot in (("magpie", "magpie"), ("magpie@3", "magpie#3"), ("wren", "wren"))
    }
    for name, elo in ratings.items():
        assert f"{elo:+.0f}" in badges[name]["message"]
    assert badges["magpie@1"]["message"] == badges["magpie"]["message"]
    assert badges["magpie@3"]["message"].endswith("(old)")
    assert badges["random"]["message"] == "removed"
    series = {
        entry["name"]: entry["value"]
        for entry in json.loads((season / "r" / "benchmark.json").read_text())
    }
    rated = [row for row in rows.values() if row["status"] == "current" and not row["bound"]]
    assert series == {f"{row['name']} Elo": row["elo"] for row in rated} != {}


class _Page(HTMLParser):
    """The texts of a page by the id of their section or article."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.texts: dict[str, list[str]] = {}
        self._ids: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Enter a section or the page of a bot."""
        if tag in ("section", "article"):
            self._ids.append(dict(attrs).get("id") or "")

    def handle_endtag(self, tag: str) -> None:
        """Leave a section or the page of a bot."""
        if tag in ("section", "article"):
            self._ids.pop()

    def handle_data(self, data: str) -> None:
        """Store a text under the current id."""
        if self._ids and data.strip():
            self.texts.setdefault(self._ids[-1], []).append(data.strip())


def test_page_shows_the_same_season(season: Path) -> None:
    """The season has a row for each week; each bot has a page with versions, dates and ratings."""
    texts = _Page((season / "r" / "report.html").read_text()).texts
    # version, date, added, changed, removed, bots and pairs of each week, the newest first
    table = texts["season"][texts["season"].index("Pairs") + 1 :]
    rows = [tuple(table[start : start + 7]) for start in range(0, len(table), 7)]
    changes = (
        ("magpie, random, frugal", "–", "–"),
        ("greedy", "–", "–"),
        ("–", "magpie → magpie#2", "–"),
        ("–", "–", "frugal"),
        ("–", "magpie#2 → magpie#3", "–"),
        ("wren", "–", "–"),
        ("frugal", "–", "–"),
        ("–", "magpie#3 → magpie", "random"),
    )
    assert rows[::-1] == [
        (str(number), date, *change, str(len(bots)), str(pairs))
        for number, (date, change, bots, pairs) in enumerate(
            zip(WEEKS, changes, LINE_UPS, PAIRS, strict=True), 1
        )
    ]
    standing = texts["standings"]
    for bot, status in STATUSES.items():
        name = standing.index(bot, standing.index("Bot"))  # in the table, not on the podium
        after = standing[name + 1]
        assert (after if after.startswith("(") else "(current)") == f"({status})"
    pages = {key.removeprefix("bot-") for key in texts if key.startswith("bot-")}
    assert pages == {bot for bot in STATUSES if "#" not in bot}
    for bot, (joined, left) in SPANS.items():
        page = texts[f"bot-{bot.partition('#')[0]}"]
        versions = page[page.index("Versions") :]
        row = versions.index(bot)
        gone = "–" if left is None else WEEKS[left]
        assert versions[row : row + 4] == [bot, STATUSES[bot], WEEKS[joined], gone]


def test_ratings_over_time_are_those_of_each_week(season: Path) -> None:
    """The last point of a current bot is its table rating; a removed bot has no later points."""
    texts = _Page((season / "r" / "report.html").read_text()).texts
    rows = {row["bot"]: row for row in standings(season)["tables"][0]["bots"]}
    marks = {
        bot: [text for text in texts[f"bot-{bot}"] if text.endswith(" Elo") and text[:4] == "2026"]
        for bot in ("frugal", "greedy", "random")
    }
    for bot in ("frugal", "greedy"):
        elo, spread = rows[bot]["elo"], rows[bot]["plus_minus"]
        assert marks[bot][-1] == f"{WEEKS[-1]}: {bot} {elo:+.0f} ± {spread:.0f} Elo"
    weeks = {bot: {mark[:10] for mark in own_marks} for bot, own_marks in marks.items()}
    assert not weeks["frugal"] & set(WEEKS[3:6]), "it was not in the league then"
    assert WEEKS[7] not in weeks["random"]
    assert WEEKS[6] in weeks["random"]
