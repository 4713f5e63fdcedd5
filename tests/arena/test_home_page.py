"""The first page and the frame of all pages in a browser: invitations, theme, waiting."""

import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pwtourney.report.publishing import publish
from pwtourney.store import ResultsFolder, Store
from tests.arena.playing import GREEDY, PERSON, act, begin
from tests.arena.serving import Server, served
from tests.arena.test_play_page import check
from tests.arena.test_sample import SAMPLE
from tests.arena.test_shelf import fill
from tests.arena.test_watch import play_league
from tests.report.browser import DRAWN, PLAY_BROWSER, Held, Opened, wait_for
from tests.report.sizes import PHONE
from tests.report.test_access import find_problems
from tests.sharing import Once

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = [PLAY_BROWSER, pytest.mark.slow(4)]

WINDOWS = [(390, "dark"), (1280, "light")]
INK = "getComputedStyle(document.body).color"
LIGHT, DARK = "rgb(28, 32, 36)", "rgb(233, 230, 223)"
EDGE = "document.querySelector('.picture .patch path:nth-child(4)').getAttribute('stroke')"
"""The colour of the edge of a drawn patch, which JavaScript chooses."""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Serve the sample tournament, with a game that can be continued."""
    games: Path = tmp_path_factory.mktemp("games")
    with served(str(SAMPLE), "--games", str(games)) as server:
        table = begin(server, PERSON, {**PERSON, "name": "Ben"}, deal="81")
        act(server, table, 1, "play", action="advance")
        yield server


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the address of the page of the sample, as a file."""
    folder = tmp_path_factory.mktemp("reports")
    with closing(Store.open_in(ResultsFolder(SAMPLE))) as store:
        publish(store, folder)
    return f"file://{folder}/report.html"


@pytest.mark.parametrize(("width", "look"), WINDOWS)
def test_axe_finds_nothing_on_the_first_page(
    server: Server, browser: Any, width: int, look: str
) -> None:
    """With a game, a tournament and the bots; no text is cut off, and none is below 12 pixels."""
    with Opened(browser, server.address, width=width, color_scheme=look) as opened:
        page = opened.page
        page.wait_for_selector(".sentence:has-text('champion won')")
        check(page, width)
        assert opened.complaints == []


@pytest.mark.thorough
@pytest.mark.parametrize(("width", "look"), WINDOWS)
@pytest.mark.parametrize("path", ["tournament", "watch"])
def test_axe_finds_nothing_on_the_pages_of_a_tournament(
    server: Server, browser: Any, path: str, width: int, look: str
) -> None:
    """In the frame of the arena, in light and dark."""
    with Opened(browser, f"{server.address}{path}", width=width, color_scheme=look) as opened:
        assert find_problems(opened.page) == []
        assert opened.page.evaluate("document.documentElement.scrollWidth") == width
        assert opened.complaints == []


def test_every_view_is_one_click_away(server: Server, browser: Any) -> None:
    """From the first page by its pictures, and back by the wordmark."""
    with Opened(browser, server.address, width=1280, height=800) as opened:
        page = opened.page
        for name, heading in (("Play", "Play"), ("Watch", "Watch quilting-bee"), ("Analyse", "")):
            page.click(f".invitations a:has-text('{name}')")
            page.wait_for_url(f"**/{name.lower()}")
            page.wait_for_selector("html[data-ready=yes]")
            assert not heading or page.inner_text("h1").split() == heading.split()
            page.click(".wordmark")
            page.wait_for_selector(".invitations svg")
        assert opened.complaints == []


@pytest.mark.thorough
def test_pictures_lie_in_the_first_screen(server: Server, browser: Any) -> None:
    """Of a phone, too."""
    for width, height in ((390, 844), (1280, 800), (1440, 900), (1920, 1080)):
        with Opened(browser, server.address, width=width, height=height) as opened:
            for part in opened.page.locator(".invitations a").all():
                box = part.bounding_box()
                assert box is not None
                assert box["y"] + box["height"] <= height


def test_rating_in_a_tournament_names_it(tmp_path: Path, browser: Any) -> None:
    """The cards of the bots stay where they are while the rating of a bot of one's own comes."""
    places = """[...document.querySelectorAll(".opponent")].map((card) => {
      const { x, y, width, height } = card.getBoundingClientRect();
      return [x, y, width, height];
    })"""
    bot = tmp_path / "heron.py"
    bot.write_text("# it is listed, and plays no game here\n")
    words = (str(SAMPLE), "--games", str(tmp_path / "games"), "--bot", str(bot))
    with served(*words) as server, Opened(browser, server.address) as opened:
        page = opened.page
        ratings = {str(bot): {"elo": "-240", "tournament": "quickstart", "scale": "greedy = 0"}}
        page.route("**/ratings.json", lambda route: route.fulfill(json=ratings))
        page.goto(f"{server.address}play")
        before = page.evaluate(places)
        page.wait_for_selector("[data-unrated]:has-text('−240 Elo in quickstart (greedy = 0)')")
        assert page.evaluate(places) == before
        assert opened.complaints == []


def test_cards_of_bots_are_equally_wide(server: Server, browser: Any) -> None:
    """The strongest of an odd number, too, which has a row of its own."""
    with Opened(browser, server.address, width=1280, height=800) as opened:
        cards = opened.page.locator(".opponent").all()
        widths = {round(card.bounding_box()["width"]) for card in cards}
        assert len(cards) % 2 == 1
        assert len(widths) == 1


def test_podium_has_the_width_of_a_phone(server: Server, browser: Any) -> None:
    """It stands below the words, no name is cut, and the scale of its ratings is said above it."""
    cut = """[...document.querySelectorAll(".step > *")]
      .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
      .map(({ textContent }) => textContent)"""
    with Opened(browser, server.address, width=390, height=844, **PHONE) as opened:
        page = opened.page
        page.wait_for_selector(".podium")
        podium, words = (page.locator(name).bounding_box() for name in (".podium", ".words"))
        assert podium["width"] == pytest.approx(words["width"], abs=1)
        assert podium["y"] >= words["y"] + words["height"]
        assert page.evaluate(cut) == []
        assert "Elo 0 = average of these bots" in page.inner_text(".tournaments .scale")


def test_frame_has_room_for_everything(server: Server, browser: Any) -> None:
    """On small phones, too: no link of the navigation reaches under the button of the theme."""
    for width in (360, 390, 768, 1280):
        with Opened(browser, server.address, width=width) as opened:
            last = opened.page.locator(".views a").last.bounding_box()
            theme = opened.page.locator("#theme").bounding_box()
            assert last is not None
            assert theme is not None
            assert last["x"] + last["width"] <= theme["x"], width
            assert theme["x"] + theme["width"] <= width
            assert min(theme["width"], theme["height"], last["height"]) >= 44


def test_game_is_continued_from_its_boards(server: Server, browser: Any) -> None:
    """Both quilt boards are drawn, and lead to the table."""
    with Opened(browser, server.address) as opened:
        page = opened.page
        card = page.locator(".unfinished a", has_text="Ann – Ben")
        assert card.locator(".quilt").count() == 2
        card.click()
        page.wait_for_url("**/play/*")
        page.wait_for_selector("html[data-ready=yes]")
        assert page.evaluate("pwtourney.state().plies.length") == 1


def test_choosing_a_bot_begins_a_game(server: Server, browser: Any) -> None:
    """In one click."""
    with Opened(browser, server.address) as opened:
        page = opened.page
        page.click("[data-opponent=random]")
        page.wait_for_url("**/play/*")
        page.wait_for_selector("html[data-ready=yes]")
        assert "random" in page.inner_text("#players")


def read_theme(page: "Page") -> tuple[str, str]:
    """Return the colour of texts, and the theme that the button shows."""
    return page.evaluate(INK), page.get_attribute("#theme", "data-shown") or ""


def test_reader_chooses_the_theme_of_all_pages(server: Server, browser: Any) -> None:
    """The button goes from the system's theme to light and dark; drawings and tabs follow."""
    with Opened(browser, server.address, color_scheme="dark") as opened:
        page = opened.page
        assert read_theme(page) == (DARK, "system")
        dark_edge = page.evaluate(EDGE)
        page.click("#theme")
        assert read_theme(page) == (LIGHT, "light")
        assert page.evaluate(EDGE) != dark_edge
        other = page.context.new_page()
        other.goto(f"{server.address}analyse")
        assert read_theme(other) == (LIGHT, "light")
        page.click("#theme")
        assert read_theme(page) == (DARK, "dark")
        wait_for(other, "document.querySelector('#theme').dataset.shown === 'dark'")
        page.emulate_media(color_scheme="light")
        assert read_theme(page) == (DARK, "dark")
        assert page.evaluate(EDGE) == dark_edge
        page.click("#theme")
        assert read_theme(page) == (LIGHT, "system")
        assert opened.complaints == []


def test_theme_is_there_before_anything_is_drawn(server: Server, saved: str, browser: Any) -> None:
    """The script in the head sets it before the browser has parsed the body."""
    context = browser.new_context(color_scheme="light")
    try:
        context.add_init_script(
            """localStorage.setItem("pwtourney-theme", "dark");
            new MutationObserver((_, observer) => {
              if (!document.body) return;
              observer.disconnect();
              window.themeAtBody = document.documentElement.dataset.theme;
            }).observe(document, { childList: true, subtree: true });"""
        )
        page = context.new_page()
        for path in ("", "tournament", "play"):
            page.goto(f"{server.address}{path}")
            assert page.evaluate("window.themeAtBody") == "dark", path
        page.goto(saved)
        assert page.evaluate("window.themeAtBody") == "dark"
    finally:
        context.close()


def test_saved_page_has_the_theme_switch(saved: str, browser: Any) -> None:
    """It has the wordmark, too, but no links to an arena; nothing is loaded."""
    with Opened(browser, saved, color_scheme="light") as opened:
        page = opened.page
        assert page.inner_text(".wordmark") == "pwtourney"
        assert page.locator(".frame a").count() == 0
        page.click("#theme")
        page.click("#theme")
        assert read_theme(page) == (DARK, "dark")
        assert opened.complaints == []
        assert all(url.startswith("data:") for url in opened.requests)


def test_old_addresses_of_a_tournament_lead_to_its_page(server: Server, browser: Any) -> None:
    """Its page was the first one once; what its fragment shows is still shown."""
    context = browser.new_context()
    try:
        page = context.new_page()
        page.goto(f"{server.address}#game=3.1&ply=5")
        page.wait_for_selector("#viewer.open")
        assert page.url == f"{server.address}tournament#game=3.1&ply=5"
    finally:
        context.close()


def test_pages_follow_as_soon_as_the_run_begins(once: Once, tmp_path: Path, browser: Any) -> None:
    """The first page and those that wait change by themselves."""
    games, folder = tmp_path / "games", tmp_path / "cup"
    played = play_league(once)
    with (
        served(str(folder), "--games", str(games)) as server,
        Opened(browser, f"{server.address}watch") as waiting,
        Opened(browser, server.address, width=390, color_scheme="dark") as home,
    ):
        assert "The run in cup has not begun." in waiting.page.inner_text("main")
        home.page.wait_for_selector(".tournaments .waiting")
        for page in (waiting.page, home.page):
            assert find_problems(page) == []
        whole = tmp_path / "whole"
        whole.mkdir()
        shutil.copy(played / "games.sqlite", whole)
        whole.rename(folder)  # so that no page reads a part of the file
        waiting.page.wait_for_selector("#wall .quilt", timeout=60_000)
        home.page.wait_for_selector(".tournaments .over .sentence:has-text('won')", timeout=60_000)
        assert waiting.complaints == home.complaints == []


def test_tournaments_of_a_folder_are_all_shown(tmp_path: Path, browser: Any) -> None:
    """Each has a page and a view of its games, which stay at their own addresses."""
    (tmp_path / "results").mkdir()
    fill(tmp_path / "results", "autumn", "winter")
    games = str(tmp_path / "games")
    with (
        served(str(tmp_path / "results"), "--games", games) as server,
        Opened(browser, server.address) as opened,
    ):
        page = opened.page
        assert page.locator(".tournaments h3 a").count() == 2
        page.click(".tournaments h3 a >> nth=1")
        page.wait_for_url("**/of/autumn/tournament")
        page.wait_for_selector("html[data-ready=yes]")
        page.wait_for_selector("#live:has-text('1 of at most 4 pairs')")
        page.click(".views a:has-text('Watch')")
        page.wait_for_url("**/of/autumn/watch")
        page.wait_for_selector("#results a[href='/of/autumn/game/0.1']")
        assert opened.complaints == []


def test_click_counts_although_the_list_changes_meanwhile(tmp_path: Path, browser: Any) -> None:
    """A new tournament comes first in the list while the button of the mouse is down."""
    results = tmp_path / "results"
    results.mkdir()
    fill(results, "autumn", "winter")
    with (
        served(str(results), "--games", str(tmp_path / "games")) as server,
        Opened(browser, server.address) as opened,
    ):
        page = opened.page
        fill(results, "spring")
        (results / "spring" / "games.sqlite").touch()
        look = Held(page, "**/tournaments")
        look.wait()
        page.hover("#tournaments a[href*=autumn]")
        page.mouse.down()
        look.release()
        page.evaluate(DRAWN)
        assert page.locator("#tournaments h3 a").count() == 2
        page.mouse.up()
        page.wait_for_url("**/of/autumn/**")
        page.go_back()
        page.wait_for_selector("#tournaments a[href*=spring]")
        assert opened.complaints == []


def test_bot_at_a_table_is_not_disturbed_by_the_theme(server: Server, browser: Any) -> None:
    """The boards are drawn again in the other colours, and the game goes on."""
    table = begin(server, PERSON, GREEDY, deal="81")
    address = f"http://127.0.0.1:{server.port}{table}"
    with Opened(browser, address, color_scheme="light") as opened:
        page = opened.page
        line = "document.querySelector('.near .quilt rect, .near .quilt path').outerHTML"
        before = page.evaluate(line)
        page.click("#theme")
        page.click("#theme")
        assert page.evaluate(line) != before
        assert page.evaluate("pwtourney.state().plies.length") == 0
        assert opened.complaints == []
