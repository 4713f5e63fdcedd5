"""A real browser, Debian's, without any network of its own."""

from typing import Any, Self

import pytest

__all__ = [
    "EVERY_WINDOW",
    "PLAY_BROWSER",
    "QUIET",
    "REPORT_BROWSER",
    "STUDY_BROWSER",
    "WIDTHS",
    "Opened",
    "wait_for",
]

REPORT_BROWSER = pytest.mark.xdist_group("browser: reports")
"""Keeps tests of what is published in one process: the first of them starts a browser."""

PLAY_BROWSER = pytest.mark.xdist_group("browser: games")
"""The same for tests of the arena in which somebody plays."""

STUDY_BROWSER = pytest.mark.xdist_group("browser: studies")
"""The same for tests of the arena in which somebody watches or analyses."""

WIDTHS = (360, 390, 768, 1280, 1920)
"""Of windows, from a small telephone to a large screen."""

EVERY_WINDOW = pytest.mark.parametrize(
    ("width", "look"),
    [
        pytest.param(390, "dark"),
        pytest.param(1280, "dark", marks=pytest.mark.thorough),
        *(pytest.param(width, "light", marks=pytest.mark.thorough) for width in WIDTHS),
    ],
)
"""Makes a test of each width, and of a phone and a desktop in dark: one always, the rest in CI."""

QUIET = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync")


class Opened:
    """A page that was opened and is ready, and what it asked for and complained of."""

    def __init__(self, browser: Any, address: str, *, scripts: bool = True, **look: Any) -> None:
        size = {"width": look.pop("width", 1200), "height": look.pop("height", 900)}
        self._context = browser.new_context(viewport=size, java_script_enabled=scripts, **look)
        self.page = self._context.new_page()
        self.requests: list[str] = []
        self.complaints: list[str] = []
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        own = address.partition("#")[0]
        self.page.on("request", lambda request: self._note(request.url, own))
        self.page.goto(address)
        if scripts:
            self.page.wait_for_selector("html[data-ready=yes]", timeout=20_000)

    def _note(self, address: str, own: str) -> None:
        if address != own:
            self.requests.append(address)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._context.close()


def wait_for(page: Any, condition: str) -> None:
    """Wait until a condition in the page's own words holds, looked at with each frame.

    The browser's own way evaluates a text again and again, which our pages forbid.
    An `Error` of the browser's names the condition if it does not hold within a minute.
    """
    page.evaluate(
        f"""condition => new Promise((done, fail) => {{
          const end = performance.now() + 60000;
          const look = () => {{
            if ({condition}) done();
            else if (performance.now() > end) fail(new Error(`in vain: ${{condition}}`));
            else requestAnimationFrame(look);
          }};
          look();
        }})""",
        condition,
    )
