"""Measures the page of 18 bots and 3,000 games: its size, its tabs, and an open page of a run.

The browser counts the bytes that it receives, with their headers (Chrome DevTools Protocol,
``Network.loadingFinished``), and the time from a click to the next paint.
"""

import random
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

from benchmarks.filling import draw_games, draw_pairs, fill, league
from pwtourney.report import publish
from pwtourney.store import ResultsFolder, Store
from pwtourney.tournament import load_tournament, make_plan

__all__ = ["TABS", "fill_large", "rows_of_file", "rows_of_open_page"]

BOTS, GAMES, DEALS = 18, 3_000, 300
TABS = ("standings", "games", "bots", "charts", "how")
_MOST_BYTES = 3_000_000
_WINDOWS = ((1280, 800, 3), (390, 844, 5))
"""Width and height of a window, and the most screens of a tab."""

_CLICKS = ("#sort", "#bot", "#result")
_ANSWER_MS = 100
_WATCHED_SECONDS = 30
_PAIRS_A_SECOND = 2.5
_MOST_TRAFFIC = 5_000

_CHOOSE = """
([selector, value]) => new Promise((done) => {
  const select = document.querySelector(selector);
  const began = performance.now();
  select.value = value;
  select.dispatchEvent(new Event("change"));
  requestAnimationFrame(() => setTimeout(() => done(performance.now() - began)));
})
"""
_SWITCH = """
(tab) => new Promise((done) => {
  const began = performance.now();
  document.querySelector(`#tabs a[data-tab="${tab}"]`).click();
  const look = () => requestAnimationFrame(() => {
    if (document.querySelector(`#tab-${tab}.shown`)) {
      setTimeout(() => done(performance.now() - began));
    } else look();
  });
  look();
})
"""


def fill_large(folder: Path) -> tuple[Path, Path]:
    """Simulate the tournament in a folder; return its file and its results."""
    config, results = folder / "large.yaml", folder / "large"
    league(config, BOTS, 2 * GAMES)
    fill(config, results, GAMES, draw_games(random.Random(1), DEALS))
    return config, results


def rows_of_file(browser: Any, results: Path) -> Iterator[tuple[str, str, str]]:
    """Yield the size of the published page, the screens of each tab, and answers to clicks."""
    with closing(Store.open(ResultsFolder(results).database)) as store:
        publish(store, results)
    path = results / "report.html"
    size = path.stat().st_size
    what = f"the page of {BOTS} bots and {GAMES:,} games"
    yield what, f"{size / 1e6:.2f} MB", f"≤ {_MOST_BYTES / 1e6:g} MB"
    for width, height, most in _WINDOWS:
        with _opened(browser, path.as_uri(), width, height) as page:
            held = page.evaluate("document.querySelectorAll('#rows tr:not(:has(a))').length")
            yield f"games of the first list that do not open, at {width} px", str(held), "0"
            for tab in TABS:
                page.evaluate(_SWITCH, tab)
                screens = page.evaluate("document.documentElement.scrollHeight / innerHeight")
                yield f"... {tab}, at {width} px", f"{screens:.1f} screens", f"≤ {most}"
    with _opened(browser, path.as_uri(), 1280, 800) as page:
        switched = max(page.evaluate(_SWITCH, tab) for tab in (*TABS, *TABS))
        yield "another tab, from the click until it is drawn", *_answer(switched)
        page.evaluate(_SWITCH, "games")
        values = {"#sort": "widest", "#bot": "bot3", "#result": "lost"}
        slowest = max(page.evaluate(_CHOOSE, [name, values[name]]) for name in _CLICKS)
        yield "another filter or order, from the choice until it is drawn", *_answer(slowest)


def rows_of_open_page(
    browser: Any, address: str, config: Path, results: Path
) -> Iterator[tuple[str, str, str]]:
    """Yield the bytes a second that an open page receives while five games a second end."""
    for tab in ("standings", "games", "charts"):
        with (
            _opened(browser, f"{address}tournament#{tab}", 1280, 800) as page,
            _playing(config, results),
        ):
            rate = _measure_traffic(page)
        yield (
            f"an open page while 5 games a second end: {tab}",
            f"{rate / 1000:.1f} kB/s",
            f"≤ {_MOST_TRAFFIC / 1000:g} kB/s",
        )


def _measure_traffic(page: Any) -> float:
    """Return the bytes a second that a page receives, with their headers."""
    received = []

    def note(event: Mapping[str, float]) -> None:
        received.append(event["encodedDataLength"])

    session = page.context.new_cdp_session(page)
    session.send("Network.enable")
    session.on("Network.loadingFinished", note)
    page.wait_for_timeout(1000 * _WATCHED_SECONDS)
    return sum(received) / _WATCHED_SECONDS


def _answer(milliseconds: float) -> tuple[str, str]:
    return f"{milliseconds:.0f} ms", f"≤ {_ANSWER_MS} ms"


@contextmanager
def _opened(browser: Any, address: str, width: int, height: int) -> Iterator[Any]:
    """Open a page in a new profile during the block."""
    context = browser.new_context(viewport={"width": width, "height": height})
    try:
        page = context.new_page()
        page.goto(address)
        page.wait_for_selector("html[data-ready=yes]")
        yield page
    finally:
        context.close()


@contextmanager
def _playing(config: Path, results: Path) -> Iterator[None]:
    """Store five games a second during the block, from where the schedule is."""
    stopped = threading.Event()
    thread = threading.Thread(target=_store_games, args=(config, results, stopped))
    thread.start()
    try:
        yield
    finally:
        stopped.set()
        thread.join()


def _store_games(config: Path, results: Path, stopped: threading.Event) -> None:
    plan = make_plan(load_tournament(config), seed=1)
    with closing(Store.open_in(ResultsFolder(results), write=True)) as store:
        pairs = draw_pairs(plan, draw_games(random.Random(2), DEALS))
        began = time.monotonic()
        for number, pair in enumerate(islice(pairs, store.count(), None)):
            if stopped.wait(max(0.0, began + number / _PAIRS_A_SECOND - time.monotonic())):
                return
            store.add(pair)
