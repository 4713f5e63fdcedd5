"""Measures layout shift (W3C Layout Instability) over whole games, with motion.

All shifts count, those right after a click, too, which the browser itself would excuse.
"""

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.browsing import (
    GREEDY,
    IS_STILL,
    MOVING,
    MY_TURN,
    PERSON,
    PHONE,
    Browser,
    begin_game,
    listen,
    place_patch,
    wait_until,
)
from pwtourney.store.folder import LIVE

__all__ = ["rows_of_shifts", "running"]

_MOST_SHIFT = 0.05
_GAMES = 2
"""The games that end on Watch, and so change the one that is featured."""

_RUN = """\
seed: 1
pairs: 200
workers: 1
clock: {move: 1s}
processes: persistent
bots:
  - {id: ant, bot: lookahead, set: {depth: 4}}
  - {id: bee, bot: mcts, set: {iterations: 3000}}
"""


def rows_of_shifts(browser: Browser, address: str, folder: Path) -> Iterator[tuple[str, str, str]]:
    """Yield the shift of a table, on a desktop and a phone, and of Watch."""
    for place, look in (("", MOVING), (" on a phone", {**PHONE, "reduced_motion": None})):
        table = begin_game(browser, address, PERSON, GREEDY)
        with browser.open(table, look) as page:
            yield f"shift of a table with a bot{place}", *_format(_play(page))
    with (
        running(folder) as results,
        listen(results, folder / "kept") as live,
        browser.open(f"{live}watch", MOVING) as page,
    ):
        yield f"shift of Watch while {_GAMES} games end", *_format(_follow(page))


def _format(shift: float) -> tuple[str, str]:
    return f"{shift:.3f}", f"≤ {_MOST_SHIFT}"


@contextmanager
def running(folder: Path) -> Iterator[Path]:
    """Run a tournament of slow bots during the block; yield its results once they are begun."""
    folder = Path(tempfile.mkdtemp(dir=folder))  # files of an earlier run would look like this one
    config, results = folder / "running.yaml", folder / "running"
    config.write_text(_RUN)
    command = [sys.executable, "-m", "pwtourney", "run", str(config), "--results", str(results)]
    with subprocess.Popen([*command, "--quiet"], stdout=subprocess.DEVNULL) as run:
        try:
            while not (results / LIVE / "0").exists():
                assert run.poll() is None, "the run has ended"
                time.sleep(0.1)
            yield results
        finally:
            run.kill()


def _play(page: Any) -> float:
    """Play a whole game with patches in hand; return the shift."""
    while True:
        wait_until(page, f"({MY_TURN}) && {IS_STILL}")
        if page.evaluate("Boolean(pwtourney.state().over)"):
            break
        count = page.evaluate("pwtourney.state().plies.length")
        cards = page.locator("[data-card]:not(.barred)")
        if cards.count():
            cards.first.click()
            page.keyboard.press("r")
        if place_patch(page):
            page.click("#play")
        else:
            page.keyboard.press("Escape")
            page.click("#plain button")  # to advance, or to decline a special patch
        wait_until(page, f"pwtourney.state().plies.length > {count} || pwtourney.state().over")
    page.wait_for_timeout(1000)
    shift: float = page.evaluate("window.seen.shift")
    return shift


def _follow(page: Any) -> float:
    """Follow a run until other games were featured; return the shift."""
    shown = "window.pwtourney?.shown()?.facts"
    wait_until(page, shown)
    page.evaluate("() => { window.seen.shift = 0; }")  # before the first game there was none
    for _ in range(_GAMES):
        game = page.evaluate(f"`${{{shown}.pair}}.${{{shown}.number}}`")
        wait_until(page, f"`${{{shown}.pair}}.${{{shown}.number}}` !== '{game}'")
    shift: float = page.evaluate("window.seen.shift")
    return shift
