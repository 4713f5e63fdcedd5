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
        page.click("#show-editor")
        page.wait_for_selector("#edit-verdict.passed")
        assert f"{len(start.legal_actions())} moves are legal" in page.inner_text("#edit-verdict")
        page.click(f"#edit-circle button:has-text('patch {number}:')")
        page.click('#edit-boards [data-square="80"] >> nth=0')
        assert page.inner_text("#edit-verdict") == f"Patch {number} does not fit on i9."
        assert page.is_enabled("#edit-open"), "nothing has changed"
        page.click('#edit-boards [data-square="0"] >> nth=0')
        page.wait_for_selector("#edit-verdict.passed:text('This position is possible')")
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
        page.click("#show-editor")
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
