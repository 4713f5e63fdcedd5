"""Pages are accessible: on any screen, in light and dark mode, by keyboard and screen reader."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pwtourney.report.text.rows import describe_columns
from tests.program import pwtourney
from tests.report.browser import EVERY_WINDOW, REPORT_BROWSER, Opened, open_tab
from tests.report.conftest import LONG_NAME
from tests.report.test_viewer import find_game
from tests.sharing import Once

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = REPORT_BROWSER


CUT_OFF = """() => {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const found = [];
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const range = document.createRange();
    range.selectNodeContents(node);
    const box = range.getBoundingClientRect();
    if (!box.width || node.parentElement.closest('.spoken')) continue;
    const scrolled = node.parentElement.closest('.scroll');
    // a name that its box shortens is whole in its title, and in the heading of its game
    const isShortened = getComputedStyle(node.parentElement).textOverflow === 'ellipsis';
    if (isShortened && node.parentElement.title === node.textContent) continue;
    const left = scrolled ? scrolled.getBoundingClientRect().left - scrolled.scrollLeft : 0;
    const right = scrolled ? Infinity : innerWidth;
    if (box.left < left - 1 || box.right > right + 1) found.push(node.textContent.slice(0, 60));
  }
  return found;
}"""
"""Finds texts that are outside the window and cannot be scrolled into view."""

COVERED = """() => [...document.querySelectorAll('table.few tbody tr')].flatMap((row) =>
  [...row.cells].filter((cell) => cell.offsetWidth).flatMap((cell) => {
    const range = document.createRange();
    range.selectNodeContents(cell);
    const {left, right} = range.getBoundingClientRect();
    const around = row.closest('.scroll').getBoundingClientRect();
    return left < around.left || right > around.right ? [cell.textContent] : [];
  }))"""
"""Finds cells of the standings that are cut off at the edge of their table."""


def find_problems(page: "Page") -> list[str]:
    """Return all violations that axe-core finds: the rule, its impact, and an element."""
    from axe_playwright_python.sync_playwright import Axe  # imports playwright, which takes 0.5 s

    violations = Axe().run(page).response["violations"]
    return [
        f"{violation['id']} ({violation['impact']}): {node['html'][:200]}"
        for violation in violations
        for node in violation["nodes"]
    ]


@pytest.fixture(scope="module")
def game_page(league: Path, once: Once) -> Path:
    """Return the page of one game."""
    game = find_game(league, "greedy", "frugal")

    def write(folder: Path) -> None:
        name = f"{league}:{game.pair}.{game.game}"
        pwtourney("replay", name, "--html", str(folder / "game.html"))

    return once("page-of-a-game", write) / "game.html"


@pytest.mark.thorough
@pytest.mark.slow(5)
@EVERY_WINDOW
def test_axe_finds_nothing(
    league: Path, game_page: Path, browser: Any, width: int, look: str
) -> None:
    """axe-core finds no violation on a page with a game, faults and curves, or on a game's page."""
    game = find_game(league, "greedy", "frugal")
    address = f"file://{league}/report.html#game={game.pair}.{game.game}&ply=9&bot=greedy"
    with Opened(browser, address, width=width, color_scheme=look) as opened:
        page = opened.page
        page.evaluate("document.querySelectorAll('details').forEach((one) => {one.open = true})")
        assert find_problems(page) == []
        for tab in ("standings", "bots", "charts", "faults", "how"):
            open_tab(page, tab)
            assert find_problems(page) == [], tab
    with Opened(browser, f"file://{game_page}", width=width, color_scheme=look) as opened:
        assert find_problems(opened.page) == []


@pytest.mark.thorough
@pytest.mark.slow(3)
def test_axe_finds_deliberate_violations(game_page: Path, browser: Any) -> None:
    """A button without a name and a text with too little contrast are found."""
    with Opened(browser, f"file://{game_page}") as opened:
        opened.page.evaluate("""() => {
          const text = document.createElement('p');
          text.textContent = 'hardly seen';
          text.style.color = '#ddd';
          document.querySelector('main').append(document.createElement('button'), text);
        }""")
        rules = {problem.partition(" ")[0] for problem in find_problems(opened.page)}
        assert rules == {"button-name", "color-contrast"}


@pytest.mark.thorough
@pytest.mark.slow(3)
@EVERY_WINDOW
def test_important_content_is_visible_at_every_width(
    league: Path, game_page: Path, browser: Any, width: int, look: str
) -> None:
    """Ranks, names, ratings, controls and boards are visible, and no text leaves the window."""
    game = find_game(league, LONG_NAME, "greedy")
    address = f"file://{league}/report.html#game={game.pair}.{game.game}&ply=9"
    with Opened(browser, address, width=width, color_scheme=look) as opened:
        page = opened.page
        for selector in (".controls button", ".controls input", ".quilt", "#curve-drawing svg"):
            for part in page.locator(selector).all():
                box = part.bounding_box()
                assert box is not None, selector
                assert box["x"] >= 0, selector
                assert box["x"] + box["width"] <= width, selector
                assert box["height"] >= 15, selector
        for tab in ("games", "bots", "charts", "faults", "how", "standings"):
            open_tab(page, tab)
            assert page.evaluate("document.documentElement.scrollWidth") == width, tab
            assert page.evaluate(CUT_OFF) == [], tab
        assert page.evaluate(COVERED) == []
        shown = page.locator("table.few thead th").locator("visible=true").all_inner_texts()
        # on a phone the others are among all columns
        others = [] if width < 640 else ["Games", "Margin"]
        assert shown == ["#", "Bot", "Elo", "Score", *others, "Faults"]
        assert page.locator("table.few tbody th", has_text=LONG_NAME).is_visible()
    with Opened(browser, f"file://{game_page}", width=width, color_scheme=look) as opened:
        assert opened.page.evaluate("document.documentElement.scrollWidth") == width
        assert opened.page.evaluate(CUT_OFF) == []


@pytest.mark.thorough
@pytest.mark.slow
def test_paper_shows_everything_but_games(league: Path, browser: Any) -> None:
    """Tabs do not work on paper, nor does the button that shows all columns."""
    with Opened(browser, f"file://{league}/report.html", width=390) as opened:
        page = opened.page
        page.emulate_media(media="print")
        heads = page.locator("table.standings thead th")
        assert heads.locator("visible=true").count() == heads.count() == len(describe_columns())
        for part in ("#charts", "#how", "#faults", "#bots > article >> nth=1"):
            assert page.is_visible(part), part
        for part in ("#columns", "#tabs", "#games"):
            assert not page.is_visible(part), part
