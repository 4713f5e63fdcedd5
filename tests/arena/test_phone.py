"""On a phone every text of every view can be read, and everything that is touched is large."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.arena.analysing import MOVES
from tests.arena.playing import PERSON, act, begin
from tests.arena.serving import Server, served
from tests.arena.test_sample import SAMPLE
from tests.report.browser import STUDY_BROWSER, Opened, open_tab
from tests.report.sizes import PHONE, SMALL_TARGETS, SMALL_TEXTS
from tests.thorough import thorough_but

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = [STUDY_BROWSER, pytest.mark.slow(4)]

BEN = {**PERSON, "name": "Ben"}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Serve the sample tournament, with two games to continue and one that has ended."""
    games: Path = tmp_path_factory.mktemp("games")
    with served(str(SAMPLE), "--games", str(games)) as server:
        tables = [begin(server, PERSON, BEN, deal="81") for _ in range(3)]
        act(server, tables[0], 1, "play", action="advance")
        act(server, tables[1], 1, "resign", seat=0)
        yield server


def check_sizes(page: "Page") -> None:
    """Check all texts and targets of what is shown."""
    assert page.evaluate(SMALL_TEXTS) == []
    assert page.evaluate(SMALL_TARGETS) == []
    assert page.evaluate("document.documentElement.scrollWidth") == 390


def show_home(page: "Page") -> None:
    """Wait for the tournament."""
    page.wait_for_selector(".sentence:has-text('champion won')")


def show_order(page: "Page") -> None:
    """Open the whole form, with each kind of player and of clock."""
    check_sizes(page)
    page.click("#more > summary")
    page.click("#start summary")
    for who in ("automa:", "bot:greedy", "person:"):
        page.select_option("[data-who='1']", who)
        check_sizes(page)
    page.locator("[name=clock]").last.select_option("game")


def show_watch(page: "Page") -> None:
    """Wait for the last game of the run."""
    page.wait_for_selector("#large .quilt")
    page.wait_for_selector("#results a")


def show_opening(page: "Page") -> None:
    """Wait for the stored games."""
    page.wait_for_selector("#game-list td")


def show_editor(page: "Page") -> None:
    """Open the editor of a position."""
    page.click("#set-up")
    page.wait_for_selector("#edit-verdict.passed")


def show_study(page: "Page") -> None:
    """Open everything next to a game."""
    page.wait_for_selector(MOVES)
    page.evaluate("document.querySelectorAll('details').forEach((part) => { part.open = true; })")


def show_tabs(page: "Page") -> None:
    """Open each tab in turn, then all columns and a game."""
    for link in page.locator("#tabs a").all():
        open_tab(page, link.get_attribute("data-tab") or "")
        check_sizes(page)
    open_tab(page, "standings")
    page.click("#columns")
    check_sizes(page)
    open_tab(page, "games")
    page.locator("#rows a").first.click()
    page.wait_for_selector("#viewer.open")


VIEWS: dict[str, tuple[str, Callable[["Page"], None]]] = {
    "home": ("", show_home),
    "play": ("play", show_order),
    "watch": ("watch", show_watch),
    "opening": ("analyse", show_opening),
    "editor": ("analyse", show_editor),
    "study": ("analyse?game=3.0#ply=4", show_study),
    "tournament": ("tournament", show_tabs),
}
"""The path of each view, and what shows all of it; the table has tests of its own."""


@pytest.mark.parametrize("view", thorough_but(["home", "play", "tournament"], VIEWS))
def test_every_view_is_read_and_touched_on_a_phone(server: Server, browser: Any, view: str) -> None:
    """At 390 x 844 no text has less than 12 pixels, and no target less than 44."""
    path, show = VIEWS[view]
    with Opened(browser, f"{server.address}{path}", width=390, height=844, **PHONE) as opened:
        show(opened.page)
        check_sizes(opened.page)
        assert opened.complaints == []
