"""A bot's page in a real browser: it fits the window, and its numbers lead to games."""

import re
from pathlib import Path
from typing import Any

import pytest

from pwtourney import game_statistics
from tests.report.browser import REPORT_BROWSER, Opened, wait_for
from tests.report.conftest import LONG_NAME
from tests.report.test_access import CUT_OFF, find_problems
from tests.report.test_page import CONTRAST

pytestmark = [pytest.mark.slow(3), REPORT_BROWSER]

SCROLLING = """() => [...document.querySelectorAll('article:target .scroll')]
  .filter((box) => box.scrollWidth > box.clientWidth + 1)
  .map((box) => `${box.getAttribute('aria-label')}: ${box.scrollWidth} of ${box.clientWidth}`)"""
"""Finds tables that are wider than their place."""

SMALL = """() => [...document.querySelectorAll('article:target svg text')].flatMap((text) => {
  const scale = text.getScreenCTM().a;
  const size = scale * parseFloat(getComputedStyle(text).fontSize);
  return size < 12 ? [`${text.textContent}: ${size} px`] : [];
})"""
"""Finds texts in drawings that are smaller than 12 px on the screen."""

NARROW = """() => [...document.querySelectorAll('article:target td > a, article:target th > a')]
  .map((link) => [link.textContent, link.getBoundingClientRect()])
  .filter(([, box]) => box.width && (box.height < 44 || box.width < 44))
  .map(([text, box]) => `${text}: ${box.width} × ${box.height}`)"""
"""Finds links in tables that are too small to be touched."""


@pytest.mark.parametrize(
    ("width", "height", "screens", "look"),
    [(390, 844, 5, "dark"), pytest.param(1280, 800, 3, "light", marks=pytest.mark.thorough)],
)
def test_page_of_a_bot_fits_the_window(
    league: Path, browser: Any, width: int, height: int, screens: int, look: str
) -> None:
    """Nothing scrolls sideways, texts have 12 px, and touched links on a phone 44 px."""
    size: dict[str, Any] = {"width": width, "height": height, "color_scheme": look}
    for bot in ("greedy", LONG_NAME):
        with Opened(browser, f"file://{league}/report.html#bot-{bot}", **size) as opened:
            page = opened.page
            assert page.locator("article:target .statistics tbody tr").count() == 20
            assert page.evaluate("document.documentElement.scrollWidth") == width
            assert page.evaluate("document.documentElement.scrollHeight") <= screens * height
            assert page.evaluate(SCROLLING) == []
            assert page.evaluate(SMALL) == []
            assert width > 500 or page.evaluate(NARROW) == []
            assert page.evaluate(CUT_OFF) == []
            assert find_problems(page) == []
            assert opened.complaints == []


@pytest.mark.parametrize("look", ["light", pytest.param("dark", marks=pytest.mark.thorough)])
def test_bars_say_what_is_better_by_colour_and_by_a_mark(
    league: Path, browser: Any, look: str
) -> None:
    """The colours of better, worse and neither differ, and contrast with the card (3 to 1)."""
    with Opened(browser, f"file://{league}/report.html#bot-frugal", color_scheme=look) as opened:
        page = opened.page
        cells = page.locator("article:target td.bar-cell")
        shown = cells.evaluate_all(
            """cells => cells.map((cell) => [
              cell.className.replace(/bar-cell ?/, ""),
              getComputedStyle(cell.querySelector("i")).color,
              getComputedStyle(cell, "::after").content,
            ])"""
        )
        looks = {verdict: (colour, mark) for verdict, colour, mark in shown}
        assert looks.keys() == {"better", "worse", ""}
        assert len({colour for colour, _ in looks.values()}) == 3
        assert [looks[kind][1][:3] for kind in ("better", "worse")] == ['"✓"', '"✗"']
        assert looks[""][1] in ("none", "normal")
        for kind in (".better", ".worse", ":not(.better, .worse)"):
            assert page.evaluate(CONTRAST, f"article:target td.bar-cell{kind} i") >= 3, kind


def test_numbers_of_a_bot_lead_to_games(league: Path, browser: Any) -> None:
    """Its worst values lead to the ends of their games, lost games to one and their list."""
    statistics = game_statistics(league)
    frugal = statistics.find("frugal")
    assert frugal is not None
    worst = {extreme.key: extreme for extreme in frugal.worst}["empty_squares"]
    with Opened(browser, f"file://{league}/report.html#bot-frugal") as opened:
        page = opened.page
        assert "frugal scores" in page.inner_text("article:target .differences")
        row = page.locator("article:target .statistics tr", has_text="Empty squares")
        means = (frugal.own, frugal.opponents, statistics.field)
        cells = [f"{averages.empty_squares:.1f}" for averages in means]
        assert row.locator("td").all_inner_texts()[:3] == cells
        assert row.locator("td").last.inner_text().split()[0] == f"{worst.value:.0f}"
        assert row.locator("a").count() == 3
        row.locator("a").first.click()
        page.wait_for_selector("#viewer.open")
        assert page.evaluate("document.querySelector('#ply').value === ply.max")
        assert f"game {worst.game}" in page.inner_text("#title").lower()
        page.goto(f"file://{league}/report.html#bot-frugal")
        lost = page.locator("article:target table", has_text="Games lost on points").first
        number = lost.locator("tbody a").first.inner_text()
        lost.locator("tbody a").first.click()
        page.wait_for_selector("#viewer.open")
        assert f"game {number}" in page.inner_text("#title").lower()
        page.goto(f"file://{league}/report.html#bot-frugal")
        page.click("article:target .lead a:has-text('games')")
        wait_for(page, "document.querySelector('#tab-games.shown')")
        assert (page.input_value("#bot"), page.input_value("#result")) == ("frugal", "")
        page.goto(f"file://{league}/report.html#bot-frugal")
        lost.locator("caption a").click()
        wait_for(page, "document.querySelector('#result').value === 'lost'")
        assert page.input_value("#bot") == "frugal"


def test_fall_of_the_expectation_leads_to_its_ply(league: Path, browser: Any) -> None:
    """Greedy says with each ply what it expects; the list of lost games links to the fall."""
    with Opened(browser, f"file://{league}/report.html#bot-greedy") as opened:
        page = opened.page
        assert "lost game greedy expected" in page.inner_text("article:target h3 + .lead")
        words = page.locator("article:target h3 ~ .lead").all_inner_texts()
        assert any("is by its own expectation" in text for text in words), words
        assert "lost game" in page.inner_text("article:target .bot-chart >> nth=0")
        lost = page.locator("article:target table", has_text="Games lost on points").first
        link = lost.locator("tbody td:last-child a").first
        ply = link.inner_text()
        link.click()
        page.wait_for_selector("#viewer.open")
        assert re.match(rf"Ply {ply} of", page.inner_text("#what"))


def test_bot_that_never_finished_a_game_has_no_statistics(league: Path, browser: Any) -> None:
    """It failed in each game; its faults are shown, and no empty table."""
    with Opened(browser, f"file://{league}/report.html#bot-slow") as opened:
        page = opened.page
        assert page.locator("article:target .statistics").count() == 0
        assert page.locator("article:target caption", has_text="games").count() == 0
        page.click("article:target .faults a >> nth=0")
        wait_for(page, "document.querySelector('#result').value === 'fault'")
        assert page.input_value("#bot") == "slow"
