"""A table keeps its regions in place, in the first screen, and large enough to read and touch."""

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest

from tests.arena.playing import GREEDY, PERSON, act, begin, choose_action, state_of
from tests.arena.serving import Server
from tests.arena.test_play_browser import MY_TURN, centre_of, open_table
from tests.arena.test_play_browser import play_out as play_by_hand
from tests.report.browser import DRAWN, PLAY_BROWSER, Opened, wait_for
from tests.report.sizes import PHONE, SMALL_TARGETS, SMALL_TEXTS
from tests.rules.positions import ORIGINAL
from tests.thorough import thorough_but

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = [PLAY_BROWSER, pytest.mark.slow(6)]

BEN = {**PERSON, "name": "Ben"}

ALWAYS = ("#players", "#preview", "#offer", "#advance", ".near .quilt", "#play")
"""What a decision needs, on a phone, too."""

BESIDE = (".side:not(.near) .quilt", "#track", "#circle", "#moves", "#status", "#back")
"""What has room in the first screen of a desktop."""

REGIONS = (
    "#player-0",
    "#player-1",
    "#preview",
    "#offer",
    "#plain",
    ".near .quilt",
    "#play",
    "#track",
    ".ribbon",
    ".band",
    ".band .start",
    ".side:not(.near) .quilt",
    "#moves",
)

OBSERVE = """() => {
  window.shifts = [];
  const place = ({ x, y, width, height }) => [x, y, width, height].join(" ");
  const moves = ({ node, previousRect, currentRect }) =>
    `${node?.id || node?.nodeName}: ${place(previousRect)} to ${place(currentRect)}`;
  window.observer = new PerformanceObserver((list) => {
    const found = list.getEntries().map(({ value, sources }) => [value, ...sources.map(moves)]);
    shifts.push(...found);
  });
  observer.observe({ type: "layout-shift", buffered: true });
}"""
"""Collects each layout shift: its size, and what has moved from where to where."""

PLACES = """(regions) => regions.map((name) => {
  const { x, y, width, height } = document.querySelector(name).getBoundingClientRect();
  return [x, y, width, height];
})"""

CELLS = """() => {
  const place = (cell) => {
    const { x, y, width, height } = cell.getBoundingClientRect();
    return [x, y, width, height];
  };
  const parts = {
    track: ".ribbon [data-space]",
    circle: ".band li",
    near: ".near .quilt [data-square]",
    far: ".side:not(.near) .quilt [data-square]",
  };
  const list = (selector) => [...document.querySelectorAll(selector)].map(place);
  return Object.fromEntries(Object.entries(parts).map(([name, cells]) => [name, list(cells)]));
}"""
"""Measures each space of the track, each patch of the circle, and each square of both boards."""

SCROLLED = """() => [...document.querySelectorAll("#end, .verdict")]
  .filter((each) => each.scrollHeight > each.clientHeight).map((each) => each.className)"""
"""Finds parts of the panel at the end that hide something until they are scrolled."""


def check_places(places: list[list[list[float]]]) -> None:
    """Check that no edge of a region has moved by more than a pixel."""
    for number, name in enumerate(REGIONS):
        boxes_of_region = [boxes[number] for boxes in places]
        for edges in zip(*boxes_of_region, strict=True):
            assert max(edges) - min(edges) <= 1, (name, edges)


def check_shifts(page: "Page") -> None:
    """Check that all layout shifts together are smaller than the limit of the brief."""
    shifts = page.evaluate("shifts")
    assert sum(size for size, *_ in shifts) < 0.05, shifts


def play_out(page: "Page", server: Server, table: str) -> list[list[list[float]]]:
    """Play a game without touching the page; return the places of its regions after each turn."""
    places = []
    while True:
        state = state_of(server, table)
        wait_for(page, f"pwtourney.state()?.version >= {state['version']}")
        places.append(page.evaluate(PLACES, list(REGIONS)))
        if state["over"]:
            return places
        act(server, table, state["version"], "play", action=choose_action(state))


@pytest.mark.parametrize(
    ("width", "height"),
    [(1280, 800), pytest.param(390, 844, marks=pytest.mark.thorough)],
)
def test_nothing_moves_in_a_whole_game(
    arena: Server, browser: Any, width: int, height: int
) -> None:
    """No region moves by more than a pixel, and Chromium's layout shift stays below 0.05.

    The limits are those of the brief for the views; two people share the table, and the large board
    is that of the player to move.
    """
    table = begin(arena, PERSON, BEN, deal="81")
    with open_table(browser, arena, table, width=width, height=height) as opened:
        page = opened.page
        page.evaluate(OBSERVE)
        wait_for(page, MY_TURN)
        places = play_out(page, arena, table)
        assert len(places) > 20
        check_places(places)
        check_shifts(page)
        assert opened.complaints == []


@pytest.mark.thorough
@pytest.mark.slow(20)
def test_nothing_moves_while_a_person_plays(arena: Server, browser: Any) -> None:
    """Each patch is chosen, placed and played by clicks, against a bot, up to the end.

    Then the verdict takes the place of the offer: the boards, the track and the circle stay.
    """
    table = begin(arena, PERSON, GREEDY, deal="81")
    with open_table(browser, arena, table, width=1280, height=800) as opened:
        page = opened.page
        page.evaluate(OBSERVE)
        places: list[list[list[float]]] = []

        def lay(card: str, corner: list[int]) -> None:
            if page.get_attribute(f"[data-card='{card}']", "aria-pressed") == "false":
                click(f"[data-card='{card}']")
            page.mouse.click(*centre_of(page, card, corner))

        def click(button: str) -> None:
            places.append(page.evaluate(PLACES, list(REGIONS)))
            page.click(button)

        play_by_hand(page, lay, click)
        places.append(page.evaluate(PLACES, list(REGIONS)))
        check_places(places)
        check_shifts(page)
        assert opened.complaints == []


def test_clock_that_runs_down_moves_no_number(arena: Server, browser: Any) -> None:
    """A person's buttons stay when minutes become tenths of seconds, and at ten seconds."""
    clock = {"kind": "game", "seconds": 60}
    table = begin(arena, PERSON, {**BEN, "clock": clock}, deal="81")
    with open_table(browser, arena, table, width=1280, height=800) as opened:
        page = opened.page
        wait_for(page, MY_TURN)
        assert page.inner_text("#clock-1") == "1:00"
        places = page.evaluate(
            """(texts) => texts.map((text) => {
              document.querySelector("#clock-1").textContent = text;
              return document.querySelector("#player-1 .purse").getBoundingClientRect().x;
            })""",
            ["1:00", "19.9 s", "9.9 s"],
        )
        assert max(places) - min(places) <= 1


@pytest.mark.parametrize("width", thorough_but([1280], [1280, 390]))
def test_no_cell_moves_while_a_patch_is_in_hand(arena: Server, browser: Any, width: int) -> None:
    """Neither spaces, patches nor squares, over plies with a patch in hand, and with motion."""
    table = begin(arena, PERSON, BEN, deal="81")
    with Opened(
        browser, f"http://127.0.0.1:{arena.port}{table}", width=width, height=844
    ) as opened:
        page = opened.page
        wait_for(page, MY_TURN)
        page.evaluate(OBSERVE)
        first = page.evaluate(CELLS)
        assert [len(first[name]) for name in ("track", "near", "far")] == [54, 81, 81]
        for _ in range(8):
            state = state_of(arena, table)
            wait_for(page, f"pwtourney.state().version >= {state['version']} && {MY_TURN}")
            for key in ("2", "r", "ArrowRight", "f"):
                page.keyboard.press(key)
                page.evaluate(DRAWN)
                for name, cells in page.evaluate(CELLS).items():
                    # the circle loses a patch with each that is taken
                    for before, now in zip(first[name], cells, strict=name != "circle"):
                        assert now == pytest.approx(before, abs=1), (name, key)
            act(arena, table, state["version"], "play", action=choose_action(state))
        check_shifts(page)


@pytest.mark.parametrize(
    ("width", "height"),
    [
        (1280, 800),
        (390, 844),
        (1440, 900),
        (1920, 1080),
    ],
)
def test_decision_needs_one_screen(arena: Server, browser: Any, width: int, height: int) -> None:
    """The three patches, the board, both players' numbers and the button; more on a desktop."""
    table = begin(arena, PERSON, BEN, deal="81")
    look = PHONE if width < 500 else {}
    with open_table(browser, arena, table, width=width, height=height, **look) as opened:
        page = opened.page
        wait_for(page, MY_TURN)
        page.keyboard.press("2")
        wait_for(page, "document.querySelector('#preview.fit')")
        page.evaluate("scrollTo(0, 0)")
        for name in ALWAYS if width < 500 else ALWAYS + BESIDE:
            box = page.locator(name).bounding_box()
            assert box is not None, name
            assert box["y"] >= 0, name
            assert box["y"] + box["height"] <= height, name
            assert box["x"] + box["width"] <= width, name


def test_phone_shows_the_rest_after_one_swipe(arena: Server, browser: Any) -> None:
    """The other player's buttons, a number, are in the first screen; track and circle in the next.

    A swipe moves the page by at most one screen.
    """
    table = begin(arena, PERSON, BEN, deal="81")
    with open_table(browser, arena, table, width=390, height=844, **PHONE) as opened:
        page = opened.page
        wait_for(page, MY_TURN)
        buttons = page.locator("#player-1 .purse dd").first
        assert buttons.inner_text() == str(ORIGINAL.start_buttons)
        box = buttons.bounding_box()
        assert box is not None
        assert box["y"] >= 0
        assert box["y"] + box["height"] <= 844
        for name in ("#track", "#circle"):
            box = page.locator(name).bounding_box()
            assert box is not None, name
            assert box["y"] + box["height"] <= 2 * 844, name


@pytest.mark.parametrize("width", [390, pytest.param(1280, marks=pytest.mark.thorough)])
def test_all_can_be_read_and_touched(arena: Server, browser: Any, width: int) -> None:
    """No text is smaller than 12 pixels; on a phone, nothing to touch is smaller than 44."""
    table = begin(arena, PERSON, GREEDY, deal="81")
    look = PHONE if width < 500 else {}
    with open_table(browser, arena, table, width=width, height=844, **look) as opened:
        page = opened.page
        wait_for(page, MY_TURN)
        assert page.inner_text(".timer:has(.clock:not(:empty))").split()[-1] == "left"
        for _ in range(2):
            assert page.evaluate(SMALL_TEXTS) == []
            if look:
                assert page.evaluate(SMALL_TARGETS) == []
            state = state_of(arena, table)
            act(arena, table, state["version"], "resign", seat=0)
            wait_for(page, "pwtourney.state().over")
            wait_for(page, "document.querySelector('.verdict #headline').textContent")
            assert page.evaluate(SCROLLED) == []


def test_patches_on_offer_have_the_scale_of_the_board(arena: Server, browser: Any) -> None:
    """A square of a patch is as wide as a square of the large quilt board, within 6 %."""
    table = begin(arena, PERSON, BEN, deal="81")
    with open_table(browser, arena, table, width=1280, height=800) as opened:
        page = opened.page
        wait_for(page, MY_TURN)
        board, *patches = page.evaluate(
            """() => [...document.querySelectorAll(".near .quilt, .card .patch-alone")]
              .map((each) => each.getScreenCTM().a * 20)"""
        )
        assert len(patches) == 3
        assert patches == pytest.approx([board] * 3, rel=0.06)


@pytest.mark.parametrize("width", thorough_but([390], [390, 1280]))
def test_patches_of_the_circle_are_recognised(arena: Server, browser: Any, width: int) -> None:
    """A square of any patch has 10 pixels, and the numbers of its price have 12."""
    table = begin(arena, PERSON, BEN, deal="81")
    look = PHONE if width < 500 else {}
    with open_table(browser, arena, table, width=width, height=844, **look) as opened:
        page = opened.page
        wait_for(page, MY_TURN)
        sizes = page.evaluate(
            """() => [...document.querySelectorAll(".band li[data-patch]")].map((slot) => [
              slot.querySelector(".patch-alone").getScreenCTM().a * pwtourney.square,
              ...[...slot.querySelectorAll(".price span")].map(
                (number) => parseFloat(getComputedStyle(number).fontSize)),
            ])"""
        )
        assert len(sizes) == len(ORIGINAL.patch)
        for square, *prices in sizes:
            assert square >= 10
            assert len(prices) >= 2
            assert min(prices) >= 11.95  # 12, except by rounding


@pytest.mark.thorough
def test_person_in_the_second_seat_is_on_the_left_of_the_scoreboard(
    arena: Server, browser: Any
) -> None:
    """Next to their quilt board; the special tile stays in the middle, and nothing is cut."""
    table = begin(arena, GREEDY, PERSON, deal="81")
    with open_table(browser, arena, table, width=1280, height=800) as opened:
        page = opened.page
        wait_for(page, MY_TURN)
        mine, tile, other = (
            page.locator(name).bounding_box() for name in ("#player-1", "#free-tile", "#player-0")
        )
        assert mine["x"] + mine["width"] < tile["x"] < tile["x"] + tile["width"] < other["x"]
        assert other["x"] + other["width"] <= 1280 - 16
        assert mine["width"] == pytest.approx(other["width"], abs=1)
        assert page.locator("#player-0 .who").bounding_box()["height"] < 30


EDGES = """(labels) => [...document.querySelectorAll(labels)].map((label) => {
  const { left, right } = label.getBoundingClientRect();
  return [left, right];
})"""
"""The left and the right edges of elements, at one moment: a drawing replaces the elements."""


@pytest.mark.thorough
def test_labels_of_the_scoreboard_are_apart_on_a_phone(arena: Server, browser: Any) -> None:
    """No two words under the numbers of a player touch, at 390 and at 360 pixels."""
    table = begin(arena, PERSON, BEN, deal="81")
    for width in (390, 360):
        with open_table(browser, arena, table, width=width, height=844, **PHONE) as opened:
            page = opened.page
            wait_for(page, MY_TURN)
            for seat in (0, 1):
                edges = page.evaluate(EDGES, f"#player-{seat} .purse dt")[1:]
                assert len(edges) == 3
                for (_, right), (left, _) in pairwise(edges):
                    assert left - right >= 2, (width, seat, edges)


@pytest.mark.thorough
def test_phone_shows_the_reply_and_the_whole_board_at_once(arena: Server, browser: Any) -> None:
    """The line above the patches says what the bot did; no row of squares is below the buttons."""
    table = begin(arena, PERSON, GREEDY, deal="81")
    with open_table(browser, arena, table, width=390, height=844, **PHONE) as opened:
        page = opened.page
        wait_for(page, MY_TURN)
        assert page.inner_text("#preview") == "Choose a patch, or advance."
        page.click("#advance")
        wait_for(page, f"pwtourney.state()?.plies.length > 1 && {MY_TURN}")
        assert page.inner_text("#preview").startswith("greedy ")
        quilt, tools = (page.locator(name).bounding_box() for name in (".near .quilt", ".hand"))
        assert quilt is not None
        assert tools is not None
        assert quilt["y"] + quilt["height"] <= tools["y"]
        near = (".hand", "#back", ".steps", "#track")
        places = [page.locator(name).bounding_box() for name in near]
        tops = [place["y"] for place in places if place is not None]
        assert tops == sorted(tops)  # what one does with the game is near the thumb
        assert len(tops) == 4


@pytest.mark.parametrize("width", thorough_but([390], [390, 1280]))
def test_special_patch_is_shown_with_what_to_do(arena: Server, browser: Any, width: int) -> None:
    """Its card has the patch, larger than a square of the board, and words that are not cut."""
    table = begin(arena, PERSON, BEN, deal="81")
    state = state_of(arena, table)
    while "leather" not in state["choices"]:
        act(arena, table, state["version"], "play", action=choose_action(state))
        state = state_of(arena, table)
    look = PHONE if width < 500 else {}
    with open_table(browser, arena, table, width=width, height=844, **look) as opened:
        page = opened.page
        wait_for(page, MY_TURN)
        card = page.locator("[data-card=leather]")
        assert "covers one empty square" in card.inner_text()
        square = page.locator(".near .quilt [data-square]").first.bounding_box()
        patch = card.locator(".patch-alone").bounding_box()
        assert patch["width"] >= 1.5 * square["width"]
        assert card.evaluate("(card) => card.scrollHeight <= card.clientHeight")
        assert page.inner_text("#preview") == (
            "Tap an empty square to place it." if look else "Click an empty square to place it."
        )


def test_panel_of_a_resigned_game_keeps_to_itself(arena: Server, browser: Any) -> None:
    """Its buttons lie within it, and it says once who wins; points decide nothing."""
    table = begin(arena, PERSON, BEN, deal="81")
    version = state_of(arena, table)["version"]
    act(arena, table, version, "resign", seat=0)
    with open_table(browser, arena, table, width=1280, height=800) as opened:
        page = opened.page
        wait_for(page, "pwtourney.state().over")
        panel = page.locator("#end").bounding_box()
        buttons = page.locator("#end .tool").all()
        places = [button.bounding_box() for button in buttons if button.is_visible()]
        assert len(places) >= 6
        for place in places:
            assert place["x"] >= panel["x"]
            assert place["x"] + place["width"] <= panel["x"] + panel["width"]
        assert page.inner_text("#end").count("Ben wins") == 1
        assert not page.locator("#points").is_visible()


def test_names_of_nine_letters_stay_whole_at_the_end(arena: Server, browser: Any) -> None:
    """The table of points holds the widest letters, M and W, at 1280 pixels."""
    wide = [{**PERSON, "name": letter * 9} for letter in "MW"]
    table = begin(arena, *wide, deal="81")
    while not (state := state_of(arena, table))["over"]:
        act(arena, table, state["version"], "play", action=choose_action(state))
    lines = "(name) => { const range = document.createRange(); range.selectNodeContents(name);"
    with open_table(browser, arena, table, width=1280, height=800) as opened:
        page = opened.page
        wait_for(page, "pwtourney.state()?.over")
        for name in page.locator("#points th .who").all():
            assert name.evaluate(lines + " return range.getClientRects().length; }") == 1
        table_of_points, panel = (page.locator(name) for name in ("#points table", "#end"))
        inner, outer = table_of_points.bounding_box(), panel.bounding_box()
        assert inner["x"] >= outer["x"]
        first = page.locator("#rematch").bounding_box()
        assert inner["x"] + inner["width"] <= first["x"]
        assert page.locator("#points th .who").count() == 2


def test_phone_shows_the_end_once_when_the_game_ends(arena: Server, browser: Any) -> None:
    """The headline is in view after "resign", which lies below the first screen.

    A reader who has scrolled on stays there, whatever is drawn again, and also at a reload.
    """
    table = begin(arena, PERSON, BEN, deal="81")
    with open_table(browser, arena, table, width=390, height=844, **PHONE) as opened:
        page = opened.page
        wait_for(page, MY_TURN)
        assert not page.locator("#help").is_visible()  # a phone has no keys
        resign = page.locator("#resign")
        resign.scroll_into_view_if_needed()
        assert page.evaluate("scrollY") > 0
        resign.tap()
        resign.tap()
        wait_for(page, "pwtourney.state()?.over && scrollY === 0")
        headline = page.locator("#headline").bounding_box()
        assert 0 < headline["y"] < 844 - headline["height"]
        page.evaluate("scrollTo({ top: 300, behavior: 'instant' })")
        page.emulate_media(color_scheme="dark", reduced_motion="reduce")
        page.evaluate(DRAWN)
        assert page.evaluate("scrollY") == 300
        page.reload()
        wait_for(page, "globalThis.pwtourney?.state()?.over && scrollY === 300")


@pytest.mark.thorough
def test_narrow_window_with_a_mouse_has_the_button_of_the_keys(arena: Server, browser: Any) -> None:
    """A narrow window of a desktop has a keyboard."""
    table = begin(arena, PERSON, BEN, deal="81")
    with open_table(browser, arena, table, width=390, height=844) as opened:
        wait_for(opened.page, MY_TURN)
        assert opened.page.locator("#help").is_visible()


CARD_GAPS = """() => [...document.querySelectorAll("#offer .card")].flatMap((card) => {
  const box = card.getBoundingClientRect();
  return [...card.querySelectorAll(".price, small")].flatMap((part) => {
    const range = document.createRange();
    range.selectNodeContents(part);
    const { left, right } = range.getBoundingClientRect();
    return [left - box.left, box.right - right];
  });
})"""
"""Measures how far prices and texts are from the sides of their cards."""

ICON_SIZES = """() => [...document.querySelectorAll("#offer .price .icon")].map((icon) => {
  const { width, height } = icon.getBoundingClientRect();
  return [width, height, parseFloat(getComputedStyle(icon.parentElement).fontSize)];
})"""
"""Measures the pictures of prices, and the letters next to them."""


@pytest.mark.parametrize("width", thorough_but([390], [360, 390, 1280]))
def test_cards_keep_texts_and_prices_off_their_borders(
    arena: Server, browser: Any, width: int
) -> None:
    """Also the price of patch 20, which has three numbers; no picture of a price shrinks."""
    table = begin(arena, PERSON, BEN, deal="81")
    look = PHONE if width < 500 else {}
    with open_table(browser, arena, table, width=width, height=844, **look) as opened:
        page = opened.page
        wait_for(page, MY_TURN)
        page.locator("#offer small").evaluate_all(
            "(texts) => texts.forEach((text) => { text.textContent ="
            " 'income pays 12, you keep 15, move again'; })"
        )
        assert min(page.evaluate(CARD_GAPS)) >= 5
        sizes = page.evaluate(ICON_SIZES)
        assert len(sizes) >= 7
        for wide, high, letters in sizes:
            assert wide == pytest.approx(letters, abs=0.1)
            assert high == pytest.approx(letters, abs=0.1)


RICH_STEP = {
    "buttons": [5, 12],
    "income": [3, 5],
    "space": [4, 10],
    "marks": 1,
    "paid": 5,
    "leathers": 1,
    "tile": True,
    "again": True,
    "over": False,
}
"""The effect of an action that changes all that an action can."""


def test_sentences_are_not_cut(arena: Server, browser: Any) -> None:
    """Neither a hint of three lines, nor what happened, at 1280 pixels."""
    table = begin(arena, PERSON, BEN, deal="81")
    hidden = "({ scrollHeight, clientHeight }) => scrollHeight - clientHeight"
    with open_table(browser, arena, table, width=1280, height=800) as opened:
        page = opened.page
        wait_for(page, MY_TURN)
        patch = state_of(arena, table)["choices"]["patches"][1]["patch"]
        answer = {"hint": f"{patch}:r0:a1", "expects": -12.5}
        page.route("**/hint", lambda route: route.fulfill(json=answer))
        page.route("**/look", lambda route: route.fulfill(json=RICH_STEP))
        page.keyboard.press("h")
        wait_for(page, "document.querySelector('#preview').textContent.includes('special tile')")
        page.evaluate(DRAWN)
        assert page.locator("#preview").evaluate(hidden) <= 0
        assert page.locator("#status").evaluate(hidden) <= 0
