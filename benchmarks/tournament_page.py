"""Measures the page of 18 bots and 3,000 games: its size, its tabs, and open pages of a run.

The browser counts the bytes that it receives as they come (Chrome DevTools Protocol,
``Network.dataReceived``), because streams of events never finish, and those of the headers. Of a
document it tells the bytes only at its end (``Network.loadingFinished``).
"""

import random
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

from benchmarks.browsing import DESKTOP, PHONE, Browser, format_answer
from benchmarks.filling import draw_games, draw_pairs, fill, league
from pwtourney.executor.broadcast import pack_broadcast, prepare_broadcasts
from pwtourney.notation.game import Game
from pwtourney.report import publish
from pwtourney.store import ResultsFolder, Store
from pwtourney.store.folder import LIVE
from pwtourney.tournament import load_tournament, make_plan

__all__ = ["TABS", "fill_large", "rows_of_file", "rows_of_open_page"]

BOTS, GAMES, DEALS = 18, 3_000, 300
TABS = ("standings", "games", "bots", "charts", "how")
_MOST_BYTES = 3_000_000
_WINDOWS = (("1280", DESKTOP, 3), ("390", PHONE, 5))
"""The width and the look of a window, and the most screens of a tab."""

_CLICKS = ("#sort", "#bot", "#result")
_WATCHED_SECONDS = 30
_PAIRS_A_SECOND = 2.5
_MOST_TRAFFIC = 5_000
_OPEN_PAGES = (*(f"tournament#{tab}" for tab in ("standings", "games", "charts")), "watch", "")

_DRAWN = 100
"""The number of games, drawn by lot, that are opened."""

_OPEN = """
(game) => new Promise((done) => {
  location.hash = `#game=${game}&ply=1`;
  const until = performance.now() + 5000;
  const look = () => requestAnimationFrame(() => {
    const isOpen = document.querySelector("#title").textContent.includes(`${game}:`)
      && document.querySelector("#what").textContent.startsWith("Ply 1 of");
    if (isOpen || performance.now() > until) done(isOpen);
    else look();
  });
  look();
})
"""
"""Opens a game; returns whether its first ply was shown within five seconds."""

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


def rows_of_file(browser: Browser, results: Path) -> Iterator[tuple[str, str, str]]:
    """Yield the size of the published page, the screens of each tab, and answers to clicks."""
    with closing(Store.open(ResultsFolder(results).database)) as store:
        publish(store, results)
    path = results / "report.html"
    size = path.stat().st_size
    what = f"the page of {BOTS} bots and {GAMES:,} games"
    yield what, f"{size / 1e6:.2f} MB", f"≤ {_MOST_BYTES / 1e6:g} MB"
    for width, look, most in _WINDOWS:
        with browser.open(path.as_uri(), look) as page:
            for tab in TABS:
                page.evaluate(_SWITCH, tab)
                screens = page.evaluate("document.documentElement.scrollHeight / innerHeight")
                yield f"... {tab}, at {width} px", f"{screens:.1f} screens", f"≤ {most}"
    with browser.open(path.as_uri()) as page:
        page.evaluate(_SWITCH, "games")
        numbers = random.Random(1).sample(range(GAMES), _DRAWN)
        opened = [page.evaluate(_OPEN, f"{number // 2}.{number % 2}") for number in numbers]
        what = f"... its games that do not open, of {_DRAWN} drawn of {GAMES:,}"
        yield what, str(opened.count(False)), "0"
    with browser.open(path.as_uri()) as page:
        switched = max(page.evaluate(_SWITCH, tab) for tab in (*TABS, *TABS))
        yield "another tab, from the click until it is drawn", *format_answer(switched)
        page.evaluate(_SWITCH, "games")
        values = {"#sort": "widest", "#bot": "bot3", "#result": "lost"}
        slowest = max(page.evaluate(_CHOOSE, [name, values[name]]) for name in _CLICKS)
        yield "another filter or order, from the choice until it is drawn", *format_answer(slowest)


def rows_of_open_page(
    browser: Browser, address: str, config: Path, results: Path
) -> Iterator[tuple[str, str, str]]:
    """Yield the bytes a second that open pages receive while five games a second end."""
    for path in _OPEN_PAGES:
        with browser.open(f"{address}{path}") as page, _playing(config, results):
            rate = _measure_traffic(page)
        yield (
            f"an open page while 5 games a second end: {path or 'home'}",
            f"{rate / 1000:.1f} kB/s",
            f"≤ {_MOST_TRAFFIC / 1000:g} kB/s",
        )


def _measure_traffic(page: Any) -> float:
    """Return the bytes a second that a page receives, with their headers."""
    came: Counter[str] = Counter()
    whole: dict[str, float] = {}

    def note_data(event: Mapping[str, Any]) -> None:
        came[event["requestId"]] += event["encodedDataLength"]

    def note_head(event: Mapping[str, Any]) -> None:
        came[event["requestId"]] += event["response"]["encodedDataLength"]

    def note_end(event: Mapping[str, Any]) -> None:
        whole[event["requestId"]] = event["encodedDataLength"]

    session = page.context.new_cdp_session(page)
    session.send("Network.enable")
    session.on("Network.dataReceived", note_data)
    session.on("Network.responseReceived", note_head)
    session.on("Network.loadingFinished", note_end)
    page.wait_for_timeout(1000 * _WATCHED_SECONDS)
    return sum(max(size, whole.get(key, 0)) for key, size in came.items()) / _WATCHED_SECONDS


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
    with ResultsFolder(results) as folder, closing(Store.open_in(folder, write=True)) as store:
        prepare_broadcasts(results / LIVE)
        pairs = draw_pairs(plan, draw_games(random.Random(2), DEALS))
        began = time.monotonic()
        for number, pair in enumerate(islice(pairs, store.count(), None)):
            for share in (0.25, 0.5, 0.75, 1):
                _broadcast(results / LIVE, pair, share)
                due = began + (number + share) / _PAIRS_A_SECOND
                if stopped.wait(max(0.0, due - time.monotonic())):
                    return
            store.add(pair)


def _broadcast(live: Path, pair: list[Game], share: float) -> None:
    """Write the games of two slots as workers do, with this share of their plies."""
    for slot, game in enumerate(pair):
        plies = game.plies[: round(share * len(game.plies))]
        is_over = share == 1
        data = {
            "pair": game.pair,
            "game": game.game,
            "bots": list(game.bots),
            "edition": game.edition,
            "circle": game.deal.circle,
            "late": game.deal.late,
            "automa": None,
            "plies": [(ply.seat, ply.action, ply.micros, ply.info) for ply in plies],
            "to_move": game.plies[len(plies) % len(game.plies)].seat,
            "move": [2000, 2000],
            "left": [None, None],
            "asked": None,
            "info": "",
            "over": is_over,
            "result": (game.verdict, game.winner, game.scores, "") if is_over else None,
        }
        (live / str(slot)).write_bytes(pack_broadcast(data))
