"""The address of the analysis holds what is shown, and late answers are ignored."""

from typing import Any

import pytest

from pwtourney.notation import action_text
from pwtourney.rules import State
from tests.arena.analysing import MOVES, show_notation
from tests.arena.playing import PERSON, act, begin, record_of, state_of
from tests.arena.serving import Server
from tests.arena.test_analyse_page import paste
from tests.report.browser import DRAWN, PLAY_BROWSER, Held, Opened, wait_for
from tests.rules.positions import ORIGINAL

pytestmark = [PLAY_BROWSER, pytest.mark.thorough, pytest.mark.slow(3)]

DEAL = "analyse?seed=1&edition=original"


def advance(page: Any) -> None:
    """Try to advance, as soon as moves are offered."""
    page.wait_for_selector(MOVES)
    show_notation(page)
    page.fill("#move-words", "advance")
    page.press("#move-words", "Enter")


def release(page: Any, held: Held) -> None:
    """Let a held request be answered, and wait until the page has processed the answer."""
    held.release().finished()
    page.evaluate(DRAWN)


def open_deal(page: Any, seed: int) -> None:
    """Open a deal by its seed."""
    if page.is_hidden("#opening"):
        page.click("#show-opening")
    page.fill("#deal-seed", str(seed))
    page.click("#deal button")


def test_address_holds_the_moves_tried_from_a_position(arena: Server, browser: Any) -> None:
    """A link leads to the last of two moves, which can be removed there."""
    with Opened(browser, f"{arena.address}{DEAL}") as opened:
        page = opened.page
        advance(page)
        page.wait_for_selector(".lines [aria-current] .number:text-is('1')")
        advance(page)
        page.wait_for_selector(".lines [aria-current] .number:text-is('2')")
        assert page.is_visible("#remove-branch")
        text, address = page.inner_text("#what"), page.url
        assert text.startswith("Branch, ply 2 of 2: ")
    with Opened(browser, address) as again:
        assert again.page.inner_text("#what") == text
        again.page.click("#remove-branch")
        assert again.page.inner_text("#what") == "The start of 0 plies."
        assert again.page.url.endswith("#ply=0")


def test_last_requested_deal_is_shown(arena: Server, browser: Any) -> None:
    """The answer about an earlier one comes too late and is ignored."""
    with Opened(browser, f"{arena.address}analyse") as opened:
        page = opened.page
        held = Held(page, "**/analyse/open")
        open_deal(page, 1)
        open_deal(page, 2)
        wait_for(page, "location.search.includes('seed=2')")
        circle = page.inner_text("#circle .band")
        release(page, held)
        assert "seed=2" in page.url
        assert page.inner_text("#circle .band") == circle


def test_move_tried_in_another_deal_is_ignored(arena: Server, browser: Any) -> None:
    """Its answer comes when the next deal is already shown."""
    with Opened(browser, f"{arena.address}{DEAL}") as opened:
        page = opened.page
        page.wait_for_selector(MOVES)
        held = Held(page, "**/analyse/line")
        advance(page)
        open_deal(page, 2)
        wait_for(page, "location.search.includes('seed=2')")
        release(page, held)
        assert page.inner_text("#what") == "The start of 0 plies."
        assert page.inner_text("#problem") == ""


def save_game(arena: Server, deal: int) -> str:
    """Return the text of a game of one ply that ended by resignation."""
    table = begin(arena, PERSON, {**PERSON, "name": f"Ben {deal}"}, deal=str(deal))
    _, answer = act(arena, table, state_of(arena, table)["version"], "play", action="advance")
    act(arena, table, answer["version"], "resign", seat=1)
    return record_of(arena, table)


def test_each_pasted_game_has_its_own_branches(arena: Server, browser: Any) -> None:
    """They do not appear in the next game, and reappear on the way back."""
    games = [save_game(arena, deal) for deal in (81, 82)]
    with Opened(browser, f"{arena.address}analyse") as opened:
        page = opened.page
        paste(page, games[0])
        page.wait_for_selector("h1:text('Ben 81')")
        page.wait_for_selector(MOVES)
        show_notation(page)
        page.fill("#move-words", "7:r0:a1")  # the second patch on offer in deal 81
        page.press("#move-words", "Enter")
        page.wait_for_selector(".branch [aria-current=step]")
        text = page.inner_text("#what")
        paste(page, games[1])
        page.wait_for_selector("h1:text('Ben 82')")
        page.wait_for_selector(MOVES)
        assert page.locator(".branch").count() == 0
        assert page.inner_text("#problem") == ""
        page.go_back()
        page.wait_for_selector("h1:text('Ben 81')")
        page.wait_for_selector(".branch [aria-current=step]")
        assert page.inner_text("#what") == text
        page.go_forward()
        page.wait_for_selector("h1:text('Ben 82')")
        assert page.locator(".branch").count() == 0
        assert opened.complaints == []


def test_skip_link_keeps_the_place(arena: Server, browser: Any) -> None:
    """The shown ply and the address stay when the navigation is skipped."""
    with Opened(browser, f"{arena.address}{DEAL}") as opened:
        page = opened.page
        advance(page)
        page.wait_for_selector(".lines [aria-current] .number:text-is('1')")
        address = page.url
        page.focus(".skip")
        page.keyboard.press("Enter")
        page.evaluate(DRAWN)
        assert page.evaluate("document.activeElement.id") == "main"
        assert page.url == address
        assert page.inner_text("#what").startswith("Branch, ply 1 of 1: ")


def test_moves_are_filtered_by_orientation(arena: Server, browser: Any) -> None:
    """A word like r90 is an orientation, not a square of the board."""
    start = State.start(ORIGINAL, 1)
    legal = [action_text(action, ORIGINAL) for action in start.legal_actions()]
    turned = [action for action in legal if ":r90:" in action]
    with Opened(browser, f"{arena.address}{DEAL}") as opened:
        page = opened.page
        page.wait_for_selector(MOVES)
        show_notation(page)
        page.fill("#move-words", "r90")
        count = page.inner_text("#move-count")
        assert count.startswith(f"{len(turned)} of {len(legal)} moves")
