"""Helpers for tests of the analysis: requests to the server, and its examiner processes."""

import json
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest

from tests.arena import serving
from tests.arena.serving import Events, Server
from tests.processes import descendants
from tests.tournament.test_run import run

__all__ = [
    "LISTED",
    "MOVES",
    "Events",
    "follow",
    "play_games",
    "post",
    "read_covered",
    "show_notation",
    "started",
    "wait_for",
]

MOVES = "#plain button"
"""Selects the button of a move without a placement, which shows that the moves are offered."""

LISTED = "#moves button"
"""Selects the moves that a page lists in notation, or the patches if there are many."""


LEAGUE = """\
name: games
seed: 7
pairs: 1
clock: {move: 5s}
workers: 1
bots: [greedy, frugal]
"""
_SECONDS = 30.0


def play_games(folder: Path) -> None:
    """Play the two games of a pair of greedy and frugal: 0.0 and 0.1."""
    (folder / "games.yaml").write_text(LEAGUE)
    run(folder / "games.yaml", "--results", str(folder / "r"))


def post(server: Server, what: str, request: Mapping[str, Any], *, status: int = 200) -> Any:
    """Send a request as the page does; return the server's answer."""
    headers = {**server.own, "Content-Type": "application/json"}
    answer = server.ask(f"/analyse/{what}", "POST", json.dumps(request).encode(), headers)
    assert answer.status == status, answer.body
    return json.loads(answer.body)


def follow(server: Server, analysis: str) -> AbstractContextManager[Events]:
    """Follow the events of an analysis during the block."""
    return serving.follow(server, f"/analyse/events/{analysis}")


def started(server: Server) -> set[int]:
    """Return all descendants of the server: examiners, and template processes of bots."""
    return descendants(server.process.pid)


def wait_for(condition: Callable[[], bool], seconds: float = _SECONDS) -> float:
    """Wait until a condition is true; return how many seconds that took."""
    began = time.monotonic()
    while not condition():
        if time.monotonic() - began > seconds:
            pytest.fail(f"not within {seconds} s")
        time.sleep(0.05)
    return time.monotonic() - began


def show_notation(page: Any) -> None:
    """Unfold the list of moves in notation."""
    page.evaluate("document.querySelector('#notation').open = true")


def read_covered(page: Any) -> list[int]:
    """Return how many squares of each quilt board are covered, from its label."""
    labels = [board.get_attribute("aria-label") for board in page.locator("#game .quilt").all()]
    return [int(label.split(": ")[1].split(" ")[0]) for label in labels]
