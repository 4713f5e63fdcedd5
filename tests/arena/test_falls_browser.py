"""Where a bot lost its games, as another bot evaluates them on the page of a tournament."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.arena.serving import Server, served
from tests.report.browser import STUDY_BROWSER, Opened, wait_for
from tests.report.conftest import play_league
from tests.sharing import Once

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = [STUDY_BROWSER, pytest.mark.slow(8)]

PANEL = "#bot-frugal .evaluating"
FALLS = "#bot-frugal td.fall"
EDGES = """parts => parts.map((part) => {
  const { top, bottom, left, right } = part.getBoundingClientRect();
  return [top + scrollY, bottom + scrollY, left, right];
})"""
"""Measures the edges of elements on the page: top, bottom, left and right."""

IDLE = f"document.querySelector('{PANEL} button').textContent !== 'Stop'"


@pytest.fixture
def server(once: Once, tmp_path: Path) -> Iterator[Server]:
    """Serve a league in which frugal says no scores; nothing is evaluated yet."""
    results = once("page-league", play_league) / "r"
    with served(str(results), "--games", str(tmp_path / "games")) as server:
        yield server


def read_panel(page: "Page") -> tuple[str, str]:
    """Return what the button and the status say."""
    return page.inner_text(f"{PANEL} button"), page.inner_text(f"{PANEL} p")


def evaluate(page: "Page", bot: str) -> None:
    """Have a bot evaluate the lost games, and wait for the end."""
    page.select_option(f"{PANEL} select", bot)
    page.click(f"{PANEL} button")
    wait_for(page, IDLE)


def test_reader_has_lost_games_evaluated(server: Server, browser: Any) -> None:
    """Each fall leads to its ply, whose curve has the evaluation; a later visit shows all."""
    address = f"{server.address}tournament#bot=frugal"
    with Opened(browser, address) as opened:
        page = opened.page
        falls, heading = page.locator(FALLS), page.locator("#bot-frugal th.fall abbr")
        assert set(falls.all_inner_texts()) == {""}
        assert not heading.is_visible(), "a column without a value"
        evaluate(page, "greedy")
        assert heading.is_visible()
        texts = falls.all_inner_texts()
        assert all(text.partition(" by ")[0].isdecimal() for text in texts), texts
        assert not page.is_visible(f"{PANEL} button"), "nothing is left"
        assert "greedy expected" in page.inner_text(f"{PANEL} p")
        link = falls.first.locator("a")
        ply = link.inner_text()
        link.click()
        page.wait_for_selector("#viewer.open")
        assert page.inner_text("#what").startswith(f"Ply {ply} of ")
        assert "evaluated by greedy" in page.inner_text("#curve-legend")
        assert opened.complaints == []
    with Opened(browser, address) as opened:
        wait_for(opened.page, f"document.querySelector('{FALLS} a')")
        assert opened.page.locator(FALLS).all_inner_texts() == texts
        assert opened.page.input_value(f"{PANEL} select") == "greedy"


@pytest.mark.thorough
@pytest.mark.parametrize(("width", "height"), [(1280, 800), (390, 844)])
def test_evaluation_is_offered_above_the_lost_games(
    server: Server, browser: Any, width: int, height: int
) -> None:
    """The button stands in the first screen of a bot's page; nothing moves when it is pressed."""
    address = f"{server.address}tournament#bot=frugal"
    with Opened(browser, address, width=width, height=height) as opened:
        page = opened.page
        assert "did not say what it expected" in page.inner_text(f"{PANEL} p")
        (button,) = page.locator(f"{PANEL} button").evaluate_all(EDGES)
        cells = page.locator("#bot-frugal tr[data-lost] td:not(.fall)")
        edges = cells.evaluate_all(EDGES)
        top, bottom, *_ = edges[0]
        assert button[1] <= top
        assert width < 500 or bottom <= height
        evaluate(page, "greedy")
        after = cells.evaluate_all(EDGES)
        assert after == [pytest.approx(before, abs=1) for before in edges]


@pytest.mark.parametrize("width", [1280, 390])
def test_own_expectation_is_compared_with_an_evaluation(
    server: Server, browser: Any, width: int
) -> None:
    """Greedy says what it expects: another bot can be asked, and the reader can switch back."""
    panel, falls = "#bot-greedy .evaluating", "#bot-greedy td.fall"
    with Opened(browser, f"{server.address}tournament#bot=greedy", width=width) as opened:
        page = opened.page
        wait_for(page, f"document.querySelector('{panel} select')")
        heading = page.locator("#bot-greedy th.fall abbr")
        own = page.locator(falls).all_inner_texts()
        assert any(" by " in text for text in own)
        assert "by its own expectation" in page.inner_text(f"{panel} p")
        assert "greedy itself expected" in (heading.get_attribute("title") or "")
        assert "greedy" not in page.inner_text(f"{panel} button"), "it proposes another bot"
        edges = page.locator("#bot-greedy tr[data-lost]").evaluate_all(EDGES)
        page.select_option(f"{panel} select", "greedy")
        assert set(page.locator(falls).all_inner_texts()) == {""}
        page.click(f"{panel} button")
        wait_for(page, f"document.querySelector('{panel} button').textContent !== 'Stop'")
        assert "greedy expected fell" in page.inner_text(f"{panel} p")
        assert "the margin that greedy expected" in (heading.get_attribute("title") or "")
        other = page.locator(falls).all_inner_texts()
        assert all(text.partition(" by ")[0].isdecimal() for text in other), other
        page.select_option(f"{panel} select", label="own expectation")
        assert page.locator(falls).all_inner_texts() == own
        after = page.locator("#bot-greedy tr[data-lost]").evaluate_all(EDGES)
        assert after == [pytest.approx(before, abs=1) for before in edges], "nothing moves"
        page.reload()
        wait_for(page, f"document.querySelector('{panel} select')")
        assert page.locator(falls).all_inner_texts() == own, "what the page shows first stays"
        page.select_option(f"{panel} select", "greedy")
        wait_for(page, f"document.querySelector('{falls} a')")
        assert page.locator(falls).all_inner_texts() == other
        assert opened.complaints == []


@pytest.mark.thorough
def test_bot_that_says_no_margin_is_named(server: Server, browser: Any) -> None:
    """After the first game, and the reader can choose another bot."""
    with Opened(browser, f"{server.address}tournament#bot=frugal") as opened:
        evaluate(opened.page, "random")
        assert read_panel(opened.page) == (
            "Have random evaluate its lost games",
            "random says no margin (info score): choose another bot.",
        )
        assert set(opened.page.locator(FALLS).all_inner_texts()) == {""}


@pytest.mark.thorough
def test_reader_stops_the_evaluation(server: Server, browser: Any) -> None:
    """The games that are evaluated stay, and the rest can be evaluated later."""
    with Opened(browser, f"{server.address}tournament#bot=frugal") as opened:
        page = opened.page
        games = page.locator(FALLS).count()
        page.select_option(f"{PANEL} select", "greedy")
        page.click(f"{PANEL} button")
        wait_for(page, f"document.querySelector('{FALLS} a')")
        page.click(f"{PANEL} button")
        wait_for(page, IDLE)
        left = games - page.locator(f"{FALLS} a").count()
        assert 0 < left < games
        task = f"Have greedy evaluate {left} more game{'s' if left > 1 else ''}"
        button, status = read_panel(page)
        assert button == task
        assert "did not say what it expected" in status


@pytest.mark.thorough
def test_panel_stays_when_news_replaces_the_section(server: Server, browser: Any) -> None:
    """The bot that the reader has chosen, and the falls, are as before."""
    replace = """text => pwtourney.replacePart('bot-frugal', text)"""
    with Opened(browser, f"{server.address}tournament#bot=frugal") as opened:
        page = opened.page
        fresh = page.locator("#bot-frugal").evaluate("section => section.outerHTML")
        evaluate(page, "greedy")
        texts = page.locator(FALLS).all_inner_texts()
        page.evaluate(replace, fresh)
        wait_for(page, f"document.querySelector('{FALLS} a')")
        assert page.locator(FALLS).all_inner_texts() == texts
        assert page.input_value(f"{PANEL} select") == "greedy"
