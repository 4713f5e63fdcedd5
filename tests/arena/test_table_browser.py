"""A table in a real browser: what is shown when things come late, twice, or not at all."""

from typing import Any

import pytest

from tests.arena.playing import PERSON, begin
from tests.arena.serving import Server
from tests.arena.test_play_browser import MY_TURN, open_table
from tests.report.browser import ONE_BROWSER, wait_for

pytestmark = [ONE_BROWSER, pytest.mark.slow(3)]

BEN = {**PERSON, "name": "Ben"}


def test_an_answer_that_is_a_page_becomes_a_sentence(arena: Server, browser: Any) -> None:
    """The person who wanted to play reads that it cannot be done now, not the source of a page."""
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
