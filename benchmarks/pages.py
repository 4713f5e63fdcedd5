"""Measures the arena's pages in a browser: first paint, response to keys, 2,000 games.

The browser itself measures first paint and interactions: "first contentful paint" of W3C Paint
Timing, and the duration from an event to the next paint of W3C Event Timing (in steps of 8 ms),
whose largest value in a visit is called interaction to next paint.
"""

import json
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

__all__ = ["rows"]

_GAMES = 2000
_OPENED = 5
"""The number of times that each page is opened, each in a new profile; the median counts."""

_PLIES = 8
_FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync")
_PAINT_MS, _ANSWER_MS, _READY_MS = 1000, 100, 2000

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
    with tempfile.TemporaryDirectory() as place, sync_playwright() as playwright:
        results = _play_games(Path(place))
        browser = playwright.chromium.launch(executable_path=chromium, args=list(_FLAGS))
        with _arena(results, Path(place) / "kept") as address:
            yield from _measure(browser, address)
        browser.close()


def _measure(browser: Any, address: str) -> Iterator[tuple[str, str, str]]:
    paths = {
        f"the tournament, {_GAMES:,} games": "",
        "watch": "watch",
        "a new game": "play/new",
        "a stored game, to analyse": "analyse?game=0.0",
    }
    for name, path in paths.items():
        opened = [_open(browser, address + path, _times) for _ in range(_OPENED)]
        paint, ready = (median(times) for times in zip(*opened, strict=True))
        yield f"{name}: first paint", f"{paint:.0f} ms", f"≤ {_PAINT_MS} ms"
        yield "... until it can be used", f"{ready:.0f} ms", f"≤ {_READY_MS} ms"
    slowest = _open(browser, f"{address}analyse?game=0.0", _step)
    yield "stepping through a game: the slowest answer to a key", *_answer(slowest)
    table = _begin(browser, address)
    opened = [_open(browser, table, _times) for _ in range(_OPENED)]
    yield (
        "a table: first paint",
        f"{median(paint for paint, _ in opened):.0f} ms",
        f"≤ {_PAINT_MS} ms",
    )
    slowest, plies = _open(browser, table, _play)
    yield "choosing, moving, turning: the slowest answer to a key", *_answer(slowest)
    yield "a ply from the click until it is drawn", *_answer(median(plies))


def _answer(milliseconds: float) -> tuple[str, str]:
    return f"{milliseconds:.0f} ms", f"≤ {_ANSWER_MS} ms"


def _play_games(place: Path) -> Path:
    """Play a tournament of 2,000 games; return its results."""
    config, results = place / "games.yaml", place / "results"
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


def _open(browser: Any, address: str, look: Callable[[Any], Found]) -> Found:
    """Open a page in a new profile; return the value of `look` once the page is ready."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, reduced_motion="reduce")
    try:
        page = context.new_page()
        page.add_init_script(_WATCH)
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


def _slowest(page: Any) -> float:
    """Return the longest time from an event to the next paint, in milliseconds."""
    page.evaluate("() => new Promise(done => requestAnimationFrame(() => setTimeout(done, 50)))")
    found: float = page.evaluate("window.seen.slowest")
    return found


def _step(page: Any) -> float:
    for _ in range(2 * _PLIES):
        page.keyboard.press("ArrowRight")
    return _slowest(page)


def _begin(browser: Any, address: str) -> str:
    """Begin a game of two people; return the address of its table."""

    def fill(page: Any) -> str:
        page.select_option("[data-who='1']", "person:")
        page.click("#begin")
        page.wait_for_url("**/play/*")
        page.wait_for_selector("html[data-ready=yes]")
        found: str = page.url
        return found

    return _open(browser, f"{address}play/new?deal=1", fill)


def _play(page: Any) -> tuple[float, list[float]]:
    """Return the slowest response to a key, and the times of some plies."""
    for key in ("1", "ArrowRight", "r", "ArrowDown", "f", "2", "ArrowLeft", "Shift+R", "Escape"):
        page.keyboard.press(key)
    slowest = _slowest(page)
    return slowest, [page.evaluate(_ADVANCE) for _ in range(_PLIES)]
