"""Whole games in a real browser: by drag and drop, touch and keyboard; reloads, a killed server."""

import json
import re
import signal
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.arena.playing import GREEDY, PERSON, begin, check_record, record_of
from tests.arena.serving import Server, served
from tests.report.browser import PLAY_BROWSER, Held, Opened, wait_for

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = [pytest.mark.slow(5), PLAY_BROWSER]
QUIET: dict[str, Any] = {"reduced_motion": "reduce"}
REST = "() => new Promise(done => setTimeout(done, 20))"
"""Waits 20 ms, so that a quick drag looks like a fling to Chromium, which ignores the next tap."""

PREVIEW = "document.querySelector('#preview').textContent"
ACTION = "document.querySelector('#preview').dataset.action"

MY_TURN = (
    "pwtourney.state() && !document.querySelector('.carried')"
    " && (pwtourney.state().choices || pwtourney.state().over)"
)


def open_table(browser: Any, server: Server, table: str, **look: Any) -> Opened:
    """Open the page of a table."""
    return Opened(browser, f"http://127.0.0.1:{server.port}{table}", **QUIET, **look)


def version(page: "Page") -> int:
    """Return the version of the table that the page shows."""
    number: int = page.evaluate("pwtourney.state().version")
    return number


def pick(page: "Page") -> tuple[str, list[int]] | None:
    """Return a card that fits as it lies on offer, upright, and its corner; None if none does."""
    card = page.evaluate(
        """() => {
          const { choices } = pwtourney.state();
          const { leather } = choices;
          if (leather) return leather.length ? ["leather", leather[0]] : null;
          const upright = ({ patch, aliases }) => {
            const [rows] = pwtourney.facts.edition.patches[patch];
            return aliases[rows[0].length > rows.length ? 1 : 0];
          };
          const one = choices.patches.find((each) => each.legal[upright(each)]);
          return one ? [String(one.patch), one.legal[upright(one)][0]] : null;
        }"""
    )
    return None if card is None else (card[0], list(divmod(card[1], 9)))


def centre_of(page: "Page", card: str, corner: list[int]) -> tuple[float, float]:
    """Return the window position of a patch's middle when its corner is on this square."""
    x, y = page.evaluate(
        """([card, [row, column]]) => {
          const { edition } = pwtourney.facts;
          const rows = card === "leather" ? ["#"] : edition.patches[card][0];
          const svg = document.querySelector(".mine .quilt");
          const size = pwtourney.square;
          const [wide, high] = [rows[0].length, rows.length].sort();
          const [x, y] = [column + wide / 2, row + high / 2];
          const point = new DOMPoint(x * size, y * size).matrixTransform(svg.getScreenCTM());
          return [point.x, point.y];
        }""",
        [card, corner],
    )
    return x, y


def press_play(page: "Page", play: Callable[[], None]) -> None:
    """Play what is shown, and wait until it is the person's turn again, or the game is over."""
    before = version(page)
    play()
    wait_for(page, f"pwtourney.state().version > {before} && ({MY_TURN})")


def play_out(
    page: "Page", lay: Callable[[str, list[int]], None], click: Callable[[str], None]
) -> None:
    """Play until the game is over."""
    wait_for(page, MY_TURN)
    while not page.evaluate("Boolean(pwtourney.state().over)"):
        choice = pick(page)
        if choice is None:
            press_play(page, lambda: click("#advance, #decline"))
            continue
        lay(*choice)
        wait_for(page, "!document.querySelector('#play').disabled")
        press_play(page, lambda: click("#play"))


def check_end(page: "Page", server: Server, table: str) -> None:
    """Check that the page's result equals that of the saved game, which is replayed."""
    last = check_record(record_of(server, table))
    assert last.is_over
    over = page.evaluate("pwtourney.state().over")
    assert (tuple(over["scores"]), over["winner"]) == (last.scores, last.winner)
    shown = (page.text_content("#result") or "").replace("−", "-")
    assert f"Ann {last.scores[0]}, greedy {last.scores[1]}" in shown
    totals = page.locator("#points .total td").all_inner_texts()
    assert [int(total.replace("−", "-")) for total in totals] == list(last.scores)


def drag(page: "Page", card: str, corner: list[int]) -> None:
    """Drag a card to its place with the mouse."""
    box = page.locator(f"[data-card='{card}']").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 20)
    page.mouse.down()
    x, y = centre_of(page, card, corner)
    page.mouse.move(x - 40, y - 10)
    page.mouse.move(x, y)
    page.mouse.up()


@pytest.mark.thorough
@pytest.mark.slow(20)
def test_whole_game_by_drag_and_drop(arena: Server, browser: Any) -> None:
    """Against greedy, on a desktop, with a reload; the engine computes the same score."""
    table = begin(arena, PERSON, GREEDY, deal="81")
    with open_table(browser, arena, table, width=1400, height=900) as opened:
        page = opened.page
        wait_for(page, MY_TURN)
        drag(page, *(pick(page) or ("", [])))
        press_play(page, lambda: page.click("#play"))
        plies = page.evaluate("pwtourney.state().plies")
        assert len(plies) > 1
        page.reload()
        page.wait_for_selector("html[data-ready=yes]")
        assert page.evaluate("pwtourney.state().plies") == plies
        play_out(page, lambda *choice: drag(page, *choice), page.click)
        check_end(page, arena, table)
        assert not opened.complaints


@pytest.mark.thorough
@pytest.mark.slow(20)
def test_whole_game_by_touch_on_a_phone(arena: Server, browser: Any) -> None:
    """Fingers drag patches from their cards to the board; the engine computes the same score."""
    table = begin(arena, PERSON, GREEDY, deal="82")
    look = {"has_touch": True, "is_mobile": True, "device_scale_factor": 2}
    with open_table(browser, arena, table, width=390, height=844, **look) as opened:
        page = opened.page
        touch = page.context.new_cdp_session(page)

        def send(kind: str, *points: tuple[float, float]) -> None:
            touches = [{"x": x, "y": y} for x, y in points]
            touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": touches})

        def drag_by_finger(card: str, corner: list[int]) -> None:
            page.evaluate("scrollTo(0, 0)")
            box = page.locator(f"[data-card='{card}']").bounding_box()
            assert box is not None
            send("touchStart", (box["x"] + box["width"] / 2, box["y"] + 20))
            x, y = centre_of(page, card, corner)
            page.evaluate(REST)
            send("touchMove", (x, y + 20))
            send("touchMove", (x, y + 46))  # the patch is shown above the finger
            send("touchEnd")

        play_out(page, drag_by_finger, page.tap)
        check_end(page, arena, table)
        assert not opened.complaints


@pytest.mark.thorough
@pytest.mark.slow(20)
def test_whole_game_by_keyboard_alone(arena: Server, browser: Any) -> None:
    """Digits take patches, arrows and letters move them, Enter plays; the focus is never lost."""
    table = begin(arena, PERSON, GREEDY, deal="83")
    with open_table(browser, arena, table) as opened:
        page = opened.page
        wait_for(page, MY_TURN)
        moved = False

        def play_by_key() -> None:
            press_play(page, lambda: page.keyboard.press("Enter"))
            assert page.evaluate(
                "document.querySelector('#table').contains(document.activeElement)"
            )

        while not page.evaluate("Boolean(pwtourney.state().over)"):
            choice = pick(page)
            if choice is None:
                page.keyboard.press("a")
                play_by_key()
                continue
            offer = page.evaluate(
                "(pwtourney.state().choices.patches ?? []).map((each) => String(each.patch))"
            )
            page.keyboard.press(str(offer.index(choice[0]) + 1) if choice[0] in offer else "1")
            if not moved and page.evaluate("!pwtourney.state().choices.leather"):
                for key in ("r", "ArrowRight", "Shift+R", "ArrowLeft", "f", "f"):
                    page.keyboard.press(key)
                moved = True
            wait_for(page, "!document.querySelector('#play').disabled")
            play_by_key()
        check_end(page, arena, table)
        assert moved
        assert not opened.complaints


@pytest.mark.thorough
@pytest.mark.slow(10)
def test_killed_server_has_lost_nothing(browser: Any, tmp_path: Path) -> None:
    """A restarted server has all that the page showed, and the game continues."""
    with served("--games", str(tmp_path)) as server:
        table = begin(server, PERSON, GREEDY, deal="84")
        with open_table(browser, server, table) as opened:
            page = opened.page
            for _ in range(3):
                wait_for(page, MY_TURN)
                press_play(page, lambda: page.click("#advance"))
            shown = page.evaluate("pwtourney.state().plies")
            server.process.send_signal(signal.SIGKILL)
            server.process.wait(20)
            page.click("#advance")
            wait_for(
                page, "document.querySelector('#preview').textContent.includes('does not answer')"
            )
            assert page.evaluate("pwtourney.state().plies") == shown
    with (
        served("--games", str(tmp_path)) as server,
        open_table(browser, server, table) as opened,
    ):
        page = opened.page
        assert page.evaluate("pwtourney.state().plies") == shown
        wait_for(page, MY_TURN)
        press_play(page, lambda: page.click("#advance"))
        assert len(page.evaluate("pwtourney.state().plies")) > len(shown)


@pytest.mark.thorough
def test_preview_shows_the_effect_of_an_action_or_why_it_is_illegal(
    arena: Server, browser: Any
) -> None:
    """The reason is the engine's, and the numbers are those of the rules."""
    table = begin(arena, PERSON, {**PERSON, "name": "Ben"}, deal="81")
    with open_table(browser, arena, table) as opened:
        page = opened.page
        # deal 81 offers patches 20, 7 and 10 first; 20 costs 10 buttons, 7 costs 3
        assert page.inner_text("#preview") == "Choose a patch, or advance."
        page.click("[data-card='20']")
        wait_for(page, f"{PREVIEW} === 'It costs 10 buttons and you have 5.'")
        page.mouse.click(*centre_of(page, "20", [0, 0]))
        wait_for(page, f"{ACTION}.startsWith('20:') && {PREVIEW}.includes('costs')")
        assert page.inner_text("#preview") == "It costs 10 buttons and you have 5."
        assert page.is_disabled("#play")
        assert re.match(r"advance\s+\+1\s+1 space to 1", page.inner_text("#advance"))
        page.click("[data-card='7']")
        wait_for(page, f"{PREVIEW} === 'Click a square to place it; R turns it, F flips it.'")
        lit = page.locator(".lights circle").count()
        page.mouse.click(*centre_of(page, "7", [0, 0]))
        wait_for(page, f"{PREVIEW}.includes('5 → 2 buttons, income 0 → 1, ')")
        assert page.get_attribute("#preview", "data-action") == "7:r90:a1"
        assert lit == 81
        page.keyboard.press("ArrowDown")
        page.keyboard.press("r")
        wait_for(page, f"{ACTION}.startsWith('7:r0')")
        page.mouse.move(*centre_of(page, "7", [4, 4]))
        page.mouse.wheel(0, 100)
        wait_for(page, f"{ACTION}.startsWith('7:r90')")
        press_play(page, lambda: page.click("#play"))
        assert "Ann takes a patch for 3 buttons" in page.inner_text("#status")
        assert page.inner_text("#status").endswith("Ben is to move.")
        page.keyboard.press("u")
        wait_for(page, "pwtourney.state().plies.length === 0")


@pytest.mark.thorough
def test_two_pages_of_one_table_show_the_same(arena: Server, browser: Any) -> None:
    """An action in one page is seen in the other; a double click plays once."""
    table = begin(arena, PERSON, {**PERSON, "name": "Ben"}, deal="81")
    with (
        open_table(browser, arena, table) as first,
        open_table(browser, arena, table) as second,
    ):
        wait_for(first.page, MY_TURN)
        held = Held(first.page, "**/action")  # the answer comes after both clicks
        first.page.dblclick("#advance")
        held.release()
        assert len([url for url in first.requests if url.endswith("/action")]) == 1
        wait_for(second.page, "pwtourney.state().plies.length > 0")
        wait_for(first.page, "pwtourney.state().plies.length > 0")
        assert first.page.evaluate("pwtourney.state().plies.length") == 1
        assert "Ben is to move." in second.page.inner_text("#status")


@pytest.mark.thorough
def test_late_answer_keeps_the_patch_in_hand(arena: Server, browser: Any) -> None:
    """An event has already brought the state; a patch taken since then stays and can be played."""
    table = begin(arena, PERSON, {**PERSON, "name": "Ben"}, deal="81")
    with open_table(browser, arena, table) as opened:
        page = opened.page
        wait_for(page, MY_TURN)
        held = Held(page, "**/action")
        before = version(page)
        page.click("#advance")
        answer = held.wait().fetch()
        wait_for(page, f"pwtourney.state().version > {before}")
        page.keyboard.press("2")
        with page.expect_response("**/action"):
            held.wait().fulfill(response=answer)
        wait_for(page, "!document.querySelector('#play').disabled")
        press_play(page, lambda: page.keyboard.press("Enter"))
        first, *_ = page.evaluate("pwtourney.state().plies")
        assert first[:2] == [0, "advance"]
        assert len(page.evaluate("pwtourney.state().plies")) == 2


@pytest.mark.thorough
def test_next_action_needs_no_answer_to_the_last(arena: Server, browser: Any) -> None:
    """An event has already brought the turn: the next click counts, a late answer is ignored."""
    table = begin(arena, PERSON, {**PERSON, "name": "Ben"}, deal="81")
    with open_table(browser, arena, table) as opened:
        page = opened.page
        wait_for(page, MY_TURN)
        held = Held(page, "**/action")
        answers: list[Any] = []

        def advance_unanswered() -> None:
            page.click("#advance")
            answers.append(held.wait().fetch())

        press_play(page, advance_unanswered)
        press_play(page, lambda: page.click("#advance"))
        with page.expect_response("**/action"):
            held.wait().fulfill(response=answers[0])
        press_play(page, lambda: page.click("#advance"))
        assert [ply[1] for ply in page.evaluate("pwtourney.state().plies")] == ["advance"] * 3


def test_form_makes_the_requested_table(arena: Server, browser: Any) -> None:
    """Against the Automa, with a person's clock and a seed; a problem is shown in the form."""
    address = f"http://127.0.0.1:{arena.port}/play/new?deal=nonsense"
    with Opened(browser, address, **QUIET) as opened:
        page = opened.page
        page.fill("fieldset[data-seat='0'] [name=name]", "Ann")
        page.select_option("fieldset[data-seat='0'] [name=clock]", "game")
        page.fill("fieldset[data-seat='0'] [name=seconds]", "300")
        page.select_option("[data-who='1']", "automa:")
        page.select_option("#edition", "anniversary")
        page.click("#begin")
        wait_for(page, "document.querySelector('#problem').textContent")
        assert "a patch must be a whole number" in page.inner_text("#problem")
        page.fill("#deal", "5")
        page.click("#begin")
        page.wait_for_url(re.compile("/play/[a-z2-9]{12}$"))
        page.wait_for_selector("html[data-ready=yes]")
        wait_for(page, MY_TURN)
        assert re.fullmatch(r"5:00|4:5\d", page.inner_text("#clock-0"))
        facts = json.loads(page.text_content("#facts") or "")
        assert [seat["kind"] for seat in facts["seats"]] == ["person", "automa"]
        assert facts["seats"][0]["clock"]["game_ms"] == 300_000
        press_play(page, lambda: page.click("#advance"))
        assert "automa turns over card" in page.inner_text("#status")
        assert not opened.complaints or all("422" in text for text in opened.complaints)


def test_game_begins_with_one_click_on_an_opponent(arena: Server, browser: Any) -> None:
    """Against greedy, with a random seat and two seconds a move for it; the person is "you"."""
    with Opened(browser, f"{arena.address}play", **QUIET) as opened:
        page = opened.page
        page.click("[data-opponent=greedy]")
        page.wait_for_url(re.compile("/play/[a-z2-9]{12}$"))
        page.wait_for_selector("html[data-ready=yes]")
        wait_for(page, MY_TURN)
        facts = page.evaluate("pwtourney.facts")
        assert sorted(seat["name"] for seat in facts["seats"]) == ["greedy", "you"]
        bot = next(seat for seat in facts["seats"] if seat["kind"] == "bot")
        assert bot["clock"]["move_ms"] == 2000
        assert page.title() == f"Your turn · {' – '.join(seat['name'] for seat in facts['seats'])}"
        assert page.locator(".rating").all_inner_texts() == ["0 Elo (greedy = 0)"]
        who = page.locator(".who[title^='greedy: Counts what each patch brings']")
        assert who.inner_text() == "greedy"
        press_play(page, lambda: page.click("#advance"))
        assert not opened.complaints


@pytest.mark.thorough
def test_level_of_a_bot_stays_with_it(arena: Server, browser: Any) -> None:
    """The name at the table has the level, and the form of a branch repeats it in either seat."""
    with Opened(browser, f"{arena.address}play", **QUIET) as opened:
        page = opened.page
        page.click("[data-opponent=greedy][data-level=beginner]")
        page.wait_for_url(re.compile("/play/[a-z2-9]{12}$"))
        page.wait_for_selector("html[data-ready=yes]")
        wait_for(page, MY_TURN)
        names = [seat["name"] for seat in page.evaluate("pwtourney.facts.seats")]
        assert sorted(names) == ["greedy (beginner)", "you"]
        seat = names.index("greedy (beginner)")
        page.goto(f"{arena.address}play/new?from={page.url.rpartition('/')[2]}&ply=0")
        skills = [page.locator(f"fieldset[data-seat='{index}'] [name=skill]") for index in (0, 1)]
        assert skills[seat].input_value() == "beginner"
        assert not skills[1 - seat].is_visible()
        page.click("#swap")
        assert skills[1 - seat].input_value() == "beginner"
        assert not skills[seat].is_visible()
        page.click("#begin")
        page.wait_for_url(re.compile("/play/[a-z2-9]{12}$"))
        page.wait_for_selector("html[data-ready=yes]")
        names = [seat["name"] for seat in page.evaluate("pwtourney.facts.seats")]
        assert names.index("greedy (beginner)") == 1 - seat
        assert not opened.complaints


def test_rematch_swaps_the_seats_in_one_click(arena: Server, browser: Any) -> None:
    """The end shows who won, without points if one resigned, and leads to another deal."""
    table = begin(arena, PERSON, GREEDY, deal="81")
    with open_table(browser, arena, table) as opened:
        page = opened.page
        wait_for(page, MY_TURN)
        # the second press counts for four seconds
        page.evaluate("[1, 2].forEach(() => document.getElementById('resign').click())")
        wait_for(page, "pwtourney.state().over")
        assert page.inner_text("#headline") == "Ann resigned: greedy wins"
        assert not page.is_visible("#points")
        page.click("#rematch")
        page.wait_for_url(lambda address: not address.endswith(table))
        page.wait_for_selector("html[data-ready=yes]")
        names = [seat["name"] for seat in page.evaluate("pwtourney.facts.seats")]
        assert names == ["greedy", "Ann"]
        assert not opened.complaints


def test_reader_can_look_back_while_the_game_goes_on(arena: Server, browser: Any) -> None:
    """An earlier move is shown again with its sentence, and nothing can be played meanwhile."""
    table = begin(arena, PERSON, {**PERSON, "name": "Ben"}, deal="81")
    with open_table(browser, arena, table) as opened:
        page = opened.page
        for _ in range(3):
            wait_for(page, MY_TURN)
            press_play(page, lambda: page.click("#advance"))
        page.locator("#moves button").last.click()
        assert page.inner_text("#step") == "" or page.inner_text("#step").endswith("of 3")
        page.click("#earlier")
        page.click("#earlier")
        assert page.inner_text("#step") == "move 1 of 3"
        assert page.inner_text("#status").startswith("Ann advances 1 space and receives 1 button")
        assert page.locator("button.card").count() == 0
        assert page.locator(".rating").count() == 0  # people have none
        links = page.locator("#plain a")
        assert links.all_inner_texts() == ["play on from here", "analyse"]
        assert links.nth(0).get_attribute("href") == f"/play/new?from={table[6:]}&ply=1"
        assert links.nth(1).get_attribute("href") == f"/analyse?table={table[6:]}#ply=1"
        page.click("#now")
        assert links.count() == 0
        assert page.inner_text("#step") == ""
        assert page.locator("#advance").count() == 1
        assert not opened.complaints
