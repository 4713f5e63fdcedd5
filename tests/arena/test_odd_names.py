"""Names that would do something if they were interpreted as markup, in the lists of games."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from tests.arena.playing import PERSON, act, begin, record_of
from tests.arena.serving import Server, served
from tests.report.browser import PLAY_BROWSER, Opened, wait_for

pytestmark = [PLAY_BROWSER, pytest.mark.thorough, pytest.mark.slow(5)]

ODD = {
    "\u202eevil\u2066 \u05d0\u05d1": "?evil? \u05d0\u05d1",
    "e" + "\u0301\u0320" * 15: "e" + "\u0301\u0320" * 15,
    "\U0001f469\u200d\U0001f680 <b>\u00e9": "\U0001f469\u200d\U0001f680 <b>\u00e9",
    "<script>hit=1</script>": "<script>hit=1</script>",
    "<img src=x onerror=hit=1>": "<img src=x onerror=hit=1>",
    "\x1b[31m\x00\x85\u2028": "?[31m???",
}
"""Maps names to their shown form: direction marks and control characters become `?`."""


def play(server: Server, first: str, second: str) -> str:
    """Begin a game of two people, and end it; return its path."""
    seats = [{**PERSON, "name": name} for name in (first, second)]
    table = begin(server, *seats, deal="81")
    assert act(server, table, 1, "resign", seat=0)[0] == 200
    return table


def check_texts(page: Any, selector: str, names: Iterable[str]) -> None:
    """Check that names are shown as texts, and that none of them was interpreted."""
    shown = page.text_content(selector)
    assert all(ODD[name] in shown for name in names)
    assert page.evaluate("typeof hit") == "undefined"
    assert page.query_selector(f"{selector} img, {selector} script, {selector} b") is None


def test_odd_names_are_texts_in_the_list_of_games(tmp_path: Path, browser: Any) -> None:
    """Names of people in the list, with the result and the button of each game."""
    names = list(ODD)
    with served("--games", str(tmp_path)) as server:
        for first, second in zip(names[::2], names[1::2], strict=True):
            play(server, first, second)
        with Opened(browser, f"{server.address}play") as opened:
            check_texts(opened.page, "ul.games", names)
            assert opened.complaints == []


def test_odd_names_in_saved_games_are_texts(tmp_path: Path, browser: Any) -> None:
    """A saved game from elsewhere may contain any names."""
    names = [name for name in ODD if name.splitlines() == [name]]
    with served("--games", str(tmp_path)) as server:
        record = record_of(server, play(server, "Ann", "Ben"))
        for number, name in enumerate(names):
            text = record.replace("seat 0 Ann", f"seat 0 {name}")
            (tmp_path / f"odd{number}.game").write_text(text, encoding="utf-8")
        with Opened(browser, f"{server.address}analyse") as opened:
            wait_for(opened.page, f"document.querySelectorAll('tbody tr').length > {len(names)}")
            check_texts(opened.page, "main", names)
            assert opened.complaints == []
