"""The page of a table: hints, held keys, expired clocks, lost servers, wheel and touch."""

import re
import signal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pwtourney.notation import position_text
from pwtourney.rules import State
from tests.arena.playing import GREEDY, PERSON, act, begin, choose_action, post
from tests.arena.serving import Server, served
from tests.arena.test_play_browser import (
    ACTION,
    MY_TURN,
    PREVIEW,
    centre_of,
    open_table,
)
from tests.arena.test_review_browser import DONE, ask_of
from tests.report.browser import PLAY_BROWSER, Held, wait_for
from tests.report.sizes import PHONE
from tests.rules.positions import ORIGINAL, START, player, position

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = [PLAY_BROWSER, pytest.mark.slow(4)]

BEN = {**PERSON, "name": "Ben"}
FITS_BELOW = f"/^7:r90:[a-i]6/.test({ACTION})"
"""Patch 7 is four squares high as it lies on offer: its corner is in row 6 of 9."""
WARNING = "document.querySelector('#connection')"
LOST = f"{WARNING}.textContent === 'The server does not answer; trying again …'"


@pytest.fixture
def table(arena: Server) -> str:
    """Begin a game of two people; deal 81 offers patch 7 second, which greedy takes."""
    return begin(arena, PERSON, BEN, deal="81")


@pytest.mark.thorough
def test_hint_stays_and_keeps_the_patch_in_hand(arena: Server, table: str, browser: Any) -> None:
    """Its bot is shown with its effect; a patch that was turned meanwhile stays."""
    _, _, third = State.start(ORIGINAL, 81).offer
    with open_table(browser, arena, table) as opened:
        page = opened.page
        wait_for(page, MY_TURN)
        page.select_option("#hint-bot", "greedy")
        for _ in range(2):  # the second hint equals the patch that lies there already
            with page.expect_response("**/hint"):
                page.click("#hint")
            wait_for(
                page,
                f"{PREVIEW}.startsWith("
                "'greedy would play this and expects 0 at the end. 5 → 2 buttons')",
            )
            assert page.get_attribute("#preview", "data-action") == "7:r0:a1"
            assert " 5 → 2 buttons, income 0 → 1, " in page.inner_text("#preview")
        late = Held(page, "**/hint")
        page.click("#hint")
        page.keyboard.press("3")
        wait_for(page, f"{ACTION}.startsWith('{third}:r') && {PREVIEW}.includes(' → ')")
        laid = page.get_attribute("#preview", "data-action")
        page.keyboard.press("r")
        wait_for(page, f"{ACTION} !== '{laid}' && {PREVIEW}.includes(' → ')")
        held = page.get_attribute("#preview", "data-action")
        late.wait().continue_()
        wait_for(page, f"/^greedy would play this .* → /.test({PREVIEW})")
        assert page.get_attribute("#preview", "data-action") == held
        assert page.locator(f"[data-card='{third}'][aria-pressed='true']").count() == 1
        assert opened.complaints == []


@pytest.mark.thorough
def test_panel_of_keys_closes_by_escape(arena: Server, table: str, browser: Any) -> None:
    """Its button and ? open it, ? and Escape close it, and the patch stays in hand meanwhile."""
    with open_table(browser, arena, table) as opened:
        page = opened.page
        wait_for(page, MY_TURN)
        page.keyboard.press("2")
        wait_for(page, "document.querySelector('#preview.fit')")
        for hide in ("Escape", "?"):
            if hide == "Escape":
                page.click("#help")
            else:
                page.keyboard.press("?")
            assert page.locator("#keys:popover-open").is_visible()
            page.keyboard.press("3")  # does nothing here
            page.keyboard.press(hide)
            assert page.locator("#keys").is_hidden()
        assert page.locator("[data-card][aria-pressed='true']").count() == 1
        assert page.locator("#preview.fit").count() == 1


@pytest.mark.thorough
def test_held_key_plays_once(arena: Server, table: str, browser: Any) -> None:
    """Key repeats are for an earlier position; the next press plays again."""
    with open_table(browser, arena, table) as opened:
        page = opened.page
        wait_for(page, MY_TURN)
        for count in (1, 2):
            for _ in range(4):
                page.focus("#advance")
                page.keyboard.down("Enter")
                wait_for(page, f"pwtourney.state().plies.length >= {count}")
            page.keyboard.up("Enter")
            assert len(page.evaluate("pwtourney.state().plies")) == count
        assert opened.complaints == []


@pytest.mark.thorough
def test_expired_clock_is_shown_and_the_game_can_be_analysed(arena: Server, browser: Any) -> None:
    """The clock shows 0.0, and a link at the end leads to the analysis of the game."""
    clock = {"kind": "move", "seconds": 0.3}
    table = begin(arena, {**PERSON, "clock": clock}, {**BEN, "clock": clock}, deal="81")
    with open_table(browser, arena, table) as opened:
        page = opened.page
        wait_for(page, "pwtourney.state().over")
        assert "Ann lost by timeout" in page.inner_text("#result")
        wait_for(page, "document.querySelector('#clock-0').textContent === '0.0 s'")
        assert page.inner_text("#clock-1") == "0.3 s"
        page.click("#end >> text=analyse")
        page.wait_for_selector("#game .quilt")
        assert page.inner_text("#title") == "Ann against Ben"
        assert opened.complaints == []


@pytest.mark.thorough
def test_page_reports_a_lost_server_and_a_deleted_game(browser: Any, tmp_path: Path) -> None:
    """The message stays until events come; a deleted game is not requested again."""
    with served("--games", str(tmp_path)) as server:
        tables = [begin(server, PERSON, BEN, deal="81") for _ in range(2)]
        with (
            open_table(browser, server, tables[0]) as first,
            open_table(browser, server, tables[1]) as second,
        ):
            for page in (first.page, second.page):
                page.route("**/events", lambda route: route.abort())
                page.reload()
                wait_for(page, LOST)
            assert post(server, f"{tables[1]}/delete", {})[0] == 200
            for page in (first.page, second.page):
                page.unroute("**/events")
            wait_for(first.page, f"{WARNING}.hidden")
            wait_for(second.page, f"{WARNING}.textContent === 'This game is gone: it was deleted.'")
            server.process.send_signal(signal.SIGKILL)
            server.process.wait(20)
            wait_for(first.page, LOST)
            assert first.page.is_visible("#connection")
            assert "is gone" in second.page.inner_text("#connection")


@pytest.mark.thorough
def test_wheel_turns_a_patch_unless_it_zooms(arena: Server, table: str, browser: Any) -> None:
    """With Ctrl, and with two fingers, which send the same events, the page zooms."""
    with open_table(browser, arena, table) as opened:
        page = opened.page
        wait_for(page, MY_TURN)
        page.keyboard.press("2")
        page.mouse.move(*centre_of(page, "7", [4, 4]))
        page.evaluate("addEventListener('wheel', () => { document.body.dataset.wheel += 'w'; })")
        page.keyboard.down("Control")
        page.mouse.wheel(0, 100)
        wait_for(page, "document.body.dataset.wheel?.endsWith('w')")
        assert is_upright(page) is True
        page.keyboard.up("Control")
        page.mouse.wheel(0, 100)
        wait_for(page, "document.body.dataset.wheel.endsWith('ww')")
        assert is_upright(page) is False
        assert opened.complaints == []


def is_upright(page: "Page") -> object:
    """Return True if the patch on the board is higher than wide."""
    return page.evaluate(
        """() => {
          const { width, height } = document.querySelector(".ghost .outline").getBBox();
          return height > width;
        }"""
    )


def test_track_shows_the_way_of_the_patch_in_hand(arena: Server, table: str, browser: Any) -> None:
    """A patch that is carried over another card leads to its own space; a free pointer shows both.

    Deal 81 offers patch 7, which moves a token 3 spaces, and patch 15, 4 spaces.
    """
    goal = "[...document.querySelectorAll('.goal')].map(each => each.getAttribute('x')).join()"
    other, own = (str(patch) for patch in State.start(ORIGINAL, 81).offer[1:])
    with open_table(browser, arena, table) as opened:
        page = opened.page
        wait_for(page, MY_TURN)
        spaces = {}
        for patch in (other, own):
            page.hover(f"[data-card='{patch}']")
            wait_for(page, f"{goal} !== ''")
            spaces[patch] = page.evaluate(goal)
        page.click(f"[data-card='{own}']")
        page.hover(f"[data-card='{other}']")
        page.mouse.move(*centre_of(page, own, [4, 4]))
        wait_for(page, f"{PREVIEW} === 'It fits here.'")
        assert page.evaluate(goal) == spaces[own]
        assert spaces[own] != spaces[other]
        page.keyboard.press("Escape")
        wait_for(page, f"{goal} === ''")


PASSED = """() => {
  const place = (cell) => ["x", "y"].map((axis) => Number(cell.getAttribute(axis)));
  const cells = [...document.querySelectorAll(".ribbon .space")];
  const passed = [...document.querySelectorAll(".ribbon .passed")];
  const boxes = passed.map((part) => part.getBoundingClientRect());
  const isPassed = (mark) => {
    const { x, y, width, height } = mark.getBoundingClientRect();
    const [across, down] = [x + width / 2, y + height / 2];
    return boxes.some(({ left, top, bottom }) =>
      Math.abs(across - left) < 5 && top < down && down < bottom);
  };
  const isAbove = (mark) => passed.every((part) =>
    part.compareDocumentPosition(mark) & Node.DOCUMENT_POSITION_FOLLOWING);
  const count = (name) => [...document.querySelectorAll(`.ribbon ${name}`)]
    .filter((mark) => isPassed(mark) && isAbove(mark)).length;
  return {
    spaces: cells.flatMap((cell, space) =>
      passed.some((part) => place(part).every((value, axis) =>
        Math.abs(value - place(cell)[axis]) < 5)) ? [space] : []),
    income: count(".button"),
    special: count(".leather"),
  };
}"""
"""Finds the spaces that would be passed, and counts the income and special patches drawn on them.

What is received on a space of the first row is on its left edge.
"""


def test_track_shows_what_the_patch_in_hand_would_pass(arena: Server, browser: Any) -> None:
    """The spaces up to the goal are marked below the special patch and the income on the way.

    From space 18, patch 9 leads past the special patch before space 20 and the income before 23,
    patch 15 past the special patch, and patch 5 to space 20.
    """
    marks = {"income": ORIGINAL.income_marks, "special": ORIGINAL.leather_marks}
    others = tuple(number for number in START.circle if number not in (9, 15, 5))
    circle = (9, 15, 5, *others)
    start = position(player(space=18, buttons=20), player(space=19), circle=circle)
    table = begin(arena, PERSON, BEN, position=position_text(start))
    with open_table(browser, arena, table, width=1280, height=800) as opened:
        page = opened.page
        wait_for(page, MY_TURN)
        for patch in (9, 15, 5):
            page.click(f"[data-card='{patch}']")
            page.mouse.move(1, 1)
            goal = 18 + ORIGINAL.patch[patch].time
            way = range(19, goal + 1)
            assert page.evaluate(PASSED) == {
                "spaces": list(way),
                **{kind: sum(space in way for space in spaces) for kind, spaces in marks.items()},
            }


def test_cards_say_cost_time_and_income_as_numbers(arena: Server, table: str, browser: Any) -> None:
    """Within each card, whether the patch can be paid or not; no income is no number."""
    start = State.start(ORIGINAL, 81)
    offer = [ORIGINAL.patch[number] for number in start.offer]
    expected = [[str(patch.cost), str(patch.time), f"+{patch.income}"] for patch in offer]
    expected = [[number for number in numbers if number != "+0"] for numbers in expected]
    with open_table(browser, arena, table, width=1280, height=800) as opened:
        page = opened.page
        wait_for(page, MY_TURN)
        cards = page.locator("#offer .card").all()
        assert [card.locator(".price").inner_text().split() for card in cards] == expected
        for card in cards:
            edges = card.bounding_box()
            price = card.locator(".price").bounding_box()
            assert edges is not None
            assert price is not None
            assert edges["x"] <= price["x"]
            assert price["x"] + price["width"] <= edges["x"] + edges["width"]
            assert edges["y"] <= price["y"]
            assert price["y"] + price["height"] <= edges["y"] + edges["height"]


@pytest.mark.parametrize("is_touch", [False, True], ids=["mouse", "finger"])
def test_patch_of_the_circle_is_enlarged(
    arena: Server, table: str, browser: Any, is_touch: bool
) -> None:
    """Each patch says its income as a number; one that is pointed at, or tapped, is shown large.

    What a finger has tapped stays until it taps elsewhere.
    """
    look = {"width": 390, "height": 844, **PHONE} if is_touch else {}
    patch = State.start(ORIGINAL, 81).circle[4]
    with open_table(browser, arena, table, **look) as opened:
        page = opened.page
        wait_for(page, MY_TURN)
        incomes = {
            str(number): f"+{patch.income}" if patch.income else ""
            for number, patch in ORIGINAL.patch.items()
        }
        assert incomes == page.evaluate(
            r"""() => Object.fromEntries([...document.querySelectorAll(".band li[data-patch]")].map(
              ({ dataset, innerText }) => [dataset.patch, innerText.match(/[+]\d+/)?.[0] ?? ""]))"""
        )
        assert page.is_hidden(".lens")
        # a button that is tapped has the focus in some browsers, and none in others
        page.evaluate("addEventListener('mousedown', (event) => event.preventDefault())")
        button = page.locator(f".band li[data-patch='{patch}'] button")
        button.tap() if is_touch else button.hover()
        assert page.is_visible(".lens")
        size, large = (
            page.locator(f"{name} .patch-alone").bounding_box()
            for name in (f".band li[data-patch='{patch}']", ".lens")
        )
        assert size is not None
        assert large is not None
        assert large["width"] >= 2 * size["width"]
        place = {"x": 30, "y": 10}
        page.tap("#players", position=place) if is_touch else page.hover("#players", position=place)
        assert page.is_hidden(".lens")


@pytest.mark.thorough
def test_finger_at_the_edge_scrolls_the_board(arena: Server, table: str, browser: Any) -> None:
    """On a small phone all rows are reached in one drag, and the way back as well."""
    look = {"width": 360, "height": 640, "has_touch": True, "is_mobile": True}
    with open_table(browser, arena, table, **look) as opened:
        page = opened.page
        wait_for(page, MY_TURN)
        assert read_edges(page)[1] > 640
        touch = page.context.new_cdp_session(page)
        touch.send("Emulation.setCPUThrottlingRate", {"rate": 50})  # a slow phone, with long frames

        def send(kind: str, *points: tuple[float, float]) -> None:
            touches = [{"x": x, "y": y} for x, y in points]
            touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": touches})

        box = page.locator("[data-card='7']").bounding_box()
        assert box is not None
        send("touchStart", (box["x"] + box["width"] / 2, box["y"] + 20))
        send("touchMove", (180, 500))
        send("touchMove", (180, 630))
        wait_for(page, f"{FITS_BELOW} && {PREVIEW} === 'It fits here.'")
        send("touchMove", (180, 10))
        wait_for(page, "document.querySelector('.mine .quilt').getBoundingClientRect().top >= 0")
        send("touchMove", (180, 500))
        send("touchMove", (180, 630))
        wait_for(page, f"{FITS_BELOW} && {PREVIEW} === 'It fits here.'")
        send("touchEnd")
        wait_for(page, f"{FITS_BELOW} && {PREVIEW}.includes(' → ')")
        assert opened.complaints == []


def read_edges(page: "Page") -> tuple[float, float]:
    """Return the top and bottom of the person's board in the window, in pixels."""
    top, bottom = page.evaluate(
        """() => {
          const { top, bottom } = document.querySelector(".mine .quilt").getBoundingClientRect();
          return [top, bottom];
        }"""
    )
    return top, bottom


@pytest.mark.thorough
@pytest.mark.slow(8)
def test_text_of_a_table_has_no_notation(arena: Server, browser: Any) -> None:
    """Nor a word that the rules do not have, from the first move to the end; the person is "you".

    In this game special patches are placed, which are `leather` in the notation. The list of moves
    in notation is for those who unfold it.
    """
    table = begin(arena, {"kind": "person"}, GREEDY, deal="81")
    with open_table(browser, arena, table, width=1280, height=800) as opened:
        page = opened.page
        ask_of(page, "greedy")
        texts = []
        while not page.evaluate("pwtourney.state()?.over"):
            wait_for(page, MY_TURN)
            texts.append(page.inner_text("body"))
            play_next(page, arena, table)
        wait_for(page, DONE)
        texts.append(page.inner_text("body"))
        for _ in range(3):
            page.click("#earlier")
            texts.append(page.inner_text("body"))
        actions = [action for _, action, *_ in page.evaluate("pwtourney.state().plies")]
        assert any(action.startswith("leather:") for action in actions)
        wrong = re.compile(r"\b\d+:[rf]\d+|:[a-i][1-9]\b|leather|\bPlayer\b")
        assert [wrong.findall(text) for text in texts] == [[]] * len(texts)
        assert page.inner_text("#player-0 .who") == "you"
        assert opened.complaints == []


def play_next(page: "Page", server: Server, table: str) -> None:
    """Play a legal action of the person to move, without touching the page."""
    state = page.evaluate("pwtourney.state()")
    act(server, table, state["version"], "play", action=choose_action(state))
    wait_for(page, f"pwtourney.state().version > {state['version']} && ({MY_TURN})")
