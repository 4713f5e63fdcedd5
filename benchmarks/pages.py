"""Measures pages in a browser: first paint, response to keys, sizes, traffic, 3,000 games.

Each page is opened over the loopback interface, and over a network of 1.6 Mbit/s and 150 ms, which
the browser emulates (Chrome DevTools Protocol, `Network.emulateNetworkConditions`). The browser
itself measures first paint and interactions: "first contentful paint" of W3C Paint Timing, and the
duration from an event to the next paint of W3C Event Timing (in steps of 8 ms), whose largest value
in a visit is called interaction to next paint.
"""

import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any, TypeVar

from playwright.sync_api import sync_playwright

from benchmarks.tournament_page import fill_large, rows_of_file, rows_of_open_page

__all__ = ["rows"]

_GAMES = 2000
_OPENED = 5
"""The number of times that each page is opened, each in a new profile; the median counts."""

_PLIES = 8
_FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync")
_PAINT_MS, _ANSWER_MS, _READY_MS, _SLOW_READY_MS = 1000, 100, 500, 1500
_MOST_REQUESTS, _MOST_KB = 12, 150

_SLOW = {
    "offline": False,
    "latency": 150,
    "downloadThroughput": 1_600_000 / 8,
    "uploadThroughput": 1_600_000 / 8,
}
"""A slow network: milliseconds, and bytes a second."""

_WATCH = """
window.seen = { ready: null, slowest: 0 };
new MutationObserver(() => {
  if (document.documentElement.dataset.ready === "yes") window.seen.ready ??= performance.now();
}).observe(document, { subtree: true, attributes: true, attributeFilter: ["data-ready"] });
new PerformanceObserver((list) => list.getEntries().forEach(({ duration }) => {
  window.seen.slowest = Math.max(window.seen.slowest, duration);
})).observe({ type: "event", durationThreshold: 16 });
"""

_ADVANCE = """
() => new Promise((done) => {
  const { version } = pwtourney.state();
  const began = performance.now();
  const look = () => requestAnimationFrame(() => {
    if (pwtourney.state().version > version) done(performance.now() - began);
    else look();
  });
  document.querySelector("#advance").click();
  look();
})
"""

Found = TypeVar("Found")


def rows() -> Iterator[tuple[str, str, str]]:
    """Yield measurement, value and target."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        yield "pages", "need chromium", ""
        return
    with tempfile.TemporaryDirectory() as directory, sync_playwright() as playwright:
        results = _play_games(Path(directory))
        browser = playwright.chromium.launch(executable_path=chromium, args=list(_FLAGS))
        with _arena(results, Path(directory) / "kept") as address:
            yield from _measure(browser, address)
        config, large = fill_large(Path(directory))
        yield from rows_of_file(browser, large)
        with _arena(large, Path(directory) / "kept") as address:
            yield from rows_of_open_page(browser, address, config, large)
        browser.close()


def _measure(browser: Any, address: str) -> Iterator[tuple[str, str, str]]:
    table = _begin(browser, address)
    paths = {
        "home": address,
        f"the tournament, {_GAMES:,} games": f"{address}tournament",
        "watch": f"{address}watch",
        "a new game": f"{address}play/new",
        "a table": table,
        "a stored game, to analyse": f"{address}analyse?game=0.0",
    }
    for name, path in paths.items():
        opened = [_open(browser, path, _times) for _ in range(_OPENED)]
        paint, ready = (median(times) for times in zip(*opened, strict=True))
        yield f"{name}: first paint", f"{paint:.0f} ms", f"≤ {_PAINT_MS} ms"
        yield "... until it can be used", f"{ready:.0f} ms", f"≤ {_READY_MS} ms"
        opened = [_open(browser, path, _times, slow=True) for _ in range(_OPENED)]
        ready = median(ready for _, ready in opened)
        yield "... on a slow network", f"{ready:.0f} ms", f"≤ {_SLOW_READY_MS} ms"
        requests, size = _open(browser, path, _traffic)
        yield "... its requests", str(requests), f"≤ {_MOST_REQUESTS}"
        yield "... its bytes, compressed", f"{size / 1000:.0f} kB", f"≤ {_MOST_KB} kB"
    slowest = _open(browser, f"{address}analyse?game=0.0", _step)
    yield "stepping through a game: the slowest answer to a key", *_answer(slowest)
    slowest, plies = _open(browser, table, _play)
    yield "choosing, moving, turning: the slowest answer to a key", *_answer(slowest)
    yield "a ply from the click until it is drawn", *_answer(median(plies))


def _answer(milliseconds: float) -> tuple[str, str]:
    return f"{milliseconds:.0f} ms", f"≤ {_ANSWER_MS} ms"


def _play_games(folder: Path) -> Path:
    """Play a tournament of 2,000 games; return its results."""
    config, results = folder / "games.yaml", folder / "results"
    words = {"seed": 1, "pairs": _GAMES // 2, "bots": ["random", "packer"]}
    config.write_text(json.dumps({**words, "processes": "persistent"}))  # JSON is YAML
    command = [sys.executable, "-m", "pwtourney", "run", str(config), "--results", str(results)]
    subprocess.run([*command, "--quiet"], check=True, stdout=subprocess.DEVNULL)
    return results


@contextmanager
def _arena(results: Path, kept: Path) -> Iterator[str]:
    """Serve the results during the block; yield the address."""
    words = ("arena", str(results), "--no-open", "--port", "0", "--games", str(kept))
    command = (sys.executable, "-m", "pwtourney", *words)
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None, "it was asked for"
        try:
            yield server.stdout.readline().split()[0]
        finally:
            server.terminate()


def _open(browser: Any, address: str, look: Callable[[Any], Found], *, slow: bool = False) -> Found:
    """Open a page in a new profile; return the value of `look` once the page is ready."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, reduced_motion="reduce")
    try:
        page = context.new_page()
        page.add_init_script(_WATCH)
        if slow:
            network = context.new_cdp_session(page)
            network.send("Network.enable")
            network.send("Network.emulateNetworkConditions", _SLOW)
        page.goto(address)
        page.wait_for_selector("html[data-ready=yes]")
        return look(page)
    finally:
        context.close()


def _times(page: Any) -> tuple[float, float]:
    """Return first paint and readiness, in milliseconds from the beginning of the visit."""
    page.evaluate("() => new Promise(done => requestAnimationFrame(() => setTimeout(done)))")
    paint, ready = page.evaluate(
        "[performance.getEntriesByName('first-contentful-paint')[0].startTime, window.seen.ready]"
    )
    return paint, ready


def _traffic(page: Any) -> tuple[int, int]:
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


def _slowest(page: Any) -> float:
    """Return the longest time from an event to the next paint, in milliseconds."""
    page.evaluate("() => new Promise(done => requestAnimationFrame(() => setTimeout(done, 50)))")
    slowest: float = page.evaluate("window.seen.slowest")
    return slowest


def _step(page: Any) -> float:
    for _ in range(2 * _PLIES):
        page.keyboard.press("ArrowRight")
    return _slowest(page)


def _begin(browser: Any, address: str) -> str:
    """Begin a game of two people; return the address of its table."""

    def fill(page: Any) -> str:
        page.select_option("[data-who='1']", "person:")
        page.click("#begin")
        page.wait_for_url(re.compile("/play/(?!new)"))
        page.wait_for_selector("html[data-ready=yes]")
        url: str = page.url
        return url

    return _open(browser, f"{address}play/new?deal=1", fill)


def _play(page: Any) -> tuple[float, list[float]]:
    """Return the slowest response to a key, and the times of some plies."""
    for key in ("1", "ArrowRight", "r", "ArrowDown", "f", "2", "ArrowLeft", "Shift+R", "Escape"):
        page.keyboard.press(key)
    slowest = _slowest(page)
    return slowest, [page.evaluate(_ADVANCE) for _ in range(_PLIES)]
