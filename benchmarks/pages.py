"""Measures pages in a browser: the limits for what players, spectators and readers see.

Each page is opened in a new profile over the loopback interface, at 1280 x 800 and as on a phone,
and over a network of 1.6 Mbit/s and 150 ms, which the browser emulates (Chrome DevTools Protocol,
`Network.emulateNetworkConditions`). A page can be used when its script has drawn it.
"""

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from statistics import median
from typing import Any

from playwright.sync_api import sync_playwright

from benchmarks.browsing import DESKTOP, PHONE, Browser, begin_game, listen, post
from benchmarks.clicks import rows_of_clicks
from benchmarks.shifts import rows_of_shifts, running
from benchmarks.tournament_page import TABS, fill_large, rows_of_file, rows_of_open_page

__all__ = ["rows"]

_GAMES = 2000
_OPENED = 3
"""The number of times that each page is opened, each in a new profile; the median counts."""

_FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync")
_READY_MS, _SLOW_READY_MS = 500, 1500
_MOST_REQUESTS, _MOST_KB = 12, 150
_ANN, _BEN = ({"kind": "person", "name": name} for name in ("Ann", "Ben"))


def rows() -> Iterator[tuple[str, str, str]]:
    """Yield measurement, value and target."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        yield "pages", "need chromium", ""
        return
    with tempfile.TemporaryDirectory() as directory, sync_playwright() as playwright:
        folder = Path(directory)
        results = _play_games(folder)
        process = playwright.chromium.launch(executable_path=chromium, args=list(_FLAGS))
        browser = Browser(process)
        with listen(results, folder / "kept") as address:
            for name, path in _list_views(browser, address):
                yield from _measure(browser, name, path)
            yield from rows_of_clicks(browser, address)
            yield from rows_of_shifts(browser, address, folder)
        with running(folder) as live, listen(live, folder / "kept") as address:
            yield from _measure(browser, "Watch, running", f"{address}watch")
        config, large = fill_large(folder)
        yield from rows_of_file(browser, large)
        with listen(large, folder / "kept") as address:
            yield from rows_of_open_page(browser, address, config, large)
        yield "requests that leave the page", str(len(browser.foreign)), "0"
        yield "errors in the console", str(len(browser.errors)), "0"
        process.close()


def _list_views(browser: Browser, address: str) -> Iterator[tuple[str, str]]:
    """Yield the name and the address of each view."""
    table, ended = (begin_game(browser, address, _ANN, _BEN) for _ in range(2))
    with browser.open(ended) as page:
        path = ended.removeprefix(address.rstrip("/"))
        post(page, f"{path}/action", {"do": "resign", "version": 1, "seat": 0})
    yield "home", address
    yield "a new game", f"{address}play"
    yield "a table", table
    yield "a finished table", ended
    yield "analyse, empty", f"{address}analyse"
    yield "analyse, a stored game", f"{address}analyse?game=0.0"
    yield "Watch, ended", f"{address}watch"
    yield "a game's page", f"{address}game/0.0"
    for tab in TABS:
        yield f"tournament of {_GAMES:,} games, {tab}", f"{address}tournament#{tab}"
    yield "a bot's page", f"{address}tournament#bot=random"


def _measure(browser: Browser, name: str, path: str) -> Iterator[tuple[str, str, str]]:
    """Yield when a view can be used, and what it loads."""
    ready = _time(browser, path, DESKTOP)
    yield f"{name}: can be used", f"{ready:.0f} ms", f"≤ {_READY_MS} ms"
    ready = _time(browser, path, PHONE)
    yield "... on a phone", f"{ready:.0f} ms", f"≤ {_READY_MS} ms"
    ready = _time(browser, path, PHONE, slow=True)
    yield "... on a phone with a slow network", f"{ready:.0f} ms", f"≤ {_SLOW_READY_MS} ms"
    with browser.open(path) as page:
        requests, size = _count_traffic(page)
    yield "... its requests", str(requests), f"≤ {_MOST_REQUESTS}"
    yield "... its bytes, compressed", f"{size / 1000:.0f} kB", f"≤ {_MOST_KB} kB"


def _time(browser: Browser, path: str, look: Mapping[str, Any], *, slow: bool = False) -> float:
    """Return when a view can be used, in milliseconds from the beginning of the visit."""
    times: list[float] = []
    for _ in range(_OPENED):
        with browser.open(path, look, slow=slow) as page:
            times.append(page.evaluate("window.seen.ready"))
    return median(times)


def _play_games(folder: Path) -> Path:
    """Play a tournament of 2,000 games; return its results."""
    config, results = folder / "games.yaml", folder / "results"
    words = {"seed": 1, "pairs": _GAMES // 2, "bots": ["random", "packer"]}
    config.write_text(json.dumps({**words, "processes": "persistent"}))  # JSON is YAML
    command = [sys.executable, "-m", "pwtourney", "run", str(config), "--results", str(results)]
    subprocess.run([*command, "--quiet"], check=True, stdout=subprocess.DEVNULL)
    return results


def _count_traffic(page: Any) -> tuple[int, int]:
    """Return the requests of a page, and the bytes of the answers with their headers.

    W3C Resource Timing counts 300 bytes for the headers of each answer.
    """
    page.evaluate("() => new Promise(done => requestIdleCallback(done))")
    requests, size = page.evaluate(
        """() => {
          const find = (kind) => performance.getEntriesByType(kind);
          const all = [...find("navigation"), ...find("resource")];
          return [all.length, all.reduce((sum, each) => sum + each.transferSize, 0)];
        }"""
    )
    return requests, size
