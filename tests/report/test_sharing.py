"""Sharing what a page shows: links, and pictures as files; and how boards move."""

import re
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from pwtourney.notation.game import Game
from pwtourney.rules import find_edition
from tests.report.browser import REPORT_BROWSER, Opened, wait_for
from tests.report.test_viewer import find_game
from tests.web.modules import Modules

pytestmark = [pytest.mark.slow(2), REPORT_BROWSER]

ORIGINAL = find_edition("original")

MOVING = "document.getElementById('boards').getAnimations({subtree: true}).length"


@pytest.fixture
def game(league: Path) -> Game:
    """Return a game in which both bots buy patches."""
    return find_game(league, "greedy", "frugal")


@pytest.fixture
def opened(league: Path, game: Game, browser: Any) -> Iterator[Opened]:
    """Open that game at its ninth ply."""
    address = f"file://{league}/report.html#game={game.pair}.{game.game}&ply=9"
    with Opened(browser, address, color_scheme="light") as found:
        yield found


def save(opened: Opened, kind: str) -> tuple[str, bytes]:
    """Press the button that saves a picture; return the name and the content of the file."""
    with opened.page.expect_download() as download:
        opened.page.click(f"#save-{kind}")
    return download.value.suggested_filename, Path(download.value.path()).read_bytes()


def list_elements(markup: bytes) -> list[tuple[str, dict[str, str], str]]:
    """Return tag, attributes and text of each element of a picture."""
    return [
        (each.tag, each.attrib, (each.text or "").strip()) for each in ET.fromstring(markup).iter()
    ]


@pytest.mark.thorough
def test_the_picture_of_a_page_is_that_of_its_game(
    opened: Opened, game: Game, browser: Any
) -> None:
    """Saved without any request, under the name of the game and the ply, and it is said."""
    name, content = save(opened, "svg")
    number = f"{game.pair}.{game.game}"
    assert name == f"game-{number}-ply-9.svg"
    with Modules(browser, color_scheme="light") as modules:
        wanted = modules.draw_ply(game, ORIGINAL, 9, number)
    assert list_elements(content) == list_elements(wanted.encode())
    assert opened.page.inner_text("#shared") == f"{name} is saved."
    assert [each for each in opened.requests if not each.startswith("blob:")] == []
    assert opened.complaints == []


@pytest.mark.thorough
def test_the_picture_can_be_pixels(opened: Opened) -> None:
    """A PNG of twice the size of the SVG, in which more than the paper is to be seen."""
    name, content = save(opened, "png")
    assert name.endswith("-ply-9.png")
    assert content.startswith(b"\x89PNG\r\n\x1a\n")
    assert struct.unpack(">II", content[16:24]) == (2220, 1040)
    assert len(content) > 50_000
    assert [each for each in opened.requests if not each.startswith(("blob:", "data:"))] == []


@pytest.mark.thorough
def test_a_link_leads_back(league: Path, game: Game, browser: Any) -> None:
    """What the button copies is the address of this game and ply, without the filter."""
    number = f"{game.pair}.{game.game}"
    address = f"file://{league}/report.html#game={number}&ply=9&bot=greedy"
    with Opened(browser, address, permissions=["clipboard-read", "clipboard-write"]) as opened:
        opened.page.click("#copy")
        opened.page.wait_for_selector("#shared:not(:empty)")
        assert opened.page.inner_text("#shared") == "The link is copied."
        link = opened.page.evaluate("navigator.clipboard.readText()")
    assert link == f"file://{league}/report.html#game={number}&ply=9"
    with Opened(browser, link) as again:
        assert again.page.inner_text("#what").startswith("Ply 9 of ")


@pytest.mark.thorough
def test_a_link_is_copied_where_the_clipboard_is_not_offered(
    league: Path, game: Game, browser: Any
) -> None:
    """As by a server without TLS: in the older way, after which the button has the focus again."""
    number = f"{game.pair}.{game.game}"
    address = f"file://{league}/report.html#game={number}&ply=9"
    with Opened(browser, address, permissions=["clipboard-read", "clipboard-write"]) as opened:
        page = opened.page
        page.evaluate("navigator.clipboard.writeText('something else')")
        page.evaluate("Object.defineProperty(navigator, 'clipboard', {configurable: true})")
        page.click("#copy")
        wait_for(page, "document.getElementById('shared').textContent === 'The link is copied.'")
        assert page.evaluate("document.activeElement.id") == "copy"
        page.evaluate("delete navigator.clipboard")
        assert page.evaluate("navigator.clipboard.readText()") == address
        page.click("#on")
        assert page.inner_text("#shared") == ""


@pytest.mark.thorough
def test_a_ply_on_moves_a_token_and_lays_a_cloth(opened: Opened) -> None:
    """A step on is seen to move; a jump and a step back are not."""
    page = opened.page
    page.click("#first")
    assert page.evaluate(MOVING) == 0
    page.click("#on")
    assert page.evaluate(MOVING) > 1
    wait_for(page, f"{MOVING} === 0")
    page.click("#back")
    page.click("#last")
    assert page.evaluate(MOVING) == 0


@pytest.mark.thorough
def test_nothing_moves_for_those_who_want_less_motion(
    league: Path, game: Game, browser: Any
) -> None:
    """The same step, with that preference."""
    address = f"file://{league}/report.html#game={game.pair}.{game.game}&ply=0"
    with Opened(browser, address, reduced_motion="reduce") as opened:
        opened.page.click("#on")
        assert opened.page.inner_text("#what").startswith("Ply 1 of ")
        assert opened.page.evaluate(MOVING) == 0


@pytest.mark.thorough
def test_boards_follow_the_colours_of_the_system(opened: Opened) -> None:
    """From light to dark while the page is open."""
    page = opened.page
    fill = "document.querySelector('#boards [data-square]').getAttribute('fill')"
    light = page.evaluate(fill)
    page.emulate_media(color_scheme="dark")
    wait_for(page, f"{fill} !== '{light}'")


@pytest.mark.thorough
def test_squares_and_patches_can_be_found(opened: Opened) -> None:
    """The middle of a square on the screen is that square, covered or not; offers are patches."""
    found = opened.page.evaluate("""() => [...document.querySelectorAll('#boards .quilt')].map(
      (quilt) => [...quilt.querySelectorAll('[data-square]')].map((square) => {
        const {x, y, width, height} = square.getBoundingClientRect();
        const hit = document.elementFromPoint(x + width / 2, y + height / 2);
        return hit === square && Number(square.dataset.square);
      }))""")
    assert found == [list(range(81))] * 2
    offer = opened.page.locator(".offer > li")
    numbers = [each.get_attribute("data-patch") for each in offer.all()]
    spoken = opened.page.locator("ol.circle > li").all_text_contents()
    assert spoken[0] == "the neutral token"
    assert [re.match(r"patch (\d+)", text)[1] for text in spoken[1:4]] == numbers  # type: ignore[index]
    assert all(text.endswith(", on offer") for text in spoken[1:4])
    assert not any(text.endswith(", on offer") for text in spoken[4:])
