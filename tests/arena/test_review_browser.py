"""The end of a game at a table: it is evaluated without being asked, and shared."""

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.arena.playing import PERSON, act, begin, choose_action, state_of
from tests.arena.serving import Server
from tests.arena.test_play_browser import open_table
from tests.arena.test_table_layout import OBSERVE, PLACES, check_shifts
from tests.report.browser import PLAY_BROWSER, wait_for
from tests.report.sizes import PHONE, SMALL_TARGETS, SMALL_TEXTS
from tests.report.test_access import find_problems

if TYPE_CHECKING:
    from playwright.sync_api import Page, Route

pytestmark = [PLAY_BROWSER, pytest.mark.slow(8)]

BEN = {**PERSON, "name": "Ben"}
BOARD = (".near .quilt", "#track", ".ribbon", "#circle", ".band .start")
DONE = "document.querySelector('#curve-about').textContent"
GONE = "document.querySelector('#review').hidden"

COUNT_CHANGES = """() => {
  window.changes = 0;
  new MutationObserver(() => (window.changes += 1)).observe(document.getElementById("review"), {
    attributeFilter: ["hidden"],
  });
}"""
"""Count how often the review has appeared and gone."""


@pytest.fixture(scope="module")
def finished(arena: Server) -> str:
    """Return a table whose game two people have played to its end."""
    table = begin(arena, PERSON, BEN, deal="81")
    state = state_of(arena, table)
    while not state["over"]:
        action = choose_action(state)
        _, answer = act(arena, table, state["version"], "play", action=action)
        state = answer["state"]
    return table


def ask_of(page: "Page", *bots: str) -> list[str]:
    """Let other bots answer the questions of the page; return the names of those it asks."""
    names: list[str] = []

    def replace(route: "Route") -> None:
        words = json.loads(route.request.post_data or "")
        (bot,) = words["bots"]
        names.append(bot["bot"])
        other = bots[len(names) - 1]
        if other != bot["bot"]:
            bot = {"bot": other, "ms": 1000}
        route.continue_(post_data=json.dumps({**words, "bots": [bot]}))

    page.route("**/analyse/ask", replace)
    return names


@pytest.mark.thorough
@pytest.mark.parametrize(("width", "height"), [(1280, 800), (390, 844)])
def test_finished_game_is_evaluated_without_being_asked(
    arena: Server, browser: Any, finished: str, width: int, height: int
) -> None:
    """The curve and the costliest moves appear without a shift, and are kept for later readers."""
    look = {**PHONE, "width": width} if width < 500 else {"width": width}
    with open_table(browser, arena, finished, height=height, **look) as opened:
        page = opened.page
        page.evaluate(OBSERVE)
        places = page.evaluate(PLACES, list(BOARD))
        wait_for(page, DONE)
        page.wait_for_selector("#costliest a")
        assert page.evaluate(PLACES, list(BOARD)) == places
        check_shifts(page)
        assert page.locator("#curve-drawing .result").count() == 1
        assert page.inner_text("#curve-about").endswith(" expected.")
        halves = page.locator("#curve .half").all_text_contents()
        assert halves == ["▲ Ann ahead", "▼ Ben ahead"]
        costliest = page.locator("#costliest a")
        assert 1 <= costliest.count() <= 4
        assert page.locator("#curve text.grade").count() == costliest.count()
        assert find_problems(page) == []
        assert page.evaluate(SMALL_TEXTS) == []
        assert not look.get("is_mobile") or page.evaluate(SMALL_TARGETS) == []
        label = costliest.first.get_attribute("aria-label") or ""
        costliest.first.click()
        page.wait_for_selector("#game .quilt")
        ply = label.partition(":")[0].removeprefix("ply ")
        assert page.inner_text("#what").startswith(f"Ply {ply} of ")
        assert page.locator("#blunder-list li").count() >= 1
        assert opened.complaints == []
    with open_table(browser, arena, finished) as opened:
        opened.page.wait_for_selector("#costliest a")
        assert not [url for url in opened.requests if url.endswith("/analyse/ask")]
        assert opened.complaints == []


@pytest.mark.thorough
def test_next_evaluator_is_asked_if_one_cannot_answer(arena: Server, browser: Any) -> None:
    """The strongest may need a program that is missing; random never says what it expects."""
    table = begin(arena, PERSON, BEN, deal="82")
    _, answer = act(arena, table, state_of(arena, table)["version"], "play", action="advance")
    with open_table(browser, arena, table) as opened:
        names = ask_of(opened.page, "random", "greedy")
        act(arena, table, answer["version"], "resign", seat=0)
        wait_for(opened.page, DONE)
        first, second = names
        assert first != second
        assert opened.page.locator("#curve-drawing .result").count() == 0
        assert opened.page.inner_text("#curve-about").startswith(f"What {second} expected. ")
        assert opened.complaints == []


@pytest.mark.thorough
def test_nothing_is_shown_if_no_bot_can_evaluate(arena: Server, browser: Any) -> None:
    """Neither a curve nor a complaint appears; no bot is asked about a game without a move."""
    table = begin(arena, PERSON, BEN, deal="83")
    _, answer = act(arena, table, state_of(arena, table)["version"], "play", action="advance")
    with open_table(browser, arena, table) as opened:
        names = ask_of(opened.page, *["random"] * 9)
        opened.page.evaluate(COUNT_CHANGES)
        act(arena, table, answer["version"], "resign", seat=0)
        opened.page.wait_for_selector("#end")
        wait_for(opened.page, f"window.changes >= 2 && {GONE}")
        assert len(names) == len(opened.page.evaluate("pwtourney.facts.evaluators"))
        assert opened.complaints == []
    empty = begin(arena, PERSON, BEN, deal="84")
    act(arena, empty, state_of(arena, empty)["version"], "resign", seat=0)
    with open_table(browser, arena, empty) as opened:
        assert opened.page.evaluate(GONE)
        assert not [url for url in opened.requests if "/analyse/" in url]


@pytest.mark.thorough
def test_end_of_a_game_is_shared(arena: Server, browser: Any, finished: str) -> None:
    """The link is the address of the table; the picture shows the last position."""
    look: dict[str, Any] = {"permissions": ["clipboard-read", "clipboard-write"]}
    with open_table(browser, arena, finished, **look) as opened:
        page = opened.page
        page.click("#copy-link")
        page.wait_for_selector("#end .rest [role=status]:text-is('The link is copied.')")
        link = page.evaluate("navigator.clipboard.readText()")
        assert link == f"http://127.0.0.1:{arena.port}{finished}"
        with page.expect_download() as download:
            page.click("#end [data-save=png]")
        name = download.value.suggested_filename
        plies = len(page.evaluate("pwtourney.state().plies"))
        assert name == f"game-{finished.rpartition('/')[2]}-ply-{plies}.png"
        page.wait_for_selector(f"#end .rest [role=status]:text-is('{name} is saved.')")
        assert opened.complaints == []
