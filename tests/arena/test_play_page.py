"""The pages for playing are accessible: on any screen, in light and dark mode."""

from typing import Any

import pytest

from tests.arena.playing import PERSON, act, begin, choose_action, state_of
from tests.arena.serving import Server
from tests.arena.test_play_browser import MY_TURN, open_table
from tests.report.browser import EVERY_WINDOW, PLAY_BROWSER, Opened, wait_for
from tests.report.test_access import CUT_OFF, find_problems

pytestmark = [PLAY_BROWSER, pytest.mark.slow(8)]

BEN = {**PERSON, "name": "Ben"}
LONG = {
    **PERSON,
    "name": "Wolfeschlegelsteinhausenbergerdo",
    "clock": {"kind": "game", "seconds": 900},
}


def check(page: Any, width: int) -> None:
    """Check for violations of axe-core's rules, and for texts that are cut off."""
    assert find_problems(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") == width
    # the skip link is off screen until it has the focus
    assert [text for text in page.evaluate(CUT_OFF) if not text.startswith("Skip")] == []


@pytest.mark.thorough
@EVERY_WINDOW
def test_axe_finds_nothing_at_a_table(arena: Server, browser: Any, width: int, look: str) -> None:
    """At the beginning, with patches that do and do not fit, all opened, and at the end."""
    table = begin(arena, LONG, BEN, deal="81")
    with open_table(browser, arena, table, width=width, color_scheme=look) as opened:
        page = opened.page
        wait_for(page, MY_TURN)
        page.click("#help")
        page.evaluate("document.querySelector('details').open = true")
        check(page, width)
        page.keyboard.press("Escape")  # until then the keys are those of the panel
        for number in ("2", "1"):  # the first costs more than the person has
            page.keyboard.press(number)
            wait_for(page, "document.querySelector('#preview:is(.fit, .misfit)')?.dataset.action")
            check(page, width)
        page.keyboard.press("Escape")
        version = state_of(arena, table)["version"]
        for _ in range(2):
            _, answer = act(
                arena, table, version, "play", action=choose_action(state_of(arena, table))
            )
            version = answer["version"]
        wait_for(page, f"pwtourney.state().version >= {version}")
        check(page, width)
        act(arena, table, version, "resign", seat=0)
        wait_for(page, "pwtourney.state().over")
        check(page, width)
        assert not opened.complaints


@pytest.mark.thorough
@EVERY_WINDOW
def test_axe_finds_nothing_on_the_pages_for_new_games(
    arena: Server, browser: Any, width: int, look: str
) -> None:
    """With games in the list, each kind of player in the form, and a problem."""
    table = begin(arena, LONG, BEN, deal="81")
    look_of: dict[str, Any] = {"width": width, "color_scheme": look}
    with Opened(browser, f"{arena.address}play", **look_of) as opened:
        page = opened.page
        check(page, width)
        page.click("#more > summary")
        for who in ("automa:", "person:", "bot:greedy"):
            page.select_option("[data-who='1']", who)
            check(page, width)
        page.click("#start summary")
        page.fill("#deal", "nonsense")
        page.click("#begin")
        wait_for(page, "document.querySelector('#problem').textContent")
        check(page, width)
    name = table.rpartition("/")[2]
    with Opened(browser, f"{arena.address}play/new?from={name}&ply=0", **look_of) as opened:
        check(opened.page, width)
