"""A table in a real browser: answers that come late, twice, or not at all."""

import json
from typing import Any

import pytest

from tests.arena.playing import GREEDY, PERSON, act, begin, choose_action, state_of
from tests.arena.serving import Server
from tests.arena.test_play_browser import MY_TURN, centre_of, open_table, press_play, version
from tests.report.browser import PLAY_BROWSER, Held, Opened, wait_for

pytestmark = [PLAY_BROWSER, pytest.mark.slow(3)]

BEN = {**PERSON, "name": "Ben"}

NOTE_DRAWN = """() => {
  window.drawn = {};
  const note = () => {
    const plies = [...document.querySelectorAll("#moves [data-ply]")];
    plies.forEach(({ dataset }) => { drawn[dataset.ply] ??= performance.now(); });
  };
  new MutationObserver(note).observe(document.querySelector("#moves"), { childList: true });
}"""
"""Notes when each ply is drawn first, in milliseconds."""


@pytest.mark.thorough
def test_html_answer_becomes_a_sentence(arena: Server, browser: Any) -> None:
    """The player reads that it cannot be done now, not the source of a page."""
    table = begin(arena, PERSON, BEN, deal="81")
    with open_table(browser, arena, table) as opened:
        page = opened.page
        wait_for(page, MY_TURN)
        page.route(
            "**/action",
            lambda route: route.fulfill(
                status=503, content_type="text/html", body="<!doctype html><p>Not now"
            ),
        )
        page.click("#advance")
        wait_for(page, "document.querySelector('#preview.misfit')")
        assert page.inner_text("#preview") == (
            "the server cannot do this now (HTTP 503): "
            "try again, or see what it says in its terminal"
        )


@pytest.mark.thorough
def test_focus_returns_with_the_turn(arena: Server, browser: Any) -> None:
    """To where it was at the last action: the board, or the button that advances."""
    table = begin(arena, PERSON, GREEDY, deal="81")
    with open_table(browser, arena, table) as opened:
        page = opened.page
        wait_for(page, MY_TURN)
        page.keyboard.press("2")  # the patch costs three of five buttons
        wait_for(page, "!document.querySelector('#play').disabled")
        press_play(page, lambda: page.keyboard.press("Enter"))
        assert page.evaluate("document.activeElement.matches('.mine .field')")
        page.keyboard.press("a")
        press_play(page, lambda: page.keyboard.press("Enter"))
        assert page.evaluate("document.activeElement.id") == "advance"
        page.focus("#back")
        press_play(page, lambda: page.keyboard.press("Enter"))
        assert page.evaluate("document.activeElement.id") == "back"


@pytest.mark.thorough
def test_no_key_plays_for_mouse_users(arena: Server, browser: Any) -> None:
    """After a click on the button and then elsewhere, the space bar scrolls."""
    table = begin(arena, PERSON, GREEDY, deal="81")
    with open_table(browser, arena, table) as opened:
        page = opened.page
        wait_for(page, MY_TURN)
        press_play(page, lambda: page.click("#advance"))
        assert page.evaluate("document.activeElement === document.body")
        before = version(page)
        page.mouse.click(5, 300)
        page.keyboard.press(" ")
        page.keyboard.press("2")
        wait_for(page, "!document.querySelector('#play').disabled")
        assert version(page) == before


@pytest.mark.thorough
def test_instruction_returns_when_the_mouse_leaves_the_board(arena: Server, browser: Any) -> None:
    """Nothing lies on the board any more, so that nothing fits there."""
    table = begin(arena, PERSON, BEN, deal="81")
    with open_table(browser, arena, table) as opened:
        page = opened.page
        wait_for(page, MY_TURN)
        page.click("[data-card='7']")
        instruction = "Click a square to place it; R turns it, F flips it."
        wait_for(page, f"document.querySelector('#preview').textContent === '{instruction}'")
        page.mouse.move(*centre_of(page, "7", [4, 4]))
        wait_for(page, "document.querySelector('#preview').textContent === 'It fits here.'")
        page.hover("#status")
        wait_for(page, f"document.querySelector('#preview').textContent === '{instruction}'")
        assert page.is_disabled("#play")


@pytest.mark.thorough
def test_hint_for_an_earlier_position_is_given_up(arena: Server, browser: Any) -> None:
    """The page ends its question as soon as the game goes on, and shows and logs nothing of it."""
    table = begin(arena, PERSON, BEN, deal="81")
    with open_table(browser, arena, table) as opened:
        page = opened.page
        wait_for(page, MY_TURN)
        late = Held(page, "**/hint")
        page.keyboard.press("h")
        late.wait()
        with page.expect_event("requestfailed") as failed:
            press_play(page, lambda: page.click("#advance"))
        assert failed.value.url.endswith("/hint")
        assert failed.value.failure == "net::ERR_ABORTED"
        wait_for(page, "!document.querySelector('#hint').disabled")
        page.keyboard.press("2")
        wait_for(page, "document.querySelector('#preview.fit')")
        assert "hint" not in page.inner_text("#preview")
        assert opened.complaints == []


def test_hint_to_advance_marks_its_button(arena: Server, browser: Any) -> None:
    """No patch on the board can show such a hint; the button has the focus, too."""
    table = begin(arena, PERSON, BEN, deal="81")
    with open_table(browser, arena, table) as opened:
        page = opened.page
        wait_for(page, MY_TURN)
        answer = {"hint": "advance", "expects": 3.0}
        page.route("**/hint", lambda route: route.fulfill(json=answer))
        assert page.locator("#advance.hinted").count() == 0
        page.keyboard.press("h")
        page.wait_for_selector("#advance.hinted")
        wait_for(page, "document.activeElement.id === 'advance'")
        assert "would advance" in page.inner_text("#preview")


def test_arrows_look_back_while_the_hand_is_empty(arena: Server, browser: Any) -> None:
    """With a patch in hand they move it, and the current position stays."""
    table = begin(arena, PERSON, BEN, deal="81")
    with open_table(browser, arena, table) as opened:
        page = opened.page
        for _ in range(2):
            wait_for(page, MY_TURN)
            press_play(page, lambda: page.click("#advance"))
        wait_for(page, f"pwtourney.state().plies.length === 2 && {MY_TURN}")
        page.keyboard.press("ArrowLeft")
        assert page.inner_text("#step") == "move 1 of 2"
        page.keyboard.press("ArrowRight")
        assert page.inner_text("#step") == ""
        page.keyboard.press("2")
        page.keyboard.press("ArrowLeft")
        assert page.inner_text("#step") == ""
        assert page.locator(".ghost").count() == 1


@pytest.mark.thorough
def test_turn_is_announced_once(arena: Server, browser: Any) -> None:
    """A person alone reads that it is their turn, without their name."""
    table = begin(arena, PERSON, GREEDY, deal="81")
    with open_table(browser, arena, table) as opened:
        page = opened.page
        wait_for(page, MY_TURN)
        press_play(page, lambda: page.click("#advance"))
        status = page.inner_text("#status")
        assert status.startswith("greedy ")
        assert status.endswith(". It is your turn.")
        assert "to move" not in status


def test_drag_ends_with_its_position(arena: Server, browser: Any) -> None:
    """Another page plays meanwhile: the carried patch disappears, without an error."""
    table = begin(arena, PERSON, BEN, deal="81")
    with open_table(browser, arena, table) as opened:
        page = opened.page
        wait_for(page, MY_TURN)
        box = page.locator("[data-card='7']").bounding_box()
        assert box is not None
        page.mouse.move(box["x"] + 20, box["y"] + 20)
        page.mouse.down()
        x, y = centre_of(page, "7", [3, 3])
        page.mouse.move(x, y, steps=3)
        assert page.locator(".carried").count() == 1
        before = version(page)
        act(arena, table, before, "play", action="advance")
        wait_for(page, f"pwtourney.state().version > {before}")
        page.mouse.move(x + 30, y + 30, steps=3)
        assert page.locator(".carried").count() == 0
        page.mouse.up()
        assert opened.complaints == []


@pytest.mark.thorough
def test_clock_runs_while_plies_are_shown(arena: Server, browser: Any) -> None:
    """A position that waits for others to be shown has the time that was left when it came."""
    table = begin(arena, PERSON, BEN, deal="81")
    now, states = state_of(arena, table)["version"], []
    context = browser.new_context()
    try:
        page = context.new_page()
        held = Held(page, "**/events")
        page.goto(f"http://127.0.0.1:{arena.port}{table}")
        page.wait_for_selector("html[data-ready=yes]")
        for _ in range(4):
            _, answer = act(arena, table, now, "play", action="advance")
            now = answer["version"]
            states.append(answer["state"])
        clock = {"limits": [15_000, 15_000], "spent": 0, "running": True}
        sent = [json.dumps({**state, "clock": clock}) for state in states[2:]]
        body = "".join(f"data: {state}\n\n" for state in sent)
        began = page.evaluate("performance.now()")
        held.wait().fulfill(content_type="text/event-stream", body=f"retry: 60000\n\n{body}")
        wait_for(page, "pwtourney.state().plies.length === 3")
        came = page.evaluate("performance.now()")
        wait_for(page, "pwtourney.state().plies.length === 4 && document.querySelector('.card')")
        left, now = page.evaluate(
            """() => [
              parseFloat(document.querySelector(`#clock-${pwtourney.state().turn}`).textContent),
              performance.now(),
            ]"""
        )
        # both states came between `began` and `came`; the text is at most 0.2 s old, and rounded
        assert (now - began) / 1000 > 1.3, "two of the plies are shown for 0.65 s each"
        assert 15 - (now - began) / 1000 - 0.1 <= left <= 15 - (now - came) / 1000 + 0.4
    finally:
        context.close()


def test_moves_of_a_fast_bot_are_seen_one_after_another(arena: Server, browser: Any) -> None:
    """Greedy answers within milliseconds; of two moves in a row, the second waits for the first.

    Both stay listed under its name, and the sentence tells of both.
    """
    table = begin(arena, PERSON, GREEDY, deal="81")
    with Opened(browser, f"http://127.0.0.1:{arena.port}{table}") as opened:
        page = opened.page
        page.evaluate(NOTE_DRAWN)
        seats: list[int] = []
        while seats[-2:] != [1, 1]:
            wait_for(page, f"pwtourney.state().plies.length >= {len(seats)} && ({MY_TURN})")
            state = page.evaluate("pwtourney.state()")
            assert not state["over"]
            act(arena, table, state["version"], "play", action=choose_action(state))
            wait_for(page, f"pwtourney.state().version > {state['version']} && ({MY_TURN})")
            seats = [seat for seat, *_ in page.evaluate("pwtourney.state().plies")]
        last = len(seats) - 1
        wait_for(page, f"drawn[{last}]")
        drawn = page.evaluate("drawn")
        assert drawn[str(last)] - drawn[str(last - 1)] >= 600  # a few are lost to rounding
        assert page.locator(".run p").all_inner_texts() == ["Ann: 1 move", "greedy: 2 moves"]
        assert page.inner_text("#status").count("greedy ") == 2
