"""The game view of Watch and Analyse: regions stay in place, and what matters is on the screen."""

import shutil
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pwtourney.store import ResultsFolder, Store
from tests.arena.analysing import MOVES
from tests.arena.serving import served
from tests.arena.test_table_layout import OBSERVE, PLACES, check_shifts
from tests.arena.test_watch import play_league, write_live
from tests.report.browser import STUDY_BROWSER, Opened, wait_for
from tests.report.sizes import PHONE, SMALL_TARGETS, SMALL_TEXTS
from tests.sharing import Once
from tests.thorough import thorough_but

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = [STUDY_BROWSER, pytest.mark.slow(8)]

MOVES_STRIP = "document.querySelector('#moves')"

BOARD = (
    "#player-0",
    "#player-1",
    "#seat-0 .quilt",
    "#seat-1 .quilt",
    "#offer",
    "#track",
    ".ribbon",
    "#circle",
    ".band .start",
)
"""What has its place in both views."""

SIZES = [
    (1280, 800),
    pytest.param(1440, 900, marks=pytest.mark.thorough),
    pytest.param(1920, 1080, marks=pytest.mark.thorough),
]


CUT_LEADERS = """[...document.querySelectorAll("#game .leader")]
  .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
  .map(({ textContent }) => textContent)"""
"""Finds names of leaders that are cut next to the bars."""


def check_still(page: "Page", places: list[list[list[float]]], regions: tuple[str, ...]) -> None:
    """Check that no region has moved by more than a pixel, and that the page has not jumped."""
    first, *others = places
    for number, boxes in enumerate(others, 1):
        for name, before, after in zip(regions, first, boxes, strict=True):
            assert after == pytest.approx(before, abs=1), (name, number)
    check_shifts(page)


def check_first_screen(page: "Page", names: tuple[str, ...], height: int) -> None:
    """Check that no element ends below the window, whose height is in pixels."""
    lower_edge = "(name) => document.querySelector(name).getBoundingClientRect().bottom"
    lows = {name: page.evaluate(lower_edge, name) for name in names}
    assert {name: low for name, low in lows.items() if low > height} == {}


def check_ended(page: "Page") -> None:
    """Check that the slider stands at its end, and that words about the end are not cut."""
    assert page.evaluate("document.querySelector('#ply').value") == str(
        page.evaluate("document.querySelector('#ply').max")
    )
    assert page.evaluate("getComputedStyle(document.querySelector('#ply')).padding") == "0px"
    assert page.evaluate(CUT_LEADERS) == []
    sentence, players = (page.locator(name).bounding_box() for name in ("#told", "#players"))
    assert sentence is not None
    assert players is not None
    assert players["y"] - (sentence["y"] + sentence["height"]) >= 3


def check_fading(page: "Page") -> None:
    """Check that the strip of moves fades where it goes on, and only there."""
    strip = page.locator("#moves")
    for place, ends in (("strip.scrollWidth", "before"), ("0", "after"), ("40", "before after")):
        strip.evaluate(f"strip => {{ strip.scrollLeft = {place}; }}")
        shown = "['before', 'after'].filter((end) => strip.classList.contains(`more-${end}`))"
        wait_for(page, f"((strip) => {shown}.join(' ') === '{ends}')({MOVES_STRIP})")
    first_stop = "strip => getComputedStyle(strip).maskImage.match(/[0-9.]+(?=px)/)[0]"
    assert float(strip.evaluate(first_stop)) > 20


@pytest.mark.parametrize(
    ("width", "height", "lowest"),
    [
        (1280, 800, ["#moves", "#curve", "#circle"]),
        pytest.param(1440, 900, ["#circle"], marks=pytest.mark.thorough),
        pytest.param(1920, 1080, ["#circle"], marks=pytest.mark.thorough),
        pytest.param(390, 844, ["#says-0", "#says-1"], marks=pytest.mark.thorough),
    ],
)
def test_watched_game_keeps_everything_in_its_place(
    once: Once, tmp_path: Path, browser: Any, width: int, height: int, lowest: list[str]
) -> None:
    """Over a whole game that grows ply by ply; what is followed is in the first screen."""
    results = shutil.copytree(play_league(once), tmp_path / "r")
    with closing(Store.open_in(ResultsFolder(results))) as store:
        game = store.game(0, 0)
    plies = [(ply.seat, ply.action, ply.micros, ply.info) for ply in game.plies]
    deal = {"circle": game.deal.circle, "late": game.deal.late}
    regions = (*BOARD, "#says-0", "#says-1", "#moves", "#curve", ".looking")
    with ResultsFolder(results) as folder, served("serve", str(results)) as server:
        write_live(folder, 0, game.bots, pair=9, plies=[], **deal)
        address = f"{server.address}watch"
        with Opened(browser, address, width=width, height=height) as opened:
            page = opened.page
            wait_for(page, "pwtourney.shown()?.facts.pair === 9")
            page.evaluate("new Promise((done) => setTimeout(done, 0))")
            page.evaluate(OBSERVE)
            page.evaluate("observer.takeRecords(), (shifts.length = 0)")
            places = []
            for count in range(1, len(plies) + 1):
                seat = count < len(plies) and plies[count][0]
                changed = {"plies": plies[:count], "to_move": seat}
                if count == len(plies):
                    result = (game.verdict, game.winner, game.scores, "")
                    changed |= {"over": True, "result": result}
                write_live(folder, 0, game.bots, pair=9, **changed, **deal)
                wait_for(
                    page, f"document.querySelector('#step').textContent.startsWith('move {count} ')"
                )
                places.append(page.evaluate(PLACES, list(regions)))
            check_still(page, places, regions)
            check_first_screen(page, ("#seat-0", "#seat-1", *lowest), height)
            if width > height:
                check_fading(page)
            assert page.evaluate(SMALL_TEXTS) == []
            check_ended(page)
            winner = game.bots[game.winner or 0]
            wait_for(
                page, f"document.querySelector('#told').textContent.startsWith('{winner} wins')"
            )
            assert opened.complaints == []


@pytest.mark.thorough
@pytest.mark.parametrize(("width", "height"), SIZES)
def test_analysis_has_what_matters_in_the_first_screen(
    once: Once, tmp_path: Path, browser: Any, width: int, height: int
) -> None:
    """Boards, evaluation, lines, curve and moves; nothing of the board moves between plies."""
    results = play_league(once)
    with served(str(results), "--games", str(tmp_path / "games")) as server:
        address = f"{server.address}analyse?game=0.0#ply=4"
        with Opened(browser, address, width=width, height=height) as opened:
            page = opened.page
            page.wait_for_selector(MOVES)
            page.locator(".bots .bot").nth(0).select_option("lookahead")
            page.locator(".bots .value").nth(0).fill("0.5")
            page.click("#ask")
            page.wait_for_selector(".answer .state button", timeout=60_000)
            names = (
                "#seat-0",
                "#seat-1",
                "#offer",
                "#play",
                "#gauge",
                ".bests",
                "#curve",
                "#circle",
                "#lines",
            )
            check_first_screen(page, names, height)
            assert page.evaluate(SMALL_TEXTS) == []
            page.evaluate(OBSERVE)
            page.evaluate("observer.takeRecords(), (shifts.length = 0)")
            places = []
            for _ in range(12):
                page.keyboard.press("ArrowRight")
                page.wait_for_selector("#offer [data-card]")  # at times a special patch alone
                places.append(page.evaluate(PLACES, [*BOARD, "#curve", "#lines"]))
            check_still(page, places, (*BOARD, "#curve", "#lines"))
            assert opened.complaints == []


@pytest.mark.parametrize("look", thorough_but(["dark"], ["light", "dark"]))
def test_analysis_is_read_and_touched_on_a_phone(
    once: Once, tmp_path: Path, browser: Any, look: str
) -> None:
    """Texts have 12 pixels and targets 44; boards, patches and steps are in the first screen."""
    results = play_league(once)
    with served(str(results), "--games", str(tmp_path / "games")) as server:
        address = f"{server.address}analyse?game=0.0#ply=4"
        window: dict[str, Any] = {"width": 390, "height": 844, "color_scheme": look, **PHONE}
        with Opened(browser, address, **window) as opened:
            page = opened.page
            page.wait_for_selector(MOVES)
            assert page.evaluate(SMALL_TEXTS) == []
            assert page.evaluate(SMALL_TARGETS) == []
            names = ("#seat-0", "#seat-1", "#offer", "#back", "#on")
            check_first_screen(page, names, 844)
            assert opened.complaints == []
