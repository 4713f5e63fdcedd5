"""Sharing from the viewer: links, and pictures as files; and the animation of boards."""

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

MOVING = "document.getElementById('game').getAnimations({subtree: true}).length"


@pytest.fixture
def game(league: Path) -> Game:
    """Return a game in which both bots buy patches."""
    return find_game(league, "greedy", "frugal")


@pytest.fixture
def opened(league: Path, game: Game, browser: Any) -> Iterator[Opened]:
    """Open that game at its ninth ply."""
    address = f"file://{league}/report.html#game={game.pair}.{game.game}&ply=9"
    with Opened(browser, address, color_scheme="light") as opened_page:
        yield opened_page


def save(opened: Opened, kind: str) -> tuple[str, bytes]:
    """Press the button that saves a picture; return the file's name and content."""
    with opened.page.expect_download() as download:
        opened.page.click(f"#save-{kind}")
    return download.value.suggested_filename, Path(download.value.path()).read_bytes()


def list_elements(markup: bytes) -> list[tuple[str, dict[str, str], str]]:
    """Return tag, attributes and text of each element of a picture."""
    return [
        (element.tag, element.attrib, (element.text or "").strip())
        for element in ET.fromstring(markup).iter()
    ]


@pytest.mark.thorough
def test_saved_picture_shows_the_game(opened: Opened, game: Game, browser: Any) -> None:
    """It is saved without a request, under the name of the game and the ply, with a message."""
    name, content = save(opened, "svg")
    number = f"{game.pair}.{game.game}"
    assert name == f"game-{number}-ply-9.svg"
    with Modules(browser, color_scheme="light") as modules:
        expected = modules.draw_ply(game, ORIGINAL, 9, number)
    assert list_elements(content) == list_elements(expected.encode())
    assert opened.page.inner_text("#shared") == f"{name} is saved."
    assert [request for request in opened.requests if not request.startswith("blob:")] == []
    assert opened.complaints == []


@pytest.mark.thorough
def test_picture_can_be_saved_as_png(opened: Opened) -> None:
    """It has twice the size of the SVG, and its file is too large for an empty picture."""
    name, content = save(opened, "png")
    assert name.endswith("-ply-9.png")
    assert content.startswith(b"\x89PNG\r\n\x1a\n")
    assert struct.unpack(">II", content[16:24]) == (2220, 1040)
    assert len(content) > 50_000
    assert [
        request for request in opened.requests if not request.startswith(("blob:", "data:"))
    ] == []


@pytest.mark.thorough
def test_copied_link_leads_back(league: Path, game: Game, browser: Any) -> None:
    """The button copies the address of this game and ply, without the filter."""
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
def test_link_is_copied_without_the_clipboard_api(league: Path, game: Game, browser: Any) -> None:
    """Servers without TLS have none; the older way is used, and the button keeps the focus."""
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
def test_next_ply_is_animated(opened: Opened) -> None:
    """A step forward is animated; a jump and a step back are not."""
    page = opened.page
    page.click("#first")
    assert page.evaluate(MOVING) == 0
    assert page.evaluate(f"document.getElementById('on').click(), {MOVING}") > 1
    wait_for(page, f"{MOVING} === 0")
    page.click("#back")
    page.click("#last")
    assert page.evaluate(MOVING) == 0


@pytest.mark.thorough
def test_reduced_motion_turns_animations_off(league: Path, game: Game, browser: Any) -> None:
    """The same step with `prefers-reduced-motion`."""
    address = f"file://{league}/report.html#game={game.pair}.{game.game}&ply=0"
    with Opened(browser, address, reduced_motion="reduce") as opened:
        opened.page.click("#on")
        assert opened.page.inner_text("#what").startswith("Ply 1 of ")
        assert opened.page.evaluate(MOVING) == 0


@pytest.mark.thorough
def test_boards_follow_the_colour_scheme_of_the_system(opened: Opened) -> None:
    """The scheme changes from light to dark while the page is open."""
    page = opened.page
    fill = "document.querySelector('#game [data-square]').getAttribute('fill')"
    light = page.evaluate(fill)
    page.emulate_media(color_scheme="dark")
    wait_for(page, f"{fill} !== '{light}'")


@pytest.mark.thorough
def test_squares_and_patches_can_be_hit(opened: Opened) -> None:
    """The element in the middle of each square is that square; offered patches are announced."""
    squares = opened.page.evaluate("""() => [...document.querySelectorAll('#game .quilt')].map(
      (quilt) => [...quilt.querySelectorAll('[data-square]')].map((square) => {
        const {x, y, width, height} = square.getBoundingClientRect();
        const hit = document.elementFromPoint(x + width / 2, y + height / 2);
        return hit === square && Number(square.dataset.square);
      }))""")
    assert squares == [list(range(81))] * 2
    offer = opened.page.locator("#offer > .card")
    numbers = [card.get_attribute("data-patch") for card in offer.all()]
    spoken = opened.page.locator("#circle li .spoken").all_text_contents()
    assert spoken[0] == "the neutral token"
    assert [re.match(r"patch (\d+)", text)[1] for text in spoken[1:4]] == numbers  # type: ignore[index]
    assert all(text.endswith(", on offer") for text in spoken[1:4])
    assert not any(text.endswith(", on offer") for text in spoken[4:])
