"""What measurements of pages share: a browser's windows, an arena, its games, and what is seen."""

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

__all__ = [
    "ANSWER_MS",
    "DESKTOP",
    "GREEDY",
    "IS_STILL",
    "MOVING",
    "MY_TURN",
    "PERSON",
    "PHONE",
    "Browser",
    "begin_game",
    "format_answer",
    "listen",
    "place_patch",
    "post",
    "wait_until",
]

ANSWER_MS = 100

MOVING: Mapping[str, Any] = {"viewport": {"width": 1280, "height": 800}}
DESKTOP: Mapping[str, Any] = {**MOVING, "reduced_motion": "reduce"}
PHONE: Mapping[str, Any] = {
    "viewport": {"width": 390, "height": 844},
    "reduced_motion": "reduce",
    "has_touch": True,
    "is_mobile": True,
    "device_scale_factor": 2,
}

PERSON: Mapping[str, Any] = {"kind": "person", "name": "Ann"}
GREEDY: Mapping[str, Any] = {
    "kind": "bot",
    "bot": "greedy",
    "clock": {"kind": "move", "seconds": 2},
}

MY_TURN = "pwtourney.state() && (pwtourney.state().choices || pwtourney.state().over)"
"""Says in JavaScript whether a person can act at a table, or the game is over."""

IS_STILL = "!document.querySelector('.carried')"
"""Says whether no patch is in motion."""

_SLOW = {
    "offline": False,
    "latency": 150,
    "downloadThroughput": 1_600_000 / 8,
    "uploadThroughput": 1_600_000 / 8,
}
"""A slow network: milliseconds, and bytes a second."""

_WATCH = """
window.seen = { ready: null, shift: 0 };
new MutationObserver(() => {
  if (document.documentElement.dataset.ready === "yes") window.seen.ready ??= performance.now();
}).observe(document, { subtree: true, attributes: true, attributeFilter: ["data-ready"] });
new PerformanceObserver((list) => list.getEntries().forEach(({ value }) => {
  window.seen.shift += value;
})).observe({ type: "layout-shift", buffered: true });
"""


class Browser:
    """A browser that opens pages in new profiles, and notes what they must never do.

    `foreign` are requests that leave the page's server, and `errors` those of the console.
    """

    def __init__(self, chromium: Any) -> None:
        self._chromium = chromium
        self.foreign: list[str] = []
        self.errors: list[str] = []

    @contextmanager
    def open(
        self, address: str, look: Mapping[str, Any] = DESKTOP, *, slow: bool = False
    ) -> Iterator[Any]:
        """Open a page during the block, once it is ready."""
        context = self._chromium.new_context(**look)
        try:
            page = context.new_page()
            self._watch(page, address)
            if slow:
                network = context.new_cdp_session(page)
                network.send("Network.enable")
                network.send("Network.emulateNetworkConditions", _SLOW)
            page.goto(address)
            page.wait_for_selector("html[data-ready=yes]", timeout=120_000)
            yield page
        finally:
            context.close()

    def _watch(self, page: Any, address: str) -> None:
        origin = "/".join(address.split("/")[:3])

        def note_request(request: Any) -> None:
            if not request.url.startswith((origin, "data:", "blob:")):
                self.foreign.append(request.url)

        def note_message(message: Any) -> None:
            if message.type == "error":
                self.errors.append(message.text)

        page.on("request", note_request)
        page.on("console", note_message)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.add_init_script(_WATCH)


def wait_until(page: Any, condition: str) -> None:
    """Wait until a condition in JavaScript is true; pages forbid strings that are evaluated."""
    for _ in range(6000):
        if page.evaluate(f"Boolean({condition})"):
            return
        page.wait_for_timeout(10)
    raise TimeoutError(f"{page.url}: {condition}")


@contextmanager
def listen(results: Path, kept: Path) -> Iterator[str]:
    """Serve results during the block; yield the address."""
    words = ("arena", str(results), "--no-open", "--port", "0", "--games", str(kept))
    command = (sys.executable, "-m", "pwtourney", *words)
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None, "it was asked for"
        try:
            yield server.stdout.readline().split()[0]
        finally:
            server.terminate()


def post(page: Any, path: str, words: Mapping[str, Any]) -> Any:
    """Send a request as the page does; return the answer."""
    body = json.dumps(words)
    return page.evaluate(
        """async ([path, body]) => {
          const headers = { "Content-Type": "application/json" };
          return (await fetch(path, { method: "POST", headers, body })).json();
        }""",
        [path, body],
    )


def begin_game(browser: Browser, address: str, *seats: Mapping[str, Any]) -> str:
    """Begin a game on a fixed deal; return the address of its table."""
    with browser.open(f"{address}play") as page:
        answer = post(page, "/play/new", {"seats": list(seats), "deal": "81"})
    return f"{address}play/{answer['id']}"


def place_patch(page: Any) -> bool:
    """Place a patch where it fits; return True if it can be played.

    The one in hand is placed with a click, or else any with the keyboard.
    """
    can_play = page.locator("#play:not(:disabled)")
    lights = page.locator(".lights circle")
    if lights.count():
        lights.first.click(force=True)
        page.wait_for_timeout(100)
    for key in "123":
        if can_play.count():
            return True
        page.keyboard.press("Escape")
        page.keyboard.press(key)
        page.wait_for_timeout(100)
    return bool(can_play.count())


def format_answer(milliseconds: float) -> tuple[str, str]:
    """Return the value and the target of an answer to a click."""
    return f"{milliseconds:.0f} ms", f"≤ {ANSWER_MS} ms"
