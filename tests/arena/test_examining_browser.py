"""Bots asked from a real browser: late answers, and the focus during an answer."""

from collections.abc import Iterator
from typing import Any

import pytest

from pwtourney.notation import read_action
from pwtourney.rules import State
from tests.arena.analysing import MOVES
from tests.arena.serving import Server
from tests.arena.test_analyse_page import greedy_choice
from tests.report.browser import STUDY_BROWSER, Held, Opened, wait_for
from tests.rules.positions import ORIGINAL

pytestmark = [STUDY_BROWSER, pytest.mark.slow(3)]


@pytest.fixture
def opened(arena: Server, browser: Any) -> Iterator[Opened]:
    """Open a new deal, with greedy as the bot to ask."""
    with Opened(browser, f"{arena.address}analyse?seed=1&edition=original") as opened:
        opened.page.wait_for_selector(MOVES)
        opened.page.locator(".bots .bot").nth(0).select_option("greedy")
        yield opened
        assert opened.complaints == []


def list_followed(opened: Opened) -> list[str]:
    """Return the analyses whose events the page has requested."""
    return [
        address.partition("/events/")[2].partition("?")[0]
        for address in opened.requests
        if "/analyse/events/" in address
    ]


@pytest.mark.thorough
def test_double_click_asks_once(opened: Opened) -> None:
    """The first question is stopped, and the page does not follow it."""
    page, requests = opened.page, []
    page.on("request", lambda request: requests.append(request))
    held = Held(page, "**/analyse/ask")
    page.click("#ask")
    page.click("#ask")
    first = held.release()
    page.wait_for_selector(".answer .state button", timeout=60_000)
    followed = list_followed(opened)
    stopped = [request.post_data_json for request in requests if request.url.endswith("/stop")]
    assert len(followed) == 1
    assert stopped == [{"id": first.json()["id"]}]
    assert stopped[0]["id"] not in followed


@pytest.mark.thorough
def test_late_answers_for_another_deal_are_ignored(opened: Opened) -> None:
    """The pending question is stopped unread when another deal is opened."""
    page = opened.page
    held = Held(page, "**/analyse/ask")
    page.click("#ask")
    page.click("#show-opening")
    page.fill("#deal-seed", "2")
    with page.expect_response("**/analyse/open"):
        page.click("#deal button")
    wait_for(page, "location.search.includes('seed=2')")
    with page.expect_request("**/analyse/stop"):
        held.wait().continue_()
    assert list_followed(opened) == []
    assert page.locator("#answers > *").count() == 0


@pytest.mark.thorough
def test_answers_deepen_while_one_of_their_lines_has_the_focus(opened: Opened) -> None:
    """Better lines come, and the final answer; the focus stays on a line."""
    page = opened.page
    page.locator(".bots .bot").nth(0).select_option("lookahead")
    page.locator(".bots .value").nth(0).fill("1.5")
    page.click("#ask")
    page.wait_for_selector("#answers .best")
    page.focus("#answers .best")
    page.wait_for_selector(".answer .state button", timeout=60_000)
    assert page.evaluate("document.activeElement.matches('#answers .best')")


@pytest.mark.thorough
def test_new_question_replaces_focused_answers(opened: Opened) -> None:
    """A clicked answer is played from the position it belongs to."""
    page, start = opened.page, State.start(ORIGINAL, 1)
    first = greedy_choice(start)
    after = start.apply(read_action(first, start))
    second = greedy_choice(after)
    answer = ".answer .state button"
    page.click("#ask")
    page.click(f"{answer}[data-line='{first}']", timeout=60_000)
    page.wait_for_selector(f".lines [aria-current][data-action='{first}']")
    page.evaluate("document.querySelector('#ask').click()")  # keeps the focus where it is
    page.click(f"{answer}[data-line='{second}']", timeout=60_000)
    page.wait_for_selector(f".lines [aria-current][data-action='{second}']")
    assert page.inner_text(".lines [aria-current] .number") == "2"
    assert page.evaluate("document.activeElement !== document.body")


@pytest.mark.thorough
def test_answer_is_there_again_when_the_reader_steps_back(opened: Opened) -> None:
    """For the position that it is about, also after a reload; another position has its own."""
    page, start = opened.page, State.start(ORIGINAL, 1)
    first = greedy_choice(start)
    answer = ".answer .state button"
    page.click("#ask")
    page.click(f"{answer}[data-line='{first}']", timeout=60_000)
    page.wait_for_selector(f".lines [aria-current][data-action='{first}']")
    assert page.locator("#answers.elsewhere").count() == 1
    page.click("#ask")
    second = greedy_choice(start.apply(read_action(first, start)))
    page.wait_for_selector(f"{answer}[data-line='{second}']", timeout=60_000)
    for _ in range(2):
        page.click("#back")
        page.wait_for_selector(f"{answer}[data-line='{first}']")
        assert page.locator("#answers.elsewhere").count() == 0
        page.click("#on")
        page.wait_for_selector(f"{answer}[data-line='{second}']")
        page.reload()
        page.wait_for_selector(f"{answer}[data-line='{second}']")
        assert "ahead by" in page.inner_text("#gauge") or "Level" in page.inner_text("#gauge")
