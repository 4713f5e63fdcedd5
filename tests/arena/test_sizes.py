"""The share of a window that boards fill: on a phone, a desktop, and a screen of 3840 by 2160."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from tests.arena.analysing import MOVES
from tests.arena.playing import GREEDY, PERSON, begin
from tests.arena.serving import Server, served
from tests.arena.test_watch import play_league
from tests.report.browser import PLAY_BROWSER, Opened, wait_for
from tests.report.test_access import CUT_OFF
from tests.sharing import Once

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = [PLAY_BROWSER, pytest.mark.thorough, pytest.mark.slow(4)]

WIDE, HIGH = 3840, 2160


class Sizes(NamedTuple):
    """The part of a page's width that its quilt boards fill together, and its smallest letters.

    `lowest` is the bottom of the last board; `lowest` and `letters` are in pixels.
    """

    share: float
    lowest: float
    letters: float


@pytest.fixture(scope="module")
def server(once: Once, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Serve an arena with the last games of two slots, one of which has a special tile."""
    games: Path = tmp_path_factory.mktemp("games")
    with served("--games", str(games), str(play_league(once))) as server:
        yield server


def measure(page: "Page") -> Sizes:
    """Measure the visible page; no text may leave the window or be cut off."""
    assert page.evaluate("document.documentElement.scrollWidth === innerWidth")
    assert [text for text in page.evaluate(CUT_OFF) if not text.startswith("Skip")] == []
    share, lowest, letters = page.evaluate(
        """() => {
          const boxes = [...document.querySelectorAll(".quilt")]
            .map((each) => each.getBoundingClientRect());
          const isText = (part) => part.nodeType === Node.TEXT_NODE && part.textContent.trim();
          const words = [...document.querySelectorAll("body :not(svg *, script, .spoken, option)")]
            .filter((each) => each.offsetWidth && !each.closest(".spoken")
              && [...each.childNodes].some(isText));
          return [
            boxes.reduce((sum, box) => sum + box.width, 0) / innerWidth,
            Math.max(...boxes.map((box) => box.bottom)),
            Math.min(...words.map((each) => parseFloat(getComputedStyle(each).fontSize))),
          ];
        }"""
    )
    return Sizes(share, lowest, letters)


def fill(page: "Page", games: int) -> None:
    """Show this many games on the wall, as runs with more slots do."""
    page.evaluate(
        """(games) => {
          const wall = document.querySelector("#wall");
          while (wall.children.length < games) wall.append(wall.firstChild.cloneNode(true));
        }""",
        games,
    )


def test_boards_fill_a_large_screen(server: Server, browser: Any) -> None:
    """On the wall, at a table and in the analysis, at 3840 by 2160 pixels; letters grow, too."""
    window: dict[str, Any] = {"width": WIDE, "height": HIGH}
    with Opened(browser, f"{server.address}watch", **window) as opened:
        page = opened.page
        wait_for(page, "document.querySelectorAll('#wall .quilt').length === 4")
        page.wait_for_selector("#large .quilt")
        wall = measure(page)
        for games in (2, 6, 8, 15, 18):
            fill(page, games)
            measure(page)
        seats = [measure_board(page, seat) for seat in (0, 1)]
        assert all(width > 0.24 * WIDE and top + height < HIGH for top, width, height in seats)
    table = begin(server, PERSON, GREEDY, deal="81")
    with Opened(browser, f"http://127.0.0.1:{server.port}{table}", **window) as opened:
        opened.page.keyboard.press("2")
        opened.page.wait_for_selector("#preview.fit")
        at_table = measure(opened.page)
        assert at_table.share > 0.5
    with Opened(browser, f"{server.address}analyse?game=0.0#ply=10", **window) as opened:
        opened.page.wait_for_selector(MOVES)
        analysis = measure(opened.page)
        assert analysis.share > 0.45
        opened.page.click("#show-editor")
        opened.page.wait_for_selector("#edit-verdict.passed")
        measure(opened.page)
    for sizes in (wall, at_table, analysis):
        assert sizes.letters > 20
    for sizes in (at_table, analysis):
        assert sizes.lowest < HIGH


def test_followed_game_fills_a_desktop(server: Server, browser: Any) -> None:
    """Boards, track and what the bots say are in the first screen, next to the standings."""
    with Opened(browser, f"{server.address}watch", width=1280, height=800) as opened:
        opened.page.wait_for_selector("#large .quilt")
        seats = [measure_board(opened.page, seat) for seat in (0, 1)]
        assert sum(width for _, width, _ in seats) > 0.5 * 1280
        for selector in ("#says-0", "#says-1", "#track", "#players", "#circle"):
            box = opened.page.locator(selector).bounding_box()
            assert box is not None
            assert box["y"] + box["height"] < 800, selector


def measure_board(page: "Page", seat: int) -> tuple[float, float, float]:
    """Return the top, the width and the height of a board of the enlarged game, in pixels."""
    # at once: the game is drawn again while the window changes
    y, width, height = page.evaluate(
        "(place) => { const box = document.querySelector(place).getBoundingClientRect();"
        " return [box.y, box.width, box.height]; }",
        f"#seat-{seat} .quilt",
    )
    return y, width, height


def test_special_tile_moves_no_board(server: Server, browser: Any) -> None:
    """The board of its holder has the same top as the other, in windows of every width."""
    with Opened(browser, f"{server.address}watch#slot=0") as opened:
        page = opened.page
        page.wait_for_selector("#large .quilt")
        assert page.evaluate("pwtourney.game(0).now.tile") == 0
        assert "special tile" in (page.text_content("#player-0") or "")
        for width in (360, 390, 768, 1024, 1280, 1920):
            page.set_viewport_size({"width": width, "height": 800})
            wait_for(page, f"innerWidth === {width}")
            tops = [measure_board(page, seat)[0] for seat in (0, 1)]
            assert tops[0] == pytest.approx(tops[1], abs=0.5), width
