"""The tabs of the page: one section at a time, few screens even for a large tournament."""

from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pwtourney.report import publish
from pwtourney.standings import RatingOptions
from pwtourney.store import ResultsFolder, Settings, Store
from tests.report.browser import REPORT_BROWSER, Opened, open_tab, wait_for
from tests.report.conftest import LONG_NAME
from tests.report.large import BOTS, GAMES, make_large
from tests.report.leagues import SCHEDULE, WEEKS, make_league
from tests.report.sizes import PHONE, SMALL_TARGETS, SMALL_TEXTS
from tests.sharing import Once

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = [pytest.mark.slow(2), REPORT_BROWSER]

TABS = ("standings", "games", "bots", "charts", "faults", "how")
SAMPLE = Path(__file__).parents[2] / "results" / "sample"
SCREENS = "document.documentElement.scrollHeight / innerHeight"


CUT_DATES = """() => [...document.querySelectorAll('.tab.shown .chart > svg text')]
  .filter((text) => {
    const box = text.closest('.chart').getBoundingClientRect();
    const { left, right, width } = text.getBoundingClientRect();
    return width && (left < box.left || right > box.right);
  }).map((text) => text.textContent)"""
"""Finds texts of a chart that reach out of its frame."""

TOUCHING = """() => {
  const boxes = [...document.querySelectorAll('.tab.shown .chart > svg text')]
    .map((text) => text.getBoundingClientRect())
    .filter(({ width }) => width);
  return boxes.some((one, place) => boxes.slice(place + 1).some((other) =>
    Math.abs(one.top - other.top) < 2 && one.left < other.right && other.left < one.right));
}"""
"""Return whether two texts on one line of a chart overlap."""


CROWDED = """() => {
  const texts = [...document.querySelectorAll('.tab.shown .chart > svg text')];
  const title = texts.find((text) => text.textContent === 'date').getBoundingClientRect();
  return texts.some((text) => {
    const { left, right, top, bottom } = text.getBoundingClientRect();
    const crosses = left < title.right && title.left < right;
    return top < title.top && crosses && bottom > title.top + 1;
  });
}"""
"""Return whether the title of an axis of dates overlaps a date above it."""


@pytest.fixture(scope="module")
def large(once: Once) -> Path:
    """Return the results of the large tournament."""
    return once("page-large", make_large) / "r"


def list_shown(page: "Page") -> list[str]:
    """Return the names of the tabs that are visible."""
    tabs = page.locator(".tab").locator("visible=true").all()
    return [(tab.get_attribute("id") or "").removeprefix("tab-") for tab in tabs]


def test_address_names_the_tab(league: Path, browser: Any) -> None:
    """A click shows one tab and marks its link; back and forward lead through the tabs."""
    with Opened(browser, f"file://{league}/report.html") as opened:
        page = opened.page
        assert list_shown(page) == ["standings"]
        for tab in TABS[1:]:
            open_tab(page, tab)
            assert list_shown(page) == [tab]
            assert page.evaluate("location.hash") == f"#{tab}"
            current = page.locator("#tabs a[aria-current]")
            assert (current.count(), current.get_attribute("data-tab")) == (1, tab)
        page.go_back()
        wait_for(page, "document.querySelector('#tab-faults.shown')")
        page.go_forward()
        wait_for(page, "document.querySelector('#tab-how.shown')")
        assert list_shown(page) == ["how"]
        assert opened.complaints == []


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("fragment", "tab"),
    [
        ("charts", "charts"),
        ("bots", "bots"),
        ("bot-greedy", "bots"),
        ("bot=greedy", "bots"),
        ("tab=games&bot=greedy", "games"),
        ("verdict=start", "games"),
        ("game=0.0", "games"),
        ("columns=all", "standings"),
        ("nowhere", "standings"),
    ],
)
def test_link_from_outside_opens_its_tab(
    league: Path, browser: Any, fragment: str, tab: str
) -> None:
    """Old addresses and new ones lead to the section that shows what they name."""
    with Opened(browser, f"file://{league}/report.html#{fragment}") as opened:
        assert list_shown(opened.page) == [tab]


def test_one_bot_is_shown_below_the_list_of_bots(league: Path, browser: Any) -> None:
    """The best bot is shown at first, then the chosen one."""
    with Opened(browser, f"file://{league}/report.html#bots") as opened:
        page = opened.page
        articles = page.locator("#bots > article").locator("visible=true")
        links = page.locator("#bot-list a")
        assert links.count() == 4
        first = links.first.get_attribute("href")
        assert [f"#{article.get_attribute('id')}" for article in articles.all()] == [first]
        page.click(f"#bot-list a:has-text('{LONG_NAME}')")
        wait_for(page, "document.querySelector('#bots > .shown').id.startsWith('bot-mmm')")
        assert page.evaluate("location.hash").startswith("#bot-mmm")
        assert articles.count() == 1
        assert page.locator("#bot-list a[aria-current]").inner_text().count(LONG_NAME) == 1
        page.goto(f"file://{league}/report.html#bot=frugal")
        wait_for(page, "document.querySelector('#bot-frugal.shown')")


@pytest.mark.thorough
@pytest.mark.slow(12)
@pytest.mark.parametrize(("width", "height", "most"), [(1280, 800, 3), (390, 844, 5)])
def test_large_tournament_needs_few_screens(
    large: Path, browser: Any, width: int, height: int, most: int
) -> None:
    """Three at 1280 x 800 and five on a phone in each tab; with a game open, too."""
    assert (large / "report.html").stat().st_size <= 3_000_000
    look = PHONE if width < 500 else {}
    with Opened(
        browser, f"file://{large}/report.html", width=width, height=height, **look
    ) as opened:
        page = opened.page
        assert page.locator("#bots > article").count() == BOTS
        assert page.locator("#bots table.statistics").count() == BOTS
        for tab in ("standings", "games", "bots", "charts", "how"):
            open_tab(page, tab)
            assert page.evaluate(SCREENS) <= most, tab
            assert page.evaluate("document.documentElement.scrollWidth") == width, tab
            assert page.evaluate(SMALL_TEXTS) == [], tab
            if width == 390:
                assert page.evaluate(SMALL_TARGETS) == [], tab
        open_tab(page, "games")
        page.locator("#rows a").first.click()
        page.wait_for_selector("#viewer.open")
        assert page.evaluate(SCREENS) <= most
        assert opened.complaints == []


def make_long_season(folder: Path) -> None:
    """Make a league that changed each week for a year, in which forty kinds of faults happened."""
    with closing(make_league(folder)) as store:
        meta = store.meta()
        settings = Settings(schedule=SCHEDULE, ratings=RatingOptions(), pairs=99)
        for week in range(3, 55):
            began = datetime(2026, 1, 5, tzinfo=UTC) + timedelta(weeks=week)
            _, line_up = WEEKS[week % 3]
            store.extend(line_up, meta.facts, settings, f"{began:%Y-%m-%dT%H:%M:%SZ}")
        failed = store.game(4, 1)
        (fault,) = failed.faults
        for pair in range(7, 47):
            named = fault._replace(message=f"error {pair}", stderr="at line 7\n" * 40)
            games = [failed._replace(pair=pair, game=game, faults=(named,)) for game in (0, 1)]
            store.add(games)
        publish(store, folder)


@pytest.mark.thorough
@pytest.mark.parametrize(("width", "height", "most"), [(1280, 800, 3), (390, 844, 5)])
def test_long_season_needs_few_screens(
    once: Once, browser: Any, width: int, height: int, most: int
) -> None:
    """With many versions and many faults, of which the first is open."""
    season = once("page-long-season", make_long_season)
    with Opened(browser, f"file://{season}/report.html", width=width, height=height) as opened:
        page = opened.page
        for tab in ("season", "faults"):
            open_tab(page, tab)
            assert page.evaluate(SCREENS) <= most, tab
            assert page.evaluate("document.documentElement.scrollWidth") == width, tab
            assert page.evaluate(SMALL_TEXTS) == [], tab
            assert page.evaluate(CUT_DATES) == [], tab
            assert not page.evaluate(TOUCHING), tab
            if width == 390:
                assert page.evaluate(SMALL_TARGETS) == [], tab
        assert page.locator("#faults details[open]").count() == 1
        assert opened.complaints == []


@pytest.mark.thorough
def test_last_date_of_a_season_is_not_cut_off(browser: Any, tmp_path: Path) -> None:
    """The last version of the league began at the end of the axis."""
    with closing(make_league(tmp_path)) as store:
        publish(store, tmp_path)
    with Opened(browser, f"file://{tmp_path}/report.html#season", width=360) as opened:
        texts = opened.page.locator("#season figure.chart > svg text").all_text_contents()
        assert WEEKS[-1][0][:10] in texts
        assert opened.page.evaluate(CUT_DATES) == []
        assert not opened.page.evaluate(CROWDED)


@pytest.mark.thorough
@pytest.mark.parametrize("width", [360, 390])
def test_neighbouring_dates_do_not_touch(
    browser: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    """On a phone; a date at the end of the axis once was as wide as the way to its neighbour."""
    weeks = ["2026-01-05T06:00:00Z", "2026-01-08T10:48:00Z", "2026-01-11T15:36:00Z"]
    line_ups = [line_up for _, line_up in WEEKS]
    monkeypatch.setattr("tests.report.leagues.WEEKS", (*zip(weeks, line_ups, strict=True),))
    with closing(make_league(tmp_path)) as store:
        publish(store, tmp_path)
    with Opened(browser, f"file://{tmp_path}/report.html#season", width=width) as opened:
        texts = opened.page.locator("#season figure.chart > svg text").all_text_contents()
        assert "2026-01-11" in texts
        assert not opened.page.evaluate(TOUCHING)


@pytest.mark.thorough
def test_page_with_faults_is_read_and_touched_on_a_phone(league: Path, browser: Any) -> None:
    """Texts have 12 pixels and targets 44 in every tab, with all columns and a game open."""
    address = f"file://{league}/report.html"
    with Opened(browser, address, width=390, height=844, **PHONE) as opened:
        page = opened.page
        for tab in TABS:
            open_tab(page, tab)
            for button in page.locator("#columns").locator("visible=true").all():
                button.click()
            for link in page.locator("#rows a").locator("visible=true").all()[:1]:
                link.click()
                page.wait_for_selector("#viewer.open")
            assert page.evaluate(SMALL_TEXTS) == [], tab
            assert page.evaluate(SMALL_TARGETS) == [], tab
        assert opened.complaints == []


NAMES = """() => [...document.querySelectorAll('.few th[scope=row] .name')]
  .map((name) => {
    const range = document.createRange();
    range.selectNodeContents(name);
    return [name.textContent, new Set([...range.getClientRects()].map(({ top }) => top)).size];
  })"""
"""Counts the lines on which the standings have each bot's name."""

OFFSETS = """() => {
  const middle = (mark) => {
    const { top, bottom } = mark.getBoundingClientRect();
    return (top + bottom) / 2;
  };
  const names = [...document.querySelectorAll('.whiskers .name')];
  const marks = [...document.querySelectorAll('.whiskers .mark circle')];
  return marks.map((mark, row) => Math.abs(middle(names[row]) - middle(mark)));
}"""
"""Measures how far above or below its mark each name of the chart of ratings stands."""


@pytest.mark.thorough
@pytest.mark.parametrize("width", [390, 1280])
def test_short_names_are_whole_and_in_line_with_their_ratings(
    browser: Any, tmp_path: Path, width: int
) -> None:
    """Those of the sample: the standings have them on one line, the chart in the line of a mark."""
    with closing(Store.open_in(ResultsFolder(SAMPLE))) as store:
        publish(store, tmp_path)
    with Opened(browser, f"file://{tmp_path}/report.html", width=width) as opened:
        lines = dict(opened.page.evaluate(NAMES))
        assert lines == dict.fromkeys(("champion", "mcts", "lookahead", "greedy"), 1)
        open_tab(opened.page, "charts")
        distances = opened.page.evaluate(OFFSETS)
        assert len(distances) == 4
        assert max(distances) < 4


@pytest.mark.thorough
@pytest.mark.slow(12)
def test_every_game_of_a_large_tournament_opens(large: Path, browser: Any) -> None:
    """The first, the last and one between; the list is drawn as far as it is scrolled."""
    with Opened(browser, f"file://{large}/report.html#games") as opened:
        page = opened.page
        assert page.inner_text("#count") == f"{GAMES} of {GAMES} games"
        rows = page.locator("#rows tr")
        drawn = rows.count()
        assert 20 < drawn < 200
        assert page.locator("#rows tr:not(:has(a))").count() == 0
        page.evaluate("document.querySelector('#list').scrollTo(0, 1e6)")
        wait_for(page, f"document.querySelectorAll('#rows tr').length > {drawn}")
        for number in ("0.0", "12.0", f"{GAMES // 2 - 1}.1"):
            page.goto(f"file://{large}/report.html#game={number}&ply=7")
            wait_for(page, f"document.querySelector('#title').textContent.includes('{number}:')")
            assert page.inner_text("#what").startswith("Ply 7 of ")
        page.goto(f"file://{large}/report.html#game={GAMES}.0")
        wait_for(page, "document.querySelector('#missing').textContent")
        assert page.inner_text("#missing") == (
            f"There is no game {GAMES}.0 here: choose one from the list."
        )
        assert not page.is_visible("#viewer")


def test_list_of_games_fits_a_phone(league: Path, browser: Any) -> None:
    """Each game has its seats, points, and its margin or the fault; a row has two lines."""
    address = f"file://{league}/report.html#games"
    with Opened(browser, address, width=390, height=844, **PHONE) as opened:
        page = opened.page
        widths = "(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)"
        assert page.evaluate(f"{widths}(document.querySelector('#list'))") == 0
        for row in page.locator("#rows tr").all():
            first, second = (row.locator(f".side-{seat}").bounding_box() for seat in (0, 1))
            assert first["y"] + first["height"] <= second["y"]
            is_finished = row.locator(".verdict").text_content() == "finished"
            assert row.locator(".margin").is_visible() == is_finished
            assert row.locator(".verdict").is_visible() != is_finished
        assert page.locator("#rows .faulty").count() > 0
        assert opened.complaints == []


@pytest.mark.thorough
def test_list_is_sorted_by_what_the_reader_chooses(league: Path, browser: Any) -> None:
    """By margin, length and fault; the address keeps the order, and a row opens its game."""
    with Opened(browser, f"file://{league}/report.html#games") as opened:
        page = opened.page

        def read(column: int) -> list[str]:
            texts: list[str] = page.locator(f"#rows td:nth-child({column})").all_inner_texts()
            return [text.replace("−", "-") for text in texts]

        page.select_option("#sort", "widest")
        assert page.evaluate("location.hash") == "#sort=widest"
        margins = [int(text) for text in read(5) if text != "–"]
        assert margins == sorted(margins, reverse=True)
        assert read(5)[len(margins) :] == ["–"] * (len(read(5)) - len(margins))
        heading = page.locator("#list th", has_text="Margin")
        assert heading.get_attribute("aria-sort") == "descending"
        heading.locator("button").click()
        assert page.input_value("#sort") == "closest"
        assert (heading.get_attribute("aria-sort"), read(5)[0]) == ("ascending", "+2")
        assert page.locator("#list th[aria-sort]").count() == 1
        assert page.locator("#list th", has_text="seat").locator("button").count() == 0
        page.select_option("#sort", "longest")
        plies = [int(text) for text in read(6)]
        assert plies == sorted(plies, reverse=True)
        page.select_option("#sort", "faults")
        verdicts = read(7)
        assert verdicts == sorted(verdicts, key=lambda verdict: verdict == "finished")
        page.select_option("#bot", "greedy")
        page.select_option("#sort", "worst")
        margins = [int(text) for text in read(5) if text != "–"]
        assert margins == sorted(margins)
        game = read(1)[0]
        page.locator("#rows tr").first.locator("td").nth(3).click()
        page.wait_for_selector("#viewer.open")
        assert page.inner_text("#title").startswith(f"Game {game}: ")
        assert page.title().startswith(f"Game {game}: ")
        assert page.evaluate("location.hash") == f"#game={game}&bot=greedy&sort=worst"


@pytest.mark.thorough
def test_row_that_is_read_stays_while_games_end(league: Path, browser: Any) -> None:
    """New games come first, above the row that the reader points at, which keeps its place."""
    add = """number => pwtourney.addGames(
      [[number, 0, 'greedy', 'frugal', 1, 2, 1, 'finished', 40]], number)"""
    with Opened(browser, f"file://{league}/report.html#games") as opened:
        page = opened.page
        first = page.locator("#rows tr").first
        page.evaluate(add, 900)
        assert first.get_attribute("data-game") == "900.0"
        read = page.locator("#rows tr").nth(4)
        read.hover()
        game = read.get_attribute("data-game")
        before = read.bounding_box()
        for number in range(901, 904):
            page.evaluate(add, number)
        assert first.get_attribute("data-game") == "903.0"
        same = page.locator(f"#rows tr[data-game='{game}']")
        assert same.bounding_box() == before
        assert page.evaluate("document.querySelector('#rows tr:hover').dataset.game") == game
        games = page.locator("#rows tr").evaluate_all("rows => rows.map(row => row.dataset.game)")
        newest = sorted(games, key=lambda name: [*map(int, name.split("."))], reverse=True)
        assert games == newest
        assert len(games) == len(set(games))


@pytest.mark.thorough
def test_missing_game_is_one_sentence(league: Path, browser: Any) -> None:
    """A game without moves, a missing game and a malformed number have a message each."""
    with Opened(browser, f"file://{league}/report.html#verdict=start") as opened:
        page = opened.page
        empty = page.locator("#rows tr:not(:has(a)) td").first.inner_text()
        for number, message in (
            (empty, f"No move was played in game {empty}: "),
            ("99.0", "There is no game 99.0 here"),
            ("199", "There is no game 199 (99.0) here"),
            ("x", "“x” names no game"),
        ):
            page.goto(f"file://{league}/report.html#game={number}")
            wait_for(page, f"document.querySelector('#missing').textContent.includes('{number}')")
            assert page.inner_text("#missing").startswith(message)
            assert list_shown(page) == ["games"]
        page.locator("#rows a").first.click()
        page.wait_for_selector("#viewer.open")
        assert page.inner_text("#missing") == ""
        assert opened.complaints == []
