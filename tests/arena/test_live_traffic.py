"""An open page of a run: it gets what has changed, as often as its size allows."""

import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from pwtourney.store import ResultsFolder, Store
from tests.arena.serving import Server, served
from tests.arena.test_wall import play, stored
from tests.report.browser import STUDY_BROWSER, Opened, open_tab, wait_for

pytestmark = [pytest.mark.slow(4), STUDY_BROWSER]

SECONDS_A_QUESTION = 2
MOST_BYTES_A_SECOND = 5_000
MOST_SECONDS = 60


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    """Serve a tournament of two games, whose store the test can add to."""
    with stored(tmp_path, play(0), play(0, 1)), served("serve", str(tmp_path)) as server:
        yield server


def add(folder: Path, first: int, pairs: int) -> None:
    """Store further pairs, as a run does."""
    with closing(Store.open_in(ResultsFolder(folder), write=True)) as store:
        for number in range(first, first + pairs):
            store.add([play(number), play(number, 1)])


def wait_until_served(server: Server, games: int) -> None:
    """Wait until the server shows this many games."""
    words = f"{games} games of Patchwork".encode()
    latest = time.monotonic() + MOST_SECONDS
    while words not in server.ask("/tournament").body:
        assert time.monotonic() < latest, words


def test_open_page_shows_new_games_and_keeps_its_place(
    tmp_path: Path, server: Server, browser: Any
) -> None:
    """The table stays sorted, the list stays filtered, and the other tab is new when opened."""
    with Opened(browser, f"{server.address}tournament") as opened:
        page = opened.page
        page.locator("table.few thead button", has_text="Bot").click()
        order = page.locator("table.few tbody th").all_inner_texts()
        page.evaluate("window.kept = document.querySelector('#charts')")
        add(tmp_path, 1, 3)
        wait_for(page, "document.querySelector('#headline').textContent.includes('8 games of')")
        assert page.locator("table.few th[aria-sort=descending]").count() == 1
        assert page.locator("table.few tbody th").all_inner_texts() == order
        assert page.evaluate("kept.isConnected"), "nobody has asked for the charts"
        open_tab(page, "charts")
        wait_for(page, "!kept.isConnected")
        open_tab(page, "games")
        wait_for(page, "document.querySelectorAll('#rows tr').length === 8")
        page.click("#rows a[href='#game=3.1']")
        page.wait_for_selector("#viewer.open")
        assert page.inner_text("#title").startswith("Game 3.1: ")
        assert opened.complaints == []


def test_game_that_the_server_does_not_have_is_one_sentence(server: Server, browser: Any) -> None:
    """The page shows the sentence; the browser itself reports the failed request on the console."""
    with Opened(browser, f"{server.address}tournament#game=7.0") as opened:
        message = opened.page.inner_text("#missing")
        assert message == "There is no game 7.0 here: choose one from the list."
        opened.page.goto(f"{server.address}tournament#game=0.1&ply=1")
        opened.page.wait_for_selector("#viewer.open")
        assert opened.page.inner_text("#what").startswith("Ply 1 of 2")


@pytest.mark.slow(12)
@pytest.mark.thorough
@pytest.mark.parametrize("tab", ["charts", "standings"])
def test_traffic_of_an_open_page_is_bounded(
    tmp_path: Path, server: Server, browser: Any, tab: str
) -> None:
    """Five games a second end; the page's own clock runs faster than that of the machine."""
    with Opened(browser, f"{server.address}tournament#{tab}") as opened:
        page = opened.page
        page.clock.install()
        bytes_received, answers_with_parts, questions = 0, 0, 12
        for question in range(questions):
            pairs = 5 * SECONDS_A_QUESTION // 2
            add(tmp_path, 1 + pairs * question, pairs)
            wait_until_served(server, 2 + 2 * pairs * (question + 1))
            with page.expect_response("**/news.json*") as awaited:
                page.clock.run_for(1000 * SECONDS_A_QUESTION)
            answer = awaited.value
            sizes = answer.request.sizes()
            bytes_received += sizes["responseBodySize"] + sizes["responseHeadersSize"]
            answers_with_parts += bool(answer.json()["parts"])
        assert answers_with_parts >= 2
        assert bytes_received <= MOST_BYTES_A_SECOND * SECONDS_A_QUESTION * questions
