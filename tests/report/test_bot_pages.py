"""The pages of single bots and of the season, for a league of simulated games."""

import calendar
import math
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

import pwtourney as library
from pwtourney.notation.game import Fault, Game, Verdict
from pwtourney.report import publish, summarise
from pwtourney.report.careers import MOST_PAGES, Careers
from pwtourney.report.collectors import GameIndex
from pwtourney.report.page.bot_pages import (
    describe_bots,
    describe_league,
    explain_absences,
    list_anchors,
)
from pwtourney.report.page.dates import list_date_ticks, parse_date
from pwtourney.report.page.timelines import (
    Moment,
    Timeline,
    draw_career,
    draw_season_curves,
    trace_ratings,
)
from pwtourney.schedule.season import Ban, Season, trace_season
from pwtourney.standings import Anchor, RatingOptions
from pwtourney.store import Store, result_of
from tests.program import pwtourney
from tests.report.browser import EVERY_WINDOW, REPORT_BROWSER, Opened, open_tab, wait_for
from tests.report.handmade import OPPONENT_COLUMNS
from tests.report.leagues import WEEKS, make_league
from tests.report.markup import parse_page, read_text
from tests.report.tables import SEASON, make_pool, make_row, make_standings, meet
from tests.report.test_access import CUT_OFF, find_problems
from tests.report.test_collectors import record
from tests.report.test_summary import make_store
from tests.schedule.test_season import league

PLAIN = RatingOptions()


def read(store: Store) -> tuple[Any, GameIndex]:
    """Return the summary of a store and the index of its games."""
    index = GameIndex()
    return summarise(store, index.add), index


def seconds(date: str) -> float:
    """Return a date in seconds since 1970."""
    return calendar.timegm(datetime.fromisoformat(date).replace(tzinfo=UTC).timetuple())


@pytest.mark.slow
def test_rating_over_time_equals_the_table_of_each_week(tmp_path: Path) -> None:
    """Each point equals the standings after that version of the league was played."""
    with closing(make_league(tmp_path)) as store:
        summary, index = read(store)
    timeline = trace_ratings(summary, index, PLAIN)
    assert [moment.change.began for moment in timeline.moments] == [began for began, _ in WEEKS]
    for weeks, moment in enumerate(timeline.moments, 1):
        folder = tmp_path / str(weeks)
        folder.mkdir()
        with closing(make_league(folder, weeks)) as store:
            lines = summarise(store).standings.pools[0].rows
        assert {bot: elo for bot, (elo, _) in moment.elos.items()} == pytest.approx(
            {line.bot: line.elo for line in lines if not line.bound}
        )
    career = draw_career(timeline, "magpie")
    assert career is not None
    across, _, points = career
    # Mondays after the first one, 2026-01-05 at 06:00
    assert [text for _, text in across.ticks] == ["2026-01-12", "2026-01-19"]
    assert [point.version for point in points] == ["magpie", "magpie#2", ""]
    assert [point.text[:12] for point in points] == [f"{began[:10]}: " for began, _ in WEEKS]
    assert timeline.unit == "date"


def test_scale_of_each_week_follows_the_current_version_of_the_anchor(tmp_path: Path) -> None:
    """In each week the current version of magpie has the anchor's rating."""
    with closing(make_league(tmp_path)) as store:
        summary, index = read(store)
    anchored = trace_ratings(
        summary, index, PLAIN._replace(anchors=(Anchor("magpie#2", 1000.0),))
    ).moments
    playing = [
        next(bot for bot in moment.change.bots if bot.startswith("magpie")) for moment in anchored
    ]
    assert playing[0] == "magpie"
    assert [moment.elos[bot][0] for moment, bot in zip(anchored, playing, strict=True)] == (
        pytest.approx([1000.0] * len(WEEKS))
    )


@pytest.mark.slow
def test_bot_option_means_the_current_version(tmp_path: Path) -> None:
    """`magpie` is the current version; `magpie#1` is the first one."""
    make_league(tmp_path).close()
    for command in ("report", "rate"):
        for bot, shown in (
            ("magpie", "magpie#2"),
            ("magpie#2", "magpie#2"),
            ("magpie#1", "magpie"),
            ("owl", "owl"),
            ("wren", "wren"),
        ):
            printed = pwtourney(command, str(tmp_path), "--bot", bot).stdout
            assert f"{shown} by opponent" in printed
        done = pwtourney(command, str(tmp_path), "--bot", "magpie#3", code=2)
        assert "magpie#3" in done.stderr


@pytest.mark.slow
def test_anchor_option_of_rate_means_the_current_version(tmp_path: Path) -> None:
    """`magpie` is the current version; `magpie#1` is the first one."""
    make_league(tmp_path).close()
    for bot, shown in (("magpie", "magpie#2"), ("magpie#1", "magpie")):
        printed = pwtourney("rate", str(tmp_path), "--anchor", f"{bot}=1000").stdout
        assert f"Elo 1000 = {shown}" in printed
        (pool, *_) = library.rate(tmp_path, anchor=(bot, 1000.0)).pools
        assert {line.bot: line.elo for line in pool.rows}[shown] == pytest.approx(1000)


def test_without_dates_the_axis_counts_versions(tmp_path: Path) -> None:
    """One missing date suffices, as in stores from before dates were stored."""
    with closing(make_league(tmp_path)) as store:
        summary, index = read(store)
    first, second, third = trace_ratings(summary, index, PLAIN).moments
    undated = second._replace(change=second.change._replace(began=None))
    drawn = draw_season_curves(Timeline.of((first, undated, third)), ["magpie"])
    assert drawn is not None
    across, _, curves = drawn
    assert {float(text) for _, text in across.ticks} >= {1.0, 2.0, 3.0}
    assert [curve.bot for curve in curves] == ["magpie"]
    assert Timeline.of((undated,)).unit == "version of the league"


@pytest.mark.slow
def test_tournament_without_changes_has_no_season(tmp_path: Path) -> None:
    """Its bots have pages, but without a rating over time."""
    with closing(make_league(tmp_path, weeks=1)) as store:
        summary, index = read(store)
        publish(store, tmp_path)
    timeline = trace_ratings(summary, index, PLAIN)
    assert timeline.moments == ()
    pages = list(describe_bots(summary, index, timeline))
    assert {page["name"] for page in pages} == {"magpie", "crow", "wren"}
    assert all(page["career"] is None for page in pages)
    text = (tmp_path / "report.html").read_text()
    assert "<h2>Season</h2>" not in text
    assert 'href="#season"' not in text


def test_bot_page_covers_all_versions_of_the_bot(tmp_path: Path) -> None:
    """By hand: the best and worst games of all versions by margin, and the fault."""
    with closing(make_league(tmp_path)) as store:
        summary, index = read(store)
    never = Timeline.of(())
    pages = {page["name"]: page for page in describe_bots(summary, index, never)}
    assert pages.keys() == {"magpie", "crow", "wren", "owl"}
    magpie = pages["magpie"]
    won, lost = magpie["won"], magpie["lost"]
    assert [(game.number, game.margin) for game in won] == [
        ("5.1", 30),
        ("4.0", 21),
        ("3.0", 15),
        ("1.0", 9),
        ("0.0", 5),
    ]
    assert [(game.number, game.margin) for game in lost] == [("5.0", -8), ("0.1", -3), ("1.1", -1)]
    assert [(game.bot, game.against, game.scores) for game in won[:4:3]] == [
        ("magpie#2", "owl", (20, -10)),
        ("magpie", "wren", (29, 20)),
    ]
    ((fault, address),) = magpie["faults"]
    assert address == "#bot=magpie%232&result=fault&verdict=crash"
    assert (fault.bot, fault.verdict, fault.game) == ("magpie#2", "crash", "4.1")
    assert (fault.message, fault.last_line) == ("exited with code 3", "KeyError: 'queen'")
    versions = [
        (row["member"].bot, row["member"].status, row["joined"], row["left"], row["row"]["Games"])
        for row in magpie["versions"]
    ]
    assert versions == [
        ("magpie#2", "current", "2026-01-12", "–", "6"),
        ("magpie", "old", "2026-01-05", "2026-01-12", "4"),
    ]
    opponents = magpie["opponents"]["rows"]
    assert {row["against"]: row["cells"][0] for row in opponents} == {
        "crow": "2",
        "wren (removed)": "2",
        "owl": "2",
    }
    assert pages["wren"]["label"] == "wren (removed)"


def test_season_lists_what_each_version_changed(tmp_path: Path) -> None:
    """By hand from the three weeks of the league, the newest first, with a curve for each bot."""
    with closing(make_league(tmp_path)) as store:
        summary, index = read(store)
    described = describe_league(summary, trace_ratings(summary, index, PLAIN))
    assert described is not None
    assert described["axis"] == "date"
    order = [row.bot for row in summary.standings.pools[0].rows]
    assert order == ["magpie#2", "owl", "crow", "magpie", "wren"]
    _, _, curves = described["curves"]
    # bots that have left have none, and the versions of a bot share one
    assert [curve.bot for curve in curves] == ["magpie", "owl", "crow"]
    third, second, first = described["rows"]
    assert third == {
        "number": 3,
        "began": "2026-01-19",
        "added": "owl",
        "changed": "–",
        "removed": "wren",
        "bots": 3,
        "pairs": 2,
    }
    assert second == {
        "number": 2,
        "began": "2026-01-12",
        "added": "–",
        "changed": "magpie → magpie#2",
        "removed": "–",
        "bots": 3,
        "pairs": 2,
    }
    assert first == {
        "number": 1,
        "began": "2026-01-05",
        "added": "magpie, crow, wren",
        "changed": "–",
        "removed": "–",
        "bots": 3,
        "pairs": 3,
    }


def test_season_begins_with_the_second_version_of_a_league(tmp_path: Path) -> None:
    """A league that has not changed yet has no season; several changes are joined by commas."""
    with closing(make_league(tmp_path, weeks=1)) as store:
        summary, _ = read(store)
    never = Timeline.of(())
    assert describe_league(summary, never) is None
    season = trace_season(league(["a", "b", "c", "d"], ["a#2", "b#2"]))
    undated = tuple(change._replace(began=None) for change in season.changes)
    described = describe_league(summary._replace(season=Season(season.members, undated)), never)
    assert described is not None
    assert described["axis"] == "version of the league"
    assert described["curves"] is None
    assert described["rows"][0] == {
        "number": 2,
        "began": "–",
        "added": "–",
        "changed": "a → a#2, b → b#2",
        "removed": "c, d",
        "bots": 2,
        "pairs": 0,
    }


def test_bots_with_the_same_safe_name_have_different_sections() -> None:
    """Spaces and question marks become underscores, so later bots get a number as well."""
    season = trace_season(league(["a_b", "c", "a b", "a?b"]))
    assert list_anchors(season) == {
        "a_b": "bot-a_b",
        "c": "bot-c",
        "a b": "bot-a_b-2",
        "a?b": "bot-a_b-3",
    }


def describe_three(folder: Path) -> list[dict[str, Any]]:
    """Return the pages of a removed bot, of one with two versions, and of one with one."""
    with closing(make_league(folder, weeks=1)) as store:
        summary, _ = read(store)
    pool = make_pool(
        make_row(1, "cat", 50, 10, games=3),
        make_row(2, "ant", 20, games=2),
        make_row(3, "ant#2", 0, games=1),
        make_row(4, "bee", -70, 30.4, games=4),
        meetings=[
            meet("ant#2", "bee", 4, 3),
            meet("cat", "ant#2", 8, 6),
            meet("bee", "cat", 2, 1),
        ],
        level=0.9,
    )
    summary = summary._replace(season=SEASON, standings=make_standings(pool))
    return list(describe_bots(summary, GameIndex(), Timeline.of(())))


def test_bot_page_has_the_cells_of_each_version(tmp_path: Path) -> None:
    """Dates are days, unknown ones a dash, and the level of intervals is that of the table."""
    cat, ant, bee = describe_three(tmp_path)
    assert [(page["name"], page["bot"], page["label"]) for page in (cat, ant, bee)] == [
        ("cat", "cat", "cat (removed)"),
        ("ant", "ant#2", "ant#2"),
        ("bee", "bee", "bee"),
    ]
    assert [page["anchor"] for page in (cat, ant, bee)] == ["bot-cat", "bot-ant", "bot-bee"]
    assert ant["axis"] == "version of the league"
    assert (ant["career"], ant["faults"]) == (None, [])
    assert (cat["row"]["Bot"], cat["row"]["±90%"]) == ("cat (removed)", "10")
    assert (bee["row"]["Elo"], bee["row"]["±90%"]) == ("-70", "30")
    versions = [
        (version["member"].bot, version["joined"], version["left"], version["row"]["Games"])
        for page in (cat, ant, bee)
        for version in page["versions"]
    ]
    assert versions == [
        ("cat", "2026-01-01", "2026-02-01", "6"),
        ("ant#2", "2026-02-01", "–", "2"),
        ("ant", "2026-01-01", "2026-02-01", "4"),
        ("bee", "2026-01-01", "–", "8"),
    ]


def test_bot_page_lists_its_opponents(tmp_path: Path) -> None:
    """Those with most games come first, and the numbers are from the side of the bot."""
    _, ant, _ = describe_three(tmp_path)
    opponents = ant["opponents"]
    assert opponents["title"] == "ant#2 by opponent (± at 90 %)"
    assert opponents["headings"] == OPPONENT_COLUMNS
    assert [
        (row["against"], row["anchor"], row["address"], row["cells"][:3])
        for row in opponents["rows"]
    ] == [
        ("cat (removed)", "bot-cat", "#bot=ant%232&against=cat", ("8", "2", "25.0%")),
        ("bee", "bot-bee", "#bot=ant%232&against=bee", ("4", "3", "75.0%")),
    ]
    # three of four points are 191 Elo; t with one degree of freedom is 6.3138 at 95 % on one side
    reach = 6.3138 * 0.25 / (0.75 * 0.25) * 400 / math.log(10)
    assert opponents["rows"][1]["cells"][3:] == (f"+191 ± {reach:.0f}", "–", "–")
    assert opponents["left"] == 0
    assert (ant["won"], ant["lost"], ant["statistics"]) == ([], [], None)


@pytest.mark.parametrize(("members", "shown"), [(50, 40), (51, 39), (100, 20)])
def test_opponents_of_all_bots_are_two_thousand_rows(
    tmp_path: Path, members: int, shown: int
) -> None:
    """Each bot shows an equal part of them, at most 40, and counts those that are left out."""
    with closing(make_league(tmp_path, weeks=1)) as store:
        summary, _ = read(store)
    bots = [f"bot{number}" for number in range(members)]
    # against bot N the first one has played N games
    meetings = [meet(bots[0], bots[number], number, 0) for number in range(1, members)]
    pool = make_pool(*(make_row(1, bot, 0) for bot in bots), meetings=meetings)
    summary = summary._replace(season=trace_season(league(bots)), standings=make_standings(pool))
    first = next(describe_bots(summary, GameIndex(), Timeline.of(())))["opponents"]
    assert [row["against"] for row in first["rows"]] == bots[: -shown - 1 : -1]
    assert first["left"] == members - 1 - shown


def test_equal_faults_are_one_line_and_the_newest_five_kinds_stay() -> None:
    """The first of seven kinds comes again at the end, so its number is counted again."""
    careers = Careers()

    def fail(number: int, message: str) -> None:
        made = record(number, ("magpie", "wren"), (0, 0), Verdict.CRASH, 1)
        made = made._replace(faults=(Fault(0, Verdict.CRASH, message, "one\ntwo\n\n"),))
        careers.add(made, result_of(made))

    for number, message in enumerate("abcdefga"):
        fail(2 * number, message)
    kinds = careers.find("magpie").faults
    assert [(kind.message, kind.times, kind.game) for kind in kinds] == [
        ("a", 1, "7.0"),
        ("g", 1, "6.0"),
        ("f", 1, "5.0"),
        ("e", 1, "4.0"),
        ("d", 1, "3.0"),
    ]
    fail(16, "g")
    newest = careers.find("magpie").faults[0]
    assert (newest.message, newest.times, newest.game, newest.last_line) == ("g", 2, "8.0", "two")
    assert careers.find("wren").faults == []


@pytest.mark.parametrize(
    ("message", "last", "shown"),
    [
        ("it ended with exit code 1: IndexError: 1 (a.py, line 6)", "IndexError: 1", ""),
        ("IndexError: 1 (a.py, line 6)", "IndexError: 1", ""),
        ("it ended with exit code 3: no? weights", "no\x1b weights", ""),
        (f"ended: E: {'x' * 280}…", f"E: {'x' * 400}", ""),
        ("it ended with exit code 1", "1", "1"),
        ("it ended with exit code 3", "KeyError: 'queen'", "KeyError: 'queen'"),
    ],
)
def test_last_line_is_hidden_if_the_message_contains_it(
    message: str, last: str, shown: str
) -> None:
    """Otherwise the last line of standard error is shown."""
    careers = Careers()
    made = record(0, ("magpie", "wren"), (0, 0), Verdict.CRASH, 1)
    made = made._replace(faults=(Fault(0, Verdict.CRASH, message, f"Traceback\n{last}\n\n"),))
    careers.add(made, result_of(made))
    assert careers.find("magpie").faults[0].last_line == shown


def test_faults_that_differ_in_a_number_are_equal() -> None:
    """As in the list of all faults; the newest message is shown, with their number."""
    careers = Careers()
    for number, message in enumerate(("used 5012 ms", "used 497 ms")):
        made = record(2 * number, ("magpie", "wren"), (0, 0), Verdict.TIMEOUT, 1)
        made = made._replace(faults=(Fault(0, Verdict.TIMEOUT, message, ""),))
        careers.add(made, result_of(made))
    (kind,) = careers.find("magpie").faults
    assert (kind.message, kind.times, kind.game) == ("used 497 ms", 2, "1.0")
    assert kind.key == ("magpie", "timeout", "used 0 ms")


def test_more_than_a_hundred_bots_have_no_pages() -> None:
    """Each bot with a page is kept in memory while games are read; the limit is 100."""

    def meet(careers: Careers, number: int) -> None:
        bots = (f"a{number}", f"b{number}")
        made: Game = record(2 * number, bots, (9, 4), Verdict.FINISHED, 0)
        careers.add(made, result_of(made))

    careers = Careers()
    for number in range(MOST_PAGES // 2):
        meet(careers, number)
    assert len(list(careers.games())) == MOST_PAGES
    meet(careers, MOST_PAGES)
    assert careers.too_many
    assert list(careers.games()) == []
    names = [f"bot{number}" for number in range(MOST_PAGES + 1)]
    assert list_anchors(trace_season(league(names))) == {}
    assert len(list_anchors(trace_season(league(names[1:])))) == MOST_PAGES


def test_constant_ratings_have_an_axis_of_twenty_elo() -> None:
    """A single rating and two that differ by a rounding error have the same axis."""
    changes = trace_season(league(["a", "b"], ["a", "b", "c"])).changes
    elos = ({"a": (100.0, None)}, {"a": (100.0 + 1e-10, None)})
    moments = [Moment(*pair) for pair in zip(changes, elos, strict=True)]
    career = draw_career(Timeline.of(moments), "a")
    assert career is not None
    _, down, points = career
    assert [text for _, text in down.ticks] == ["90", "95", "100", "105", "110"]
    assert {point.y for point in points} == {down.at(100)}


@pytest.mark.parametrize(
    ("first", "last", "texts"),
    [
        ("2026-03-02T23:10", "2026-03-03T03:10", [f"03-03 0{hour}:00" for hour in range(4)]),
        ("2026-03-02T06:00", "2026-03-02T06:10", ["03-02 06:00", "03-02 06:05", "03-02 06:10"]),
        ("2026-03-01", "2026-03-05", [f"2026-03-0{day}" for day in range(1, 6)]),
        # the Mondays of every second week
        ("2026-01-05T06:00", "2026-02-23T06:00", ["2026-01-19", "2026-02-02", "2026-02-16"]),
        ("2025-11-15", "2026-04-02", ["2025-12", "2026-01", "2026-02", "2026-03", "2026-04"]),
        ("2023-02-01", "2026-07-01", ["2024", "2025", "2026"]),
        ("1970-01-01", "9999-12-31", ["2000", "4000", "6000", "8000"]),
    ],
)
def test_time_axis_has_round_dates(first: str, last: str, texts: list[str]) -> None:
    """Calendar hours, days, weeks, months or years, at most six of them."""
    ticks = list_date_ticks(seconds(first), seconds(last))
    assert [text for _, text in ticks] == texts
    assert all(seconds(first) <= second <= seconds(last) for second, _ in ticks)


def test_unreadable_date_is_unknown() -> None:
    """Dates in a store may come from anybody."""
    assert parse_date("2026-03-02T06:00:00Z") == seconds("2026-03-02T06:00")
    assert parse_date(None) is parse_date("") is parse_date("soon") is None


REPLACED = """() => {
  const add = (...kinds) => {
    const part = document.getElementById("bot-magpie").cloneNode(true);
    part.querySelectorAll("details").forEach((each) => each.remove());
    for (const [kind, isOpen] of kinds) {
      const box = document.createElement("details");
      box.dataset.kind = kind;
      box.open = isOpen;
      part.append(box);
    }
    return part.outerHTML;
  };
  const replace = (...kinds) => pwtourney.replacePart("bot-magpie", add(...kinds));
  replace(["crash: code 0", false], ["timeout: after 0 ms", true]);
  replace(["timeout: after 0 ms", false], ["crash: code 0", true]);
  return [...document.querySelectorAll("#bot-magpie details")].map(({ open }) => open);
}"""
"""Replace kinds of faults that the reader has closed and opened by others in another order."""


@REPORT_BROWSER
@pytest.mark.slow(3)
def test_bot_has_its_own_page(tmp_path: Path, browser: Any) -> None:
    """From the table to the bot's page, to a game, to a list of games, and back to the table."""
    with closing(make_league(tmp_path)) as store:
        publish(store, tmp_path)
    with Opened(browser, f"file://{tmp_path}/report.html") as opened:
        page = opened.page
        shown: Callable[[str], bool] = page.is_visible
        assert not shown("#bot-magpie")
        page.click("table.few a[href='#bot-magpie'] >> nth=0")
        page.wait_for_selector("#bot-magpie svg")
        assert not shown("#standings")
        assert not shown("#bot-crow")
        # does what a live page does when its data changed
        page.evaluate(
            "pwtourney.replacePart('bot-magpie', document.getElementById('bot-magpie').outerHTML)"
        )
        assert shown("#bot-magpie")
        assert page.evaluate(REPLACED) == [True, False]
        page.click("#bot-magpie a[href='#game=5.1&ply=0']")
        page.wait_for_selector("#viewer.open")
        assert "owl" in page.inner_text("#title")
        assert not shown("#bot-magpie")
        # from the number of games against another bot to the list of these games
        page.goto(f"file://{tmp_path}/report.html#bot-magpie")
        page.click("#bot-magpie tr:has-text('wren (removed)') td a")
        wait_for(page, "document.querySelectorAll('#rows tr').length === 2")
        assert page.input_value("#bot") == "magpie#2"
        assert page.input_value("#against") == "wren"
        page.goto(f"file://{tmp_path}/report.html#bot-wren")
        page.wait_for_selector("#bot-wren:visible")
        assert "removed" in page.inner_text("#bot-wren")
        page.click("#bot-wren a[href='#bots']")
        page.wait_for_selector("#bot-list")
        assert opened.complaints == []
    with Opened(browser, f"file://{tmp_path}/report.html#bot-crow", width=360) as opened:
        assert opened.page.is_visible("#bot-crow")
        assert opened.page.evaluate("document.documentElement.scrollWidth") == 360


@pytest.mark.thorough
@REPORT_BROWSER
@pytest.mark.slow(2)
def test_bot_page_stops_the_game_that_it_hides(tmp_path: Path, browser: Any) -> None:
    """Keys and the running playback do not step the game; the address stays the bot's."""
    with closing(make_league(tmp_path)) as store:
        publish(store, tmp_path)
    with Opened(browser, f"file://{tmp_path}/report.html#game=0.0&ply=0") as opened:
        page = opened.page
        page.clock.install(time=0)
        page.clock.pause_at(3600)
        page.click("#play")
        open_tab(page, "bots")
        page.click("#bot-list a[href='#bot-magpie']")
        page.wait_for_selector("#bot-magpie")
        for key in ("ArrowRight", "End", " "):
            page.keyboard.press(key)
        page.clock.run_for(5_000)
        assert page.evaluate("location.hash") == "#bot-magpie"
        open_tab(page, "games")
        assert page.inner_text("#what").startswith("The start of 2 plies")
        assert page.inner_text("#play") == "▶ play"
        page.evaluate("document.activeElement.blur()")
        page.keyboard.press("ArrowRight")
        assert page.inner_text("#what").startswith("Ply 1 of 2")
        assert opened.complaints == []


@pytest.mark.thorough
@REPORT_BROWSER
@pytest.mark.slow(4)
@EVERY_WINDOW
def test_axe_finds_nothing_on_a_bot_page(
    tmp_path: Path, browser: Any, width: int, look: str
) -> None:
    """It finds nothing in the season either, and no text leaves the window."""
    with closing(make_league(tmp_path)) as store:
        publish(store, tmp_path)
    for fragment in ("#bot-magpie", "#season"):
        address = f"file://{tmp_path}/report.html{fragment}"
        with Opened(browser, address, width=width, color_scheme=look) as opened:
            assert opened.page.is_visible(fragment)
            assert find_problems(opened.page) == []
            assert opened.page.evaluate(CUT_OFF) == []


def test_bot_without_games_has_no_tables(tmp_path: Path) -> None:
    """A page that is written before the first game says so instead."""
    with closing(make_store(tmp_path, [])) as store:
        publish(store, tmp_path)
    page = parse_page((tmp_path / "report.html").read_text())
    articles = page.findall(".//article")
    assert [article.get("id") for article in articles] == ["bot-crow", "bot-owl"]
    for article in articles:
        assert article.findall(".//table") == []
        assert article.findall(".//figure") == []
        assert "It has played no game that counts yet." in read_text(article)


def test_old_links_to_bots_without_a_section_have_a_reason() -> None:
    """A ban has its day and its reason, and a former name leads to the present one."""
    ban = Ban("wren", "copied crow", "2026-01-19T06:00:00Z")
    season = Season(bans=(ban,), former={"jay": "magpie"})
    assert explain_absences(season) == {
        "jay": "jay is called magpie now.",
        "wren": "wren is banned since 2026-01-19 (copied crow).",
    }
