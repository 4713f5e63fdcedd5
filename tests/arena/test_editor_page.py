"""Positions are set up in a real browser: placed, numbered, and checked by the rules."""

from typing import Any

import pytest

from pwtourney.rules import Edition, State
from tests.arena.analysing import MOVES, read_covered
from tests.arena.serving import Server
from tests.report.browser import STUDY_BROWSER, Held, Opened
from tests.rules.positions import ORIGINAL

pytestmark = [STUDY_BROWSER, pytest.mark.slow(3)]


def find_small_patch(edition: Edition, start: State) -> int:
    """Return an affordable patch on offer at the start."""
    return next(
        number for number in start.offer if edition.patch[number].cost <= edition.start_buttons
    )


@pytest.mark.thorough
def test_position_is_set_up_and_checked(arena: Server, browser: Any) -> None:
    """A patch is placed with its cost and time; a wrong number is named until it is right again."""
    start = State.start(ORIGINAL, 1)
    number = find_small_patch(ORIGINAL, start)
    patch = ORIGINAL.patch[number]
    with Opened(browser, f"{arena.address}analyse") as opened:
        page = opened.page
        page.click("#set-up")
        page.wait_for_selector("#edit-verdict.passed")
        assert f"{len(start.legal_actions())} moves are legal" in page.inner_text("#edit-verdict")
        page.click(f"#edit-circle button:has-text('patch {number}:')")
        page.click('#edit-boards [data-square="80"] >> nth=0')
        page.wait_for_selector(f"#edit-said:text-is('Patch {number} does not fit on i9.')")
        assert page.is_enabled("#edit-open"), "nothing has changed"
        page.click('#edit-boards [data-square="0"] >> nth=0')
        page.wait_for_selector("#edit-said:text('The second seat is to move.')")
        assert "This position is possible" in page.inner_text("#edit-verdict")
        fields = page.locator("#edit-boards .board >> nth=0").locator("input")
        paid = str(ORIGINAL.start_buttons - patch.cost)
        shown = [fields.nth(index).input_value() for index in range(3)]
        assert shown == [paid, str(patch.income), str(patch.time)]
        assert page.is_checked("[name=edit-to-move][value='1']")
        for index, wrong, right, needed in (
            (2, "60", str(patch.time), "the first seat is on space 60, but the last is 53"),
            (0, "77", paid, "buttons at most, not 77"),
        ):
            fields.nth(index).fill(wrong)
            fields.nth(index).press("Tab")
            page.wait_for_selector(f"#edit-verdict.failed:text('{needed}')")
            assert page.is_disabled("#edit-open")
            fields.nth(index).fill(right)
            fields.nth(index).press("Tab")
            page.wait_for_selector("#edit-verdict.passed")
        page.click("#edit-open")
        page.wait_for_selector(MOVES)
        assert read_covered(page) == [len(patch.shape), 0]
        assert opened.complaints == []


@pytest.mark.thorough
def test_position_is_set_up_with_the_keyboard(arena: Server, browser: Any) -> None:
    """Arrows and Enter cover a square, which no game reaches; undo works too."""
    with Opened(browser, f"{arena.address}analyse?seed=1&edition=original") as opened:
        page = opened.page
        page.click("#show-editor")
        page.wait_for_selector("#edit-verdict.passed")
        page.focus(".edit-quilt")
        for key in ("ArrowRight", "ArrowDown", "Enter"):
            page.keyboard.press(key)
        page.wait_for_selector("#edit-verdict.failed")
        assert "cover 0 squares, but 1 are covered" in page.inner_text("#edit-verdict")
        assert page.locator("#edit-boards .quilt[aria-label*='1 of 81']").count() == 1
        assert page.evaluate("document.activeElement.matches('.edit-quilt')")
        page.focus("#edit-undo")
        page.keyboard.press("Enter")
        page.wait_for_selector("#edit-verdict.passed")


@pytest.mark.thorough
def test_only_checked_positions_can_be_opened(arena: Server, browser: Any) -> None:
    """Each typed character invalidates the last verdict, and answers that are still to come."""
    possible = "document.querySelector('#edit-verdict').className === 'passed'"
    with Opened(browser, f"{arena.address}analyse") as opened:
        page = opened.page
        page.click("#set-up")
        page.wait_for_selector("#edit-verdict.passed")
        page.click("#edit-boards input >> nth=0")
        page.keyboard.press("Home")
        page.keyboard.type("77")  # typed before the 5 buttons: 775
        assert not page.evaluate(possible)
        assert page.is_disabled("#edit-open")
        page.wait_for_selector("#edit-verdict.failed:text('not 775')")
        page.click("#edit-open", force=True)
        assert page.is_disabled("#edit-open")
        assert page.is_hidden("#desk")
        page.click("#edit-undo")  # the typed characters are one step
        page.wait_for_selector("#edit-verdict.passed")
        assert page.input_value("#edit-boards input >> nth=0") == "5"

        # the answer about 5 buttons comes after a 6 was typed
        late = Held(page, "**/check")
        page.click("#edit-pending")
        page.keyboard.type("0")
        page.keyboard.press("Backspace")
        request = late.wait()
        assert page.inner_text("#edit-verdict") == "Checking …"
        answer = request.fetch()
        page.route("**/check", lambda _: None)
        page.locator("#edit-boards input >> nth=0").press("Home")
        page.keyboard.type("6")
        with page.expect_response("**/check"):
            late.wait().fulfill(response=answer)
        assert not page.evaluate(possible)
        assert page.is_disabled("#edit-open")
        assert opened.complaints == []


@pytest.mark.thorough
def test_typed_number_is_kept_until_the_reader_takes_another(arena: Server, browser: Any) -> None:
    """The rules say what the buttons are after a patch; a click fills it in, undo takes it back."""
    number = find_small_patch(ORIGINAL, State.start(ORIGINAL, 1))
    left = 9 - ORIGINAL.patch[number].cost
    with Opened(browser, f"{arena.address}analyse") as opened:
        page = opened.page
        page.click("#set-up")
        page.wait_for_selector("#edit-verdict.passed")
        page.fill("[data-field='buttons:0']", "9")
        page.click(f"#edit-circle button:has-text('patch {number}:')")
        page.click('#edit-boards [data-square="0"] >> nth=0')
        page.wait_for_selector(f"#edit-kept:text('buttons 9 → {left}')")
        assert page.input_value("[data-field='buttons:0']") == "9"
        assert page.input_value("[data-field='space:0']") != "0"
        page.click("#edit-take")
        assert page.input_value("[data-field='buttons:0']") == str(left)
        assert page.is_hidden("#edit-take")
        page.click("#edit-undo")
        assert page.input_value("[data-field='buttons:0']") == "9"
        page.click("#edit-undo")
        assert page.inner_text("#edit-taken-sum") == "All patches are in the circle."
        assert opened.complaints == []


@pytest.mark.thorough
def test_number_that_is_typed_during_an_answer_stays(arena: Server, browser: Any) -> None:
    """The patch lies there when the answer comes, and the position is checked as it is shown."""
    number = find_small_patch(ORIGINAL, State.start(ORIGINAL, 1))
    with Opened(browser, f"{arena.address}analyse") as opened:
        page = opened.page
        page.click("#set-up")
        page.wait_for_selector("#edit-verdict.passed")
        page.click(f"#edit-circle button:has-text('patch {number}:')")
        held = Held(page, "**/check")
        page.click('#edit-boards [data-square="0"] >> nth=0')
        held.wait()
        page.fill("[data-field='buttons:0']", "77")
        held.release()
        page.wait_for_selector("#edit-verdict.failed:text('not 77')")
        assert page.input_value("[data-field='buttons:0']") == "77"
        assert page.locator("#edit-boards .quilt[aria-label*=': 0 of 81']").count() == 1
        assert opened.complaints == []


SHOWN = ("#edit-circle", "#edit-verdict", "#edit-open", "#edit-turn", "#edit-fields")
"""What a reader needs at once, apart from the boards with their numbers."""


@pytest.mark.thorough
@pytest.mark.parametrize(("width", "height"), [(1280, 800), (1440, 900), (1920, 1080)])
def test_first_screen_has_all_of_the_editor(
    arena: Server, browser: Any, width: int, height: int
) -> None:
    """Circle, boards, numbers and verdict lie within it, and use half of its width at least."""
    address = f"{arena.address}analyse"
    with Opened(browser, address, width=width, height=height) as opened:
        page = opened.page
        page.click("#set-up")
        page.wait_for_selector("#edit-verdict.passed")
        boards = [page.locator(".edit-quilt .quilt").nth(seat).bounding_box() for seat in (0, 1)]
        boxes = boards + [page.locator(part).bounding_box() for part in SHOWN]
        assert all(box["y"] + box["height"] <= height for box in boxes)
        assert boards[0]["y"] == boards[1]["y"]
        assert sum(board["width"] for board in boards) > width / 2
        left = page.locator("#title").bounding_box()["x"]
        assert page.locator("#edit-circle").bounding_box()["x"] == left, "the gutter of the view"


@pytest.mark.thorough
def test_verdict_stays_on_the_screen_of_a_phone(arena: Server, browser: Any) -> None:
    """A square is large enough for a finger, and nothing is wider than the window."""
    address = f"{arena.address}analyse"
    with Opened(browser, address, width=390, height=844, has_touch=True) as opened:
        page = opened.page
        page.click("#set-up")
        page.wait_for_selector("#edit-verdict.passed")
        assert page.evaluate("document.documentElement.scrollWidth") == 390
        page.locator(".edit-quilt").nth(1).scroll_into_view_if_needed()
        verdict = page.locator("#edit-open").bounding_box()
        assert 0 < verdict["y"] <= 844 - verdict["height"]
        square = page.locator(".edit-quilt [data-square]").first.bounding_box()
        assert square["width"] > 36
